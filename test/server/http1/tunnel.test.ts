/** A tunnel between a client and a backend. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { carryTunnel } from '../../../src/server/http1/tunnel.ts'

/** Both ends of a connection. */
async function openPair(): Promise<readonly [near: Socket, far: Socket]> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const far = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const [near] = (await accepted) as [Socket]
  onTestFinished(() => {
    server.close()
    near.destroy()
    far.destroy()
  })
  return [near, far]
}

it('adds no listener for each time that it waits for the client', async () => {
  const [client, user] = await openPair()
  const [backend] = await openPair()
  const pieceBytes = 1_048_576
  let leftPieces = 40
  let mostListeners = 0
  const read = async () => {
    mostListeners = Math.max(mostListeners, ...client.eventNames().map((name) => client.listenerCount(name)))
    leftPieces -= 1
    return leftPieces < 0 ? undefined : new Uint8Array(pieceBytes)
  }
  const tunnel = { socket: backend, rest: new Uint8Array(0), read }
  const carried = carryTunnel(tunnel, client, {
    first: new Uint8Array(0),
    signal: new AbortController().signal,
    onInput: () => undefined,
  })
  let receivedBytes = 0
  user.on('data', (bytes: Buffer) => {
    receivedBytes += bytes.length
  })
  user.once('end', () => user.end())
  expect(await carried).toBe(40 * pieceBytes)
  expect(receivedBytes).toBe(40 * pieceBytes)
  expect(mostListeners).toBeLessThan(5)
})
