/**
 * A request builder for tests: one valid request, and for each test one change to it, valid or not.
 *
 * Run: npx tsx examples/library/test-requests.ts
 */
import { deepStrictEqual, strictEqual } from 'node:assert'
import { brokenMessage, HttpParseError, HttpRequest, HttpResponse, parseRequest } from 'httpcli'

/** The request that every test starts from. Messages never change, so one test cannot disturb the next. */
const valid = new HttpRequest({
  method: 'POST',
  url: 'http://shop.example/orders',
  headers: { Accept: 'application/json', Authorization: 'Bearer 1' },
}).withBody('{"article":7}')

/** The code under test: bytes in, a response out. */
function handle(bytes: Uint8Array): HttpResponse<'memory'> {
  try {
    const request = parseRequest(bytes, { preset: 'server' }).eagerly()
    if (!request.headers.has('authorization')) return new HttpResponse({ status: 401 }).withBody(null)
    if (request.method !== 'POST') return new HttpResponse({ status: 405, headers: { Allow: 'POST' } }).withBody(null)
    const { article } = request.content?.json<{ article: number }>() ?? { article: 0 }
    return new HttpResponse({ status: 201 }).withBody(`article ${article}`)
  } catch (error) {
    if (error instanceof HttpParseError) return new HttpResponse({ status: error.status }).withBody(error.code)
    throw error
  }
}

const cases: readonly (readonly [what: string, bytes: Uint8Array, status: number])[] = [
  ['the valid one', valid.eagerly().bytes, 201],
  ['another article', valid.withBody('{"article":8}').eagerly().bytes, 201],
  ['without authorization', valid.withoutHeaders('Authorization').eagerly().bytes, 401],
  ['another method', valid.withRequestLine({ method: 'PUT' }).eagerly().bytes, 405],
  ['a long target', valid.withRequestLine({ url: `/${'o'.repeat(20_000)}` }).eagerly().bytes, 414],
  ['many fields', valid.withHeaders({ X: Array(200).fill('y') }).eagerly().bytes, 431],
  // These break a rule of HTTP, which no other part of the library can write.
  ['two lengths', brokenMessage('two-lengths', valid.eagerly().bytes), 400],
  ['a colon in the method', brokenMessage('method-with-colon', valid.eagerly().bytes), 400],
  ['a length and chunks', brokenMessage('length-and-chunked', valid.eagerly().bytes), 400],
]
for (const [what, bytes, status] of cases) {
  const response = handle(bytes)
  strictEqual(response.status, status, what)
  process.stdout.write(`${status} for ${what}: ${(await response.body?.text()) ?? ''}\n`)
}
deepStrictEqual(valid.headers.names(), ['Host', 'Accept', 'Authorization', 'Content-Length'])
