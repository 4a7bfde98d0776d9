/**
 * Escapes and normalises URLs of drafts, which may contain variables.
 *
 * Rules: characters that `run` would escape are escaped; variables stay. The fragment is removed, since it is never
 * sent.
 */
import { encodePath } from '../../http-file/index.ts'
import { mapText } from './literal-text.ts'

/** The text before the path, the path, and the rest. */
const urlPieces = /^((?:[A-Za-z][\w+.-]*:\/\/|\{\{[^{}]*\}\})[^/?#]*)([^?#]*)(.*)$/s

/** Whether the path has segments `.` or `..`. */
export function hasDotSegments(url: string): boolean {
  return /(?:^|\/)\.\.?(?:\/|$)/.test(urlPieces.exec(url)?.[2] ?? '')
}

/** The URL without these segments (RFC 3986 section 5.2.4). */
export function withoutDotSegments(url: string): string {
  const [, origin = '', path = '', rest = ''] = urlPieces.exec(url) ?? []
  if (!hasDotSegments(url)) return url
  const segments = path.split('/').slice(1)
  const kept: string[] = []
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
  }
  const isDirectory = /^\.\.?$/.test(segments.at(-1) as string)
  return `${origin}/${kept.join('/')}${isDirectory && kept.length > 0 ? '/' : ''}${rest}`
}

/** The URL with the escapes that `run` would send. */
export function escapedUrl(url: string): string {
  let isQuery = false
  const authority = /^[A-Za-z][\w+.-]*:\/\/[^/?#{]*/.exec(url)?.[0] ?? ''
  const escaped = mapText(url.slice(authority.length).replace(/#.*$/s, ''), (plain) => {
    const text = isQuery ? encodePath(`?${plain}`).slice(1) : encodePath(plain)
    isQuery ||= plain.includes('?')
    return text
  })
  return authority + escaped
}

/** As `encodeURIComponent`; half of a surrogate pair, which JSON can contain, becomes U+FFFD. */
export function encodedComponent(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

/** Whether `run` sends the URL unchanged: curl escapes nothing. */
export function isSentAsTyped(url: string): boolean {
  return escapedUrl(url) === url.replace(/#.*$/s, '') || /\s/.test(url)
}
