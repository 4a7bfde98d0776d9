/** The steps of opening a connection: as lines for --verbose, and as fields of a JSON report. */
import type { ConnectionEvent, EndPoint, TlsDetails } from '../../../wire/index.ts'
import { certificateLines } from '../../failures/certificate-text.ts'

export function connectionLines(event: ConnectionEvent): readonly string[] {
  switch (event.type) {
    case 'looked-up':
      return [`looked up ${event.host} in ${millisecondsText(event.dnsMs)}: ${event.addresses.join(', ')}`]
    case 'attempt-failed':
      return [`tried ${endPointText(event)}: ${event.reason}`]
    case 'connected': {
      const role = event.role === 'proxy' ? 'the proxy ' : ''
      const from = event.local === undefined ? '' : ` from ${endPointText(event.local)}`
      return [`connected to ${role}${endPointText(event.remote)}${from} in ${millisecondsText(event.connectMs)}`]
    }
    case 'tunnel-answered':
      return [`${event.place} answered CONNECT ${event.authority}: ${event.status} ${event.reason}`.trimEnd()]
    case 'relayed':
      return [`${event.place} connected to ${event.target}`]
    case 'secured':
      return [
        `${event.tls.version} with ${event.role === 'proxy' ? 'the proxy ' : ''}${event.place} in ${millisecondsText(event.tlsMs)}`,
        ...tlsLines(event.tls),
      ]
  }
}

function tlsLines({ cipher, alpn, isResumed, isVerified, certificates }: TlsDetails): readonly string[] {
  return [
    `  cipher: ${cipher}; ALPN: ${alpn ?? 'none'}; ${isResumed ? 'resumed session' : 'new session'}`,
    `  certificate: ${isVerified ? 'verified' : 'not checked (-i)'}`,
    ...certificateLines(certificates).map((line) => `  ${line}`),
  ]
}

function endPointText(point: EndPoint): string {
  return 'path' in point ? `socket ${point.path}` : `${point.address} port ${point.port}`
}

export function millisecondsText(milliseconds: number): string {
  return `${milliseconds.toFixed(2)} ms`
}

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
