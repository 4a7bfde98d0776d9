/**
 * Chooses the proxy of a request, by a fixed setting or by the environment.
 *
 * Rules, following curl: `http_proxy`, `https_proxy`, then `all_proxy`, each in lower case first; an empty variable
 * counts as unset. `HTTP_PROXY` in upper case is not read if REQUEST_METHOD is set, since a CGI server fills it from a
 * request header. `no_proxy` is a list separated by commas or blanks: `*` alone matches everything; a host name matches
 * itself and all names below it (a leading "." or "*." changes nothing); an address and an address range such as
 * `10.0.0.0/8` are allowed; each may have a port.
 */
import type { HeaderList } from '../../message/index.ts'
import { bareHost, urlHost } from '../base/address.ts'
import { WireError } from '../base/errors.ts'
import { isInRange, isIP } from '../base/ip-address.ts'
import type { Credentials } from '../credentials.ts'

/** Maps a URL to the URL of its proxy, or to undefined for a direct connection. */
export type ProxyRule = (target: URL) => URL | undefined

/**
 * Everything through one proxy, except for the hosts in `noProxy`.
 * @throws WireError `proxy-invalid`.
 */
export function fixedProxy(proxy: string, noProxy = ''): ProxyRule {
  const url = parseProxy(proxy, 'the proxy')
  return (target) => (isExempt(target, noProxy) ? undefined : url)
}

/** The rule that the environment variables describe. It throws WireError `proxy-invalid` for an invalid value. */
export function proxyFromEnvironment(environment: Readonly<Record<string, string | undefined>>): ProxyRule {
  const noProxy = firstSet(environment, ['no_proxy', 'NO_PROXY'])?.value ?? ''
  const isCgi = environment.REQUEST_METHOD !== undefined
  const variables: Readonly<Record<string, readonly string[]>> = {
    'http:': isCgi ? ['http_proxy'] : ['http_proxy', 'HTTP_PROXY'],
    'https:': ['https_proxy', 'HTTPS_PROXY'],
  }
  // Reading a variable of the process takes longer than the rest of the rule.
  const known = new Map<string, ReturnType<typeof firstSet>>()
  return (target) => {
    const { protocol } = target
    const isKnown = known.has(protocol)
    const chosen = isKnown
      ? known.get(protocol)
      : firstSet(environment, [...(variables[protocol] ?? []), 'all_proxy', 'ALL_PROXY'])
    if (!isKnown) known.set(protocol, chosen)
    if (chosen === undefined || isExempt(target, noProxy)) return undefined
    return parseProxy(chosen.value, chosen.name)
  }
}

function firstSet(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = environment[name]
    if (value !== undefined && value !== '') return { name, value }
  }
  return undefined
}

function parseProxy(text: string, source: string): URL {
  const hint =
    'Write it as http://host:port or socks5h://host:port, with user:password@ before the host where it needs them'
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  } catch (cause) {
    throw new WireError('proxy-invalid', `${source} is not a URL`, { hint, cause })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:' && !isSocks(url)) {
    const scheme = url.protocol.slice(0, -1)
    throw new WireError(
      'proxy-invalid',
      `${source} has the scheme ${scheme}, expected http, https, socks5 or socks5h`,
      {
        hint,
      },
    )
  }
  if (url.hostname === '') throw new WireError('proxy-invalid', `${source} has no host`, { hint })
  return url
}

/** `socks5` resolves names here, `socks5h` leaves that to the proxy. */
export function isSocks({ protocol }: URL): boolean {
  return protocol === 'socks5:' || protocol === 'socks5h:'
}

/** User and password of a proxy's URL, one character for each byte. */
export function proxyCredentials({ username, password }: URL): Credentials | undefined {
  if (username === '' && password === '') return undefined
  return { user: percentDecoded(username), password: percentDecoded(password) }
}

/** The value of Proxy-Authorization for the user and password of a proxy's URL, if it has any (RFC 7617). */
export function proxyAuthorization(proxy: URL): string | undefined {
  const credentials = proxyCredentials(proxy)
  return credentials && `Basic ${btoa(`${credentials.user}:${credentials.password}`)}`
}

/** The hint for a 407, based on the challenges of the proxy and the credentials in its URL. */
export function proxyAuthenticationHint(proxy: URL, headers: HeaderList, hasDigest: boolean): string {
  const challenges = headers.all('proxy-authenticate')
  const schemes = challenges.flatMap((challenge) => /^[\w.-]{1,40}/.exec(challenge) ?? [])
  if (schemes.length > 0 && !challenges.some((challenge) => /(?:^|,)[ \t]*basic(?:[ ,]|$)/i.test(challenge))) {
    const requirement = `The proxy asks for ${schemes.join(' or ')} authentication`
    if (!schemes.some((scheme) => /^digest$/i.test(scheme))) {
      return `${requirement}, and only Basic and Digest are sent to proxies`
    }
    if (!hasDigest) return `${requirement}, which "httpcli send" answers with --proxy-digest. ${credentialsHint(proxy)}`
  }
  return credentialsHint(proxy)
}

function credentialsHint(proxy: URL): string {
  return proxyAuthorization(proxy) === undefined
    ? 'Give user and password in the URL of the proxy: http://user:password@host:port'
    : 'Check user and password in the URL of the proxy'
}

/** As bytes, so that passwords in any charset work; a "%" that does not begin an escape is literal, as in a URL. */
export function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

/** The port of a URL, by default that of its scheme. */
export function portOfUrl(url: URL): number {
  if (url.port !== '') return Number(url.port)
  if (isSocks(url)) return SOCKS_PORT
  return url.protocol === 'https:' ? 443 : 80
}

/** RFC 1928 section 3. */
const SOCKS_PORT = 1080

function isExempt(target: URL, noProxy: string): boolean {
  if (noProxy.trim() === '*') return true
  const host = bareHost(target.hostname).toLowerCase()
  const port = portOfUrl(target)
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, port))
}

interface ExemptHost {
  readonly host: string
  readonly port: number | undefined
}

function matches(entry: string, host: string, port: number): boolean {
  const exempt = splitPort(entry)
  if (exempt.port !== undefined && exempt.port !== port) return false
  const family = isIP(host)
  if (family !== 0) return addressMatches(exempt.host, host, family)
  const name = urlHost(bareHost(exempt.host.replace(/^\*?\./, '')))
  return name !== '' && (host === name || host.endsWith(`.${name}`))
}

function splitPort(entry: string): ExemptHost {
  const match = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry)
  if (match === null) return { host: bareHost(entry), port: undefined }
  return { host: bareHost(match[1] as string), port: Number(match[2]) }
}

function addressMatches(entry: string, host: string, version: 4 | 6): boolean {
  const [network = '', prefix] = entry.split('/')
  if (isIP(bareHost(network)) !== version) return false
  const addressBits = version === 6 ? 128 : 32
  const bits = prefix === undefined ? addressBits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  if (bits < 0 || bits > addressBits) return false
  return isInRange(host, bareHost(network), bits, version)
}
