/** WebSockets of load tests, on a socket in place of that of k6. */
import { expect, it } from 'vitest'
import { HttpRequest } from '../../../src/message/index.ts'
import type { K6Socket } from '../../../src/runner/load/k6.ts'
import { type Conversation, converse } from '../../../src/runner/load/load-socket.ts'

type Onward = Partial<Pick<Conversation, 'messages' | 'onStream'>>

/** A server that answers each message with its own text, and closes after "bye". */
class EchoSocket implements K6Socket {
  onopen: K6Socket['onopen']
  onmessage: K6Socket['onmessage']
  onerror: K6Socket['onerror']
  onclose: K6Socket['onclose']
  binaryType = ''

  constructor() {
    queueMicrotask(() => this.onopen?.())
  }

  send(data: string): void {
    queueMicrotask(() => (data === 'bye' ? this.onclose?.({ code: 1000 }) : this.onmessage?.({ data })))
  }

  close(): void {
    queueMicrotask(() => this.onclose?.({ code: 1000 }))
  }
}

async function received({ messages = [], onStream }: Onward): Promise<string> {
  const settings = { headers: {}, name: 'a', messages, limitMs: undefined, onStream }
  const { content } = await converse(EchoSocket, new HttpRequest({ method: 'GET', url: 'http://a.example/' }), settings)
  return Buffer.from(content ?? '').toString()
}

const first = { waitsForServer: 0, data: 'a' }

it('ends when the server closes', async () => {
  expect(await received({ messages: [first, { waitsForServer: 1, data: 'bye' }] })).toBe('a')
})

it.each([undefined, 'more'])('fails if the server closes instead of answering, before %j', async (data) => {
  const messages = [
    { waitsForServer: 0, data: 'bye' },
    { waitsForServer: 1, data },
  ]
  await expect(received({ messages })).rejects.toThrow(
    'the server closed the WebSocket, but the request waits for a message',
  )
})

it('does not fail if a handler ends the connection while a message is awaited', async () => {
  const messages = [first, { waitsForServer: 2, data: 'more' }]
  const onStream: Conversation['onStream'] = async (stream) => {
    await stream.next()
    stream.close()
  }
  expect(await received({ messages, onStream })).toBe('a')
})
