/**
 * The request line and the status line (RFC 9112 sections 3 and 4).
 *
 * Rules: the canonical form is parts separated by one SP. The lenient preset accepts runs of SP and HTAB, a missing
 * version and a missing scheme, since a person reads such a line in one way only; VT, FF and CR never separate.
 * HTTP/1.x with a higher minor version is treated as HTTP/1.1 (RFC 9110 section 6.2).
 */
import { DIGIT, FIELD_VALUE, indexOfOther, TOKEN } from './grammar.ts'
import type { LineContext } from './line-context.ts'
import { isWhitespace } from './octets.ts'
import { escapeIllegal, ILLEGAL_IN_TARGET, parseTarget, schemePattern, type Target } from './target.ts'

/** `HTTP/1.0` or `HTTP/1.1`: how a message is treated and written. */
export type HttpVersion = 'HTTP/1.0' | 'HTTP/1.1'

export interface RequestLine {
  readonly method: string
  readonly target: Target
  readonly version: HttpVersion
}

export interface StatusLine {
  readonly version: HttpVersion
  readonly status: number
  readonly reason: string
}

interface Word {
  readonly text: string
  readonly start: number
}

const requestLineHint = 'Write it like GET http://example.com/ HTTP/1.1'
// A protocol and a version, valid or not; as the only word after the method it may also be a target.
const versionLike = /^([A-Za-z]+\/\d.*|HTTP(\/.*)?)$/i

/**
 * RFC 9112 section 3:
 *
 * - `request-line = method SP request-target SP HTTP-version`
 *
 * Canonical lines are also read by `endOfRequestLine` of fast/fast-head.ts and by fast/head-scan.wat.
 * @throws HttpParseError `START_LINE`, `METHOD`, `TARGET`, `VERSION` or `WHITESPACE`.
 */
export function parseRequestLine(line: string, context: LineContext): RequestLine {
  const words = context.isLenient ? lenientWords(line, context) : strictWords(line, context)
  const [first, ...others] = words
  if (first === undefined) return context.fail('START_LINE', 0, 'the request line is blank', 400, requestLineHint)
  const method = readMethod(first, context)
  const last = others.at(-1)
  const hasVersion =
    last !== undefined && versionLike.test(last.text) && (others.length > 1 || /^http\//i.test(last.text))
  const targetWords = hasVersion ? others.slice(0, -1) : others
  const targetWord = joinWords(line, targetWords)
  if (targetWord === undefined) {
    const column = first.start + first.text.length
    return context.fail('TARGET', column, 'the request line has no target', 400, requestLineHint)
  }
  // The version is read before the target, so that the error reports another protocol rather than an odd target.
  const version = hasVersion ? readVersion(last, context) : missingVersion(line.length, context)
  return { method, target: readTarget(targetWord, targetWords.length, method, context), version }
}

/** Exactly one SP between the parts, as in the grammar of the request line. */
function strictWords(line: string, context: LineContext): Word[] {
  const words: Word[] = []
  let start = 0
  for (const text of line.split(' ')) {
    if (text === '') {
      const problem = start === 0 ? 'white space before the method' : 'expected one space between the parts'
      context.fail('WHITESPACE', start, `${problem} of the request line`)
    }
    const tab = text.indexOf('\t')
    if (tab !== -1) context.fail('WHITESPACE', start + tab, 'a tab in the request line, expected one space')
    words.push({ text, start })
    start += text.length + 1
  }
  return words
}

function lenientWords(line: string, context: LineContext): Word[] {
  const words: Word[] = []
  let at = 0
  while (at < line.length) {
    const blanks = at
    while (at < line.length && isWhitespace(line.charCodeAt(at))) at++
    const isSingleSpace = at - blanks === 1 && line[blanks] === ' '
    const isBetween = blanks > 0 && at < line.length
    if (at > blanks && !(isSingleSpace && isBetween)) {
      repairWhitespace(context, blanks)
    }
    const start = at
    while (at < line.length && !isWhitespace(line.charCodeAt(at))) at++
    if (at > start) words.push({ text: line.slice(start, at), start })
  }
  return words
}

function repairWhitespace(context: LineContext, column: number): void {
  context.repair('request-line-whitespace', column, 'white space in the start line became single spaces')
}

/** The words of a target that contains white space, as they appear in the line. */
function joinWords(line: string, words: readonly Word[]): Word | undefined {
  const first = words[0]
  const last = words.at(-1)
  if (first === undefined || last === undefined) return undefined
  return { text: line.slice(first.start, last.start + last.text.length), start: first.start }
}

/**
 * RFC 9110 sections 9.1 and 5.6.2:
 *
 * - `method = token`
 * - `token = 1*tchar`
 *
 * Also `endOfMethod` of fast/fast-head.ts; tchar is TOKEN in grammar.ts.
 */
function readMethod(word: Word, context: LineContext): string {
  const index = indexOfOther(word.text, TOKEN)
  if (index === -1) return word.text
  return context.fail('METHOD', word.start + index, 'a character that is not allowed in a method', 400, requestLineHint)
}

/**
 * RFC 9112 section 2.3:
 *
 * - `HTTP-version = HTTP-name "/" DIGIT "." DIGIT`
 * - `HTTP-name = %s"HTTP"`
 *
 * Also `endOfVersion` of fast/fast-head.ts, for 1.0 and 1.1.
 */
function readVersion(word: Word, context: LineContext): HttpVersion {
  const match = /^HTTP\/(\d)\.(\d)$/.exec(word.text)
  if (match === null) {
    const hint = /^HTTP\/[23]$/.test(word.text) ? 'Write HTTP/1.1' : undefined
    return context.fail(
      'VERSION',
      word.start,
      `the version is "${word.text}", expected HTTP/1.1 or HTTP/1.0`,
      400,
      hint,
    )
  }
  if (match[1] !== '1') {
    return context.fail('VERSION', word.start, `${word.text} is not a version of HTTP/1`, 505, 'Write HTTP/1.1')
  }
  return match[2] === '0' ? 'HTTP/1.0' : 'HTTP/1.1'
}

function missingVersion(column: number, context: LineContext): HttpVersion {
  if (!context.options.insertVersion) {
    return context.fail('VERSION', column, 'the start line has no version', 400, 'End it with HTTP/1.1')
  }
  context.repair('missing-version', column, 'HTTP/1.1 was added to the start line')
  return 'HTTP/1.1'
}

function readTarget(word: Word, wordCount: number, method: string, context: LineContext): Target {
  const written = context.isLenient ? withScheme(word, method, context) : word.text
  const shift = written.length - word.text.length
  const escaped = context.options.allowIllegalTarget ? escapeIllegal(written) : written
  if (escaped !== written) {
    context.repair('illegal-target-character', word.start, 'invalid characters of the URL were percent-encoded')
  }
  const target = parseTarget(escaped, method, {
    tolerance: context.options.preset === 'server' ? 'browser' : 'none',
    allowsFragment: context.isLenient,
  })
  if ('problem' in target) {
    const hint =
      wordCount > 1
        ? 'Write a space in a URL as %20'
        : target.problem.endsWith(ILLEGAL_IN_TARGET)
          ? 'Percent-encode it'
          : undefined
    return context.fail('TARGET', word.start + Math.max(0, target.index - shift), target.problem, 400, hint)
  }
  const hash = word.text.indexOf('#')
  if (hash !== -1) context.repair('fragment', word.start + hash, 'the fragment was dropped')
  if (target.userinfo === undefined) return target
  if (!context.isLenient) {
    return context.fail('TARGET', word.start, 'user and password in the URL (RFC 9110 section 4.2.4)')
  }
  context.repair('userinfo', word.start, 'user and password in the URL were dropped; send an Authorization header')
  return { ...target, text: target.text.replace(`${target.userinfo}@`, '') }
}

/** A person types `example.com/path` and means http (as the request-file format and every browser assume). */
function withScheme(word: Word, method: string, context: LineContext): string {
  const { text } = word
  if (method === 'CONNECT' || text.startsWith('/') || text.startsWith('*') || schemePattern.test(text)) {
    return text
  }
  if (!/^[A-Za-z0-9[_]/.test(text) || /^[A-Za-z][A-Za-z0-9+.-]*:(?!\d)/.test(text)) return text
  context.repair('missing-scheme', word.start, `http:// was put before ${text}`)
  return `http://${text}`
}

/**
 * RFC 9112 section 4:
 *
 * - `status-line = HTTP-version SP status-code SP [ reason-phrase ]`
 *
 * Canonical lines are also read by `endOfStatusLine` of fast/fast-head.ts and by fast/head-scan.wat.
 * @throws HttpParseError `START_LINE`, `VERSION`, `STATUS` or `WHITESPACE`.
 */
export function parseStatusLine(line: string, context: LineContext): StatusLine {
  if (line === '') return context.fail('START_LINE', 0, 'the status line is empty', 400, 'Write HTTP/1.1 200 OK')
  const space = line.indexOf(' ')
  const first = space === -1 ? line : line.slice(0, space)
  if (context.options.insertVersion && /^\d{3}$/.test(first)) {
    return { version: missingVersion(0, context), ...readStatus(line, 0, context) }
  }
  const version = readVersion({ text: first, start: 0 }, context)
  let start = first.length + 1
  if (context.isLenient) {
    while (isWhitespace(line.charCodeAt(start))) start++
    if (start > first.length + 1) {
      repairWhitespace(context, first.length)
    }
  }
  return { version, ...readStatus(line, start, context) }
}

/**
 * RFC 9112 section 4:
 *
 * - `status-code = 3DIGIT`
 * - `reason-phrase = 1*( HTAB / SP / VCHAR / obs-text )`
 *
 * The SP before an absent reason phrase may be missing too, although it should be sent.
 */
function readStatus(line: string, start: number, context: LineContext): { status: number; reason: string } {
  const code = line.slice(start, start + 3)
  const after = line.charAt(start + 3)
  if (code.length < 3 || indexOfOther(code, DIGIT) !== -1 || (after !== '' && after !== ' ')) {
    context.fail('STATUS', Math.min(start, line.length), 'expected a status code of three digits')
  }
  const status = Number(code)
  if (status < 100) context.fail('STATUS', start, `the status code ${code} is below 100`)
  const reason = line.slice(start + 4)
  const illegal = indexOfOther(reason, FIELD_VALUE)
  if (illegal !== -1) context.fail('START_LINE', start + 4 + illegal, 'a control character in the reason phrase')
  return { status, reason }
}
