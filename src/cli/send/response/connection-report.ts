/**
 * The connection to a server in a JSON report.
 *
 *   "connection": { "host"?, "addresses"?, "failedAttempts"?, "role", "remote", "local"?, "proxy"? }
 *   "tls": { "version", "cipher", "alpn", "isResumed", "isVerified", "certificates": [...] }
 */
import type { ConnectionEvent } from '../../../wire/index.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields of the report of one exchange. `tls` is about the server; TLS with a proxy is part of `proxy`. */
export function connectionReport(events: readonly ConnectionEvent[]): Fields {
  const connection: Record<string, unknown> = {}
  const proxy: Record<string, unknown> = {}
  const failedAttempts: Fields[] = []
  let tls: Fields | undefined
  for (const event of events) {
    switch (event.type) {
      case 'looked-up':
        Object.assign(connection, { host: event.host, addresses: event.addresses })
        break
      case 'attempt-failed':
        failedAttempts.push({ address: event.address, port: event.port, reason: event.reason })
        break
      case 'connected':
        Object.assign(connection, {
          remote: event.remote,
          ...(event.local === undefined ? {} : { local: event.local }),
        })
        if (event.role === 'proxy') Object.assign(proxy, event.remote)
        break
      case 'tunnel-answered':
        Object.assign(proxy, { status: event.status, reason: event.reason })
        break
      case 'relayed':
        Object.assign(proxy, { target: event.target })
        break
      case 'secured':
        if (event.role === 'proxy') proxy.tls = { ...event.tls }
        else tls = { ...event.tls }
    }
  }
  if (failedAttempts.length > 0) connection.failedAttempts = failedAttempts
  if (Object.keys(proxy).length > 0) connection.proxy = proxy
  return { ...(Object.keys(connection).length === 0 ? {} : { connection }), ...(tls === undefined ? {} : { tls }) }
}
