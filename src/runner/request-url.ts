/**
 * The target of a request line to a URL that can be sent.
 *
 * Rules: `http(s)://…`; a host without scheme means http; `/path` and `*` need a Host header, which may hold a scheme.
 * Outside the authority every character that may not stand in a URL becomes its UTF-8 octets in percent escapes;
 * escapes that are there stay. The fragment is not sent. RFC 3986 sections 2.1 and 3.
 */
import { HttpcliError } from '../message/index.ts'

export interface RequestAddress {
  /** For the message library: a full URL, or `*`. */
  readonly url: string
  /** The Host field in place of the one that was written; undefined where that one stays. */
  readonly host: string | undefined
}

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//

/**
 * @param target variables replaced
 * @param host value of the Host header that was written
 * @param encodes false sends path and query as typed
 * @throws HttpcliError `invalid-request`
 */
export function requestAddress(target: string, host: string | undefined, encodes: boolean): RequestAddress {
  if (target === '*' || target.startsWith('/')) return onHost(target, host, encodes)
  const scheme = schemePattern.exec(target)?.[0] ?? ''
  return { url: fullUrl(scheme === '' ? 'http://' : scheme, target.slice(scheme.length), encodes), host: undefined }
}

function onHost(target: string, host: string | undefined, encodes: boolean): RequestAddress {
  if (host === undefined || host === '') {
    throw new HttpcliError('invalid-request', `${JSON.stringify(target)} names no host`, {
      hint: 'Write the full URL, or add a Host header.',
    })
  }
  const scheme = schemePattern.exec(host)?.[0] ?? 'http://'
  const authority = host.slice(schemePattern.test(host) ? scheme.length : 0).replace(/\/$/, '')
  if (target !== '*') return { url: fullUrl(scheme, authority + target, encodes), host: authority }
  if (scheme.toLowerCase() === 'https://') {
    throw new HttpcliError('not-supported', 'the target "*" over https is not supported yet')
  }
  return { url: '*', host: authority }
}

function fullUrl(scheme: string, rest: string, encodes: boolean): string {
  const found = rest.search(/[/?#]/)
  const end = found === -1 ? rest.length : found
  const authority = asciiAuthority(rest.slice(0, end))
  const path = rest.slice(end).replace(/#.*$/s, '')
  return scheme.toLowerCase() + authority + (encodes ? encodePath(path) : path)
}

/** A host name with letters beyond ASCII as it is asked for in DNS (RFC 5891). */
function asciiAuthority(authority: string): string {
  if (/^[\x21-\x7e]*$/.test(authority)) return authority
  try {
    return new URL(`http://${authority}/`).host
  } catch (cause) {
    throw new HttpcliError('invalid-request', `${JSON.stringify(authority)} is no host`, { cause })
  }
}

/** Brackets may stand in a query, since form arrays use them, but not in a path. */
const illegalInPath = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/gu
const illegalInQuery = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%[\]]+/gu

function encodePath(text: string): string {
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  const query = mark === -1 ? '' : text.slice(mark)
  return path.replace(illegalInPath, percentEscapes) + query.replace(illegalInQuery, percentEscapes)
}

/** UTF-8 octets in percent escapes, all of them. */
export function percentEscapes(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/./gs, (octet) => {
      return `%${octet.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
    })
}
