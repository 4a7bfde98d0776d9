/** The steps to a connection as lines for --verbose. */
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
