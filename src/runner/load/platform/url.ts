/**
 * The part of `URL` that the runner uses: resolving and parsing http and https addresses (RFC 3986 section 5.2).
 *
 * Rules: characters are not escaped: the request's URL is escaped by encodePath, and a redirect by the runner.
 */
import { create as createWeb } from '../../scripting/guest/libraries/web-library.ts'

/** Texts are decoded by the caller's TextDecoder, never by this library's. */
const web = createWeb(() => undefined) as { readonly URLSearchParams: typeof globalThis.URLSearchParams }
export const URLSearchParams: typeof globalThis.URLSearchParams = web.URLSearchParams

const pattern = /^(https?|wss?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is
const ports: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' }

export class URL {
  protocol: string
  username = ''
  password = ''
  hostname: string
  port: string
  pathname: string
  search: string
  hash: string

  constructor(text: string, base?: URL | string) {
    const from = base === undefined ? undefined : new URL(String(base))
    const match = pattern.exec(from === undefined ? text : absolute(text, from))
    if (match === null) throw new TypeError(`Invalid URL: ${text}`)
    const [, scheme = '', authority = '', path = '', search = '', hash = ''] = match
    const at = authority.lastIndexOf('@')
    const [user = '', password = ''] = authority.slice(0, Math.max(at, 0)).split(':')
    const host = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority.slice(at + 1))
    if (host === null || host[1] === '') throw new TypeError(`Invalid URL: ${text}`)
    this.protocol = `${scheme.toLowerCase()}:`
    this.username = user
    this.password = password
    this.hostname = (host[1] as string).toLowerCase()
    this.port = host[2] === undefined || host[2] === ports[this.protocol] ? '' : host[2]
    this.pathname = withoutDots(path === '' ? '/' : path)
    this.search = search === '?' ? '' : search
    this.hash = hash === '#' ? '' : hash
  }

  static canParse(text: string): boolean {
    try {
      return new URL(text).hostname !== ''
    } catch {
      return false
    }
  }

  get host(): string {
    return this.port === '' ? this.hostname : `${this.hostname}:${this.port}`
  }

  get origin(): string {
    return `${this.protocol}//${this.host}`
  }

  get href(): string {
    const user = this.username === '' ? '' : `${this.username}${this.password === '' ? '' : `:${this.password}`}@`
    return `${this.protocol}//${user}${this.host}${this.pathname}${this.search}${this.hash}`
  }

  get searchParams(): URLSearchParams {
    return new URLSearchParams(this.search)
  }

  toString(): string {
    return this.href
  }
}

function absolute(text: string, base: URL): string {
  const trimmed = text.trim()
  if (/^[a-z][a-z\d+.-]*:/i.test(trimmed)) return trimmed
  if (trimmed.startsWith('//')) return base.protocol + trimmed
  if (trimmed.startsWith('/')) return base.origin + trimmed
  if (trimmed.startsWith('?')) return base.origin + base.pathname + trimmed
  if (trimmed.startsWith('#') || trimmed === '') return base.origin + base.pathname + base.search + trimmed
  return base.origin + base.pathname.replace(/[^/]*$/, '') + trimmed
}

/** RFC 3986 section 5.2.4. */
function withoutDots(path: string): string {
  const segments: string[] = []
  const all = path.split('/').slice(1)
  for (const [index, segment] of all.entries()) {
    const plain = segment.replace(/%2e/gi, '.')
    if (plain === '..') segments.pop()
    if (plain !== '.' && plain !== '..') segments.push(segment)
    else if (index === all.length - 1) segments.push('')
  }
  return `/${segments.join('/')}`
}
