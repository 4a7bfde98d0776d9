import { describe, expect, it } from 'vitest'
import { ChunkedBody, HttpRequest, parseRequest } from '../../src/message/index.ts'
import { follow } from '../../src/wire/index.ts'
import { failure } from './failure.ts'
import { answering, closedPort, onHead, type Peer, startPeer } from './peer.ts'

/** Answers each path with what the table says, and everything else with 200 and the request line. */
async function redirector(table: Readonly<Record<string, readonly [status: number, location: string]>>): Promise<Peer> {
  return startPeer(
    onHead((socket, head) => {
      const [, path = ''] = head.split(' ')
      const [status, location] = table[path] ?? [200, '']
      const body = status === 200 ? (head.split('\r\n')[0] as string) : 'elsewhere'
      const field = location === '' ? '' : `Location: ${location}\r\n`
      socket.end(`HTTP/1.1 ${status} X\r\n${field}Content-Length: ${body.length}\r\n\r\n${body}`, 'latin1')
    }),
  )
}

describe('the method after a redirect', () => {
  it.each<[status: number, method: string, after: string]>([
    [301, 'GET', 'GET'],
    [301, 'POST', 'GET'],
    [301, 'PUT', 'PUT'],
    [302, 'POST', 'GET'],
    [302, 'HEAD', 'HEAD'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('%i turns %s into %s', async (status, method, after) => {
    const peer = await redirector({ '/from': [status, '/to'] })
    await follow(parseRequest(`${method} ${peer.origin}/from`))
    expect(peer.received[1]?.split('\r\n')[0]).toBe(`${after} /to HTTP/1.1`)
  })
})

it.each([
  [300, '/to'],
  [304, '/to'],
  [302, ''],
])('%i with Location "%s" is a final response', async (status, location) => {
  const peer = await redirector({ '/from': [status, location] })
  const { response } = await follow(parseRequest(`GET ${peer.origin}/from`))
  expect(response.status).toBe(status)
})

it.each([
  ['/a/b?c', 'd', '/a/d'],
  ['/a/b', '../e?f=g', '/e?f=g'],
  ['/a/b?c', '?d', '/a/b?d'],
  ['/a', '/b#part', '/b'],
  ['/a', '/caf\xc3\xa9', '/caf%C3%A9'],
  ['/a', '/caf\xe9?\xff=1', '/caf%E9?%FF=1'],
  ['/a', '/b[1]/c|d', '/b%5B1%5D/c%7Cd'],
  ['/a', '/b%zz?q={"a":"|"}&r[]=100%', '/b%25zz?q=%7B%22a%22:%22%7C%22%7D&r[]=100%25'],
])('from %s the reference "%s" leads to %s', async (from, location, to) => {
  const peer = await redirector({ [from]: [302, location] })
  const { response } = await follow(parseRequest(`GET ${peer.origin}${from}`))
  expect(await response.body?.text()).toBe(`GET ${to} HTTP/1.1`)
})

it('a body goes again with 307, from the beginning', async () => {
  const peer = await redirector({ '/from': [307, '/to'] })
  await follow(parseRequest(`POST ${peer.origin}/from\nContent-Type: text/plain\n\nhello`))
  await peer.waitFor(/POST \/to [\s\S]*Content-Type: text\/plain[\s\S]*\r\n\r\nhello$/)
})

it('a body is dropped with its fields', async () => {
  const peer = await redirector({ '/from': [302, '/to'] })
  await follow(parseRequest(`POST ${peer.origin}/from\nContent-Type: text/plain\nX-Kept: yes\n\nhello`))
  expect(peer.received[1]).toBe(`GET /to HTTP/1.1\r\nHost: 127.0.0.1:${peer.port}\r\nX-Kept: yes\r\n\r\n`)
})

it('a body that can be read only once cannot be redirected', async () => {
  const peer = await redirector({ '/from': [307, '/to'] })
  async function* once(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('gone')
  }
  const request = new HttpRequest({ method: 'POST', url: `${peer.origin}/from`, body: new ChunkedBody(once()) })
  expect((await failure(follow(request))).code).toBe('redirect-body-not-replayable')
})

it('credentials stay with the origin that they were given for', async () => {
  const other = await redirector({})
  const peer = await redirector({ '/same': [302, '/to'], '/other': [302, `${other.origin}/to`] })
  const fields = 'Authorization: Basic x\nCookie: a=b\nX-Kept: yes\n'
  await follow(parseRequest(`GET ${peer.origin}/same\n${fields}\n`))
  expect(peer.received[1]).toContain('Authorization: Basic x\r\nCookie: a=b\r\nX-Kept: yes')
  await follow(parseRequest(`GET ${peer.origin}/other\n${fields}\n`))
  expect(other.received[0]).toBe(`GET /to HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\nX-Kept: yes\r\n\r\n`)
})

describe('a field on a redirect to another origin', () => {
  const secret = [
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'Referer',
    'Origin',
    'X-Api-Key',
    'api_key',
    'X-Auth-Token',
    'PRIVATE-TOKEN',
    'X-Amz-Security-Token',
    'X-CSRF-Token',
    'X-Session-Id',
    'X-Goog-Signature',
    'Ocp-Apim-Subscription-Key',
    'X-Password',
  ]
  const plain = [
    'Accept',
    'Accept-Language',
    'User-Agent',
    'X-Request-Id',
    'X-Keyboard',
    'Idempotency-Key',
    'If-None-Match',
  ]

  it.each([
    ['another port', (other: string) => other],
    ['another name of the same host', (other: string) => other.replace('127.0.0.1', 'localhost')],
  ])('stays if it would be sent to %s', async (_title, named) => {
    const other = await redirector({})
    const peer = await redirector({ '/other': [307, `${named(other.origin)}/to`] })
    const fields = [...secret, ...plain].map((name) => `${name}: v\n`).join('')
    await follow(parseRequest(`GET ${peer.origin}/other\n${fields}\n`))
    const names = (other.received[0] as string)
      .split('\r\n')
      .slice(1, -2)
      .map((line) => line.split(':')[0])
    expect(names).toEqual(['Host', ...plain])
  })

  it('does not come back when a later redirect leads to the first origin', async () => {
    const peer = await redirector({})
    const other = await redirector({ '/back': [302, `${peer.origin}/end`] })
    const first = await redirector({ '/1': [302, `${other.origin}/back`] })
    await follow(parseRequest(`GET ${first.origin}/1\nAuthorization: Basic x\n\n`))
    expect(peer.received[0]).not.toContain('Authorization')
  })
})

it('each redirect is reported with the next request', async () => {
  const peer = await redirector({ '/1': [302, '/2'], '/2': [302, '/3'] })
  const reported: string[] = []
  await follow(parseRequest(`GET ${peer.origin}/1`), {
    onRedirect: (redirected, next) => void reported.push(`${redirected.response.status} ${next.url?.pathname}`),
  })
  expect(reported).toEqual(['302 /2', '302 /3'])
})

it.each<[title: string, table: Record<string, readonly [number, string]>, code: string]>([
  ['a circle', { '/1': [302, '/2'], '/2': [302, '/1'] }, 'redirect-loop'],
  ['itself', { '/1': [302, '/1'] }, 'redirect-loop'],
  [
    'too many places',
    Object.fromEntries([...Array(12).keys()].map((n) => [`/${n}`, [302, `/${n + 1}`]])),
    'too-many-redirects',
  ],
  ['another protocol', { '/1': [302, 'ftp://a.example/'] }, 'redirect-invalid'],
  ['no URL', { '/1': [302, 'http://['] }, 'redirect-invalid'],
])('a redirect to %s is an error', async (_title, table, code) => {
  const peer = await redirector(table)
  expect((await failure(follow(parseRequest(`GET ${peer.origin}/1`)))).code).toBe(code)
})

it.each<[location: string, what: string]>([
  ['ftp://a.example/x', '"ftp://a.example/x", whose scheme is ftp, expected http or https'],
  ['http://[', '"http://[", which is not a URL'],
])('a redirect to %s is reported with the response that has it', async (location, what) => {
  const peer = await redirector({ '/1': [302, location] })
  const { message, hint } = await failure(follow(parseRequest(`GET ${peer.origin}/1`)))
  expect(message).toBe(`${peer.origin}/1 redirects to ${what}`)
  expect(hint).toBe('Check the Location of this response')
})

it('an error after a redirect names its target, and keeps what was received', async () => {
  const closed = await closedPort()
  const peer = await redirector({ '/1': [302, `http://127.0.0.1:${closed}/2`] })
  const refused = await failure(follow(parseRequest(`GET ${peer.origin}/1`)))
  expect([refused.code, refused.message]).toEqual([
    'connect-refused',
    `redirected to http://127.0.0.1:${closed}/2: 127.0.0.1 port ${closed}: connection refused`,
  ])
  const other = await startPeer(answering('SSH-2.0'))
  const leading = await redirector({ '/1': [302, `${other.origin}/2`] })
  const invalid = await failure(follow(parseRequest(`GET ${leading.origin}/1`)))
  expect(invalid.message).toMatch(/^redirected to http.*\/2: the response of .* is not valid HTTP/)
  expect([String(invalid.where?.line), Buffer.from(invalid.received ?? []).toString()]).toEqual(['1', 'SSH-2.0'])
})

it('ten redirects are followed', async () => {
  const peer = await redirector(Object.fromEntries([...Array(10).keys()].map((n) => [`/${n}`, [302, `/${n + 1}`]])))
  const { response } = await follow(parseRequest(`GET ${peer.origin}/0`))
  expect(await response.body?.text()).toBe('GET /10 HTTP/1.1')
})
