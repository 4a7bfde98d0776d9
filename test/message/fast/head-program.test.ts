/** The WebAssembly program that reads heads: made of its source, and used only where it can be. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { headScanModule } from '../../../scripts/assemble-head-scan.ts'
import type * as Library from '../../../src/message/index.ts'
import { toOctets } from '../octets.ts'

const HEADS_ENOUGH = 300
const GET = toOctets('GET /a?b HTTP/1.1\r\nHost: h:80\r\nX-A:  1 \r\nConnection: close\r\n\r\n')
const BAD = toOctets('GET /a HTTP/1.1\r\nHost: h\r\nX A: 1\r\n\r\n')

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Reads enough heads with a fresh library that the program is loaded, and returns the last one. */
async function lastOfMany(): Promise<string> {
  vi.resetModules()
  const { HttpDecoder, HttpParseError }: typeof Library = await import('../../../src/message/index.ts')
  const read = (octets: Uint8Array): string => {
    try {
      return [...new HttpDecoder('server').push(octets.slice())].map((event) => JSON.stringify(event)).join()
    } catch (error) {
      return error instanceof HttpParseError ? `${error.code} at ${error.offset}` : String(error)
    }
  }
  for (let i = 0; i < HEADS_ENOUGH; i++) read(GET)
  return `${read(GET)} ${read(BAD)}`
}

describe('the WebAssembly head parser', () => {
  it('is what its source compiles to', async () => {
    const file = new URL('../../../src/message/fast/head-scan-code.ts', import.meta.url)
    expect(readFileSync(file, 'utf8')).toBe(await headScanModule())
  })

  it('is loaded once, and only after many heads', async () => {
    const loaded = vi.spyOn(WebAssembly, 'Module')
    vi.resetModules()
    const { HttpDecoder }: typeof Library = await import('../../../src/message/index.ts')
    const decoder = new HttpDecoder('server')
    const keptAlive = toOctets('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    for (let i = 0; i < 10; i++) for (const _ of decoder.push(keptAlive.slice()));
    expect(loaded).not.toHaveBeenCalled()
    for (let i = 0; i < 2 * HEADS_ENOUGH; i++) for (const _ of decoder.push(keptAlive.slice()));
    expect(loaded).toHaveBeenCalledTimes(1)
    loaded.mockRestore()
  })

  it.each<[string, string, number]>([
    ['many messages in one piece', 'GET /a HTTP/1.1\r\nHost: h\r\nCookie: 0123456789\r\n\r\n', 1000],
    [
      'a long head before much content',
      `POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9000\r\nCookie: ${'c'.repeat(2000)}\r\n\r\n${'x'.repeat(9000)}`,
      1000,
    ],
    [
      'a head that is longer than what is looked at',
      `GET /a HTTP/1.1\r\nHost: h\r\nCookie: ${'c'.repeat(9000)}\r\n\r\n`,
      20,
    ],
  ])('reads each head of %s in place', async (_, message, count) => {
    await lastOfMany()
    const { HttpDecoder }: typeof Library = await import('../../../src/message/index.ts')
    const reported = Array.from(new HttpDecoder('server').push(toOctets(message.repeat(count))), (event) =>
      'head' in event ? event.head.headers.first('cookie') : event.type,
    )
    const cookie = /Cookie: (.*)\r/.exec(message)?.[1]
    const one = message.startsWith('POST') ? [cookie, 'data', 'end'] : [cookie, 'end']
    expect(reported).toEqual(Array.from({ length: count }, () => one).flat())
  })

  it.each<[string, () => unknown]>([
    ['without WebAssembly', () => undefined],
    [
      'that forbids to make programs',
      () => ({
        Module: class {
          constructor() {
            throw new EvalError('refused')
          }
        },
      }),
    ],
  ])('does not change results on a platform %s', async (_, platform) => {
    const usual = await lastOfMany()
    expect(usual).toMatch(/"target":"\/a\?b".* HEADER_NAME at 27$/)
    vi.stubGlobal('WebAssembly', platform())
    expect(await lastOfMany()).toBe(usual)
  })
})
