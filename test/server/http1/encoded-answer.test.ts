import { describe, expect, it } from 'vitest'
import { EncodedAnswer } from '../../../src/server/http1/encoded-answer.ts'
import { HeadWriter } from '../../../src/server/http1/head-writer.ts'
import { HttpClock } from '../../../src/server/http1/http-clock.ts'

const first = 'Tue, 14 Nov 2023 22:13:20 GMT'
const second = 'Tue, 14 Nov 2023 22:13:21 GMT'
const make = (): EncodedAnswer => {
  const head = `HTTP/1.1 200 OK\r\nDate: ${first}\r\nX-Date: ${first}\r\n\r\n`
  return new EncodedAnswer(Buffer.from(`${head}body Date: ${first}`), head.length, first)
}

describe('EncodedAnswer', () => {
  it('gets the given date, and is otherwise unchanged', () => {
    const rendition = make()
    const before = rendition.whole(first).toString()
    expect(rendition.whole(second).toString()).toBe(before.replace(first, second))
    expect(rendition.head(second).toString()).toMatch(/\r\n\r\n$/)
    expect(rendition.body.toString()).toBe(`body Date: ${first}`)
  })

  it('reuses its bytes while they are free', () => {
    const rendition = make()
    const octets = rendition.whole(first)
    expect(rendition.whole(second).buffer).toBe(octets.buffer)
  })

  it('does not touch bytes that a socket may still hold', () => {
    const rendition = make()
    const held = rendition.whole(first)
    rendition.share()
    const before = held.toString()
    expect(rendition.whole(second).toString()).toContain(`\r\nDate: ${second}\r\n`)
    expect(held.toString()).toBe(before)
  })

  it('needs a Date in its head', () => {
    expect(() => new EncodedAnswer(Buffer.from(`HTTP/1.1 200 OK\r\n\r\nDate: ${first}`), 19, first)).toThrow('no Date')
  })
})

describe('HeadWriter', () => {
  const clock = new HttpClock(() => 1_700_000_000_000)
  const headOf = (
    fields: readonly (readonly [string, string])[],
    given: readonly (readonly [string, string])[] = [],
    context = { keepAlive: true, version: 'HTTP/1.1' as string | undefined },
  ) => new HeadWriter(clock, given).encode({ status: 200, fields, body: Buffer.from('abc') }, context).toString()

  it('adds Date, the safe defaults and the length', () => {
    expect(headOf([['Content-Type', 'text/plain']])).toBe(
      'HTTP/1.1 200 OK\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\nContent-Type: text/plain\r\n' +
        'Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nContent-Length: 3\r\n\r\n',
    )
  })

  it('replaces defaults by given fields, in any case', () => {
    const head = headOf([], [['cache-control', 'max-age=60']])
    expect(head).toContain('cache-control: max-age=60\r\n')
    expect(head).not.toContain('no-cache')
  })

  it('joins all parts of Vary once', () => {
    const head = headOf([['Vary', 'Accept, Accept-Encoding']], [['vary', 'accept, Origin']])
    expect(head.match(/^vary:.*$/gim)).toEqual(['Vary: Accept, Accept-Encoding, Origin'])
  })

  it.each([
    [true, 'HTTP/1.1', undefined],
    [false, 'HTTP/1.1', 'close'],
    [true, 'HTTP/1.0', 'keep-alive'],
    [false, 'HTTP/1.0', 'close'],
    [false, undefined, 'close'],
  ])('reports a connection that stays open (%s) in %s: %s', (keepAlive, version, expected) => {
    expect(/^Connection: (.*)\r$/m.exec(headOf([], [], { keepAlive, version }))?.[1]).toBe(expected)
  })
})
