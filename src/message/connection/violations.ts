/**
 * Makes messages that are wrong on purpose, to test how a server or a client reacts to them.
 *
 * Rules: each name breaks exactly one rule; the caller gives a complete, valid message to break. Nothing else in this
 * library writes an invalid message.
 */
import { checkBytes, typeName } from '../syntax/checked-input.ts'
import type { HttpcliError } from '../syntax/errors.ts'
import { MessageError } from '../syntax/errors.ts'
import { octetString, octetsOf } from '../syntax/octets.ts'

/** A message as binary strings: lines without line endings, and the bytes after the header section. */
interface MessageText {
  readonly startLine: string
  readonly fields: readonly string[]
  readonly content: string
}

interface Violation {
  /** Which messages can break the rule. */
  readonly of: 'any' | 'request' | 'response' | 'with Content-Length' | 'chunked'
  /** The message with the rule broken. */
  readonly broken: (message: MessageText) => string
}

/** A rule of RFC 9110 or RFC 9112 that a message can break on purpose. */
export type ViolationName =
  | 'bare-lf'
  | 'bare-cr-in-value'
  | 'blank-before-first-field'
  | 'lower-case-version'
  | 'version-of-three-digits'
  | 'method-with-colon'
  | 'two-blanks-in-request-line'
  | 'blank-in-target'
  | 'fragment-in-target'
  | 'target-missing'
  | 'host-missing'
  | 'two-hosts'
  | 'host-with-path'
  | 'status-of-two-digits'
  | 'field-without-colon'
  | 'field-without-name'
  | 'blank-before-colon'
  | 'folded-length'
  | 'blank-in-field-name'
  | 'nul-in-value'
  | 'length-and-chunked'
  | 'chunked-and-length'
  | 'two-lengths'
  | 'length-with-sign'
  | 'length-in-hexadecimal'
  | 'length-above-content'
  | 'content-above-length'
  | 'chunked-twice'
  | 'chunked-with-parameter'
  | 'unknown-coding'
  | 'chunk-size-with-prefix'
  | 'chunk-size-with-sign'
  | 'chunk-size-above-2-64'
  | 'chunk-without-size'
  | 'chunk-without-line-end'
  | 'last-chunk-missing'

const lengthField = /^content-length:/i
const hostField = /^host:/i
const codingField = /^transfer-encoding:/i

const joined = (startLine: string, fields: readonly string[], content: string): string =>
  `${[startLine, ...fields].join('\r\n')}\r\n\r\n${content}`

const withFields =
  (change: (fields: readonly string[]) => readonly string[]): Violation['broken'] =>
  ({ startLine, fields, content }) =>
    joined(startLine, change(fields), content)

const withLine = (line: string): Violation['broken'] => withFields((fields) => [...fields, line])

const withStart =
  (change: (startLine: string) => string): Violation['broken'] =>
  ({ startLine, fields, content }) =>
    joined(change(startLine), fields, content)

const withContent =
  (change: (content: string) => string): Violation['broken'] =>
  ({ startLine, fields, content }) =>
    joined(startLine, fields, change(content))

const withLength = (change: (length: string) => string): Violation['broken'] =>
  withFields((fields) =>
    fields.map((field) =>
      lengthField.test(field) ? `Content-Length: ${change(field.replace(/^.*:\s*/, ''))}` : field,
    ),
  )

const withCoding = (value: string): Violation['broken'] =>
  withFields((fields) => fields.map((field) => (codingField.test(field) ? `Transfer-Encoding: ${value}` : field)))

/** The parts of a request line. */
const words = (startLine: string): readonly string[] => startLine.split(' ')

const violations: Readonly<Record<ViolationName, Violation>> = {
  // RFC 9112 section 2.2
  'bare-lf': {
    of: 'any',
    broken: (message) => joined(message.startLine, message.fields, '').replaceAll('\r\n', '\n') + message.content,
  },
  'bare-cr-in-value': { of: 'any', broken: withLine('X-Violation: a\rb') },
  'blank-before-first-field': { of: 'any', broken: withFields(([first, ...rest]) => [` ${first ?? 'A: b'}`, ...rest]) },
  // RFC 9112 section 2.3
  'lower-case-version': { of: 'any', broken: withStart((line) => line.replace('HTTP/', 'http/')) },
  'version-of-three-digits': { of: 'any', broken: withStart((line) => line.replace(/HTTP\/1\.(\d)/, 'HTTP/1.1$1')) },
  // RFC 9112 section 3
  'method-with-colon': { of: 'request', broken: withStart((line) => `X:${line}`) },
  'two-blanks-in-request-line': { of: 'request', broken: withStart((line) => line.replace(' ', '  ')) },
  'blank-in-target': { of: 'request', broken: withStart((line) => `${words(line)[0]} /a b ${words(line).at(-1)}`) },
  'fragment-in-target': { of: 'request', broken: withStart((line) => `${words(line)[0]} /#a ${words(line).at(-1)}`) },
  'target-missing': { of: 'request', broken: withStart((line) => `${words(line)[0]} ${words(line).at(-1)}`) },
  // RFC 9112 section 3.2
  'host-missing': { of: 'request', broken: withFields((fields) => fields.filter((field) => !hostField.test(field))) },
  'two-hosts': { of: 'request', broken: withLine('Host: violation.example') },
  'host-with-path': {
    of: 'request',
    broken: withFields((fields) => fields.map((field) => (hostField.test(field) ? `${field}/a` : field))),
  },
  // RFC 9112 section 4
  'status-of-two-digits': { of: 'response', broken: withStart((line) => line.replace(/ (\d\d)\d/, ' $1')) },
  // RFC 9112 section 5
  'field-without-colon': { of: 'any', broken: withLine('X-Violation') },
  'field-without-name': { of: 'any', broken: withLine(': a') },
  'blank-before-colon': { of: 'any', broken: withLine('X-Violation : a') },
  'folded-length': { of: 'with Content-Length', broken: withLength((length) => `\r\n ${length}`) },
  // RFC 9110 sections 5.1 and 5.5
  'blank-in-field-name': { of: 'any', broken: withLine('X Violation: a') },
  'nul-in-value': { of: 'any', broken: withLine('X-Violation: a\0b') },
  // RFC 9112 section 6
  'length-and-chunked': { of: 'with Content-Length', broken: withLine('Transfer-Encoding: chunked') },
  'chunked-and-length': { of: 'chunked', broken: withLine('Content-Length: 1') },
  'two-lengths': {
    of: 'with Content-Length',
    broken: ({ startLine, fields, content }) =>
      joined(startLine, [...fields, `Content-Length: ${content.length + 1}`], content),
  },
  'length-with-sign': { of: 'with Content-Length', broken: withLength((length) => `+${length}`) },
  'length-in-hexadecimal': {
    of: 'with Content-Length',
    broken: withLength((length) => `0x${Number(length).toString(16)}`),
  },
  'length-above-content': { of: 'with Content-Length', broken: withLength((length) => String(Number(length) + 1)) },
  'content-above-length': { of: 'with Content-Length', broken: withContent((content) => `${content}\0`) },
  'chunked-twice': { of: 'chunked', broken: withCoding('chunked, chunked') },
  'chunked-with-parameter': { of: 'chunked', broken: withCoding('chunked;a=b') },
  'unknown-coding': { of: 'chunked', broken: withCoding('violation, chunked') },
  // RFC 9112 section 7.1
  'chunk-size-with-prefix': { of: 'chunked', broken: withContent((content) => `0x${content}`) },
  'chunk-size-with-sign': { of: 'chunked', broken: withContent((content) => `+${content}`) },
  'chunk-size-above-2-64': { of: 'chunked', broken: withContent((content) => `10000000000000000\r\n${content}`) },
  'chunk-without-size': { of: 'chunked', broken: withContent((content) => `\r\n${content}`) },
  'chunk-without-line-end': { of: 'chunked', broken: withContent((content) => `1\r\na${content}`) },
  'last-chunk-missing': { of: 'chunked', broken: withContent((content) => content.slice(0, content.lastIndexOf('0'))) },
}

/** All names that `brokenMessage` takes. */
export const violationNames: readonly ViolationName[] = Object.keys(violations) as ViolationName[]

const isOf: Readonly<Record<Violation['of'], (message: MessageText) => boolean>> = {
  any: () => true,
  request: ({ startLine }) => !startLine.startsWith('HTTP/'),
  response: ({ startLine }) => startLine.startsWith('HTTP/'),
  'with Content-Length': ({ fields }) => fields.some((field) => lengthField.test(field)),
  chunked: ({ fields }) => fields.some((field) => codingField.test(field)),
}

/**
 * Breaks one rule of a complete, valid message, for tests of servers and clients.
 *
 *   brokenMessage('two-hosts', octetsOf('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))
 *
 * @throws HttpcliError `invalid-violation` for an unknown name, or if such a message cannot break the rule.
 */
export function brokenMessage(name: ViolationName, message: Uint8Array): Uint8Array {
  const violation: Violation | undefined =
    typeof name === 'string' && Object.hasOwn(violations, name) ? violations[name] : undefined
  if (violation === undefined) {
    const found = typeof name === 'string' ? `"${name}"` : typeName(name)
    throw invalid(`${found} is not the name of a violation`, 'violationNames lists all of them')
  }
  const text = octetString(checkBytes(message, 'the message'))
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) throw invalid('the message has no end of its header section', 'Give a whole message, as encoded')
  const [startLine = '', ...fields] = text.slice(0, end).split('\r\n')
  const parts = { startLine, fields, content: text.slice(end + 4) }
  if (isOf[violation.of](parts)) return octetsOf(violation.broken(parts))
  throw invalid(`"${name}" cannot be broken by this message`, `Give a message that is: ${violation.of}`)
}

function invalid(message: string, hint: string): HttpcliError {
  return new MessageError('invalid-violation', message, { hint })
}
