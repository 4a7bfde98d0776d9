/**
 * Connections that stay open between exchanges.
 *
 * Rules: a connection is used again for the same scheme, host, port, way and TLS settings only. One that ends or says
 * anything while nobody uses it is dropped at once: nothing unasked may be taken for the answer to a later request. Only
 * the newest MAX_IDLE_CONNECTIONS are kept. RFC 9112 sections 9.2 and 9.3.
 */

import type { WireOptions } from '../base/options.ts'
import type { Connection, Destination } from './connection.ts'

/** A connection that many exchanges use at a time. */
export interface SharedConnection {
  /** Whether another exchange may begin. */
  readonly isOpen: boolean
  close(): void
}

/** Browsers keep a few hundred, agents of Node.js 256 for each host; a run talks to a handful of servers. */
const MAX_IDLE_CONNECTIONS = 32

/** A server that closes behind a response does so at once: its FIN is here as soon as the response is. */
const PROOF_MS = 10

interface Idle {
  readonly key: string
  readonly connection: Connection
}

export class ConnectionPool {
  /** The oldest first. */
  readonly #idle: Idle[] = []
  /** Connections that the server has kept open. */
  readonly #proven: WeakSet<Connection> = new WeakSet()
  readonly #settingNumbers: WeakMap<object, number> = new WeakMap()
  readonly #shared: Map<string, SharedConnection> = new Map()
  #settingCount = 0
  #isClosed = false

  /** What connections must have in common to take each other's place. */
  keyOf(destination: Destination, proxy: URL | undefined, options: WireOptions): string {
    const { host, port, secure } = destination
    const settings = secure && options.tls !== undefined ? this.#numberOf(options.tls) : 0
    return [secure, host.toLowerCase(), port, proxy?.href ?? '', options.unixSocket ?? '', settings].join(' ')
  }

  /** A connection for a request that may be sent twice; undefined where none is left that can be used. */
  take(key: string): Connection | undefined {
    return this.#taken(this.#newest(key))
  }

  /** A connection for a request that must not be repeated: one that the server has not begun to close. */
  async takeSurely(key: string): Promise<Connection | undefined> {
    for (let idle = this.#newest(key); idle !== undefined; idle = this.#newest(key)) {
      const waitMs = this.#proven.has(idle.connection) ? 0 : PROOF_MS
      await new Promise((resolve) => (waitMs === 0 ? setImmediate(resolve) : setTimeout(resolve, waitMs)))
      if (!this.#idle.includes(idle)) continue
      this.#proven.add(idle.connection)
      return this.#taken(idle)
    }
    return undefined
  }

  #newest(key: string): Idle | undefined {
    return this.#idle.findLast((idle) => idle.key === key)
  }

  #taken(idle: Idle | undefined): Connection | undefined {
    if (idle === undefined) return undefined
    this.#idle.splice(this.#idle.indexOf(idle), 1)
    idle.connection.reader.onActivity = undefined
    return idle.connection
  }

  /** Keeps a connection over which the last exchange has ended completely. */
  keep(key: string, connection: Connection): void {
    const { socket, reader } = connection
    if (this.#isClosed || !reader.isQuiet || socket.destroyed || !socket.writable) {
      socket.destroy()
      return
    }
    const idle = { key, connection }
    // Neither octets nor an end: whatever happens now ends it.
    reader.onActivity = () => this.#drop(idle)
    this.#idle.push(idle)
    const oldest = this.#idle.length > MAX_IDLE_CONNECTIONS ? this.#idle[0] : undefined
    if (oldest !== undefined) this.#drop(oldest)
  }

  /** The connection that others use already; undefined where there is none, or it takes no more. */
  shared(key: string): SharedConnection | undefined {
    const shared = this.#shared.get(key)
    return shared?.isOpen === true ? shared : undefined
  }

  /** Lets others use a connection. The pool closes it in the end. */
  share(key: string, connection: SharedConnection): void {
    this.#shared.set(key, connection)
  }

  /** Ends the connections that nothing uses. */
  dropIdle(): void {
    for (const idle of [...this.#idle]) this.#drop(idle)
  }

  /** Ends the connections that nothing uses, and keeps no more. */
  close(): void {
    this.#isClosed = true
    this.dropIdle()
    for (const shared of this.#shared.values()) shared.close()
    this.#shared.clear()
  }

  #drop(idle: Idle): void {
    const index = this.#idle.indexOf(idle)
    if (index !== -1) this.#idle.splice(index, 1)
    idle.connection.reader.onActivity = undefined
    idle.connection.socket.destroy()
  }

  #numberOf(settings: object): number {
    const known = this.#settingNumbers.get(settings)
    if (known !== undefined) return known
    this.#settingCount++
    this.#settingNumbers.set(settings, this.#settingCount)
    return this.#settingCount
  }
}
