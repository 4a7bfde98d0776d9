/** The entry point of the part of the light runtime that needs the libraries of the full one. */
import { HeaderList, HttpRequest, octetString, utf8Bytes } from '../../message/index.ts'
import { readableField } from '../../secrets/index.ts'
import { basicAuthorization, type Exchange, RedirectTrail } from '../../wire/index.ts'
import { valueAtPath } from '../assertions/json-lookup.ts'
import { converters, textFilters } from '../assertions/text-filters.ts'
import { readRows as rowsOf } from '../plan/data-rows.ts'
import { checkVariables } from '../request/graphql-body.ts'
import { requestAddress } from '../request/request-url.ts'
import type { K6Modules, K6Response } from './k6.ts'
import { headersOf, readyRequest } from './load-client.ts'
import { loadSummary } from './load-summary.ts'
import { useCrypto } from './platform/crypto.ts'
import { summaryTexts } from './platform/load-edges.ts'
import { createLibrary } from './platform/script-libraries.ts'

/** A message in the form that k6 accepts, without its body. */
export interface SentMessage {
  readonly method: string
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly hasBody: boolean
}

export interface LoadServices {
  readonly summary: typeof summary
  readonly valueAtPath: typeof valueAtPath
  readonly converters: typeof converters
  readonly textFilters: typeof textFilters
  readonly createLibrary: typeof createLibrary
  readonly address: typeof address
  readonly fieldValue: typeof fieldValue
  readonly redirects: typeof redirects
  readonly checkVariables: typeof checkVariables
}

export interface LoadAddress {
  readonly url: string
  /** The URL as written in the request. */
  readonly target: string
  /** The Host field, if it replaces that of the file. */
  readonly host?: string
  /** The Authorization field, if the URL has a user. */
  readonly credentials?: string
}

/** The rows of a data file, as plain objects. @throws InvalidFileError */
export function readRows(text: string, path: string): readonly object[] {
  return rowsOf({ path, text }).map((row) => Object.fromEntries(row))
}

/**
 * A target with its variables replaced as a URL, and the field for the credentials in it.
 * @throws HttpcliError `invalid-request`
 */
function address(target: string, shouldEncode: boolean, host?: string): LoadAddress {
  const { url: written, credentials, host: field } = requestAddress(target, host, shouldEncode)
  const message = new HttpRequest({ method: 'GET', url: written, allowsAnyTarget: !shouldEncode })
  const { url } = readyRequest(message, undefined)
  const own = { url, target: written, ...(field === undefined ? {} : { host: field }) }
  return { ...own, ...(credentials === undefined ? {} : { credentials: basicAuthorization(credentials) }) }
}

/** The value of a field as sent, as text. @throws HttpcliError of the message library */
function fieldValue(name: string, value: string): string {
  const [[, sent] = ['', '']] = HeaderList.of([[name, octetString(utf8Bytes(value))]])
  return readableField(sent)
}

/** Follows redirects: each call with a response returns the next message; undefined if the response is final. */
function redirects(first: SentMessage): (response: K6Response) => SentMessage | undefined {
  const trail = new RedirectTrail()
  let message = new HttpRequest({
    method: first.method,
    url: first.url,
    headers: Object.entries(first.fields).map(([name, value]) => [name, octetString(utf8Bytes(value))] as const),
    allowsAnyTarget: true,
    ...(first.hasBody ? { body: new Uint8Array(0) } : {}),
  })
  return (response) => {
    const answer = { status: response.status, headers: headersOf(response) }
    const next = trail.next({ request: message, response: answer } as unknown as Exchange)
    if (next === undefined) return undefined
    message = next
    const { url, fields } = readyRequest(next, undefined)
    return { method: next.method, url, fields, hasBody: next.body !== undefined }
  }
}

/** The texts at the end of a test, by file. @param file the request file */
function summary(
  k6: K6Modules,
  file: string,
  data: Parameters<typeof loadSummary>[1],
): ReturnType<typeof summaryTexts> {
  return summaryTexts(k6, loadSummary(file, data), data)
}

export function create({ k6: { crypto } }: { readonly k6: K6Modules }): LoadServices {
  if (crypto !== undefined) useCrypto(crypto)
  return {
    ...{ address, checkVariables, converters, createLibrary, fieldValue, redirects, summary },
    ...{ textFilters, valueAtPath },
  }
}
