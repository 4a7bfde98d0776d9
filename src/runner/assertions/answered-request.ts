/**
 * A request and its answer, kept for later requests that refer to it by name.
 *
 * Rules: a body is searched with JSONPath, or with XPath if the path begins with `/` or `asXml.`; `*` or an empty path
 * means the whole body. If a path finds several values, the first is used. Lists and objects are returned as JSON.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { type HeaderList, type HttpcliError, utf8Bytes } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import { parseMediaType } from '../request/media-type.ts'
import type { AnsweredRequest, RequestReference } from '../variables/request-references.ts'
import { quotedNames } from '../variables/variable-path.ts'
import { jsonOf } from './found-value.ts'
import { type Lookups, loadLookups, ResponseContent } from './response-content.ts'

interface Side {
  readonly headers: HeaderList
  /** Undefined if the body was too large to keep. */
  readonly content: Uint8Array | undefined
}

/** @param isXmlForced whether bodies without a document type are parsed as documents */
export async function answeredRequest(
  sent: { readonly headers: HeaderList; readonly text: string },
  response: Side,
  isXmlForced: boolean,
): Promise<AnsweredRequest> {
  const hasDocuments = isXmlForced || isXml(sent.headers) || isXml(response.headers)
  const lookups = await loadLookups(new Set(hasDocuments ? ['jsonpath', 'xpath'] : ['jsonpath']))
  const sides = {
    request: new AnsweredSide({ headers: sent.headers, content: utf8Bytes(sent.text) }, lookups),
    response: new AnsweredSide(response, lookups),
  }
  return { value: (reference) => sides[reference.side].value(reference) }
}

function isXml(headers: HeaderList): boolean {
  return /xml|html/.test(parseMediaType(headers.first('content-type') ?? '').name)
}

export class AnsweredSide {
  readonly #headers: HeaderList
  readonly #content: ResponseContent | undefined
  readonly #hasDocuments: boolean

  constructor({ headers, content }: Side, lookups: Lookups) {
    this.#headers = headers
    this.#content = content && new ResponseContent(content, headers, lookups)
    this.#hasDocuments = lookups.documents !== undefined
  }

  /** @throws HttpcliError */
  value(reference: RequestReference): JsonValue {
    return reference.part === 'headers' ? this.#header(reference) : this.#body(reference)
  }

  #header({ name, side, path }: RequestReference): JsonValue {
    const found = path === '' ? undefined : this.#headers.first(path)
    if (found !== undefined) return found
    const known = [...new Set([...this.#headers].map(([field]) => field))].join(', ')
    const problem = path === '' ? 'expected the name of a header' : `no header ${path}`
    throw nothingAt(`${problem} in the ${side} of ${JSON.stringify(name)}: it has ${known}`)
  }

  #body({ name, side, path: written }: RequestReference): JsonValue {
    if (this.#content === undefined) throw nothingAt(`the body of ${JSON.stringify(name)} is too large to be kept`)
    const [, form, path = ''] = /^(asJson\.|asXml\.)?(.*)$/s.exec(written) ?? []
    if (path === '' || path === '*') return this.#content.text
    const about = `the ${side} of ${JSON.stringify(name)}`
    const isXPath = form === 'asXml.' || path.startsWith('/')
    if (isXPath && !this.#hasDocuments) throw nothingAt(`${about} is not XML, and ${JSON.stringify(path)} is an XPath`)
    const found = this.#found(isXPath, path)
    const all = found.type === 'values' ? found.values[0] : jsonOf(found)
    const first = Array.isArray(all) && isXPath ? all[0] : all
    if (first === undefined) {
      throw nothingAt(`${about}: ${found.type === 'nothing' ? found.reason : `nothing at ${path}`}`)
    }
    return typeof first === 'object' && first !== null ? JSON.stringify(first) : first
  }

  #found(isXPath: boolean, path: string): ReturnType<ResponseContent['atPath']> {
    const content = this.#content as ResponseContent
    try {
      if (isXPath) return content.atXPath(path)
      return content.atPath(quotedNames(path.startsWith('$') ? path : `$${path.startsWith('[') ? '' : '.'}${path}`))
    } catch (cause) {
      // The libraries throw errors of other types.
      const kind = isXPath ? 'an XPath' : 'a JSONPath'
      throw new RunError('bad-variable-path', `${path} is not ${kind}: ${(cause as Error).message}`, { cause })
    }
  }
}

function nothingAt(message: string): HttpcliError {
  return new RunError('unknown-variable', message)
}
