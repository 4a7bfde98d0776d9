/**
 * A request builder for tests: a request that is right, changed in one thing for each test, right or wrong.
 *
 * Run: npx tsx examples/library/test-requests.ts
 */
import { deepStrictEqual, strictEqual } from 'node:assert'
import { HttpParseError, HttpRequest, HttpResponse, octetsOf, parseRequest } from 'httpcli'

/** What every test starts from. Messages never change, so that one test cannot disturb the next. */
const valid = new HttpRequest({
  method: 'POST',
  url: 'http://shop.example/orders',
  headers: { Accept: 'application/json', Authorization: 'Bearer 1' },
}).withBody('{"article":7}')

/** The octets of the valid request with a change that no valid request can have. */
function broken(change: (text: string) => string): Uint8Array {
  return octetsOf(change(valid.eagerly().toString()))
}

/** What is tested: octets in, a response out. */
function handle(octets: Uint8Array): HttpResponse<'memory'> {
  try {
    const request = parseRequest(octets, { preset: 'server' }).eagerly()
    if (!request.headers.has('authorization')) return new HttpResponse({ status: 401 }).withBody(null)
    if (request.method !== 'POST') return new HttpResponse({ status: 405, headers: { Allow: 'POST' } }).withBody(null)
    const { article } = request.content?.json<{ article: number }>() ?? { article: 0 }
    return new HttpResponse({ status: 201 }).withBody(`article ${article}`)
  } catch (error) {
    if (error instanceof HttpParseError) return new HttpResponse({ status: error.status }).withBody(error.code)
    throw error
  }
}

const cases: readonly (readonly [what: string, octets: Uint8Array, status: number])[] = [
  ['the valid one', valid.eagerly().bytes, 201],
  ['another article', valid.withBody('{"article":8}').eagerly().bytes, 201],
  ['without authorization', valid.withoutHeaders('Authorization').eagerly().bytes, 401],
  ['another method', valid.withRequestLine({ method: 'PUT' }).eagerly().bytes, 405],
  [
    'two lengths',
    broken((text) => text.replace('Content-Length: 13', 'Content-Length: 13\r\nContent-Length: 14')),
    400,
  ],
  ['a method that is none', broken((text) => text.replace('POST', 'PO ST')), 400],
  ['a long target', broken((text) => text.replace('/orders', `/${'o'.repeat(20_000)}`)), 414],
  ['many fields', broken((text) => text.replace('Accept', `${'X: y\r\n'.repeat(200)}Accept`)), 431],
]
for (const [what, octets, status] of cases) {
  const response = handle(octets)
  strictEqual(response.status, status, what)
  process.stdout.write(`${status} for ${what}: ${(await response.body?.text()) ?? ''}\n`)
}
deepStrictEqual(valid.headers.names(), ['Host', 'Accept', 'Authorization', 'Content-Length'])
