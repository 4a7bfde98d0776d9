/**
 * A client that sends bytes as they are given and shows responses as they come.
 *
 * Rules: it parses with its own few lines, not with the library that is under test, and knows only what the server may
 * send: a status line, fields, and a body of Content-Length bytes.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type RunningServer, type ServeOptions, serveDirectory } from '../../src/server/index.ts'

export interface RawResponse {
  readonly statusLine: string
  readonly status: number
  /** By lower-case name; a field that comes twice is a mistake of the server. */
  readonly fields: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Statuses that have no body, for any fields. */
const bodiless: ReadonlySet<number> = new Set([204, 304])

/** Starts a server on a free port, closed when the test has finished. */
export async function startServer(options: Omit<ServeOptions, 'port'>): Promise<RunningServer> {
  const server = await serveDirectory({ ...options, port: 0 })
  onTestFinished(() => server.close())
  return server
}

export class RawClient {
  readonly socket: Socket
  readonly #chunks: Buffer[] = []
  #wake: () => void = () => undefined
  #hasEnded = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.#chunks.push(bytes)
      this.#wake()
    })
    const end = () => {
      this.#hasEnded = true
      this.#wake()
    }
    socket.on('end', end)
    socket.on('close', end)
    socket.on('error', end)
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => {
      socket.destroy()
    })
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  /** Bytes as latin1. */
  send(octets: string | Uint8Array): void {
    this.socket.write(typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets)
  }

  /** The next response. Rejects if the connection ends first. */
  async response(requestMethod: string = 'GET'): Promise<RawResponse> {
    await this.#until(() => this.#joined().includes('\r\n\r\n'))
    const headLength = this.#joined().indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = this.#take(headLength + 4)
      .toString('latin1')
      .trimEnd()
      .split('\r\n')
    const fields = new Map<string, string>()
    for (const line of lines) {
      const colon = line.indexOf(': ')
      const name = line.slice(0, colon).toLowerCase()
      if (colon < 1 || fields.has(name)) throw new Error(`not a field, or twice: ${line}`)
      fields.set(name, line.slice(colon + 2))
    }
    const status = Number(/^HTTP\/1\.1 (\d{3}) ./.exec(statusLine)?.[1])
    const hasBody = requestMethod !== 'HEAD' && !bodiless.has(status)
    const length = hasBody ? Number(fields.get('content-length')) : 0
    await this.#until(() => this.#length >= length)
    return { statusLine, status, fields, body: this.#take(length) }
  }

  /** All that still comes, until the server ends the connection. */
  async rest(): Promise<string> {
    await this.#until(() => this.#hasEnded)
    return this.#joined().toString('latin1')
  }

  get #length(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  }

  #joined(): Buffer {
    const joined = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#chunks.splice(0, Number.POSITIVE_INFINITY, joined)
    return joined
  }

  #take(length: number): Buffer {
    const joined = this.#joined()
    this.#chunks.splice(0, 1, joined.subarray(length))
    return joined.subarray(0, length)
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      if (this.#hasEnded) {
        const shown = JSON.stringify(this.#joined().subarray(0, 100).toString('latin1'))
        throw new Error(`the connection ended after ${this.#length} octets: ${shown}`)
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** One request on a separate connection. `fields`: lines without their ends. */
export async function fetchRaw(
  server: RunningServer,
  target: string,
  fields: readonly string[] = [],
  method: string = 'GET',
): Promise<RawResponse> {
  const client = await RawClient.connect(server.port)
  const lines = [`${method} ${target} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, 'Connection: close', ...fields]
  client.send(`${lines.join('\r\n')}\r\n\r\n`)
  const response = await client.response(method)
  const rest = await client.rest()
  if (rest !== '') throw new Error(`bytes after the response: ${JSON.stringify(rest)}`)
  return response
}
