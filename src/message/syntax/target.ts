/**
 * The request target in its four forms, and the host in an authority or a Host field.
 *
 * Rules: a target consists of RFC 3986 bytes; nothing is decoded or normalised here; a fragment is never part of it.
 * RFC 9112 section 3.2 for the forms, RFC 9110 section 4.2 for http URIs, RFC 3986 section 3 for the grammar.
 */
import {
  BROWSER_PATH,
  BROWSER_QUERY,
  DIGIT,
  HEXDIG,
  indexOfOther,
  isOctet,
  PATH,
  QUERY,
  REG_NAME,
  VISIBLE,
} from './grammar.ts'
import { hexDigits } from './octets.ts'

/** The forms of RFC 9112 section 3.2: a path, a full URL, host:port (CONNECT), `*` (OPTIONS). */
export type TargetForm = 'origin' | 'absolute' | 'authority' | 'asterisk'

export interface Target {
  readonly form: TargetForm
  /** As received, without the fragment. */
  readonly text: string
  /** `http` or `https`, or another scheme of an absolute-form. Empty for the other forms. */
  readonly scheme: string
  /** host[:port] of absolute-form and authority-form, without userinfo. */
  readonly authority: string
  /** If absolute-form has `user:password@`: that part, without the "@". */
  readonly userinfo: string | undefined
  /** Path and query as written in origin-form: begins with "/", or is "*". Empty for authority-form. */
  readonly originForm: string
}

/** Why a text is not a target: the error and its index. */
export interface TargetProblem {
  readonly problem: string
  readonly index: number
}

/**
 * The bytes allowed unescaped in addition to those of RFC 3986; `visible`: all but blanks and control characters.
 */
export type TargetTolerance = 'none' | 'browser' | 'visible'

/** The start of an absolute-form. */
export const schemePattern: RegExp = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//

/** Extensions to RFC 3986 and RFC 9112: a fragment is dropped, or an error. */
export interface TargetRules {
  readonly tolerance: TargetTolerance
  readonly allowsFragment: boolean
}

/**
 * Reads a target for a method (RFC 9112 section 3.2). A problem is returned, not thrown: the caller knows the position.
 *
 * - `request-target = origin-form / absolute-form / authority-form / asterisk-form`
 * - `origin-form = absolute-path [ "?" query ]`
 * - `asterisk-form = "*"`
 *
 * Origin-form is canonical; `endOfRequestLine` of fast/fast-head.ts and fast/head-scan.wat read it too.
 */
export function parseTarget(text: string, method: string, rules: TargetRules): Target | TargetProblem {
  const { tolerance } = rules
  if (text === '') return wrong('the request target is empty', 0)
  if (method === 'CONNECT') return parseAuthorityForm(text)
  if (text === '*') {
    if (method === 'OPTIONS') return target('asterisk', text, { originForm: '*' })
    return wrong(`the target "*" is for OPTIONS only, not for ${method}`, 0)
  }
  const hash = text.indexOf('#')
  if (hash !== -1 && !rules.allowsFragment) return wrong('a fragment ("#…") in the request target', hash)
  const sent = hash === -1 ? text : text.slice(0, hash)
  if (sent.startsWith('/')) {
    return pathProblem(sent, 0, tolerance) ?? originForm(sent)
  }
  const scheme = schemePattern.exec(sent)
  if (scheme === null) {
    return wrong(`"${shortened(sent)}" is neither a path that begins with "/" nor a full URL`, 0)
  }
  return parseAbsoluteForm(sent, (scheme[1] as string).toLowerCase(), scheme[0].length, tolerance)
}

/** The parts of a path and query that are known to be valid. */
export function originForm(text: string): Target {
  return target('origin', text, { originForm: text })
}

function wrong(problem: string, index: number): TargetProblem {
  return { problem, index }
}

function target(form: TargetForm, text: string, parts: Partial<Target>): Target {
  return { form, text, scheme: '', authority: '', userinfo: undefined, originForm: '', ...parts }
}

/**
 * RFC 9112 section 3.2.3; RFC 9110 section 9.3.6: the port is mandatory.
 *
 * - `authority-form = uri-host ":" port`
 */
function parseAuthorityForm(text: string): Target | TargetProblem {
  const problem = hostProblem(text)
  if (problem !== undefined) return problem
  const port = portOf(text)
  if (port === undefined || port === '') {
    return wrong(`the target of CONNECT is host:port, found "${shortened(text)}"`, text.length)
  }
  return target('authority', text, { authority: text })
}

/**
 * RFC 9112 section 3.2.2, RFC 9110 section 4.2.1, RFC 3986 section 3.2:
 *
 * - `absolute-form = absolute-URI`
 * - `http-URI = "http" "://" authority path-abempty [ "?" query ]`
 * - `authority = [ userinfo "@" ] host [ ":" port ]`
 */
function parseAbsoluteForm(
  text: string,
  scheme: string,
  authorityStart: number,
  tolerance: TargetTolerance,
): Target | TargetProblem {
  const rest = text.slice(authorityStart)
  const fullAuthority = rest.slice(0, rest.search(/[/?]|$/))
  const at = fullAuthority.lastIndexOf('@')
  const authority = fullAuthority.slice(at + 1)
  const hostStart = authorityStart + at + 1
  const problem = hostProblem(authority)
  if (problem !== undefined) return wrong(problem.problem, hostStart + problem.index)
  const pathStart = authorityStart + fullAuthority.length
  const path = text.slice(pathStart)
  const originForm = path.startsWith('/') ? path : `/${path}`
  return (
    pathProblem(path, pathStart, tolerance) ??
    target('absolute', text, {
      scheme,
      authority,
      userinfo: at === -1 ? undefined : fullAuthority.slice(0, at),
      originForm,
    })
  )
}

/** The characters that a target may contain before and after its "?". */
interface LegalClasses {
  readonly path: number
  readonly query: number
}

const legalClasses: Readonly<Record<TargetTolerance, LegalClasses>> = {
  none: { path: PATH, query: QUERY },
  browser: { path: BROWSER_PATH, query: BROWSER_QUERY },
  visible: { path: VISIBLE, query: VISIBLE },
}
const legalInHost: LegalClasses = { path: REG_NAME, query: REG_NAME }

/** The end of the message about a character that has to be percent-encoded. */
export const ILLEGAL_IN_TARGET = 'is not allowed in a request target'

function pathProblem(path: string, offset: number, tolerance: TargetTolerance): TargetProblem | undefined {
  const index = indexOfIllegal(path, legalClasses[tolerance])
  return index === -1 ? undefined : wrong(`${describe(path, index)} ${ILLEGAL_IN_TARGET}`, offset + index)
}

/**
 * Index of the first character outside the classes that is not part of an escape, or -1. RFC 3986 sections 3.3 and 3.4:
 *
 * - `absolute-path = 1*( "/" segment )`
 * - `segment = *pchar`
 * - `pchar = unreserved / pct-encoded / sub-delims / ":" / "@"`
 * - `query = *( pchar / "/" / "?" )`
 *
 * The classes are in grammar.ts; the tables of fast/head-program.ts are made from them too.
 */
function indexOfIllegal(text: string, classes: LegalClasses): number {
  let bits = classes.path
  let at = indexOfOther(text, bits)
  while (at !== -1) {
    if (text[at] === '?' && bits !== classes.query) bits = classes.query
    else if (isEscape(text, at)) at += 3
    else return at
    at = indexOfOther(text, bits, at)
  }
  return -1
}

/** RFC 3986 section 2.1: `pct-encoded = "%" HEXDIG HEXDIG`. */
function isEscape(text: string, at: number): boolean {
  return (
    text[at] === '%' &&
    text.length - at > 2 &&
    isOctet(text.charCodeAt(at + 1) & 0xff, HEXDIG) &&
    isOctet(text.charCodeAt(at + 2) & 0xff, HEXDIG)
  )
}

function describe(text: string, index: number): string {
  const code = text.charCodeAt(index)
  if (code === 0x25) return '"%" without two hexadecimal digits'
  if (code === 0x20) return 'a space'
  return code > 0x20 && code < 0x7f ? `"${text[index]}"` : `the byte 0x${hexDigits(code)}`
}

/**
 * Percent-encodes the bytes of path, query or fragment that are not allowed there. Valid escapes stay. Control
 * characters stay too, and are rejected: they are never intended, and line ends and NUL would allow injection.
 */
export function escapeIllegal(text: string): string {
  const start = schemePattern.exec(text)?.[0].length ?? 0
  const pathStart = start === 0 ? 0 : indexOfPath(text, start)
  let escaped = text.slice(0, pathStart)
  let bits = PATH
  for (let i = pathStart; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x3f) bits = QUERY
    const isControl = code < 0x20 || code === 0x7f
    const isLegal =
      code === 0x25 ? isEscape(text, i) : isControl || code === 0x23 || code === 0x3f || isOctet(code, bits)
    escaped += isLegal ? text[i] : `%${hexDigits(code)}`
  }
  return escaped
}

function indexOfPath(text: string, authorityStart: number): number {
  return authorityStart + text.slice(authorityStart).search(/[/?#]|$/)
}

/**
 * The error in `host[:port]`, if any (RFC 9110 section 7.2, RFC 3986 section 3.2.2).
 *
 * - `Host = uri-host [ ":" port ]`
 * - `host = IP-literal / IPv4address / reg-name`
 * - `reg-name = *( unreserved / pct-encoded / sub-delims )`
 * - `port = *DIGIT`
 *
 * Also `isHostTaken` of fast/fast-head.ts and fast/head-scan.wat, for names without escapes; head/head.ts holds Host
 * against the target. Userinfo, paths and commas are wrong; an empty host is wrong for http (RFC 9110 section 4.2.1); a
 * port is at most 65535.
 */
export function hostProblem(text: string): TargetProblem | undefined {
  const hostEnd = text.startsWith('[') ? text.indexOf(']') + 1 : text.search(/:|$/)
  if (text.startsWith('[')) {
    if (hostEnd === 0) return wrong('an IPv6 address without its closing "]"', text.length)
    if (!isIpLiteral(text.slice(1, hostEnd - 1))) return wrong('no valid IP address between "[" and "]"', 1)
  } else {
    if (hostEnd === 0) return wrong('the host is empty', 0)
    const index = indexOfIllegal(text.slice(0, hostEnd), legalInHost)
    if (index !== -1) return wrong(`${describe(text, index)} is not allowed in a host name`, index)
  }
  if (hostEnd === text.length) return undefined
  if (text[hostEnd] !== ':') return wrong(`expected ":" and a port after the host`, hostEnd)
  const port = text.slice(hostEnd + 1)
  const other = indexOfOther(port, DIGIT)
  if (other !== -1) return wrong(`expected digits as the port, found "${shortened(port)}"`, hostEnd + 1 + other)
  if (Number(port) > 65535) return wrong(`port ${shortened(port)} is above 65535`, hostEnd + 1)
  return undefined
}

/**
 * The text between the brackets (RFC 3986 section 3.2.2), IPv6 by counting groups. Zone identifiers are for URIs in a
 * browser only.
 *
 * - `IP-literal = "[" ( IPv6address / IPvFuture ) "]"`
 * - `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`
 */
function isIpLiteral(text: string): boolean {
  if (/^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i.test(text)) return true
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const hasIpv4Suffix = last.includes('.') && text.endsWith(last)
  if (hasIpv4Suffix && !isIpv4(last)) return false
  const hex = hasIpv4Suffix ? groups.slice(0, -1) : groups
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false
  const count = hex.length + (hasIpv4Suffix ? 2 : 0)
  return halves.length === 2 ? count <= 7 : count === 8
}

function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
}

/** Text of the port of host[:port]: empty if nothing follows the colon, undefined without a colon. */
function portOf(authority: string): string | undefined {
  const colon = authority.startsWith('[') ? authority.indexOf(':', authority.indexOf(']')) : authority.indexOf(':')
  return colon === -1 ? undefined : authority.slice(colon + 1)
}

function shortened(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}
