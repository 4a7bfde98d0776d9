/** Heads as they came, for any repairs by the parser and any pieces. */
import { expect, it } from 'vitest'
import { parseRequest } from '../../src/message/index.ts'
import { ConnectionPool, exchange } from '../../src/wire/index.ts'
import { failure } from './failure.ts'
import { onHead, startPeer } from './peer.ts'

const interim = '\r\nHTTP/1.1 103 Early\r\nA:\t1 \r\n b\r\n\r\n'
const final = 'HTTP/1.1 200\nContent-Length: 4\nContent-Length: 4\n\n'

/** Writes two pieces, the second once the first has gone. */
async function headsOf(first: string, second: string): Promise<readonly string[]> {
  const peer = await startPeer(
    onHead((socket) => {
      socket.setNoDelay(true)
      if (first === '') socket.end(second, 'latin1')
      else socket.write(first, 'latin1', () => setImmediate(() => socket.end(second, 'latin1')))
    }),
  )
  const { receivedHeads, response } = await exchange(parseRequest(`GET ${peer.origin}/`))
  expect(await response.body?.text()).toBe('body')
  return receivedHeads.map((head) => Buffer.from(head).toString('latin1'))
}

it('received heads are the same for every split', async () => {
  const octets = `${interim}${final}body`
  for (let cut = 0; cut < octets.length; cut++) {
    expect([cut, ...(await headsOf(octets.slice(0, cut), octets.slice(cut)))]).toEqual([cut, interim, final])
  }
})

it('received heads of one connection do not mix', async () => {
  const pool = new ConnectionPool()
  const heads = ['HTTP/1.1 200 One\r\nContent-Length: 1\r\n\r\n', 'HTTP/1.1 200 Two\r\nContent-Length:  1\r\n\r\n']
  let answered = 0
  const peer = await startPeer((socket) => {
    socket.on('data', () => socket.write(`${heads[answered++]}x`))
  })
  for (const head of heads) {
    const { receivedHeads, response } = await exchange(parseRequest(`GET ${peer.origin}/`), { pool })
    await response.body?.bytes()
    expect(receivedHeads.map((octets) => Buffer.from(octets).toString())).toEqual([head])
  }
  pool.close()
  expect(peer.received).toHaveLength(1)
})

it('received heads that are invalid keep all bytes, including interim ones', async () => {
  const peer = await startPeer(onHead((socket) => socket.end(`${interim}HTTP/1.1 2x0 No\r\n\r\n`)))
  const error = await failure(exchange(parseRequest(`GET ${peer.origin}/`)))
  expect(Buffer.from(error.received as Uint8Array).toString()).toBe(`${interim}HTTP/1.1 2x0 No\r\n\r\n`)
})
