/**
 * Warns about input that is allowed but probably a mistake: misspelt methods and header names, and invalid JSON.
 *
 * Rules: advice covers only requests that would be sent; anything that cannot be sent is already an error. Names with
 * variables are not checked. RFC 9110 section 16.1.1, and the registries of methods and fields.
 */
import {
  type BodyFileNode,
  type BodyTextNode,
  CURL,
  type HeaderNode,
  isJsonText,
  isLiteral,
  methodNames,
  misspelledName,
  normalMethods,
  parseJsonSource,
  type Request,
  type Span,
  templateText,
} from '../../http-file/index.ts'
import type { AdviceCode } from '../base/error-codes.ts'
import { isGraphqlText } from '../request/graphql-body.ts'
import { isJson, parseMediaType } from '../request/media-type.ts'
import { foreseenPattern } from '../variables/foreseen-values.ts'
import { knownFields, requestFields } from './field-names.ts'

export interface Advice {
  readonly code: AdviceCode
  readonly message: string
  readonly hint?: string
  readonly span: Span
}

const knownMethods: ReadonlySet<string> = new Set([
  ...methodNames,
  ...['ACL', 'BASELINE-CONTROL', 'BIND', 'CHECKIN', 'CHECKOUT', 'COPY', 'LABEL', 'LINK', 'LIST', 'LOCK', 'MERGE'],
  ...['M-SEARCH', 'MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MKREDIRECTREF', 'MKWORKSPACE', 'MOVE', 'NOTIFY'],
  ...['ORDERPATCH', 'PRI', 'PROPFIND', 'PROPPATCH', 'PURGE', 'QUERY', 'REBIND', 'REPORT', 'SEARCH', 'SUBSCRIBE'],
  ...['UNBIND', 'UNCHECKOUT', 'UNLINK', 'UNLOCK', 'UNSUBSCRIBE', 'UPDATE', 'UPDATEREDIRECTREF', 'VERSION-CONTROL'],
])

/** Custom field names, which are never compared with known ones. */
const ownField = /^x-/i

export function requestAdvice(request: Request): readonly Advice[] {
  return [
    ...methodAdvice(request),
    ...request.headers.flatMap(headerAdvice),
    ...repeatedHeaders(request),
    ...request.body.flatMap(bodyFileAdvice),
  ]
}

function methodAdvice({ line: { method, target, span } }: Request): readonly Advice[] {
  if (method === undefined || knownMethods.has(method) || normalMethods.has(method.toUpperCase())) return []
  const nearest = misspelledName(method, [...methodNames, 'import', 'run'])
  // Methods of other protocols are written in capitals. Words before a text with blanks and curl commands are syntax
  // errors.
  const isReported = method === CURL || /[ \t]/.test(templateText(target))
  if (nearest === undefined && (!/[a-z]/.test(method) || isReported)) return []
  return [
    {
      code: 'unknown-method',
      message: `unknown method ${JSON.stringify(method)}`,
      hint: nearest === undefined ? 'Write METHOD URL, and "#" before a comment.' : `Did you mean ${nearest}?`,
      span: { ...span, length: method.length },
    },
  ]
}

function headerAdvice({ name, nameSpan, text, value, valueSpan }: HeaderNode): readonly Advice[] {
  const advice: Advice[] = []
  const written = templateText(name)
  if (isLiteral(name) && !knownFields.has(written.toLowerCase()) && !ownField.test(written) && written.length > 2) {
    const nearest = misspelledName(written, requestFields)
    if (nearest !== undefined) {
      const message = `unknown header name ${JSON.stringify(written)}`
      advice.push({ code: 'unknown-header', message, hint: `Did you mean ${nearest}?`, span: nameSpan })
    }
  }
  const scheme = /^(?:proxy-)?authorization$/i.test(written)
    ? /^(basic|bearer|digest|token):(?=[ \t])/i.exec(templateText(value))?.[1]
    : undefined
  if (scheme !== undefined) {
    const message = `the colon after ${scheme} is sent, and becomes part of the scheme`
    const hint = `Write "${scheme} …".`
    advice.push({ code: 'colon-after-scheme', message, hint, span: { ...valueSpan, length: scheme.length + 1 } })
  }
  const folded = /[\r\n][ \t\f]+([A-Za-z][A-Za-z0-9-]*):[ \t\f]/.exec(text)?.[1]
  if (folded !== undefined) {
    const message = `the line "${folded}: …" is indented and becomes part of the value of ${written}`
    const hint = 'Remove the indent to make it a header.'
    advice.push({ code: 'folded-header', message, hint, span: nameSpan })
  }
  return advice
}

/** Fields with a single value: a recipient uses one of several values, or refuses the request. RFC 9110 section 5.3. */
const singleFields: ReadonlySet<string> = new Set([
  ...['authorization', 'content-length', 'content-location', 'content-type', 'date', 'from', 'host', 'if-range'],
  ...['max-forwards', 'origin', 'proxy-authorization', 'referer', 'user-agent'],
])

function repeatedHeaders({ headers }: Request): readonly Advice[] {
  const seen = new Set<string>()
  return headers.flatMap(({ name, nameSpan }) => {
    const written = templateText(name)
    const key = written.toLowerCase()
    const isRepeated = singleFields.has(key) && seen.has(key)
    seen.add(key)
    if (!isRepeated) return []
    const message = `the header ${written} is repeated, but allows only one value`
    return [{ code: 'repeated-header', message, hint: 'Remove one of them.', span: nameSpan }]
  })
}

/** `< file.js` means a script above the request line, but a body below it. */
function bodyFileAdvice(part: BodyTextNode | BodyFileNode): readonly Advice[] {
  if (part.kind !== 'body-file' || !/\.[cm]?js$/i.test(templateText(part.path))) return []
  const message = `the script ${templateText(part.path)} is sent as the body, because it comes after the request line`
  const hint = 'Move it above the request line, or write ">" for a script that reads the response.'
  return [{ code: 'script-as-body', message, hint, span: part.pathSpan }]
}

/**
 * Checks that the body is valid JSON if Content-Type says so.
 * @param contentType the value of the field as it would be sent
 * @param text the body as it would be sent, with placeholders for values that are not known yet
 */
export function jsonAdvice({ body }: Request, contentType: string, text: string): readonly Advice[] {
  const [first] = body
  if (first === undefined || !isJson(parseMediaType(contentType)) || body.some((part) => part.kind === 'body-file')) {
    return []
  }
  if (isGraphqlText(text)) return []
  // An unknown value may be any part of the text.
  if (['0', '"a":0', ''].some((value) => isJsonText(text.replace(foreseenPattern, value)))) return []
  const problem = parseJsonSource(text.replace(foreseenPattern, '0'))
  if ('type' in problem) return []
  const isPlain = body.length === 1 && body.every((part) => part.kind === 'body-text' && isLiteral(part.template))
  const { line, column } = problem.span
  const span = isPlain ? placeInBody(first, line, column) : { ...first.span, length: 1 }
  const message = `the body is not valid JSON, although its Content-Type says so: ${problem.message.replace('the file', 'the body')}`
  return [{ code: 'invalid-json', message, hint: 'Correct the body, or its Content-Type.', span }]
}

const formType = 'application/x-www-form-urlencoded'

/**
 * Checks that a JSON body is declared as JSON: many servers ignore it otherwise.
 * @param parameters as for `jsonAdvice`; no type if the field would not be sent
 */
export function typeAdvice({ body }: Request, contentType: string | undefined, text: string): readonly Advice[] {
  const [first] = body
  const isForm = contentType !== undefined && parseMediaType(contentType).name === formType
  if (first?.kind !== 'body-text' || body.length > 1 || !(contentType === undefined || isForm)) return []
  // The text of a form is encoded.
  const written = isForm
    ? templateText(first.template).replace(/\{\{[^{}]*\}\}/g, '0')
    : text.replace(foreseenPattern, '0')
  const span = { ...first.span, length: 1 }
  if (!/^\s*[{[]/.test(written) || !isJsonText(written)) return []
  const message = `the body is JSON, but ${isForm ? 'its Content-Type is that of a form' : 'the request has no Content-Type'}`
  const hint = 'Write "Content-Type: application/json".'
  return [{ code: 'undeclared-json', message, hint, span }]
}

/**
 * Checks that a typed multipart body has the delimiter of Content-Type (RFC 2046 section 5.1.1).
 * @param parameters as for `jsonAdvice`
 */
export function multipartAdvice({ body }: Request, contentType: string, text: string): readonly Advice[] {
  const { name, boundary } = parseMediaType(contentType)
  const first = body.find((part) => part.kind === 'body-text')
  if (first === undefined || boundary === undefined || !name.startsWith('multipart/')) return []
  const delimiter = `--${boundary}`
  if (delimiter.search(foreseenPattern) !== -1 || text.search(foreseenPattern) !== -1) return []
  const lines = text.split(/[\r\n]+/).map((line) => line.trimEnd())
  if (lines.includes(delimiter) || lines.includes(`${delimiter}--`)) return textAfterEnd(body, delimiter)
  const message = `no line of the body is ${JSON.stringify(delimiter)}, the delimiter of its Content-Type`
  const hint = 'Write the boundary of Content-Type after "--" above each part.'
  return [{ code: 'missing-delimiter', message, hint, span: { ...first.span, length: 1 } }]
}

/** What follows the last delimiter is not sent, and may be a request below a missing "###". */
function textAfterEnd(body: Request['body'], delimiter: string): readonly Advice[] {
  const lines = body.flatMap((part) =>
    part.text.split(/(?<=\r\n|\n|\r(?!\n))/).map((text, index) => ({ text: text.trimEnd(), part, line: index + 1 })),
  )
  const last = lines.findLastIndex(({ text }) => text === delimiter || text === `${delimiter}--`)
  const first = lines.slice(last + 1).find(({ text }) => text !== '')
  if (lines[last]?.text !== `${delimiter}--` || first === undefined) return []
  const message = `text after the last delimiter, ${JSON.stringify(`${delimiter}--`)}, which is not sent`
  const hint = 'Begin the next request with a line "###", or delete the text.'
  return [{ code: 'text-after-end', message, hint, span: placeInBody(first.part, first.line, 1) }]
}

function placeInBody({ span, text }: BodyTextNode | BodyFileNode, line: number, column: number): Span {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/)
  const before = lines.slice(0, line - 1).join('').length
  // The span begins after the indent of the first line, which is part of the text.
  const start = span.offset - (span.column - 1)
  return { offset: start + before + column - 1, line: span.line + line - 1, column, length: 1 }
}
