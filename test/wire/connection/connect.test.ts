import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseRequest } from '../../../src/message/index.ts'
import { exchange, type WireError, type WireOptions } from '../../../src/wire/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { failure } from '../failure.ts'
import { answering, closedPort, startPeer } from '../peer.ts'

const answer = answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')

function failureAt(url: string, options: WireOptions = {}): Promise<WireError> {
  return failure(exchange(parseRequest(`GET ${url}`), options))
}

describe('a host', () => {
  it('that is unknown is named in the error', async () => {
    const error = await failureAt('http://no-such-host.invalid/')
    expect(['name-not-found', 'name-lookup-failed']).toContain(error.code)
    expect(error.message).toContain('no-such-host.invalid')
  })

  it('without a listener refuses the connection, and the error names address and port', async () => {
    const port = await closedPort()
    const error = await failureAt(`http://127.0.0.1:${port}/`)
    expect([error.code, error.message]).toEqual(['connect-refused', `127.0.0.1 port ${port}: connection refused`])
  })

  it('is looked up in the resolve entries first', async () => {
    const peer = await startPeer(answer)
    const resolve = [{ host: 'api.example', port: peer.port, address: '127.0.0.1' }]
    const { response, remote, statistics } = await exchange(parseRequest(`GET http://api.example:${peer.port}/`), {
      resolve,
    })
    await response.body?.bytes()
    expect(remote).toEqual({ address: '127.0.0.1', port: peer.port, family: 4 })
    expect((await statistics).dnsMs).toBe(0)
    expect(peer.received[0]).toContain(`Host: api.example:${peer.port}\r\n`)
  })

  it('without an entry uses the one for every host', async () => {
    const peer = await startPeer(answer)
    const port = await closedPort()
    const resolve = [
      { host: '*', port: peer.port, address: '127.0.0.1' },
      { host: 'other.example', port: peer.port, address: '::1' },
      { host: '*', port, address: '::1' },
    ]
    const { remote } = await exchange(parseRequest(`GET http://api.example:${peer.port}/`), { resolve })
    expect(remote).toMatchObject({ address: '127.0.0.1' })
    const error = await failureAt(`http://other.example:${peer.port}/`, { resolve })
    expect(error.message).toContain(`other.example port ${peer.port}: `)
  })

  it('below localhost is this machine', async () => {
    const peer = await startPeer(answer)
    const { response } = await exchange(parseRequest(`GET http://app.localhost:${peer.port}/`))
    await response.body?.bytes()
    expect(peer.received[0]).toContain(`Host: app.localhost:${peer.port}\r\n`)
  })

  it('with several addresses is reached at the first one that responds', async () => {
    const peer = await startPeer(answer)
    const resolve = ['127.0.0.2', '127.0.0.3', '127.0.0.1'].map((address) => ({
      host: 'api.example',
      port: peer.port,
      address,
    }))
    const { remote } = await exchange(parseRequest(`GET http://api.example:${peer.port}/`), { resolve })
    expect(remote).toMatchObject({ address: '127.0.0.1' })
  })

  it('with no responding address is an error that lists them all', async () => {
    const port = await closedPort()
    const resolve = ['127.0.0.1', '::1'].map((address) => ({ host: 'api.example', port, address }))
    const error = await failureAt(`http://api.example:${port}/`, { resolve })
    expect(error.message).toBe(`api.example port ${port}: connection refused (tried 127.0.0.1, ::1)`)
  })
})

describe('a Unix domain socket', () => {
  it('replaces host and port; the request stays the same', async () => {
    const path = join(temporaryDirectory(), 'server.sock')
    let received = ''
    const server = createServer((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.toString()
      })
      answer(socket)
    })
    server.listen(path)
    await once(server, 'listening')
    const { response, remote } = await exchange(parseRequest('GET http://host.example/x'), { unixSocket: path })
    expect(await response.body?.text()).toBe('ok')
    expect(remote).toEqual({ path })
    expect(received).toBe('GET /x HTTP/1.1\r\nHost: host.example\r\n\r\n')
    server.close()
  })

  it('that does not exist is an error that names it', async () => {
    const path = join(temporaryDirectory(), 'none.sock')
    const error = await failureAt('http://host.example/', { unixSocket: path })
    expect([error.code, error.message]).toEqual(['connect-failed', `socket ${path}: the socket does not exist`])
  })
})
