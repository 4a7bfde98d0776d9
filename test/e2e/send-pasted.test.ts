/** Texts as browsers and proxies copy them, and texts that are request files. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'
import { response, send } from './send-outcome.ts'

const report = async (text: string, ...words: readonly string[]) => {
  const { code, out, err } = await send(['--offline', '--json', '-t', text, ...words])
  return { code, request: code === 0 ? JSON.parse(out).request : undefined, err }
}

describe('a pasted request is read', () => {
  it.each([
    [
      'Firefox and Burp: HTTP/2 in the request line',
      'GET /x?a=1 HTTP/2\r\nHost: a.example\r\nAccept: */*\r\n\r\n',
      'GET',
      'https://a.example/x?a=1',
    ],
    [
      'pseudo-header fields',
      ':authority: a.example\n:method: POST\n:path: /x\n:scheme: https\naccept: */*\n',
      'POST',
      'https://a.example/x',
    ],
    [
      'pseudo-header fields after a request line',
      'GET /x HTTP/2\n:authority: a.example\naccept: */*\n',
      'GET',
      'https://a.example/x',
    ],
    [
      'Chrome: names and values on lines of their own',
      ':authority\na.example\n:method\nGET\n:path\n/x\n:scheme\nhttps\naccept\n*/*',
      'GET',
      'https://a.example/x',
    ],
    [
      'the same with colons',
      ':authority:\na.example\n:method:\nGET\n:path:\n/x\n:scheme:\nhttp\naccept:\n*/*\n',
      'GET',
      'http://a.example/x',
    ],
    [
      'characters that a URL must escape',
      'GET http://a.example/{x}|^"ä two?q={y} z HTTP/1.1\nAccept: */*\n',
      'GET',
      'http://a.example/%7Bx%7D%7C%5E%22%C3%A4%20two?q=%7By%7D%20z',
    ],
  ])('%s', async (_title, text, method, url) => {
    const { code, request, err } = await report(text)
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^(?:note: .*\n)+$/) })
    expect([request.method, request.url]).toEqual([method, url])
    expect(request.headers.map(([name, value]: [string, string]) => `${name}: ${value}`.toLowerCase())).toEqual(
      _title.startsWith('pseudo') || !_title.includes('URL') ? ['host: a.example', 'accept: */*'] : expect.anything(),
    )
  })

  it('with its body', async () => {
    const { out } = await send(['--offline', '-t', 'POST /x HTTP/2\nHost: a.example\n\n{"a": 1}'])
    expect(out).toBe('POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 8\r\n\r\n{"a": 1}')
  })

  it('without Host, where it goes to a socket', async () => {
    const { out, err } = await send(['--offline', '--unix-socket', '/tmp/none', '-t', 'GET /x\nA: b'])
    expect([out, err]).toEqual(['GET /x HTTP/1.1\r\nHost: localhost\r\nA: b\r\n\r\n', ''])
  })
})

it('--raw sends a pasted text as it is', async () => {
  const peer = await startPeer(answering(response))
  const text = `GET /{x} HTTP/2\r\nHost: 127.0.0.1:${peer.port}\r\n\r\n`
  expect((await send(['--raw', '-t', text])).code).toBe(0)
  expect(peer.received).toEqual([text])
})

describe('a text that is a request file is named as one:', () => {
  it.each([
    ['# a comment\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['# comment\n\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['// a comment\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['### first\nGET http://a.example/\n', /1:1: the line is a comment.*run a\.http/s],
    ['@host = a.example\nGET http://{{host}}/\n', /looks like a request file, which is sent with httpcli run a\.http/],
    ['GET {{host}}/users\n', /looks like a request file, which is sent with httpcli run a\.http/],
  ])('%j', async (text, message) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.http'), text)
    const { code, out, err } = await send(['a.http', '--offline'], { cwd: directory })
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
  })
})

it('long runs of blanks take no time', async () => {
  const blanks = ' '.repeat(100_000)
  const { code } = await send(['--offline'], { stdin: `GET${blanks}/${blanks}x${blanks}\n:path:${blanks}x${blanks}\n` })
  expect(code).toBe(2)
})

it('a text that is nothing of that keeps its error', async () => {
  const { code, err } = await send(['--offline', '-t', 'GET http://a.example/\nbad header\n'])
  expect([code, err]).toEqual([2, expect.stringContaining('line 2, column')])
})
