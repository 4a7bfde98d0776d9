import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'
import { type Outcome, response, send } from './send-outcome.ts'

const statisticsLines =
  /^Connect time: \d+\.\d\d ms\nFirst received byte time: \d+\.\d\d ms\nTotal response time: \d+\.\d\d ms\nBytes received: (\d+)\nThroughput \(bytes\/sec\): \d+\n$/

describe('the request', () => {
  const cases: readonly [title: string, run: (text: string) => Promise<Outcome>][] = [
    ['-t', (text) => send(['-t', text])],
    ['standard input', (text) => send([], { stdin: text })],
    ['-f -', (text) => send(['-f', '-'], { stdin: text })],
    ['-f', (text) => inFile(text, (file) => ['-f', file])],
    ['a positional file', (text) => inFile(text, (file) => [file])],
  ]

  async function inFile(text: string, words: (file: string) => readonly string[]): Promise<Outcome> {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'request.http'), text)
    return send(words('request.http'), { cwd })
  }

  it.each(cases)('comes from %s', async (_title, run) => {
    const peer = await startPeer(answering(response))
    const { code, out, err } = await run(`POST ${peer.origin}/a\nContent-Type: text/plain\n\ngr\u00fc\u00df dich`)
    expect({ code, out, err }).toEqual({ code: 0, out: response, err: '' })
    expect(peer.received).toEqual([
      `POST /a HTTP/1.1\r\nHost: 127.0.0.1:${peer.port}\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\ngr\xc3\xbc\xc3\x9f dich`,
    ])
  })

  it('from standard input keeps every byte of its body', async () => {
    const octets = Buffer.from([...Array(256).keys()])
    const peer = await startPeer(answering(response))
    const stdin = Buffer.concat([Buffer.from(`POST ${peer.origin}/\nContent-Length: 256\n\n`), octets])
    expect((await send([], { stdin })).code).toBe(0)
    expect(peer.received[0]?.split('\r\n\r\n')[1]).toBe(octets.toString('latin1'))
  })

  it('with a literal \\n in -t keeps both characters', async () => {
    const peer = await startPeer(answering(response))
    await send(['-t', `POST ${peer.origin}/\n\na\\nb`])
    expect(peer.received[0]).toMatch(/\r\n\r\na\\nb$/)
  })

  it.each([
    ['-b', ['-b', 'new'], 'new', 'text/plain'],
    ['-g', ['-g', 'body.json'], '{"a":1}', 'text/plain'],
  ])('gets another body with %s; a given Content-Type is kept', async (_title, words, body, type) => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'body.json'), '{"a":1}')
    const peer = await startPeer(answering(response))
    const text = `POST ${peer.origin}/\nContent-Type: ${type}\nTransfer-Encoding: chunked\n\n3\nold\n0\n\n`
    expect((await send(['-t', text, ...words], { cwd })).code).toBe(0)
    await peer.waitFor(/\r\n\r\n.+$/)
    expect(peer.received[0]).toBe(
      `POST / HTTP/1.1\r\nHost: 127.0.0.1:${peer.port}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  })

  it('derives the Content-Type of -g from the extension by default', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'body.json'), '{}')
    const peer = await startPeer(answering(response))
    await send(['-t', `POST ${peer.origin}/`, '-g', 'body.json'], { cwd })
    await peer.waitFor(/{}$/)
    expect(peer.received[0]).toContain('Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
  })

  it('may declare a length that the new body does not have', async () => {
    const peer = await startPeer(answering(response))
    expect((await send(['-t', `POST ${peer.origin}/\nContent-Length: 99`, '-b', 'new'])).code).toBe(0)
    await peer.waitFor(/new$/)
    expect(peer.received[0]).toContain('Content-Length: 3\r\n\r\nnew')
  })

  it('that cannot be parsed is shown with a caret, file, line and column, and nothing is sent', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'bad.http'), 'GET http://127.0.0.1:1/\nNo colon here\n\n')
    const { code, out, err } = await send(['bad.http'], { cwd })
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('bad.http:2:')
    expect(err).toContain('No colon here')
    expect(err).toMatch(/^ *\^$/m)
    expect(err).not.toContain('    at ')
  })

  it.each([
    ['request file', ['none.http']],
    ['request file with -f', ['-f', 'none.http']],
    ['body file', ['-t', 'POST http://127.0.0.1:1/', '-g', 'none.http']],
    ['certificate', ['-t', 'GET http://127.0.0.1:1/', '--cacert', 'none.http']],
  ])('with a %s that does not exist exits with 4 and names the file', async (_title, words) => {
    const { code, out, err } = await send(words, { cwd: temporaryDirectory() })
    expect([code, out]).toEqual([4, ''])
    expect(err).toContain('none.http')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  it('that drops part of the written text says so', async () => {
    const peer = await startPeer(answering(response))
    const { err } = await send(['-t', `POST ${peer.origin}/\nContent-Length: 2\n\nabc`])
    expect(err).toMatch(/^warning: line \d+: /)
  })
})

describe('-p', () => {
  it('response is the response as it was received', async () => {
    const peer = await startPeer(answering(response))
    expect((await send(['-t', `GET ${peer.origin}/`, '-p', 'response'])).out).toBe(response)
  })

  it('body is exactly the body', async () => {
    const peer = await startPeer(answering(response))
    expect((await send(['-t', `GET ${peer.origin}/`, '-p', 'body'])).out).toBe('hello')
  })

  it('status is the status line', async () => {
    const peer = await startPeer(answering(response))
    expect((await send(['-t', `GET ${peer.origin}/`, '-p', 'status'])).out).toBe('HTTP/1.1 200 OK\n')
  })

  it('stats is five lines, with every byte counted', async () => {
    const octets = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nA: b\r\n\r\n'
    const peer = await startPeer(answering(octets))
    const { out } = await send(['-t', `GET ${peer.origin}/`, '-p', 'stats'])
    expect(statisticsLines.exec(out)?.[1]).toBe(String(octets.length))
  })

  it.each([
    ['ends in a newline', 'hello\n', 'hello\n'],
    ['does not', 'hello', 'hello\n'],
    ['is empty', '', ''],
  ])('all is the response, an empty line, 33 dashes and the statistics: the body %s', async (_title, body, shown) => {
    const peer = await startPeer(answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`))
    const { out } = await send(['-t', `GET ${peer.origin}/`, '-p', 'all'])
    const [before = '', after = ''] = out.split(`\n${'-'.repeat(33)}\n`)
    expect(before).toBe(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${shown}`)
    expect(after).toMatch(statisticsLines)
  })
})

describe('-l', () => {
  it('prints the request as sent, interim responses, then the response', async () => {
    const peer = await startPeer(answering(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${response}`))
    const { out } = await send(['-t', `POST ${peer.origin}/\n\nbody\n`, '-l'])
    expect(out).toBe(`${peer.received[0]}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${response}`)
  })

  it('starts the response on a separate line', async () => {
    const peer = await startPeer(answering(response))
    expect((await send(['-t', `POST ${peer.origin}/\n\nbody`, '-l'])).out).toContain('body\nHTTP/1.1 200 OK\r\n')
  })

  it('leaves out interim responses when not given', async () => {
    const peer = await startPeer(answering(`HTTP/1.1 103 Early Hints\r\n\r\n${response}`))
    expect((await send(['-t', `GET ${peer.origin}/`])).out).toBe(response)
  })
})
