/** Everything that a program may hold its content in is a body; anything else is refused with what was found. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  ChunkedBody,
  HttpBuildError,
  HttpRequest,
  HttpResponse,
  octetsOf,
  parseRequest,
} from '../../../src/message/index.ts'
import { collect } from '../octets.ts'

const hello = octetsOf('hello')
const plain = 'PUT / HTTP/1.1\r\nHost: a\r\n\r\n'

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield octetsOf('hel')
  yield octetsOf('lo')
}

describe('a body in memory', () => {
  it.each([
    ['a string', 'hello', undefined],
    ['octets', hello, undefined],
    ['a Buffer', Buffer.from('hello'), undefined],
    ['an ArrayBuffer', hello.slice().buffer, undefined],
    ['a view', new DataView(octetsOf('_hello_').buffer, 1, 5), undefined],
    ['16-bit numbers', new Uint16Array(octetsOf('hell').buffer), undefined],
    ['a form of the web', new URLSearchParams({ a: 'b c' }), 'application/x-www-form-urlencoded;charset=UTF-8'],
  ])('is %s', (name, body, type) => {
    const expected = name === '16-bit numbers' ? 'hell' : name.startsWith('a form') ? 'a=b+c' : 'hello'
    for (const message of [
      new HttpRequest({ method: 'PUT', url: 'http://a/', body }),
      new HttpResponse({ status: 200, body }),
      parseRequest(plain).withBody(body),
    ]) {
      const eager = message.eagerly() as ReturnType<HttpResponse<'memory'>['eagerly']>
      expect(eager.content?.text()).toBe(expected)
      expect(eager.headers.get('content-type')).toBe(type)
      expect(eager.headers.get('content-length')).toBe(String(expected.length))
    }
  })

  it('is a chunked body with its source in memory', () => {
    for (const source of [hello, [octetsOf('hel'), octetsOf('lo')], new Set([hello])]) {
      const body = new ChunkedBody(source, 'text/plain', 4, { trailers: () => ({ X: 'y' }) })
      const eager = parseRequest(plain).withBody(body).eagerly()
      expect(eager.toString()).toMatch(/\r\n\r\n4\r\nhell\r\n1\r\no\r\n0\r\nX: y\r\n\r\n$/)
    }
  })

  it('cannot wait for its trailers', () => {
    const body = new ChunkedBody([hello], undefined, 4, { trailers: async () => ({ X: 'y' }) })
    expect(() => parseRequest(plain).withBody(body).eagerly()).toThrow(/trailers .* promise/)
  })
})

describe('a body that is read while it is sent', () => {
  it.each([
    ['a stream', () => new Blob(['hello']).stream(), undefined],
    ['a Node.js stream', () => Readable.from([hello]), undefined],
    [
      'a file stream of Node.js, which has a method open()',
      () => Object.assign(Readable.from([hello]), { open() {} }),
      undefined,
    ],
    ['an async iterable', pieces, undefined],
    ['an iterable', () => [octetsOf('hel'), octetsOf('lo')], undefined],
  ])('is %s, in chunks', async (_name, body, type) => {
    const eager = await parseRequest(plain).withBody(body()).eagerly()
    expect(eager.content?.text()).toBe('hello')
    expect(eager.headers.get('content-type')).toBe(type)
    expect(eager.headers.get('transfer-encoding')).toBe('chunked')
  })

  it.each([
    ['a Blob', new Blob(['hello'], { type: 'text/x' })],
    ['a File', new File(['hello'], 'a.txt', { type: 'text/x' })],
  ])('is %s, with its type and length', async (_name, body) => {
    const eager = await parseRequest(plain).withBody(body).eagerly()
    expect(eager.content?.text()).toBe('hello')
    expect(eager.headers.get('content-type')).toBe('text/x')
    expect(eager.headers.get('content-length')).toBe('5')
  })

  it('is a form with files', async () => {
    const form = new FormData()
    form.set('name', 'Zoë')
    form.set('file', new File(['hello'], 'a.txt'))
    const request = parseRequest(plain).withBody(form)
    expect(request.headers.get('content-type')).toMatch(/^multipart\/form-data; ?boundary=/)
    const read = await (await request.eagerly()).body!.formData()
    expect(read.get('name')).toBe('Zoë')
    expect(await (read.get('file') as File).text()).toBe('hello')
  })
})

describe('an invalid body', () => {
  it.each<[string, unknown]>([
    ['a number', 5],
    ['a boolean', false],
    ['an Object', { a: 1 }],
    ['a Date', new Date(0)],
    ['a Promise', Promise.resolve('x')],
    ['a function', () => 'x'],
    ['a symbol', Symbol('x')],
  ])('%s', (found, body) => {
    for (const action of [
      () => parseRequest(plain).withBody(body as string),
      () => new HttpRequest({ method: 'PUT', url: 'http://a/', body: body as string }),
      () => new HttpResponse({ status: 200, body: body as string }),
    ]) {
      expect(action).toThrow(expect.objectContaining({ code: 'invalid-body', message: `the body is ${found}` }))
    }
  })

  it('a source of something other than bytes', async () => {
    const strings = {
      async *[Symbol.asyncIterator]() {
        yield 'hello' as unknown as Uint8Array
      },
    }
    const written = collect(parseRequest(plain).withBody(strings).encode())
    await expect(written).rejects.toBeInstanceOf(HttpBuildError)
    expect(() =>
      parseRequest(plain)
        .withBody(['hello'] as never)
        .eagerly(),
    ).toThrow(/gave a string/)
  })
})
