/** `send --follow`: what is sent at each hop, what is shown of it, and where the way ends. */
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { onHead, type Peer, startPeer } from '../wire/peer.ts'
import { send } from './send-outcome.ts'

/** Answers each path with a head; everything else with 200 and `end`. */
function serving(heads: Readonly<Record<string, string>>): Promise<Peer> {
  return startPeer(
    onHead((socket, head) => {
      const [, path = ''] = head.split(' ')
      const found = heads[path]
      socket.end(found === undefined ? 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend' : found)
    }),
  )
}

const to = (location: string, more = ''): string =>
  `HTTP/1.1 302 Found\r\nLocation: ${location}\r\n${more}Content-Length: 0\r\n\r\n`

describe('each hop', () => {
  it('is shown with -l: request and response heads', async () => {
    const peer = await serving({ '/1': to('/2', 'X-Odd:  1\r\n'), '/2': to('/3') })
    const { out } = await send(['-t', `GET ${peer.origin}/1`, '--follow', '-l'])
    const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${peer.port}\r\n\r\n`
    expect(out).toBe(
      [
        ...[request('/1'), to('/2', 'X-Odd:  1\r\n'), request('/2'), to('/3'), request('/3')],
        'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend',
      ].join(''),
    )
  })

  it('is in the JSON report', async () => {
    const peer = await serving({ '/1': to('/2') })
    const report = JSON.parse((await send(['-t', `GET ${peer.origin}/1`, '--follow', '--json'])).out)
    expect(report.redirects).toMatchObject([
      {
        request: { method: 'GET', url: `${peer.origin}/1`, head: peer.received[0] },
        response: { status: 302, head: to('/2') },
        connection: { remote: { address: '127.0.0.1', port: peer.port } },
      },
    ])
    expect(report.request.url).toBe(`${peer.origin}/2`)
    expect(report.response).toMatchObject({ status: 200, body: 'end' })
  })

  it('is reported with --verbose', async () => {
    const peer = await serving({ '/1': to('/2') })
    const { out, err } = await send(['-t', `GET ${peer.origin}/1`, '--follow', '--verbose', '-p', 'body'])
    expect(out).toBe('end')
    expect(err).toContain(`> GET /1 HTTP/1.1\n> Host: 127.0.0.1:${peer.port}\n< HTTP/1.1 302 Found\n< Location: /2\n`)
    expect(err).toContain(`* redirected with 302 to GET ${peer.origin}/2\n`)
    expect(err.match(/^\* connected to /gm)).toHaveLength(2)
  })
})

describe('Host', () => {
  it('of the user is kept for the same origin', async () => {
    const peer = await serving({ '/1': to('/2') })
    await send(['-t', `GET ${peer.origin}/1\nHost: shop.test\n\n`, '--follow'])
    expect(peer.received).toEqual([1, 2].map((n) => `GET /${n} HTTP/1.1\r\nHost: shop.test\r\n\r\n`))
  })

  it('of the user is not sent to another origin', async () => {
    const other = await serving({})
    const peer = await serving({ '/1': to(`${other.origin}/2`) })
    await send(['-t', `GET ${peer.origin}/1\nHost: shop.test\n\n`, '--follow'])
    expect(other.received).toEqual([`GET /2 HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\n\r\n`])
  })
})

describe('following ends', () => {
  it.each<[title: string, words: readonly string[], requests: number, code: string]>([
    ['at the default limit', [], 11, 'redirect-loop'],
    ['at --max-redirects', ['--max-redirects', '2'], 3, 'redirect-loop'],
    ['at once with --max-redirects 0', ['--max-redirects', '0'], 1, 'redirect-loop'],
  ])('%s, when a server redirects to the same URL again and again', async (_title, words, requests, code) => {
    const peer = await serving({ '/1': to('/1') })
    const { code: exit, err } = await send(['-t', `GET ${peer.origin}/1`, '--follow', '--debug', ...words])
    expect([exit, peer.received.length]).toEqual([4, requests])
    expect(err).toContain(`code: ${code}`)
  })

  it('when the same request gets another response the next time', async () => {
    let count = 0
    const peer = await startPeer(
      onHead((socket) => {
        count++
        socket.end(count < 4 ? to('/1') : 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend')
      }),
    )
    const { code, out } = await send(['-t', `GET ${peer.origin}/1`, '--follow', '-p', 'body'])
    expect([code, out]).toEqual([0, 'end'])
  })

  it('at an empty Location', async () => {
    const head = 'HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 0\r\n\r\n'
    const peer = await serving({ '/1': head })
    const { code, out } = await send(['-t', `GET ${peer.origin}/1`, '--follow'])
    expect([code, out, peer.received.length]).toEqual([0, head, 1])
  })

  it.each([
    [['--max-redirects', '2'], '--follow'],
    [['--follow', '--max-redirects', 'many'], 'a number from 0 to 999999'],
    [['--follow', '--max-redirects', '-1'], 'a number from 0 to 999999'],
  ])('with a usage error for %j', async (words, text) => {
    const { code, err } = await send(['-t', 'GET http://127.0.0.1:1/', ...words])
    expect([code, err]).toEqual([1, expect.stringContaining(text)])
  })
})

describe('cookies set by redirects', () => {
  const cookie = (text: string): string => `Set-Cookie: ${text}\r\n`

  it('are sent, and replace those of the user', async () => {
    const peer = await serving({ '/1': to('/2', cookie('sid=new; Path=/') + cookie('b=2')), '/2': to('/3') })
    await send(['-t', `GET ${peer.origin}/1\nCookie: sid=old; own=1\n\n`, '--follow'])
    const sent = peer.received.map((text) => /^Cookie: (.*)\r$/m.exec(text)?.[1])
    expect(sent).toEqual(['sid=old; own=1', 'sid=new; b=2; own=1', 'sid=new; b=2; own=1'])
  })

  it('are sent only to their host and path', async () => {
    const peer = await serving({})
    const here = await serving({ '/1': to('/2', cookie('deep=1; Path=/other')) })
    await send(['-t', `GET ${here.origin}/1`, '--follow'])
    expect(here.received[1]).not.toContain('Cookie')
    const leading = await serving({ '/1': to(`http://localhost:${peer.port}/2`, cookie('sid=new; Path=/')) })
    await send(['-t', `GET ${leading.origin}/1`, '--follow'])
    expect(peer.received[0]).not.toContain('Cookie')
  })

  it.each([[[]], [['-c', 'jar']]])('replace and delete those of the request with %j', async (words: string[]) => {
    const peer = await serving({ '/1': to('/2', cookie('sid=new')), '/2': to('/3', cookie('b=; Max-Age=0')) })
    await send([`${peer.origin}/1`, 'Cookie: sid=old; b=2; own=1', '--follow', ...words], { cwd: temporaryDirectory() })
    const sent = peer.received.map((text) => /^Cookie: (.*)\r$/m.exec(text)?.[1])
    expect(sent).toEqual(['sid=old; b=2; own=1', 'sid=new; b=2; own=1', 'sid=new; own=1'])
  })

  it('are dropped when deleted', async () => {
    const peer = await serving({ '/1': to('/2', cookie('a=1')), '/2': to('/3', cookie('a=; Max-Age=0')) })
    await send(['-t', `GET ${peer.origin}/1`, '--follow'])
    expect(peer.received.map((text) => text.includes('Cookie: a=1'))).toEqual([false, true, false])
  })
})
