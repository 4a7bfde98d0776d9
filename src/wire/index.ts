/**
 * Public face of `wire`: one HTTP/1.1 exchange over a socket, redirects, proxies, timings.
 *
 * `exchange` sends one request and gives the response as soon as its head is there; the body is read from the socket
 * as it is consumed. `follow` does the same and follows redirects. `exchangeRaw` sends octets that need not be HTTP.
 * All of them throw HttpcliError with the codes of errors.ts.
 */

export type { RemoteAddress } from './connection.ts'
export { WireError, type WireErrorCode, type WireErrorDetails } from './errors.ts'
export { type Answer, type Exchange, exchange } from './exchange.ts'
export {
  defaultTimeouts,
  type Pem,
  type ResolveEntry,
  type Timeouts,
  type TlsOptions,
  type WireOptions,
} from './options.ts'
export { fixedProxy, type ProxyRule, proxyFromEnvironment } from './proxy.ts'
export { exchangeRaw, type RawExchange, type RawTarget } from './raw.ts'
export { type FollowOptions, follow } from './redirect.ts'
export { type Clock, type Statistics, systemClock, throughputBytesPerSecond } from './timing.ts'
