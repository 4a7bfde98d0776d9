/** `send` by way of a SOCKS 5 proxy: the requests to the proxy, and the errors when it refuses. */
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { answering, startPeer } from '../wire/peer.ts'
import { response, send } from './send-outcome.ts'

interface SocksSettings {
  /** The method that is chosen; 0 none, 2 user and password, 255 none that will do. */
  readonly method?: number
  readonly status?: number
  readonly reply?: number
  /** Of the answer to the request. */
  readonly version?: number
  readonly addressType?: number
  /** Bytes of each write, to cut answers anywhere. */
  readonly writeBytes?: number
}

/** A proxy that connects to 127.0.0.1 for any host. */
async function startSocks(settings: SocksSettings = {}) {
  const { method = 0, status = 0, reply = 0, version = 5, addressType = 3, writeBytes = 100 } = settings
  const asked: string[] = []
  const write = (socket: Socket, octets: readonly number[]): void => {
    for (let at = 0; at < octets.length; at += writeBytes)
      socket.write(Uint8Array.from(octets.slice(at, at + writeBytes)))
  }
  const peer = await startPeer((socket) => {
    socket.setNoDelay(true)
    let step: 'greeting' | 'password' | 'request' | 'connected' = 'greeting'
    socket.on('data', (bytes: Buffer) => {
      if (step === 'connected') return
      asked.push(`${step} ${bytes.toString('hex')}`)
      if (step === 'greeting') {
        write(socket, [5, method])
        step = method === 2 ? 'password' : 'request'
      } else if (step === 'password') {
        write(socket, [1, status])
        step = 'request'
      } else {
        step = 'connected'
        const target = connect(bytes.readUInt16BE(bytes.length - 2), '127.0.0.1', () => {
          write(socket, [version, reply, 0, addressType, 4, ...Buffer.from('host'), 0, 80])
          if (reply === 0) socket.pipe(target).pipe(socket)
        })
        target.on('error', () => socket.destroy())
      }
    })
  })
  return { ...peer, asked }
}

const hexPort = (port: number): string => port.toString(16).padStart(4, '0')

describe('a SOCKS proxy', () => {
  it('is named by --verbose and --json, with the server that it connected to', async () => {
    const server = await startPeer(answering(response))
    const proxy = await startSocks()
    const words = [`http://nowhere.example:${server.port}/`, '--proxy', `socks5h://127.0.0.1:${proxy.port}`]
    const target = `nowhere.example port ${server.port}`
    const { err } = await send([...words, '--verbose'])
    expect(err).toContain(`\n* proxy 127.0.0.1 port ${proxy.port} connected to ${target}\n`)
    const { connection } = JSON.parse((await send([...words, '--json'])).out)
    expect(connection.proxy).toEqual({ address: '127.0.0.1', port: proxy.port, target })
  })

  it.each([
    ['socks5h', 'nowhere.example', `03${'0f'}${Buffer.from('nowhere.example').toString('hex')}`],
    ['socks5', '127.0.0.1', '017f000001'],
    ['socks5h', '[::1]', `04${'00'.repeat(15)}01`],
    ['socks5h', '[2001:db8::ff]', '0420010db80000000000000000000000ff'],
  ])('%s gets %s as %s', async (scheme, host, address) => {
    const server = await startPeer(answering(response))
    const proxy = await startSocks({ writeBytes: 1 })
    const { code, out } = await send([
      ...[`http://${host}:${server.port}/x`, '--proxy', `${scheme}://127.0.0.1:${proxy.port}`],
    ])
    expect([code, out]).toEqual([0, response])
    expect(proxy.asked).toEqual(['greeting 050100', `request 050100${address}${hexPort(server.port)}`])
    // In origin-form, as to the server itself.
    expect(server.received[0]).toMatch(/^GET \/x HTTP\/1\.1\r\n/)
  })

  it('from ALL_PROXY gets user and password', async () => {
    const server = await startPeer(answering(response))
    const proxy = await startSocks({ method: 2 })
    const env = { ALL_PROXY: `socks5h://joe:p%40ss@127.0.0.1:${proxy.port}` }
    const { code } = await send([`http://a.example:${server.port}/`], { env })
    expect(code).toBe(0)
    expect(proxy.asked.slice(0, 2)).toEqual([
      'greeting 05020002',
      `password 0103${Buffer.from('joe').toString('hex')}04${Buffer.from('p@ss').toString('hex')}`,
    ])
    expect(server.received[0]).not.toMatch(/proxy-authorization/i)
  })

  it.each(['a.example', '*'])('gets the address of --resolve for %s', async (host) => {
    const server = await startPeer(answering(response))
    const proxy = await startSocks()
    const { code } = await send([
      ...[`http://a.example:${server.port}/`, '--proxy', `socks5h://127.0.0.1:${proxy.port}`],
      ...['--resolve', `${host}:${server.port}:10.1.2.3`],
    ])
    expect([code, proxy.asked[1]]).toEqual([0, `request 050100010a010203${hexPort(server.port)}`])
  })

  it.each([
    [{ method: 255 }, '', /requires user and password/],
    [{ method: 255 }, 'joe:x@', /requires authentication other than user and password[\s\S]*Allow user and password/],
    [{ version: 4 }, '', /is not a SOCKS 5 proxy/],
    [{ addressType: 9 }, '', /answered with the unknown address type 9/],
    [{ method: 2, status: 1 }, 'joe:x@', /refused user and password/],
    [{ reply: 2 }, '', /does not connect to a\.example port \d+: its rules do not allow it/],
    [{ reply: 5 }, '', /does not connect to a\.example port \d+: the connection was refused/],
  ])('that replies %j is named in the error', async (settings, user, message) => {
    const server = await startPeer(answering(response))
    const proxy = await startSocks(settings)
    const words = ['--proxy', `socks5h://${user}127.0.0.1:${proxy.port}`]
    const { code, out, err } = await send([`http://a.example:${server.port}/`, ...words])
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(message)
    expect(err).not.toContain('joe')
  })

  it.each([
    ['HTTP/1.1 400 Bad Request\r\n\r\n', /is not a SOCKS 5 proxy/],
    ['', /closed the connection without an answer/],
  ])('that replies %j is not a SOCKS proxy', async (answer, message) => {
    const peer = await startPeer((socket) => socket.once('data', () => socket.end(answer)))
    const { code, err } = await send([
      'http://a.example/',
      '--proxy',
      `socks5://127.0.0.1:${peer.port}`,
      '--resolve',
      'a.example:80:127.0.0.1',
    ])
    expect([code, err]).toEqual([4, expect.stringMatching(message)])
  })

  it('that does not respond is given up', async () => {
    const peer = await startPeer()
    const words = ['--proxy', `socks5h://127.0.0.1:${peer.port}`, '--connect-timeout', '0.5']
    const { code, err } = await send(['http://a.example/', ...words])
    expect([code, err]).toEqual([4, expect.stringContaining('connecting through the proxy')])
  })
})
