import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseRequest } from '../../../src/message/index.ts'
import { exchange, fixedProxy, proxyFromEnvironment, type WireError } from '../../../src/wire/index.ts'
import { failure } from '../failure.ts'
import { answering, closedPort, onHead, type Peer, startPeer } from '../peer.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('the environment', () => {
  it.each<[title: string, url: string, environment: Record<string, string>, proxy: string | undefined]>([
    ['nothing set', 'http://a.example/', {}, undefined],
    ['http_proxy', 'http://a.example/', { http_proxy: 'http://p:1' }, 'http://p:1/'],
    ['HTTP_PROXY', 'http://a.example/', { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['HTTP_PROXY under CGI', 'http://a.example/', { HTTP_PROXY: 'http://p:1', REQUEST_METHOD: 'GET' }, undefined],
    ['lower case before upper case', 'http://a.example/', { http_proxy: 'p:1', HTTP_PROXY: 'p:2' }, 'http://p:1/'],
    ['HTTPS_PROXY for http', 'http://a.example/', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['HTTPS_PROXY for https', 'https://a.example/', { HTTPS_PROXY: 'https://p:1' }, 'https://p:1/'],
    ['ALL_PROXY', 'https://a.example/', { ALL_PROXY: 'p:1' }, 'http://p:1/'],
    ['an empty variable', 'http://a.example/', { http_proxy: '', all_proxy: 'p:3' }, 'http://p:3/'],
    ['user and password', 'http://a.example/', { http_proxy: 'http://u:p@p:1' }, 'http://u:p@p:1/'],
  ])('%s', (_title, url, environment, proxy) => {
    expect(proxyFromEnvironment(environment)(new URL(url))?.href).toBe(proxy)
  })

  it.each<[noProxy: string, url: string, exempt: boolean]>([
    ['*', 'http://a.example/', true],
    ['a.example', 'http://a.example/', true],
    ['A.Example', 'http://a.example/', true],
    ['example', 'http://a.example/', true],
    ['.example', 'http://a.example/', true],
    ['*.example', 'http://a.example/', true],
    ['.a.example', 'http://a.example/', true],
    ['b.example', 'http://a.example/', false],
    ['.example', 'http://aexample/', false],
    ['ample', 'http://a.example/', false],
    ['b.example, a.example', 'http://a.example/', true],
    ['b.example a.example', 'http://a.example/', true],
    ['a.example:8080', 'http://a.example:8080/', true],
    ['a.example:8080', 'http://a.example/', false],
    ['a.example:80', 'http://a.example/', true],
    ['a.example:443', 'https://a.example/', true],
    ['127.0.0.1', 'http://127.0.0.1/', true],
    ['127.0.0.0/8', 'http://127.3.2.1/', true],
    ['10.0.0.0/8', 'http://127.0.0.1/', false],
    ['10.0.0.0/', 'http://127.0.0.1/', false],
    ['10.0.0.0/1e0', 'http://127.0.0.1/', false],
    ['0.0.1', 'http://127.0.0.1/', false],
    ['::1', 'http://[::1]/', true],
    ['[::1]:80', 'http://[::1]/', true],
    ['fe80::/10', 'http://[fe80::1]/', true],
    ['a.example.', 'http://a.example/', true],
    ['a.example', 'http://a.example./', true],
    ['bücher.example', 'http://www.bücher.example/', true],
    ['*.BÜCHER.example', 'http://www.xn--bcher-kva.example/', true],
    [',', 'http://a.example/', false],
  ])('no_proxy "%s" with %s: exempt is %s', (noProxy, url, exempt) => {
    const rule = proxyFromEnvironment({ http_proxy: 'p:1', https_proxy: 'p:1', no_proxy: noProxy })
    expect(rule(new URL(url)) === undefined).toBe(exempt)
    expect(fixedProxy('p:1', noProxy)(new URL(url)) === undefined).toBe(exempt)
  })

  it.each([['socks4://p:1'], ['socks5://'], ['http://'], ['http://p:port']])('refuses the proxy %s', (proxy) => {
    expect(() => fixedProxy(proxy)).toThrow(expect.objectContaining({ code: 'proxy-invalid' }))
    expect(() => proxyFromEnvironment({ http_proxy: proxy })(new URL('http://a.example/'))).toThrow(/http_proxy/)
  })
})

describe('a request through a proxy', () => {
  it('has the full URL as its target, and the credentials of the proxy', async () => {
    const proxy = await startPeer(answering(ok))
    const { response } = await exchange(parseRequest('GET http://a.example:81/x?y'), {
      proxy: fixedProxy(`http://joe:p%40ss@127.0.0.1:${proxy.port}`),
    })
    expect(response.status).toBe(200)
    expect(proxy.received[0]).toBe(
      `GET http://a.example:81/x?y HTTP/1.1\r\nHost: a.example:81\r\nProxy-Authorization: Basic ${btoa('joe:p@ss')}\r\n\r\n`,
    )
  })

  it.each([
    ['a%zz:b%', 'a%zz:b%'],
    ['j%C3%B6:%FF', 'j\xc3\xb6:\xff'],
  ])('has the bytes of the credentials %s', async (written, octets) => {
    const proxy = await startPeer(answering(ok))
    await exchange(parseRequest('GET http://a.example/'), {
      proxy: fixedProxy(`http://${written}@127.0.0.1:${proxy.port}`),
    })
    expect(proxy.received[0]).toContain(`Proxy-Authorization: Basic ${btoa(octets)}\r\n`)
  })

  it.each(['http', 'https'])('names the proxy that cannot be reached on the way to an %s URL', async (scheme) => {
    const port = await closedPort()
    await expect(
      exchange(parseRequest(`GET ${scheme}://a.example/`), { proxy: fixedProxy(`http://127.0.0.1:${port}`) }),
    ).rejects.toMatchObject({
      code: 'connect-refused',
      message: `proxy: 127.0.0.1 port ${port}: connection refused`,
      hint: expect.stringContaining('proxy'),
    })
  })

  it('names the proxy if there is no response', async () => {
    const proxy = await startPeer(answering())
    await expect(
      exchange(parseRequest('GET http://a.example/'), { proxy: fixedProxy(`127.0.0.1:${proxy.port}`) }),
    ).rejects.toThrow(`a.example port 80 (through the proxy 127.0.0.1 port ${proxy.port}) closed the connection`)
  })

  it('is sent directly to an exempt host', async () => {
    const peer = await startPeer(answering(ok))
    await exchange(parseRequest(`GET ${peer.origin}/`), { proxy: fixedProxy('127.0.0.1:1', '127.0.0.1') })
    expect(peer.received[0]).toMatch(/^GET \/ HTTP/)
  })
})

/** A proxy that connects wherever it is asked to. */
async function tunnelProxy(before = '', authorization?: string): Promise<Peer> {
  return startPeer(
    onHead((socket, head) => {
      const port = Number(/^CONNECT [^:]+:(\d+) /.exec(head)?.[1])
      if (authorization !== undefined && !head.includes(`Proxy-Authorization: ${authorization}\r\n`)) {
        socket.end('HTTP/1.1 407 Who are you\r\nContent-Length: 5\r\n\r\nlogin')
        return
      }
      const target = connect(port, '127.0.0.1', () => {
        socket.write(`${before}HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n`)
        socket.pipe(target).pipe(socket)
      })
      target.on('error', () => socket.destroy())
    }),
  )
}

describe('a tunnel', () => {
  async function throughTunnel(proxy: Peer, credentials = ''): Promise<WireError> {
    // The target speaks no TLS: that the handshake reaches it and fails there shows that the tunnel is open.
    const target = await startPeer((socket) => socket.once('data', () => socket.end('no TLS here at all')))
    const error = await failure(
      exchange(parseRequest(`GET https://localhost:${target.port}/`), {
        proxy: fixedProxy(`http://${credentials}127.0.0.1:${proxy.port}`),
      }),
    )
    expect(proxy.received[0]).toMatch(
      new RegExp(`^CONNECT localhost:${target.port} HTTP/1\\.1\\r\\nHost: localhost:${target.port}\\r\\n`),
    )
    return error
  }

  it.each([
    ['', ''],
    ['with an interim response first', 'HTTP/1.1 103 Early\r\n\r\n'],
  ])('carries TLS to the server %s', async (_title, before) => {
    expect((await throughTunnel(await tunnelProxy(before))).code).toBe('tls-not-spoken')
  })

  it('is requested with credentials', async () => {
    const authorization = `Basic ${btoa('joe:secret')}`
    expect((await throughTunnel(await tunnelProxy('', authorization), 'joe:secret@')).code).toBe('tls-not-spoken')
  })

  it('that is refused is an error with the status of the proxy', async () => {
    const error = await throughTunnel(await tunnelProxy('', 'Basic other'))
    expect(error.code).toBe('proxy-refused')
    expect(error.message).toMatch(/127\.0\.0\.1 port \d+ refused the tunnel to localhost:\d+: 407 Who are you/)
    expect(error.hint).toContain('user:password@')
  })

  it.each([
    ['407 Who are you', '', '', 'Give user and password in the URL of the proxy: http://user:password@host:port'],
    ['407 Who are you', 'Basic realm="a"', 'joe:no@', 'Check user and password in the URL of the proxy'],
    ['407 Who are you', 'Digest realm="a", Basic realm="b"', '', 'Give user and password in the URL of the proxy: .*'],
    [
      '407 Who are you',
      'Digest realm="basic"',
      'joe:pw@',
      'The proxy asks for Digest authentication, which "httpcli send" answers with --proxy-digest. Check user and password in the URL of the proxy',
    ],
    ['407 Who are you', '\x01\x1b[31m', '', 'Give user and password in the URL of the proxy: .*'],
    ['403 Forbidden', '', '', 'Check that the proxy allows this host and port'],
    ['503 Unavailable', '', '', 'Check that the proxy reaches this host and port'],
  ])('that is refused with %s %j to %j says what to do', async (status, challenge, credentials, hint) => {
    const field = challenge === '' ? '' : `Proxy-Authenticate: ${challenge}\r\n`
    const proxy = await startPeer(answering(`HTTP/1.1 ${status}\r\n${field}Content-Length: 0\r\n\r\n`))
    const error = await throughTunnel(proxy, credentials)
    expect(error.hint).toMatch(new RegExp(`^${hint}$`))
  })

  it.each([
    ['no HTTP', 'hello there\r\n\r\n', /not HTTP/],
    ['nothing', '', /closed the connection/],
    ['endless interim responses', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(200), /more than 100 interim responses/],
  ])('that is answered with %s is an error', async (_title, answer, message) => {
    const error = await throughTunnel(await startPeer(answering(answer)))
    expect(error.code).toBe('proxy-refused')
    expect(error.message).toMatch(message)
  })
})
