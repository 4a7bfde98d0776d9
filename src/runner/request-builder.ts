/**
 * A request of the file to a message that can be sent, and how it is to be sent.
 *
 * Rules: variables are replaced first, in the order of the text. Nothing is added but Host and framing. What the
 * message library refuses is told at the line of the file that it comes from. RFC 7617 for Basic.
 */
import { dirname } from 'node:path'
import type { HeaderNode, Request, Span, TagNode } from '../http-file/index.ts'
import { BytesBody, HeaderList, HttpcliError, HttpRequest, octetString, utf8Bytes } from '../message/index.ts'
import type { Timeouts } from '../wire/index.ts'
import { errorAt, type SourceText } from './errors.ts'
import type { LoadedHttpFile } from './loaded-file.ts'
import { requestBody } from './request-body.ts'
import { requestAddress } from './request-url.ts'
import type { Variables } from './variables.ts'

export interface PreparedRequest {
  readonly message: HttpRequest
  readonly followsRedirects: boolean
  /** Those that tags set. */
  readonly timeouts: Partial<Timeouts>
}

/** @throws HttpcliError with the place in the request file; errors of the file system for body files. */
export async function prepareRequest(
  request: Request,
  { source, path }: Pick<LoadedHttpFile, 'source' | 'path'>,
  variables: Variables,
): Promise<PreparedRequest> {
  const hasTag = (name: string): boolean => request.tags.some((tag) => tag.name === name)
  const target = variables.render(request.line.target)
  const headers = request.headers.map((node) => renderHeader(node, source, variables))
  const host = headers.find(({ name }) => name.toLowerCase() === 'host')
  const address = at(source, request.line.targetSpan, () =>
    requestAddress(target, host?.value, !hasTag('no-auto-encoding')),
  )
  const fields = headers.map(({ name, value, span }): readonly [string, string] => {
    const written = name.toLowerCase() === 'host' ? (address.host ?? value) : value
    const field = [name, octetString(utf8Bytes(written))] as const
    at(source, span, () => HeaderList.of([field]))
    return field
  })
  const contentType = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? ''
  const method = request.line.method ?? 'GET'
  const body =
    (await requestBody(request, { source, directory: dirname(path), variables, contentType })) ?? emptyBody(method)
  const version = request.line.version === 'HTTP/1.0' ? 'HTTP/1.0' : 'HTTP/1.1'
  const message = at(source, request.line.span, () => {
    return new HttpRequest({
      method,
      url: address.url,
      version,
      headers: fields,
      ...(body === undefined ? {} : { body }),
    })
  })
  return {
    message,
    followsRedirects: !hasTag('no-redirect'),
    timeouts: timeoutsOf(request.tags, source),
  }
}

/** RFC 9110 section 8.6: where the method gives a body a meaning, its absence is told by a length of 0. */
function emptyBody(method: string): BytesBody | undefined {
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? new BytesBody(new Uint8Array(0)) : undefined
}

interface RenderedHeader {
  readonly name: string
  readonly value: string
  readonly span: Span
}

function renderHeader(node: HeaderNode, source: SourceText, variables: Variables): RenderedHeader {
  const name = variables.render(node.name)
  const value = variables.render(node.value)
  const sent = name.toLowerCase() === 'authorization' ? authorization(value, node, source) : value
  return { name, value: sent, span: node.span }
}

/** `Basic user password` becomes the one token that is sent; one token stays as it is. */
function authorization(value: string, node: HeaderNode, source: SourceText): string {
  const basic = /^Basic[ \t]+(\S+)[ \t]+(\S.*)$/i.exec(value)
  if (basic !== null) return `Basic ${Buffer.from(`${basic[1]}:${basic[2]}`, 'utf8').toString('base64')}`
  if (/^Digest[ \t]+[^\s=,]+[ \t]+\S+$/i.test(value)) {
    const message = 'Authorization: Digest with name and password is not supported yet'
    throw errorAt(source, node.span, { code: 'not-supported', message })
  }
  return value
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, '': 1000, m: 60_000 }

/** What each tag sets. */
const timeoutTags: Readonly<Record<string, keyof Timeouts>> = {
  timeout: 'firstByteMs',
  'connection-timeout': 'connectMs',
}

function timeoutsOf(tags: readonly TagNode[], source: SourceText): Partial<Timeouts> {
  const timeouts: { -readonly [Name in keyof Timeouts]?: number } = {}
  for (const tag of tags) {
    const name = Object.hasOwn(timeoutTags, tag.name) ? timeoutTags[tag.name] : undefined
    if (name === undefined) continue
    const match = /^(\d+)[ \t]*(ms|s|m|)$/.exec(tag.value)
    if (match === null) {
      throw errorAt(source, tag.span, {
        code: 'invalid-request',
        message: `@${tag.name} needs a number, and may have a unit: found ${JSON.stringify(tag.value)}`,
        hint: 'The units are ms, s and m; without one the number is seconds.',
      })
    }
    timeouts[name] = Number(match[1]) * (unitsMs[match[2] as string] as number)
  }
  return timeouts
}

/** Errors of the message library and of addresses get the place of the line that they come from. */
function at<Result>(source: SourceText, span: Span, action: () => Result): Result {
  try {
    return action()
  } catch (cause) {
    if (!(cause instanceof HttpcliError)) throw cause
    const { message, hint } = cause
    const code = cause.code === 'not-supported' ? cause.code : 'invalid-request'
    throw errorAt(source, span, { code, message, cause, ...(hint === undefined ? {} : { hint }) })
  }
}
