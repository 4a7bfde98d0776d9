import type { IncomingHttpHeaders } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { Http2RequestCache, type KnownHttp2Request } from '../../../src/server/http2/request-cache.ts'
import type { Plan } from '../../../src/server/semantics/plan.ts'

const head = ['GET', '/a.txt', 'https', 'localhost'].flatMap((value, index) => [
  [':method', ':path', ':scheme', ':authority'][index]!,
  value,
])

/** Answers for field lines, with the number of requests that were planned. */
function makeCache(): { of(lines: readonly string[]): KnownHttp2Request; planned: string[] } {
  const planned: string[] = []
  const cache = new Http2RequestCache((request) => {
    planned.push(request.target)
    return {} as Plan
  }, 32_768)
  return {
    planned,
    of: (lines) => {
      const fields: IncomingHttpHeaders = {}
      for (let index = 0; index < lines.length; index += 2) fields[lines[index]!] = lines[index + 1]!
      return cache.of(fields, [...lines])
    },
  }
}

describe('Http2RequestCache', () => {
  it('plans an equal head once', () => {
    const { of, planned } = makeCache()
    expect(of(head)).toBe(of(head))
    expect(planned).toEqual(['/a.txt'])
  })

  it.each([
    ['another value', [...head, 'accept', 'text/html'], [...head, 'accept', 'text/plain']],
    ['another name', [...head, 'accept', 'gzip'], [...head, 'accept-encoding', 'gzip']],
    ['one more field', head, [...head, 'accept', '*/*']],
    ['another order', [...head, 'a', '1', 'b', '2'], [...head, 'b', '2', 'a', '1']],
    ['the same text, divided differently', [...head, 'a', 'b', 'c', 'd'], [...head, 'a', 'b\nc', 'c', 'd']],
    ['another method', head, head.with(1, 'HEAD')],
    ['another path', head, head.with(3, '/b.txt')],
  ])('plans a head with %s again', (_, one, other) => {
    const { of, planned } = makeCache()
    expect(of(one)).not.toBe(of(other))
    expect(planned).toHaveLength(2)
  })

  it.each(['localhost', 'localhost:12345'])('refuses a path that is too long with 414, for %s', (host) => {
    const { of } = makeCache()
    const { refusal } = of(head.with(3, `/${'a'.repeat(17_000)}`).with(7, host))
    expect(refusal?.status).toBe(414)
  })

  it('caches the heads of several clients for one path, but a limited number', () => {
    const { of, planned } = makeCache()
    const heads = Array.from({ length: 50 }, (_, index) => [...head, 'user-agent', `browser ${index}`])
    for (const each of heads) of(each)
    expect(planned).toHaveLength(50)
    for (const each of heads.slice(-3)) of(each)
    expect(planned).toHaveLength(50)
    of(heads[0]!)
    expect(planned).toHaveLength(51)
  })

  it('does not cache long heads', () => {
    const { of, planned } = makeCache()
    const long = [...head, 'cookie', 'x'.repeat(5_000)]
    of(long)
    of(long)
    expect(planned).toHaveLength(2)
  })
})
