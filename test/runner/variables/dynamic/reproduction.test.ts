import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededSources } from '../../../../src/runner/index.ts'
import { runText } from '../../running.ts'

/** Answers everything, and keeps every byte that came. */
class Recorder {
  readonly #server: Server
  readonly #sockets: Set<Socket> = new Set()
  pieces: Buffer[] = []

  constructor(answer: (request: string) => string) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('data', (piece) => {
        this.pieces.push(piece)
        const text = piece.toString('latin1')
        if (/^[A-Z]+ \/.* HTTP\/1.1\r\n/.test(text)) socket.write(answer(text))
      })
      socket.on('error', () => undefined)
    })
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Requests since the last call. */
  take(): string {
    const text = Buffer.concat(this.pieces).toString('latin1')
    this.pieces = []
    return text
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}

const nowMs = Date.parse('2026-11-21T10:00:00Z')

let recorder: Recorder

beforeAll(async () => {
  recorder = new Recorder((request) =>
    request.startsWith('GET /secret') && !request.includes('Authorization')
      ? 'HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm="r", nonce="n", qop="auth"\r\nContent-Length: 0\r\n\r\n'
      : 'HTTP/1.1 200 OK\r\nSet-Cookie: short=1; Max-Age=60\r\nContent-Length: 2\r\n\r\nok',
  )
  await recorder.open()
})
afterAll(() => recorder.close())

const everything = (host: string): string => `
< {%
  request.variables.set("m", Math.random())
  request.variables.set("u", crypto.randomUUID())
  request.variables.set("o", [...crypto.getRandomValues(new Uint8Array(4))].join("-"))
  request.variables.set("d", new Date().toISOString() + " " + Date.now() + " " + Date() + " " + (new Date() instanceof Date))
  request.variables.set("t", jwt.sign({ a: 1 }, "secret", { algorithm: "HS256", expiresIn: "1h" }))
  request.variables.set("k", await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, true, ["sign"]).then
    ? 1 : crypto.subtle.exportKey("jwk", crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt"])).k)
  request.variables.set("s", $random.integer(1, 1000000) + " " + $uuid)
%}
POST http://${host}/all?id={{$uuid}}&r={{$random.uuid}}&i={{$randomInt}}
Content-Type: text/plain

{{$random.integer(1, 1000000)}} {{$random.float()}} {{$random.alphabetic(10)}} {{$random.alphanumeric(10)}}
{{$random.hexadecimal(10)}} {{$random.email}} {{$random.name.fullName}} {{$random.address.city}}
{{$random.locale.name.firstName("de")}} {{$timestamp}} {{$isoTimestamp}}
{{m}} {{u}} {{o}} {{d}} {{t}} {{k}} {{s}}

###
GET http://${host}/secret
Authorization: Digest user password

###
GET http://${host}/cookies
`

async function sent(seed: string | undefined, job = 1): Promise<string> {
  await runText(everything(recorder.host), { sources: seededSources({ seed, nowMs }, job) })
  return recorder.take()
}

describe('a run with a seed and a time', () => {
  it('sends the same bytes each time', async () => {
    const first = await sent('42')
    expect(await sent('42')).toBe(first)
    expect(first).toContain('2026-11-21T10:00:00.000Z 1795255200000')
    expect(first).toContain('cnonce="')
    expect(first).toContain('Cookie: short=1')
    expect(first).not.toContain('{{')
  })

  it('sends other bytes with another seed', async () => {
    expect(await sent('43')).not.toBe(await sent('42'))
  })

  it('gives each job different bytes', async () => {
    expect(await sent('42', 2)).not.toBe(await sent('42', 1))
  })

  it('sends random bytes without a seed', async () => {
    expect(await sent(undefined)).not.toBe(await sent(undefined))
  })

  it('uses the same key and masks for a WebSocket', async () => {
    const socket = new Recorder((request) => {
      const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(request)?.[1] ?? ''
      return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`
    })
    await socket.open()
    const text = `# @timeout 1 s\nWEBSOCKET ws://${socket.host}/\n\none\n===\ntwo\n`
    const once = async (): Promise<string> => {
      await runText(text, { sources: seededSources({ seed: '7', nowMs }, 1) })
      return socket.take()
    }
    const first = await once()
    expect(first).toContain('Sec-WebSocket-Key')
    expect(await once()).toBe(first)
    socket.close()
  })

  it('keeps timers and time limits of scripts on the real clock', async () => {
    const { results } = await runText(
      `< {%
  let ticks = 0
  setTimeout(() => { ticks++; client.log("later " + Date.now()) }, 20)
  await sleep(30)
  client.log("slept " + ticks)
%}
GET http://${recorder.host}/
`,
      { sources: seededSources({ seed: '1', nowMs }, 1) },
    )
    expect(results).toEqual([`log later ${nowMs}`, 'log slept 1'])
  })

  it('has an otherwise normal Date', async () => {
    const { results } = await runText(
      `< {%
  client.log(new Date(0).toISOString(), new Date(2020, 0, 1).getFullYear(), Date.UTC(1970, 0, 1), Date.parse("1970-01-01"))
  class Later extends Date {}
  client.log(new Later().getTime(), new Later() instanceof Later, new Date().constructor === Date, typeof Date(), Date.length)
%}
GET http://${recorder.host}/
`,
      { sources: seededSources({ seed: '1', nowMs }, 1) },
    )
    expect(results).toEqual(['log 1970-01-01T00:00:00.000Z 2020 0 0', `log ${nowMs} true true string 7`])
  })
})

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}
