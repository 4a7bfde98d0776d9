/**
 * Public interface of `wire`: one HTTP/1.1 exchange over a socket, redirects, proxies, timings.
 *
 * `exchange` sends one request and resolves when the head of the response has arrived; the body is read from the socket
 * as it is consumed. `follow` does the same and follows redirects. `exchangeRaw` sends bytes that need not be HTTP. All
 * of them throw HttpcliError with the codes of errors.ts.
 */

export type { ConnectionEvent, ConnectionListener, EndPoint } from './base/connection-event.ts'
export { WireError, type WireErrorCode, type WireErrorDetails } from './base/errors.ts'
export {
  defaultTimeouts,
  type Pem,
  type ResolveEntry,
  type Timeouts,
  type TlsOptions,
  type WireOptions,
} from './base/options.ts'
export { type Clock, type Statistics, systemClock, throughputBytesPerSecond } from './base/timing.ts'
export type { RemoteAddress } from './connection/connection.ts'
export { ConnectionPool } from './connection/connection-pool.ts'
export { fixedProxy, type ProxyRule, proxyAuthenticationHint, proxyFromEnvironment } from './connection/proxy.ts'
export {
  basicAuthorization,
  basicCredentials,
  type Credentials,
  joinedCredentials,
  type ShortAuthorization,
  separatedCredentials,
  shortAuthorization,
} from './credentials.ts'
export { DigestAuthentication, digestObstacle, ProxyDigest } from './digest.ts'
export { exchange, verifyTlsOptions } from './exchange.ts'
export type { Answer, Exchange } from './http1/conversation.ts'
export { exchangeUpgrade, type UpgradeAnswer } from './http1/upgrade.ts'
export { exchangeRaw, type RawExchange, type RawTarget } from './raw.ts'
export { type FollowOptions, follow, RedirectTrail } from './redirect.ts'
export type { CertificateDetails, TlsDetails } from './tls/certificate-chain.ts'
export { closureText, type WebSocketClosure } from './websocket/closure.ts'
export { openWebSocket, type WebSocketAnswer, webSocketHandshake } from './websocket/opening.ts'
export type { WebSocketConnection, WebSocketEvent } from './websocket/websocket.ts'
