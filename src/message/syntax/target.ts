/**
 * The request target in its four forms, and the host in an authority or a Host field.
 *
 * Rules: a target is octets of RFC 3986, nothing is decoded or normalised here; a fragment is never part of it.
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
  /** Where absolute-form carried `user:password@`: that part, without the "@". */
  readonly userinfo: string | undefined
  /** Path and query as written into origin-form: begins with "/", or is "*". Empty for authority-form. */
  readonly originForm: string
}

/** Why a text is no target: what is wrong and at which index. */
export interface TargetProblem {
  readonly problem: string
  readonly index: number
}

/** Which octets besides those of RFC 3986 may stand unescaped; `visible`: all but blanks and control characters. */
export type TargetTolerance = 'none' | 'browser' | 'visible'

const schemePattern = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//

/** What is taken besides RFC 3986 and RFC 9112: a fragment is dropped, or an error. */
export interface TargetRules {
  readonly tolerance: TargetTolerance
  readonly dropsFragment: boolean
}

/** Reads a target for a method. A problem is returned, not thrown: the caller knows the position. */
export function parseTarget(text: string, method: string, rules: TargetRules): Target | TargetProblem {
  const { tolerance } = rules
  if (text === '') return { problem: 'the request target is empty', index: 0 }
  if (method === 'CONNECT') return parseAuthorityForm(text)
  if (text === '*') {
    if (method === 'OPTIONS') return target('asterisk', text, { originForm: '*' })
    return { problem: `the target "*" is for OPTIONS only, not for ${method}`, index: 0 }
  }
  const hash = text.indexOf('#')
  if (hash !== -1 && !rules.dropsFragment) return { problem: 'a fragment ("#…") in the request target', index: hash }
  const sent = hash === -1 ? text : text.slice(0, hash)
  if (sent.startsWith('/')) {
    return pathProblem(sent, 0, tolerance) ?? originForm(sent)
  }
  const scheme = schemePattern.exec(sent)
  if (scheme === null) {
    return { problem: `"${shortened(sent)}" is neither a path that begins with "/" nor a full URL`, index: 0 }
  }
  return parseAbsoluteForm(sent, (scheme[1] as string).toLowerCase(), scheme[0].length, tolerance)
}

/** The parts of a path and query that are known to be right. */
export function originForm(text: string): Target {
  return target('origin', text, { originForm: text })
}

function target(form: TargetForm, text: string, parts: Partial<Target>): Target {
  return { form, text, scheme: '', authority: '', userinfo: undefined, originForm: '', ...parts }
}

/** RFC 9112 section 3.2.3; RFC 9110 section 9.3.6: the port is mandatory. */
function parseAuthorityForm(text: string): Target | TargetProblem {
  const problem = hostProblem(text)
  if (problem !== undefined) return problem
  const port = portOf(text)
  if (port === undefined || port === '') {
    return { problem: `the target of CONNECT is host:port, found "${shortened(text)}"`, index: text.length }
  }
  return target('authority', text, { authority: text })
}

function parseAbsoluteForm(
  text: string,
  scheme: string,
  authorityStart: number,
  tolerance: TargetTolerance,
): Target | TargetProblem {
  const rest = text.slice(authorityStart)
  const end = rest.search(/[/?]/)
  const fullAuthority = end === -1 ? rest : rest.slice(0, end)
  const at = fullAuthority.lastIndexOf('@')
  const authority = fullAuthority.slice(at + 1)
  const hostStart = authorityStart + at + 1
  const problem = hostProblem(authority)
  if (problem !== undefined) return { problem: problem.problem, index: hostStart + problem.index }
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

const legalClasses: Readonly<Record<TargetTolerance, { readonly path: number; readonly query: number }>> = {
  none: { path: PATH, query: QUERY },
  browser: { path: BROWSER_PATH, query: BROWSER_QUERY },
  visible: { path: VISIBLE, query: VISIBLE },
}

function pathProblem(path: string, offset: number, tolerance: TargetTolerance): TargetProblem | undefined {
  const index = indexOfIllegal(path, tolerance)
  if (index === -1) return undefined
  return { problem: `${describe(path, index)} may not stand in a request target`, index: offset + index }
}

function indexOfIllegal(path: string, tolerance: TargetTolerance): number {
  const classes = legalClasses[tolerance]
  let bits = classes.path
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i)
    if (code === 0x3f) bits = classes.query
    if (code === 0x25 && bits !== VISIBLE) {
      if (!isEscape(path, i)) return i
    } else if (code > 0xff || !isOctet(code, bits)) {
      return i
    }
  }
  return -1
}

function isEscape(text: string, at: number): boolean {
  return (
    text.length - at > 2 &&
    isOctet(text.charCodeAt(at + 1) & 0xff, HEXDIG) &&
    isOctet(text.charCodeAt(at + 2) & 0xff, HEXDIG)
  )
}

function describe(text: string, index: number): string {
  const code = text.charCodeAt(index)
  if (code === 0x25) return '"%" without two hexadecimal digits'
  if (code === 0x20) return 'a space'
  return code > 0x20 && code < 0x7f
    ? `"${text[index]}"`
    : `the octet 0x${code.toString(16).padStart(2, '0').toUpperCase()}`
}

/**
 * Percent-encodes the octets of path, query or fragment that may not stand there. Escapes that are right stay. Control
 * characters stay too, and are rejected: nobody means them, and line ends and NUL would be a way into the message.
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
    const legal = code === 0x25 ? isEscape(text, i) : isControl || code === 0x23 || code === 0x3f || isOctet(code, bits)
    escaped += legal ? text[i] : `%${code.toString(16).padStart(2, '0').toUpperCase()}`
  }
  return escaped
}

function indexOfPath(text: string, authorityStart: number): number {
  const index = text.slice(authorityStart).search(/[/?#]/)
  return index === -1 ? text.length : authorityStart + index
}

/**
 * What is wrong with `host[:port]` (RFC 9110 section 7.2, RFC 3986 section 3.2.2), if anything. Userinfo, paths and
 * commas are wrong; an empty host is wrong for http (RFC 9110 section 4.2.1); a port is at most 65535.
 */
export function hostProblem(text: string): TargetProblem | undefined {
  const hostEnd = text.startsWith('[') ? text.indexOf(']') + 1 : firstColon(text)
  if (text.startsWith('[')) {
    if (hostEnd === 0) return { problem: 'an IPv6 address without its closing "]"', index: text.length }
    if (!isIpLiteral(text.slice(1, hostEnd - 1)))
      return { problem: 'no valid IP address between "[" and "]"', index: 1 }
  } else {
    if (hostEnd === 0) return { problem: 'the host is empty', index: 0 }
    const index = indexOfIllegalHost(text.slice(0, hostEnd))
    if (index !== -1) return { problem: `${describe(text, index)} may not stand in a host name`, index }
  }
  if (hostEnd === text.length) return undefined
  if (text[hostEnd] !== ':') return { problem: `expected ":" and a port after the host`, index: hostEnd }
  const port = text.slice(hostEnd + 1)
  const other = indexOfOther(port, DIGIT)
  if (other !== -1) return { problem: `a port is digits, found "${shortened(port)}"`, index: hostEnd + 1 + other }
  if (Number(port) > 65535) return { problem: `port ${shortened(port)} is above 65535`, index: hostEnd + 1 }
  return undefined
}

function firstColon(text: string): number {
  const colon = text.indexOf(':')
  return colon === -1 ? text.length : colon
}

function indexOfIllegalHost(host: string): number {
  for (let i = 0; i < host.length; i++) {
    const code = host.charCodeAt(i)
    if (code === 0x25 ? !isEscape(host, i) : code > 0xff || !isOctet(code, REG_NAME)) return i
  }
  return -1
}

/** IPv6 (RFC 3986 section 3.2.2, by counting groups) or IPvFuture. Zone identifiers are for URIs in a browser only. */
function isIpLiteral(text: string): boolean {
  if (/^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i.test(text)) return true
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const endsInIpv4 = last.includes('.') && text.endsWith(last)
  if (endsInIpv4 && !isIpv4(last)) return false
  const hex = endsInIpv4 ? groups.slice(0, -1) : groups
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false
  const count = hex.length + (endsInIpv4 ? 2 : 0)
  return halves.length === 2 ? count <= 7 : count === 8
}

function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
}

/** Text of the port of host[:port]: '' where there is a colon and nothing behind it, undefined without a colon. */
function portOf(authority: string): string | undefined {
  const colon = authority.startsWith('[') ? authority.indexOf(':', authority.indexOf(']')) : authority.indexOf(':')
  return colon === -1 ? undefined : authority.slice(colon + 1)
}

function shortened(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}
