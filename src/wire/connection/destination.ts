/** Where a request goes: its URL, and the URL's host and port. */
import type { HttpRequest } from '../../message/index.ts'
import { bareHost } from '../base/address.ts'
import { WireError } from '../base/errors.ts'
import type { Destination } from './connection.ts'
import { portOfUrl } from './proxy.ts'

export function destinationOf(url: URL): Destination {
  return { host: bareHost(url.hostname), port: portOfUrl(url), secure: url.protocol === 'https:' }
}

/** The URL that a request goes to. @throws WireError `no-host`, `unsupported-scheme`. */
export function urlOf(request: HttpRequest): URL {
  const { url } = request
  const host = request.headers.first('host') ?? ''
  if (url === undefined && host !== '') {
    throw new WireError('no-host', `the host ${JSON.stringify(host)} is neither a name nor an address`, {
      hint: 'Check its spelling; a name whose last part is a number must be an IPv4 address',
    })
  }
  if (url === undefined || url.hostname === '') {
    throw new WireError('no-host', 'the request does not name a host', {
      hint: 'Write the full URL in the start line, or add a Host header',
    })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new WireError(
      'unsupported-scheme',
      `the URL has the scheme ${url.protocol.slice(0, -1)}, expected http or https`,
    )
  }
  return url
}
