/** Which host names a server answers for, as its own process. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

let root: string

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
  writeFileSync(join(root, 'p.html'), '<p>')
})

async function start(...words: string[]): Promise<number> {
  const running = await startCommand(['serve', root, '-p', '0', ...words], /^Serving .* on https?:\/\/\S+?:(\d+)/)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return Number(running.match[1])
}

/** The status of the first response to this head, and its body as far as it came with it. */
async function statusOf(socket: Socket, head: readonly string[]): Promise<[status: number, text: string]> {
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.end(`${head.join('\r\n')}\r\n\r\n`)
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  await once(socket, 'close')
  const text = Buffer.concat(chunks).toString('latin1')
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text]
}

const get = (port: number, head: readonly string[]) => statusOf(connect(port, '127.0.0.1'), head)

const withHost = async (port: number, host: string): Promise<number> =>
  (await get(port, ['GET /a.txt HTTP/1.1', `Host: ${host}`, 'Connection: close']))[0]

describe('a server on a loopback address', () => {
  it('responds to names that no attacker can own', async () => {
    const hosts = [
      ...['a', 'localhost', 'LOCALHOST:80', '127.0.0.1', '127.0.0.1:8080', '[::1]', '[::1]:80', '192.168.1.7'],
      ...[
        'my.localhost',
        'box.local',
        'app.test',
        'a.b.internal',
        'router.home.arpa',
        'nas.LAN',
        'x.example',
        'no.invalid',
      ],
      ...['app.test.', 'localhost.', hostname()],
    ]
    const port = await start()
    for (const host of hosts) expect([host, await withHost(port, host)]).toEqual([host, 200])
  })

  it('answers other names with 421 and what to do', async () => {
    const hosts = [
      ...['evil.com', 'EVIL.com:80', 'evil.com.', 'a.b.evil.org:8080', 'localhost.evil.com', '127.0.0.1.evil.com'],
      ...['test.com', 'local.net', 'x.mylocal', 'my.notlocalhost', '1.evil', 'example.com'],
    ]
    const port = await start()
    for (const host of hosts) {
      const [status, text] = await get(port, ['GET /a.txt HTTP/1.1', `Host: ${host}`, 'Connection: close'])
      expect([host, status]).toEqual([host, 421])
      expect(text).toContain(`for the host "${host.replace(/:\d+$/, '')}"; allow it with --allowed-host <name>`)
      expect(text).not.toContain('hello')
    }
  })

  it('judges a request in any form by its host', async () => {
    const port = await start('--health', '--cors', '--live')
    const rows: [head: string[], status: number][] = [
      [['GET /a.txt HTTP/1.0'], 200],
      [['GET /a.txt HTTP/1.0', 'Host: evil.com'], 421],
      [['GET http://evil.com/a.txt HTTP/1.1', 'Host: localhost'], 421],
      [['GET http://u@evil.com:80/a.txt HTTP/1.1', 'Host: localhost'], 400],
      [['GET http://localhost/a.txt HTTP/1.1', 'Host: evil.com'], 200],
      [['HEAD /a.txt HTTP/1.1', 'Host: evil.com'], 421],
      [['OPTIONS * HTTP/1.1', 'Host: evil.com'], 421],
      [['POST /a.txt HTTP/1.1', 'Host: evil.com', 'Content-Length: 0'], 421],
      [['OPTIONS /a.txt HTTP/1.1', 'Host: evil.com', 'Origin: http://evil.com'], 421],
      [['GET /healthz HTTP/1.1', 'Host: evil.com'], 421],
      [['GET /.httpcli/live.js HTTP/1.1', 'Host: evil.com'], 421],
      [['GET /.httpcli/live HTTP/1.1', 'Host: evil.com', 'Accept: text/event-stream'], 421],
      [['GET /none HTTP/1.1', 'Host: evil.com'], 421],
    ]
    for (const [head, status] of rows) {
      const [seen] = await get(port, [...head, 'Connection: close'])
      expect([head, seen]).toEqual([head, status])
    }
  })

  it('keeps the connection, and checks each of its requests', async () => {
    const port = await start()
    const one = (host: string, more = ''): string => `GET /a.txt HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`
    const socket = connect(port, '127.0.0.1')
    const [, text] = await statusOf(socket, [
      [one('a'), one('evil.com'), one('a'), one('evil.com', 'Connection: close\r\n').trimEnd()].join(''),
    ])
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '421', '200', '421'])
  })

  it.each([
    [['--allowed-host', 'app.example.com'], 200, 421],
    [['--allowed-host', 'APP.example.com.', '--allowed-host', 'b.example.com'], 200, 421],
    [['--allowed-host', '*'], 200, 200],
    [['--workers', '2'], 421, 421],
    [['--workers', '2', '--allowed-host', 'app.example.com'], 200, 421],
    [['--host', 'localhost'], 421, 421],
  ])('with %j', async (words, app, other) => {
    const port = await start(...words)
    const statuses = [await withHost(port, 'app.example.com:81'), await withHost(port, 'evil.com')]
    expect([...statuses, await withHost(port, 'localhost')]).toEqual([app, other, 200])
  })

  it.each(['https://app.example.com', 'app.example.com:80', '*.example.com', 'a b'])(
    'does not start with --allowed-host %j',
    async (name) => {
      const { code, stderr } = await runCommand(['serve', root, '-p', '0', '--allowed-host', name])
      expect([code, stderr.toString()]).toEqual([1, expect.stringContaining('--allowed-host: invalid host name')])
    },
  )
})

it.each([
  [['--public'], 200, 200],
  [['--public', '--allowed-host', 'app.example.com'], 200, 421],
])('a server on all addresses, with %j', async (words, app, other) => {
  const port = await start(...words)
  expect([await withHost(port, 'app.example.com'), await withHost(port, 'evil.com')]).toEqual([app, other])
})

it('a server with TLS judges requests of HTTP/1.1 and HTTP/2', async () => {
  const port = await start('--tls-self-signed')
  const options = { host: '127.0.0.1', port, rejectUnauthorized: false }
  const [http1] = await statusOf(connectTls(options), ['GET /a.txt HTTP/1.1', 'Host: evil.com', 'Connection: close'])
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  onTestFinished(() => session.destroy())
  const statusFor = async (fields: Record<string, string>): Promise<unknown> => {
    const stream = session.request({ ':path': '/a.txt', ...fields })
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>]
    stream.close()
    return head[':status']
  }
  const http2 = [
    await statusFor({ ':authority': 'evil.com' }),
    await statusFor({ ':authority': 'evil.com:443', host: 'evil.com:443' }),
    await statusFor({ ':authority': 'localhost' }),
    await statusFor({}),
  ]
  expect([http1, ...http2]).toEqual([421, 421, 421, 200, 200])
})
