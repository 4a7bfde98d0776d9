/**
 * Connections that stay open between exchanges.
 *
 * Rules: a connection is reused only for the same scheme, host, port, proxy and TLS settings. An idle connection that
 * ends or receives anything is dropped immediately: unsolicited bytes must not be taken for the answer to a later
 * request. Only the newest MAX_IDLE_CONNECTIONS are kept. RFC 9112 sections 9.2 and 9.3.
 */

import type { WireOptions } from '../base/options.ts'
import type { Connection, Destination } from './connection.ts'

/** A connection that several exchanges use concurrently. */
export interface SharedConnection {
  /** Whether another exchange can start. */
  readonly isOpen: boolean
  close(): void
}

/** Browsers keep a few hundred, Node.js agents 256 for each host; a run talks to a handful of servers. */
const MAX_IDLE_CONNECTIONS = 32

/** A server that closes after a response does so immediately: its FIN arrives together with the response. */
const PROOF_MS = 10

interface Idle {
  readonly key: string
  readonly connection: Connection
}

export class ConnectionPool {
  /** Oldest first. */
  readonly #idle: Idle[] = []
  /** Connections that stayed open for PROOF_MS. */
  readonly #proven: WeakSet<Connection> = new WeakSet()
  readonly #settingNumbers: WeakMap<object, number> = new WeakMap()
  readonly #shared: Map<string, SharedConnection> = new Map()
  #settingCount = 0
  #isClosed = false

  /** Connections with the same key can replace each other. */
  keyOf(destination: Destination, proxy: URL | undefined, options: WireOptions): string {
    const { host, port, secure } = destination
    const settings = secure && options.tls !== undefined ? this.#numberOf(options.tls) : 0
    return [secure, host.toLowerCase(), port, proxy?.href ?? '', options.unixSocket ?? '', settings].join(' ')
  }

  /** A connection for a request that may be sent twice; undefined if none is usable. */
  take(key: string): Connection | undefined {
    return this.#taken(this.#newest(key))
  }

  /** A connection for a request that must not be repeated: one that the server has not begun to close. */
  async takeVerified(key: string): Promise<Connection | undefined> {
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

  /** Keeps a connection whose last exchange has ended completely. */
  keep(key: string, connection: Connection): void {
    const { socket, reader } = connection
    if (this.#isClosed || !reader.isQuiet || socket.destroyed || !socket.writable) {
      socket.destroy()
      return
    }
    const idle = { key, connection }
    // Any bytes, or the end, of an idle connection drop it.
    reader.onActivity = () => this.#drop(idle)
    this.#idle.push(idle)
    const oldest = this.#idle.length > MAX_IDLE_CONNECTIONS ? this.#idle[0] : undefined
    if (oldest !== undefined) this.#drop(oldest)
  }

  /** The shared connection; undefined if there is none, or if it accepts no further requests. */
  shared(key: string): SharedConnection | undefined {
    const shared = this.#shared.get(key)
    return shared?.isOpen === true ? shared : undefined
  }

  /** Shares a connection with other exchanges. The pool closes it eventually. */
  share(key: string, connection: SharedConnection): void {
    this.#shared.set(key, connection)
  }

  dropIdle(): void {
    for (const idle of [...this.#idle]) this.#drop(idle)
  }

  /**
   * Closes idle connections, and keeps none from now on. They close on the next tick, so that a finished command can
   * exit first.
   */
  close(): void {
    this.#isClosed = true
    const idle = this.#idle.splice(0)
    setImmediate(() => {
      for (const each of idle) this.#drop(each)
    })
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
