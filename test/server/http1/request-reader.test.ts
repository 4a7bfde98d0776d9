import { describe, expect, it } from 'vitest'
import { ParserOptions } from '../../../src/message/index.ts'
import { HeadCache, type KnownRequest } from '../../../src/server/http1/head-cache.ts'
import { RequestReader } from '../../../src/server/http1/request-reader.ts'
import { AllowedHosts } from '../../../src/server/semantics/allowed-hosts.ts'
import { planRequest } from '../../../src/server/semantics/plan.ts'
import { defaultVisibility } from '../../../src/server/semantics/url-path.ts'

const memo = (): HeadCache<KnownRequest> => new HeadCache()

function makeReader(heads: HeadCache<KnownRequest>, planned: string[] = []): RequestReader {
  return new RequestReader({
    memo: heads,
    options: ParserOptions.of({ preset: 'server' }),
    discardedBodyBytes: 1_000,
    plan: (request) => {
      planned.push(request.target)
      const hosts = new AllowedHosts({ names: [], listenHost: '127.0.0.1', machineName: 'box' })
      return planRequest(request, { root: '/srv', rootNames: [], visibility: defaultVisibility, hosts })
    },
  })
}

const head = (target: string, fields = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

/** Everything that a reader makes of bytes that come in pieces; the error's code at the end if there is one. */
function read(reader: RequestReader, ...pieces: string[]): string[] {
  const seen: string[] = []
  try {
    for (const piece of pieces) {
      reader.push(Buffer.from(piece, 'latin1'))
      for (;;) {
        if (reader.hasContent && reader.discardContent() === undefined) break
        const request = reader.next()
        if (request === undefined) break
        seen.push(`${request.line} ${request.keepAlive}`)
      }
    }
  } catch (error) {
    seen.push((error as { code: string }).code)
  }
  return seen
}

describe('RequestReader', () => {
  it('plans a repeated head once, on any connection', () => {
    const heads = memo()
    const planned: string[] = []
    for (let connection = 0; connection < 3; connection++) {
      expect(read(makeReader(heads, planned), head('/a'), head('/a'))).toEqual(Array(2).fill('GET /a HTTP/1.1 true'))
    }
    expect(planned).toEqual(['/a'])
  })

  it.each([
    ['target', head('/b')],
    ['field', head('/a', 'Accept: */*\r\n')],
    ['case of a name', head('/a').replace('Host', 'host')],
    ['version', head('/a').replace('1.1', '1.0')],
  ])('plans a head again if it differs in %s', (_, other) => {
    const planned: string[] = []
    read(makeReader(memo(), planned), head('/a'), other)
    expect(planned).toHaveLength(2)
  })

  it('caches no head with content', () => {
    const planned: string[] = []
    const request = `${head('/a', 'Content-Length: 2\r\n')}xy`
    expect(read(makeReader(memo(), planned), request, request)).toHaveLength(2)
    expect(planned).toHaveLength(2)
  })

  it('caches no head that is refused', () => {
    const heads = memo()
    for (let count = 0; count < 2; count++) {
      expect(read(makeReader(heads), 'GET /a HTTP/1.1\r\n\r\n')).toEqual(['HOST'])
    }
  })

  it('does not mistake content for a known head', () => {
    const inner = head('/inner')
    const outer = `POST /outer HTTP/1.1\r\nHost: a\r\nContent-Length: ${inner.length}\r\n\r\n`
    const heads = memo()
    read(makeReader(heads), inner)
    expect(read(makeReader(heads), outer, inner, head('/a'))).toEqual([
      'POST /outer HTTP/1.1 true',
      'GET /a HTTP/1.1 true',
    ])
  })

  it('does not mistake the rest of a head for a known head', () => {
    const heads = memo()
    read(makeReader(heads), head('/a'))
    expect(read(makeReader(heads), 'GET /b HTTP/1.1\r\nHost: b\r\nX: ', head('/a'))).toEqual(['HOST'])
  })

  it('reads the same from whole, joined and split bytes, known or not', () => {
    const messages = [head('/a'), `${head('/b', 'Content-Length: 3\r\n')}abc`, head('/a'), `\r\n${head('/c')}`]
    const joined = messages.join('')
    const expected = ['/a', '/b', '/a', '/c'].map((target) => `GET ${target} HTTP/1.1 true`)
    const heads = memo()
    for (let round = 0; round < 2; round++) {
      expect(read(makeReader(heads), ...messages)).toEqual(expected)
      expect(read(makeReader(heads), joined)).toEqual(expected)
      for (let cut = 1; cut < joined.length; cut++) {
        expect(read(makeReader(heads), joined.slice(0, cut), joined.slice(cut))).toEqual(expected)
      }
    }
  })

  it('keeps the first line of a malformed request', () => {
    const reader = makeReader(memo())
    read(reader, head('/a'), `GET /b c HTTP/1.1\r\n\r\n`)
    expect(reader.unreadableLine()).toBe('GET /b c HTTP/1.1')
  })
})

describe('HeadCache', () => {
  it('evicts unused heads, and keeps used ones, in bounded memory', () => {
    const heads = memo()
    const request = { head: {} as never, plan: {} as never, line: '', isHead: false, version: '', keepAlive: true }
    heads.set('used', request)
    heads.set('unused', request)
    for (let index = 0; index < 100_000; index++) {
      heads.set(`head ${index}`, request)
      if (index % 1_000 === 0) expect(heads.get('used')).toBe(request)
    }
    expect(heads.get('unused')).toBeUndefined()
    expect(heads.get('head 0')).toBeUndefined()
    expect(heads.get('head 99999')).toBe(request)
  })

  it('keeps no head that is too long to be repeated', () => {
    const heads = memo()
    const long = 'x'.repeat(5_000)
    heads.set(long, { head: {} as never, plan: {} as never, line: '', isHead: false, version: '', keepAlive: true })
    expect(heads.get(long)).toBeUndefined()
  })
})
