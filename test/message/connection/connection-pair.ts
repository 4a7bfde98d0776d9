/** Both ends of one connection: what one of them sends, the other reads at once. */
import { expect } from 'vitest'
import {
  type ConnectionEvent,
  HttpConnection,
  type OutgoingEvent,
  type Side,
  type SideState,
} from '../../../src/message/index.ts'

/** An event as plain values: heads with what matters of them. */
function shown(event: ConnectionEvent): readonly unknown[] {
  switch (event.type) {
    case 'request':
      return [event.type, event.head.method, event.head.target, [...event.head.headers]]
    case 'informational':
    case 'response':
      return [event.type, event.head.status, [...event.head.headers]]
    case 'data':
      return [event.type, Buffer.from(event.bytes).toString('latin1')]
    case 'end':
      return event.trailers.size === 0 ? [event.type] : [event.type, [...event.trailers]]
    case 'upgrade':
      return [event.type, Buffer.from(event.rest).toString('latin1')]
    case 'close':
      return [event.type]
  }
}

/** All events that the bytes tell; an empty text is the end of the input. */
export function read(connection: HttpConnection, octets?: string): readonly (readonly unknown[])[] {
  if (octets === '') connection.receiveEnd()
  else if (octets !== undefined) connection.receive(Buffer.from(octets, 'latin1'))
  return [...connection.events()].map(shown)
}

export function text(octets: Uint8Array): string {
  return Buffer.from(octets).toString('latin1')
}

export function data(content: string): OutgoingEvent {
  return { type: 'data', bytes: Buffer.from(content, 'latin1') }
}

export const end: OutgoingEvent = { type: 'end' }
export const close: OutgoingEvent = { type: 'close' }

export function request(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = { Host: 'a' },
): OutgoingEvent {
  return { type: 'request', head: { method, target, headers } }
}

export function response(status: number, headers: Readonly<Record<string, string>> = {}): OutgoingEvent {
  return { type: 'response', head: { status, reason: '', headers } }
}

export const chunked = { 'Transfer-Encoding': 'chunked' } as const

export class ConnectionPair {
  readonly client: HttpConnection = new HttpConnection('client')
  readonly server: HttpConnection = new HttpConnection('server')

  /** Sends the events and returns what was written and what the other end read. */
  send(side: Side, ...events: readonly OutgoingEvent[]): { octets: string; read: readonly (readonly unknown[])[] } {
    const [from, to] = side === 'client' ? [this.client, this.server] : [this.server, this.client]
    let octets = ''
    const got: (readonly unknown[])[] = []
    for (const event of events) {
      const written = from.send(event)
      octets += text(written)
      if (event.type === 'close') to.receiveEnd()
      else if (written.length > 0) to.receive(written)
      got.push(...[...to.events()].map(shown))
    }
    return { octets, read: got }
  }

  /** Both ends agree on these states. */
  expectStates(client: SideState, server: SideState): void {
    expect([this.client.ownState, this.client.peerState], 'as the client sees it').toEqual([client, server])
    expect([this.server.peerState, this.server.ownState], 'as the server sees it').toEqual([client, server])
  }
}
