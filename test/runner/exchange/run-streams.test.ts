/** Responses in pieces: WebSockets, events, lines of JSON. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { HeaderList, type ResponseHead } from '../../../src/message/index.ts'
import { idleMsOfStreams } from '../../../src/runner/exchange/http-client.ts'
import type { RunEvent } from '../../../src/runner/index.ts'
import { type RecordingServer, recordingServer, runText } from '../running.ts'

let sockets: WebSocketServer
let address = ''
let serve: (socket: WebSocket, request: IncomingMessage) => void = () => undefined
let server: RecordingServer

beforeAll(async () => {
  sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  sockets.on('connection', (socket, request) => {
    socket.on('error', () => undefined)
    serve(socket, request)
  })
  await once(sockets, 'listening')
  address = `127.0.0.1:${(sockets.address() as AddressInfo).port}`
  const lines =
    (type: string, texts: readonly string[], ends = true) =>
    (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, { 'Content-Type': type })
      for (const text of texts) response.write(text)
      if (ends) response.end()
    }
  server = await recordingServer({
    '/events': lines('text/event-stream', ['data: 1\n\nda', 'ta: 2\r', '\n\r\ndata: 3\n', '\ndata: 4\n\n']),
    '/endless': lines('text/event-stream; charset=utf-8', ['data: 1\n\ndata: 2\n\n'], false),
    '/json-lines': lines('application/x-ndjson', ['{"n":1}\n{"n":', '2}\n{"n":3}']),
    '/cut': (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Length': 1000 })
      response.write('data: 1\n\n', () => response.destroy())
    },
  })
})
afterEach(() => {
  for (const client of sockets.clients) client.terminate()
})
afterAll(async () => {
  await server.close()
  sockets.close()
})

const messages = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'message' ? [`${event.direction} ${String(event.data)}`] : []))
const echo = (socket: WebSocket): void => {
  socket.on('message', (data, isBinary) => socket.send(isBinary ? data : `echo ${data}`, { binary: isBinary }))
}

describe('a WebSocket', () => {
  const talk = (text: string, settings: Parameters<typeof runText>[1] = {}) =>
    runText(text.replaceAll('$W', `ws://${address}`), settings)

  it('sends its messages in order and reports those of the server', async () => {
    serve = echo
    const { events, errors, summary } = await talk(
      '# @timeout 1 s\nWEBSOCKET $W/path\nX: y\n\nfirst\n===\nsecond\nline\n',
    )
    expect(errors).toEqual([])
    const reported = messages(events)
    expect(reported.filter((text) => text.startsWith('sent'))).toEqual(['sent first', 'sent second\nline'])
    expect(reported.filter((text) => text.startsWith('received'))).toEqual([
      'received echo first',
      'received echo second\nline',
    ])
    expect(summary).toMatchObject({ answered: 1, failed: 0 })
    const types = events.map(({ type }) => type).filter((type) => type !== 'message')
    expect(types).toEqual([
      'run-started',
      'request-started',
      'request-sent',
      'request-octets',
      'response',
      'response-done',
      'request-finished',
      'run-finished',
    ])
  })

  it('sends the header fields of the file in its handshake', async () => {
    let headers: IncomingMessage['headers'] = {}
    serve = (socket, request) => {
      headers = request.headers
      socket.close(1000)
    }
    await talk('WEBSOCKET $W/?a=b\nAuthorization: Bearer t\nSec-WebSocket-Protocol: one\n\nx')
    expect(headers).toMatchObject({ authorization: 'Bearer t', 'sec-websocket-protocol': 'one', upgrade: 'websocket' })
  })

  it('waits for a server message if the file says so', async () => {
    const order: string[] = []
    serve = (socket) => {
      socket.on('message', (data) => {
        order.push(String(data))
        // After the next turns of the loop, in which a client that does not wait would have sent on.
        setTimeout(() => {
          order.push('answer')
          socket.send('answer', () => order.length === 4 && socket.close(1000))
        }, 20)
      })
    }
    await talk('WEBSOCKET $W\n\nfirst\n=== wait-for-server\nsecond\n')
    expect(order).toEqual(['first', 'answer', 'second', 'answer'])
  })

  it('fails if the expected message does not arrive', async () => {
    serve = () => undefined
    const { errors } = await talk('# @timeout 1 s\nWEBSOCKET $W\n\nfirst\n=== wait-for-server\nsecond\n')
    expect(errors).toEqual([expect.stringMatching(/first-byte-timeout .*no message within 1 s/)])
  })

  it('ends without an error when the server closes it', async () => {
    serve = (socket) => socket.on('message', () => socket.close(1000, 'bye'))
    const { errors, summary } = await talk('WEBSOCKET $W\n\nfirst')
    expect([errors, summary.answered]).toEqual([[], 1])
  })

  it.each<[string, (socket: WebSocket) => void, string]>([
    [
      'with a code of trouble',
      (socket) => socket.close(1011, 'broken'),
      'websocket-closed the server closed the WebSocket with 1011 (broken)',
    ],
    [
      'without a close frame',
      (socket) => socket.terminate(),
      'websocket-closed the server closed the WebSocket without a close frame',
    ],
  ])('fails when the server ends it %s', async (_, end, message) => {
    serve = (socket) => socket.on('message', () => end(socket))
    const { errors } = await talk('WEBSOCKET $W\n\nfirst')
    expect(errors).toEqual([expect.stringContaining(message)])
  })

  it('sends the close code 1000 to the server when it has nothing more to send', async () => {
    const closed = new Promise<number>((resolve) => {
      serve = (socket) => socket.on('close', resolve)
    })
    await talk('# @timeout 1 s\nWEBSOCKET $W\n\nfirst')
    expect(await closed).toBe(1000)
  })

  it('passes messages to onEachMessage, which may reply and end it', async () => {
    const seen: string[] = []
    serve = (socket) => {
      socket.on('message', (data) => {
        seen.push(String(data))
        socket.send(`${seen.length}`)
      })
    }
    const { results, errors } = await talk(`WEBSOCKET $W

first

> {%
  response.body.onEachMessage((message, unsubscribe, output) => {
    client.log(message)
    if (Number(message) === 3) unsubscribe()
    else output('more')
  }, () => client.log('done'))
%}`)
    expect([errors, results, seen]).toEqual([[], ['log 1', 'log 2', 'log 3', 'log done'], ['first', 'more', 'more']])
  })

  it('sends a file as it is and takes binary messages', async () => {
    serve = echo
    const { events } = await talk('# @timeout 1 s\nWEBSOCKET $W\n\n< ./data.txt\n', {
      files: { 'data.txt': 'of a file\n' },
    })
    expect(messages(events).length).toBe(2)
    expect(messages(events)[1]).toContain('of a file')
  })

  it('is refused by a server that does not switch: response and error', async () => {
    const { events, errors } = await runText(`WEBSOCKET ws://${server.host}/json-lines\n\nx`)
    expect(events.find(({ type }) => type === 'response')).toMatchObject({ response: { status: 200 } })
    expect(errors).toEqual([expect.stringContaining('websocket-refused')])
  })

  it('ends with an abort', async () => {
    const controller = new AbortController()
    serve = (socket) => socket.on('message', () => controller.abort())
    const { summary, errors } = await talk('WEBSOCKET $W\n\nx\n=== wait-for-server\ny', {
      wire: { signal: controller.signal },
    })
    expect([summary.isInterrupted, errors]).toEqual([true, []])
  })

  it('reads no more than it can hold from a server that never stops', async () => {
    let sent = 0
    serve = (socket) => {
      const send = (): void => {
        if (socket.readyState !== socket.OPEN || sent >= 20_000) return
        sent++
        socket.send('x'.repeat(10_000), () => setImmediate(send))
      }
      send()
    }
    const { results } = await talk(`WEBSOCKET $W

x

> {%
  let count = 0
  response.body.onEachMessage((message, unsubscribe) => { if (++count === 5) unsubscribe() }, () => client.log(count))
%}`)
    expect(results).toEqual(['log 5'])
    expect(sent).toBeLessThan(20_000)
  })
})

describe('a text stream', () => {
  const handled = (path: string, code: string, tag = '') =>
    runText(`${tag}GET ${server.origin}${path}\n\n> {%\n${code}\n%}`)

  it.each([
    ['events', '/events', ['log data: 1', 'log data: 2', 'log data: 3', 'log data: 4', 'log end']],
    ['lines of JSON', '/json-lines', ['log {"n":1}', 'log {"n":2}', 'log {"n":3}', 'log end']],
  ])('is passed on line by line: %s', async (_, path, expected) => {
    const { results, errors } = await handled(
      path,
      'response.body.onEachLine((line) => client.log(line), () => client.log("end"))',
    )
    expect([errors, results]).toEqual([[], expected])
  })

  it('is passed on as objects if its lines are JSON, which are texts for scripts that parse them', async () => {
    const { results, errors } = await handled(
      '/json-lines',
      'response.body.onEachLine((line) => client.log(line.n, JSON.parse(line).n, String(line), Object.keys(line).length))',
    )
    expect([errors, results]).toEqual([[], ['log 1 1 {"n":1} 1', 'log 2 2 {"n":2} 1', 'log 3 3 {"n":3} 1']])
  })

  it('ends when a handler has enough', async () => {
    const { results, summary } = await handled(
      '/endless',
      'response.body.onEachLine((line, unsubscribe) => { client.log(line); unsubscribe() })',
    )
    expect([results, summary.answered, summary.failed]).toEqual([['log data: 1'], 1, 0])
  })

  it('ends at the time of @timeout, and that is not an error', async () => {
    const { results, errors } = await handled(
      '/endless',
      'response.body.onEachLine((line) => client.log(line), () => client.log("end"))',
      '# @timeout 1 s\n',
    )
    expect([errors, results]).toEqual([[], ['log data: 1', 'log data: 2', 'log end']])
  })

  it('ends at the time of @timeout without a handler, too', async () => {
    const { summary } = await runText(`# @timeout 1 s\nGET ${server.origin}/endless`)
    expect(summary).toMatchObject({ answered: 1, failed: 0 })
  })

  it('that is silent for longer than the limit of the run is an error', async () => {
    const { errors } = await runText(`GET http://${server.host}/endless`, { wire: { timeouts: { idleMs: 1_000 } } })
    expect(errors).toEqual([expect.stringContaining('idle-timeout')])
  })

  it.each([
    ['text/event-stream; charset=utf-8', 0],
    ['application/x-ndjson', 0],
    ['application/json', undefined],
  ])('of the type %s may be silent for %s ms without a configured limit', (type, limitMs) => {
    const headers = HeaderList.of([['Content-Type', type]])
    expect(idleMsOfStreams({ headers } as ResponseHead)).toBe(limitMs)
  })

  it('that is truncated is an error after its lines', async () => {
    const { results, errors } = await handled('/cut', 'response.body.onEachLine((line) => client.log(line))')
    expect(results).toEqual(['log data: 1'])
    expect(errors).toEqual([expect.stringContaining('connection-cut-short')])
  })

  it('is shown while it arrives', async () => {
    let shown = ''
    const controller = new AbortController()
    await runText(`GET ${server.origin}/endless`, {
      wire: { signal: controller.signal },
      listener: async (event) => {
        if (event.type !== 'response') return
        for await (const piece of event.response.body ?? []) {
          shown += Buffer.from(piece).toString()
          if (shown.includes('data: 2')) controller.abort()
        }
      },
    })
    expect(shown).toBe('data: 1\n\ndata: 2\n\n')
  })
})
