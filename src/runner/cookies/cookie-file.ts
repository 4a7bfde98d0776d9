/**
 * Reads a cookie jar in three formats, and writes one of them.
 *
 * Rules: text is bytes in latin1, so that values are unchanged. Each line is a cookie, a comment or empty; any other
 * line is reported with its place and written back unchanged: it may belong to another program. Times are seconds since
 * 1970; a session cookie is written with 0. Formats:
 *
 *   Netscape (curl, wget, browsers)   domain, subdomains too, path, secure, expiry, name, value, between tabs;
 *                                     `#HttpOnly_` before the domain; in wget a port after it; in Python no expiry for
 *                                     a session
 *   the editor's                      domain, path, name, value, date, between tabs; -1 is a session
 *   RawHTTP 1.5.2                     a line with the URI, then lines that begin with a blank and have ten quoted
 *                                     fields: name, value, domain, path, comment, commentURL, ports, version, secure,
 *                                     expiry
 */
import { excerptAt, type Span } from '../../http-file/index.ts'
import type { FileDiagnostic } from '../base/error-codes.ts'
import { prefixOf, storedProblem } from './cookie-rules.ts'

export interface JarCookie {
  /** Without a leading dot, lower case. */
  readonly domain: string
  /** Only for this host, not for its subdomains. */
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  readonly isHttpOnly: boolean
  readonly name: string
  readonly value: string
  /** Seconds since 1970; undefined for a session cookie. */
  readonly expiresAtS: number | undefined
}

export interface ParsedCookieFile {
  readonly cookies: readonly JarCookie[]
  readonly errors: readonly FileDiagnostic[]
  /** The invalid lines, which are also written to the file that replaces this one. */
  readonly unreadLines: readonly string[]
}

const HTTP_ONLY = '#HttpOnly_'

/** Reads a jar in any format. One file may mix lines of several formats. */
export function parseCookieFile(text: string): ParsedCookieFile {
  const cookies: JarCookie[] = []
  const errors: FileDiagnostic[] = []
  const unreadLines: string[] = []
  let origin: URL | undefined
  let offset = 0
  let line = 0
  for (const piece of text.split('\n')) {
    line++
    const content = piece.replace(/\r$/, '')
    const found = cookieOf(content, origin)
    if (found instanceof URL) origin = found
    else if (typeof found === 'string') {
      errors.push(problem(text, { offset, line, column: 1, length: content.length }, found))
      unreadLines.push(content)
    } else if (found !== undefined) cookies.push(found)
    offset += piece.length + 1
  }
  return { cookies, errors, unreadLines }
}

/** A cookie; the origin of the following cookies; an error; undefined for a comment or an empty line. */
function cookieOf(line: string, origin: URL | undefined): JarCookie | URL | string | undefined {
  if (line.trim() === '' || (line.startsWith('#') && !line.startsWith(HTTP_ONLY))) return undefined
  if (line.startsWith(' ')) return rawHttpCookie(line, origin)
  if (/^[a-z][a-z0-9+.-]*:\/\/[^\t]*$/i.test(line)) {
    return URL.canParse(line) ? new URL(line) : 'the line is not a URI'
  }
  const fields = line.split('\t')
  if (fields.length === 6 || fields.length === 7) return netscapeCookie(fields)
  if (fields.length === 5) return editorCookie(fields)
  return `the line has ${fields.length} field${fields.length === 1 ? '' : 's'} between tabs, expected 7`
}

const flags: Readonly<Record<string, boolean>> = { TRUE: true, FALSE: false }

/** A line with six fields is a cookie without a value. */
function netscapeCookie([
  host = '',
  subdomains = '',
  path = '',
  secure = '',
  expiry = '',
  name = '',
  value = '',
]: string[]): JarCookie | string {
  const isHttpOnly = host.startsWith(HTTP_ONLY)
  const domain = isHttpOnly ? host.slice(HTTP_ONLY.length) : host
  const isForSubdomains = flags[subdomains.toUpperCase()]
  const isSecure = flags[secure.toUpperCase()]
  if (isForSubdomains === undefined) return `the second field is ${JSON.stringify(subdomains)}, expected TRUE or FALSE`
  if (isSecure === undefined) return `the fourth field is ${JSON.stringify(secure)}, expected TRUE or FALSE`
  if (!/^(?:-?\d+(\.\d+)?)?$/.test(expiry))
    return `the expiry is ${JSON.stringify(expiry)}, expected seconds since 1970`
  const time = Math.trunc(Number(expiry))
  return checked({
    // A cookie is valid for every port of its host (RFC 6265 section 8.5).
    domain: bareDomain(domain.replace(/^([^:]+):\d+$/, '$1')),
    isHostOnly: !isForSubdomains,
    path,
    isSecure,
    isHttpOnly,
    name,
    value,
    expiresAtS: time <= 0 ? undefined : time,
  })
}

function editorCookie([domain = '', path = '', name = '', value = '', date = '']: string[]): JarCookie | string {
  const expiresAtS = editorTime(date)
  if (expiresAtS === 'unknown') return `the date is ${JSON.stringify(date)}, expected -1 or a date`
  return checked({
    domain: bareDomain(domain),
    isHostOnly: !domain.startsWith('.'),
    path,
    // The format does not record this, but the editor accepts a cookie with such a prefix only over https.
    isSecure: prefixOf(name) !== undefined,
    isHttpOnly: false,
    name,
    value,
    expiresAtS,
  })
}

/** -1, a number of seconds or milliseconds, or a date in words. */
function editorTime(date: string): number | undefined | 'unknown' {
  if (date === '-1' || date === '') return undefined
  if (/^\d+$/.test(date)) return Math.trunc(Number(date) > 1e11 ? Number(date) / 1000 : Number(date))
  const timeMs = Date.parse(date)
  return Number.isNaN(timeMs) ? 'unknown' : Math.trunc(timeMs / 1000)
}

const RAWHTTP_FIELDS = 10

function rawHttpCookie(line: string, origin: URL | undefined): JarCookie | string {
  if (origin === undefined) return 'a cookie of the RawHTTP form comes before the line with its URI'
  const fields = line.trim().replace(/^"|"$/g, '').split(/" +"/)
  if (!/^ *".*" *$/s.test(line) || fields.length !== RAWHTTP_FIELDS)
    return `the line is not a cookie of the RawHTTP form, which has ${RAWHTTP_FIELDS} quoted fields`
  const [name = '', value = '', domain = '', path = '', , , , , secure = '', expiry = ''] = fields
  if (!/^\d+$/.test(expiry)) return `the expiry is ${JSON.stringify(expiry)}, expected seconds since 1970`
  return checked({
    domain: bareDomain(domain === '' ? origin.hostname : domain),
    isHostOnly: !domain.startsWith('.'),
    path: path === '' ? '/' : path,
    isSecure: secure === 'true',
    isHttpOnly: false,
    name,
    value,
    expiresAtS: Number(expiry),
  })
}

function bareDomain(domain: string): string {
  return domain.replace(/^\./, '').toLowerCase()
}

function checked(cookie: JarCookie): JarCookie | string {
  if (cookie.domain === '') return 'the cookie has no domain'
  if (!cookie.path.startsWith('/')) return `the path is ${JSON.stringify(cookie.path)}, expected one that begins with /`
  if (cookie.name === '') return 'the cookie has no name'
  return storedProblem(cookie) ?? cookie
}

function problem(text: string, span: Span, message: string): FileDiagnostic {
  const hint = 'A line is: domain, TRUE or FALSE, path, TRUE or FALSE, expiry, name, value.'
  return { code: 'bad-cookie', message, hint, span, excerpt: excerptAt(text, span) }
}

/** Formats the jar as a Netscape file. @param unreadLines added after the cookies, unchanged */
export function printCookieFile(cookies: readonly JarCookie[], unreadLines: readonly string[] = []): string {
  const lines = cookies.map((cookie) => {
    const { domain, isHostOnly, path, isSecure, isHttpOnly, name, value, expiresAtS } = cookie
    return [
      `${isHttpOnly ? HTTP_ONLY : ''}${isHostOnly ? '' : '.'}${domain}`,
      isHostOnly ? 'FALSE' : 'TRUE',
      path,
      isSecure ? 'TRUE' : 'FALSE',
      expiresAtS ?? 0,
      name,
      value,
    ].join('\t')
  })
  const others =
    unreadLines.length === 0 ? [] : ['', '# Lines that httpcli cannot read, kept unchanged:', ...unreadLines]
  return ['# Netscape HTTP Cookie File', '# Written by httpcli.', '', ...lines, ...others, ''].join('\n')
}
