import { connect, constants, createServer, type OutgoingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { addFields } from '../../../src/server/http2/fields.ts'

it('a repeated field stays repeated, except where the platform sends only one line', () => {
  expect(
    addFields({ ':status': 200 }, [
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['X-Content-Type-Options', 'nosniff'],
      ['x-content-type-options', 'nosniff'],
      ['Location', '/a'],
      ['Location', '/b'],
    ]),
  ).toEqual({
    ':status': 200,
    'set-cookie': ['a=1', 'b=2'],
    'x-content-type-options': 'nosniff',
    location: '/a, /b',
  })
})

it('no field of a response is refused by the platform because it is repeated', async () => {
  const names = Object.entries(constants)
    .filter(([constant, name]) => constant.startsWith('HTTP2_HEADER_') && /^[a-z]/.test(String(name)))
    .map(([, name]) => String(name))
    .filter((name) => !unrepeated.has(name))
  const failed: string[] = []
  const server = createServer((_request, response) => {
    for (const name of names) {
      try {
        response.stream.additionalHeaders(addFields({ ':status': 103 } as OutgoingHttpHeaders, [...twice(name)]))
      } catch {
        failed.push(name)
      }
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const stream = session.request({ ':path': '/' })
  await new Promise((resolve, reject) => stream.resume().once('close', resolve).once('error', reject))
  expect([names.length > 50, failed]).toEqual([true, []])
})

/** Fields of the connection (RFC 9113 section 8.2.2), and one that an interim response must not have. */
const unrepeated = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'http2-settings'],
  'content-length',
])

const twice = (name: string) => [[name, '1'] as const, [name, '2'] as const]
