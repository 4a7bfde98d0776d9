/**
 * Executes a WEBSOCKET request with k6/websockets, as websocket-exchange.ts does.
 *
 * Rules: after everything is sent, the connection ends when the server closes it, when a handler ends it, or when
 * nothing arrives within the time of `@timeout`. If the server closes earlier, the request fails.
 */
import { HeaderList, type HttpRequest } from '../../message/index.ts'
import { WireError } from '../../wire/index.ts'
import type { CheckedResponse } from '../assertions/checked-response.ts'
import type { WebSocketMessage } from '../request/request-builder.ts'
import type { ScriptStream } from '../scripting/operations/script-scene.ts'
import type { K6Socket, K6WebSocket } from './k6.ts'
import { pathOf } from './load-client.ts'

/** As in `run`, without and with a handler that listens. */
const QUIET_MS = 1000
const ANSWER_MS = 30_000

/** RFC 6455 section 7.4.1; 0 means that k6 reports no code. */
const normalCodes: ReadonlySet<number> = new Set([0, 1000, 1001, 1005])

/** Fields that k6 computes. */
const handshakeFields = /^(?:host|connection|upgrade|sec-websocket-(?:key|version|extensions))$/i

export interface Conversation {
  readonly headers: Readonly<Record<string, string>>
  readonly name: string
  readonly messages: readonly WebSocketMessage[]
  readonly limitMs: number | undefined
  readonly onStream: ((stream: ScriptStream, response: CheckedResponse) => Promise<unknown>) | undefined
}

/** Captured before scripts replace them. */
const { setTimeout: platformTimeout, clearTimeout: platformClear } = globalThis

/** @throws WireError */
export async function converse(
  WebSocket: K6WebSocket,
  message: HttpRequest,
  { headers, name, messages, limitMs, onStream }: Conversation,
): Promise<CheckedResponse> {
  const fields = Object.fromEntries(Object.entries(headers).filter(([field]) => !handshakeFields.test(field)))
  const address = message.url as URL
  const url = address.origin.replace(/^http/, 'ws') + pathOf(message)
  const talk = new Talk(new WebSocket(url, null, { headers: fields, tags: { name } }))
  await talk.opened()
  const response = (content: Uint8Array): CheckedResponse => ({
    ...{ version: 'HTTP/1.1', status: 101, reason: 'Switching Protocols', headers: HeaderList.EMPTY, locations: [] },
    ...{ url: address.href, remote: { path: '' }, durationMs: 0, sizeBytes: content.length, content },
    certificate: undefined,
  })
  const handling = onStream?.(talk.stream, response(new Uint8Array(0)))
  for (const { waitsForServer, data } of messages) {
    const wanted = talk.count + waitsForServer
    while (talk.count < wanted && !talk.isOver) await talk.next(limitMs ?? ANSWER_MS, true)
    if (talk.isOver) {
      if (talk.count < wanted) talk.fail('but the request waits for a message')
      else if (data !== undefined) talk.fail('so a message could not be sent')
      break
    }
    if (data !== undefined) talk.send(data)
  }
  const patienceMs = limitMs ?? (onStream === undefined ? QUIET_MS : ANSWER_MS)
  while (!talk.isOver && (await talk.next(patienceMs, false)));
  talk.close()
  await handling
  if (talk.problem !== undefined) throw new WireError('websocket-closed', talk.problem)
  return response(Buffer.from(talk.received.join('\n')))
}

class Talk {
  readonly received: string[] = []
  isOver = false
  problem: string | undefined
  readonly stream: ScriptStream
  readonly #socket: K6Socket
  readonly #opening: Promise<void>
  /** Whether a handler has ended the conversation. */
  #hasLeft = false
  #delivered = 0
  #wake: (() => void)[] = []

  constructor(socket: K6Socket) {
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    this.#opening = new Promise((resolve) => {
      socket.onopen = () => resolve()
      socket.onerror = ({ error }) => {
        this.#end(error)
        resolve()
      }
    })
    socket.onmessage = ({ data }) => {
      this.received.push(typeof data === 'string' ? data : Buffer.from(new Uint8Array(data)).toString('utf8'))
      this.#wakeAll()
    }
    socket.onclose = ({ code = 0 }) =>
      this.#end(normalCodes.has(code) ? undefined : `the server closed the WebSocket with the code ${code}`)
    this.stream = {
      kind: 'messages',
      next: async () => {
        while (this.#delivered >= this.received.length && !this.isOver) await this.#change(ANSWER_MS)
        return this.received[this.#delivered++]
      },
      send: (text) => this.send(text),
      close: () => this.close(),
    }
  }

  get count(): number {
    return this.received.length
  }

  /** @throws WireError */
  async opened(): Promise<void> {
    await this.#opening
    if (this.isOver)
      throw new WireError('websocket-refused', `the server opened no WebSocket: ${this.problem ?? 'closed'}`)
  }

  send(data: string | Uint8Array): void {
    if (typeof data === 'string') this.#socket.send(data)
    else this.#socket.send(Buffer.from(data).buffer as ArrayBuffer)
  }

  /** Reports an end that came too early, unless a handler wanted it. */
  fail(detail: string): void {
    if (!this.#hasLeft) this.problem ??= `the server closed the WebSocket, ${detail}`
  }

  close(): void {
    if (this.isOver) return
    this.#hasLeft = true
    this.#end(undefined)
    this.#socket.close(1000)
  }

  /** @returns whether a message arrived. @throws WireError if an awaited message did not arrive */
  async next(limitMs: number, isAwaited: boolean): Promise<boolean> {
    const { count } = this
    await this.#change(limitMs)
    if (this.count > count || this.isOver || !isAwaited) return this.count > count
    this.close()
    throw new WireError('first-byte-timeout', `the server sent no message within ${limitMs / 1000} s`)
  }

  #change(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = platformTimeout(resolve, limitMs)
      this.#wake.push(() => {
        platformClear(timer)
        resolve()
      })
    })
  }

  #end(problem: string | undefined): void {
    if (this.isOver) return
    this.problem = problem
    this.isOver = true
    this.#wakeAll()
  }

  #wakeAll(): void {
    const waking = this.#wake
    this.#wake = []
    for (const wake of waking) wake()
  }
}
