/**
 * Bytes from the peer that have not been read yet.
 *
 * Rules: while a request to switch protocols is pending, bytes are held back: they are HTTP only if it is refused. No
 * received byte is dropped, except bytes after the last message of the connection.
 */
import type { HttpEvent } from '../head/events.ts'
import { HttpDecoder } from '../reading/decoder.ts'
import { checkBytes } from '../syntax/checked-input.ts'
import { concatBytes } from '../syntax/octets.ts'
import type { ParserOptions, ParserOptionsInit } from '../syntax/options.ts'
import type { ConnectionEvent } from './outgoing.ts'
import { LocalProtocolError } from './protocol-error.ts'
import type { Side, SideState } from './states.ts'

export class ConnectionInput {
  readonly #side: Side
  readonly #options: ParserOptions | ParserOptionsInit | undefined
  #decoder: HttpDecoder
  #held: Uint8Array[] = []
  #isEnded = false
  #isUpgradeReported = false

  constructor(side: Side, options: ParserOptions | ParserOptionsInit | undefined) {
    this.#side = side
    this.#options = options
    this.#decoder = new HttpDecoder(side, options)
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get isEmpty(): boolean {
    return this.#held.length === 0 && this.#decoder.leftover.length === 0
  }

  get leftover(): Uint8Array {
    return concatBytes([this.#decoder.leftover, ...this.#held])
  }

  /** The method of the request that the next response belongs to. */
  expect(method: string): void {
    this.#decoder.expect(method)
  }

  /** @throws LocalProtocolError `out-of-turn` after the end, and after `upgrade`. */
  receive(bytes: Uint8Array, peerState: SideState): void {
    checkBytes(bytes, 'the input')
    if (this.#isEnded) throw new LocalProtocolError('out-of-turn', 'bytes after the end of the input')
    if (this.#isUpgradeReported) {
      throw new LocalProtocolError('out-of-turn', 'bytes of another protocol', {
        hint: 'After the event upgrade, give further bytes to the new protocol',
      })
    }
    // RFC 9112 section 9.6: bytes after the last message are not read.
    if (bytes.length === 0 || peerState === 'must-close' || peerState === 'closed' || peerState === 'failed') return
    if (peerState === 'switch-proposed' || peerState === 'switched') this.#held.push(bytes)
    else this.#decoder.push(bytes)
  }

  end(): void {
    this.#isEnded = true
    this.#decoder.end()
  }

  /** @throws HttpParseError */
  next(): HttpEvent | undefined {
    return this.#decoder.next()
  }

  /** The start of the other protocol; reported once. */
  upgrade(): ConnectionEvent | undefined {
    if (this.#isUpgradeReported) return undefined
    const rest = this.leftover
    this.#isUpgradeReported = true
    this.#held = []
    this.#decoder = new HttpDecoder(this.#side)
    return { type: 'upgrade', rest }
  }

  /** Starts the next exchange: held bytes are HTTP. A server's decoder that has read CONNECT reads nothing after it. */
  resume(wasTunnel: boolean): void {
    const held = this.#held
    this.#held = []
    if (wasTunnel && this.#side === 'server') {
      const { leftover } = this.#decoder
      this.#decoder = new HttpDecoder(this.#side, this.#options)
      this.#decoder.push(leftover)
      if (this.#isEnded) this.#decoder.end()
    }
    for (const bytes of held) this.#decoder.push(bytes)
  }
}
