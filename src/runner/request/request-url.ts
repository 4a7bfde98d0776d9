/**
 * Translates the target of a request line to a URL that can be sent.
 *
 * Rules: `http(s)://…`; a host without a scheme means http; `/path` and `*` need a Host header, which may contain a
 * scheme. Outside the authority, every character that is not allowed in a URL becomes its UTF-8 bytes in percent
 * escapes; existing escapes stay. The fragment is not sent. `user:password@` is moved to a header. RFC 3986 sections
 * 2.1 and 3.
 */
import { encodePath } from '../../http-file/index.ts'
import { octetString, utf8Bytes } from '../../message/index.ts'
import type { Credentials } from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'
import { unescapedText } from '../base/percent-text.ts'

export interface RequestAddress {
  /** For the message library: a full URL, or `*`. */
  readonly url: string
  /** For `*`, if the scheme is not http. */
  readonly scheme?: 'https'
  /** Replaces the Host field of the file; undefined if that field stays. */
  readonly host: string | undefined
  /** The credentials before the host, unescaped, if any. */
  readonly credentials: Credentials | undefined
}

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
const webSchemes: readonly string[] = ['', 'http://', 'https://']

/**
 * @param target variables replaced
 * @param host value of the Host header in the file
 * @param shouldEncode false sends path and query as typed, in UTF-8
 * @throws HttpcliError `invalid-request`
 */
export function requestAddress(target: string, host: string | undefined, shouldEncode: boolean): RequestAddress {
  if (target === '*' || target.startsWith('/')) return onHost(target, host, shouldEncode)
  const scheme = schemeOf(target)
  // `http:80` is a host with its port.
  const [missing, found, slash] = /^(https?:)(?:(\/)(?!\/)|(?!\/|\d*(?:[/?#]|$)))/i.exec(target) ?? []
  if (missing !== undefined) {
    const what = slash === undefined ? 'two slashes' : 'a slash'
    const hint = `Write ${JSON.stringify(`${found}//`)}.`
    throw new RunError('invalid-request', `${JSON.stringify(missing)} lacks ${what} before the host`, { hint })
  }
  return { ...fullUrl(scheme === '' ? 'http://' : scheme, target.slice(scheme.length), shouldEncode), host: undefined }
}

function onHost(target: string, host: string | undefined, shouldEncode: boolean): RequestAddress {
  if (host === undefined || host === '') {
    throw new RunError('invalid-request', `${JSON.stringify(target)} has no host`, {
      hint:
        target === '*'
          ? 'Add a Host header.'
          : 'Write the full URL, add a Host header, or define the host for all such requests: @host = https://….',
    })
  }
  const scheme = schemeOf(host)
  const authority = host.slice(scheme.length).replace(/\/$/, '')
  refuseSeparators(authority)
  const full = scheme === '' ? 'http://' : scheme
  if (target !== '*') return { ...fullUrl(full, authority + target, shouldEncode), host: withoutUser(authority) }
  const isSecure = scheme.toLowerCase() === 'https://'
  return {
    url: '*',
    host: withoutUser(authority),
    credentials: credentialsOf(authority),
    ...(isSecure ? { scheme: 'https' } : {}),
  }
}

/** Including the slashes; an empty text if there is no scheme. */
function schemeOf(text: string): string {
  const scheme = schemePattern.exec(text)?.[0] ?? ''
  if (!webSchemes.includes(scheme.toLowerCase())) {
    const name = scheme.slice(0, -'://'.length)
    throw new RunError('invalid-request', `the URL has the scheme ${name}, expected http or https`)
  }
  return scheme
}

function fullUrl(scheme: string, rest: string, shouldEncode: boolean): Pick<RequestAddress, 'url' | 'credentials'> {
  const found = rest.search(/[/?#]/)
  const end = found === -1 ? rest.length : found
  const authority = rest.slice(0, end)
  refuseSeparators(authority)
  const path = rest.slice(end).replace(/#.*$/s, '')
  const sent = shouldEncode ? encodePath(path) : octetString(utf8Bytes(path))
  return {
    url: scheme.toLowerCase() + asciiAuthority(withoutUser(authority)) + sent,
    credentials: credentialsOf(authority),
  }
}

function withoutUser(authority: string): string {
  return authority.slice(authority.lastIndexOf('@') + 1)
}

/** RFC 3986 section 3.2.1. */
function credentialsOf(authority: string): Credentials | undefined {
  const at = authority.lastIndexOf('@')
  if (at < 1) return undefined
  const userinfo = authority.slice(0, at)
  const colon = userinfo.indexOf(':')
  const user = colon === -1 ? userinfo : userinfo.slice(0, colon)
  return { user: unescaped(user), password: colon === -1 ? '' : unescaped(userinfo.slice(colon + 1)) }
}

function unescaped(text: string): string {
  return unescapedText(octetString(utf8Bytes(text)))
}

/** Some URL parsers read a backslash as a slash and skip tabs and line endings, and would find another host. */
function refuseSeparators(authority: string): void {
  const found = /[\s\x00-\x1f\x7f]/.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? /\\/.exec(authority)
  if (found === null) return
  const message = `the host ${JSON.stringify(authority)} has ${JSON.stringify(found[0])}, which is not allowed in a host`
  throw new RunError('invalid-request', message)
}

/**
 * Rejects a host that is valid syntax but not allowed in a URL: an invalid IPv4 address, or invalid Punycode.
 * @param address a URL, or an authority
 * @throws HttpcliError `invalid-request`, always
 */
export function refuseHost(address: string): never {
  const [, host = ''] = /^(?:https?:\/\/)?([^/?#:]*)/.exec(address) ?? []
  const quoted = JSON.stringify(host)
  if (!/(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(host)) {
    throw new RunError('invalid-request', `${quoted} is not a valid host name`, { hint: 'Correct the host name.' })
  }
  throw new RunError('invalid-request', `${quoted} is not a valid IPv4 address: expected four numbers up to 255`, {
    hint: 'Correct the address; a host name does not end in a number.',
  })
}

/** The form for DNS of a non-ASCII host name (RFC 5891). */
function asciiAuthority(authority: string): string {
  if (/^[\x21-\x7e]*$/.test(authority)) return authority
  try {
    return new URL(`http://${authority}/`).host
  } catch (cause) {
    throw new RunError('invalid-request', `${JSON.stringify(authority)} is not a host`, { cause })
  }
}
