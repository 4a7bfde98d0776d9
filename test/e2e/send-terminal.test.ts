/**
 * `send` on a terminal: the command in this process, with outputs that report a terminal.
 */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { send } from '../../src/cli/commands/send.ts'
import type { AnyValues, CommandContext, Output, ParsedArguments } from '../../src/cli/frame/command.ts'
import { answering, startPeer } from '../wire/peer.ts'

class MemoryOutput implements Output {
  readonly columns = 80
  readonly isTerminal: boolean
  readonly colors: boolean
  #pieces: Uint8Array[] = []

  constructor(isTerminal: boolean, colors = false) {
    this.isTerminal = isTerminal
    this.colors = colors
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('latin1')
  }

  write(data: string | Uint8Array): Promise<void> {
    this.#pieces.push(typeof data === 'string' ? Buffer.from(data) : data)
    return Promise.resolve()
  }
}

type Values = Readonly<Record<string, string | boolean>>

function parsed(values: Values): ParsedArguments<AnyValues> {
  const value = (name: string): string | undefined => {
    const given = values[name]
    return typeof given === 'string' ? given : undefined
  }
  return {
    positionals: [],
    has: (name) => values[name as string] === true,
    value,
    values: (name) => [value(name)].filter((given) => given !== undefined),
  }
}

function terminalContext(values: Values, colors: boolean, stdin: Readable, signal: AbortSignal) {
  return {
    arguments: parsed(values),
    stdin: Object.assign(stdin, { isTTY: true }),
    stdout: new MemoryOutput(true, colors),
    stderr: new MemoryOutput(true),
    environment: {},
    workingDirectory: process.cwd(),
    signal,
  } satisfies CommandContext<AnyValues>
}

async function onTerminal(values: Values, colors = false, stdin = ''): Promise<{ out: string; err: string }> {
  const typed = Readable.from([Buffer.from(stdin)])
  const context = terminalContext(values, colors, typed, new AbortController().signal)
  await send(context)
  return { out: context.stdout.text, err: context.stderr.text }
}

const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'

describe('on a terminal', () => {
  it.each([
    ['hello', 'hello\n'],
    ['hell\n', 'hell\n'],
  ])('a body %j ends in a newline', async (body, shown) => {
    const peer = await startPeer(answering(head, body))
    expect((await onTerminal({ text: `GET ${peer.origin}/` })).out).toBe(head + shown)
  })

  it.each<[title: string, type: string, body: readonly number[], shown: string]>([
    ['Latin-1', 'text/plain; charset=iso-8859-1', [0x63, 0xe9], 'cé\n'],
    ['Shift_JIS', 'text/plain; charset="Shift_JIS"', [0x93, 0xfa, 0x96, 0x7b], '日本\n'],
    ['UTF-16', 'text/plain;charset=utf-16le', [0xff, 0xfe, 0x61, 0x00, 0xe9, 0x00], 'aé\n'],
    ['UTF-16 with the high byte first', 'text/plain; charset=utf-16', [0xfe, 0xff, 0x00, 0x61, 0x00, 0xe9], 'aé\n'],
    ['UTF-8 that is called Latin-1', 'text/plain; charset=iso-8859-1', [0x63, 0xc3, 0xa9], 'cé\n'],
    ['UTF-8 that is called ASCII', 'text/plain; charset=us-ascii', [0xc3, 0xa9], 'é\n'],
    ['UTF-8 of an unknown charset', 'text/plain; charset=x', [0xc3, 0xa9], 'é\n'],
    ['JSON with a byte order mark', 'application/json', [0xef, 0xbb, 0xbf, 0x5b, 0x31, 0x5d], '\ufeff[\n  1\n]\n'],
  ])('text is shown as UTF-8: %s', async (_title, type, body, shown) => {
    const fields = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`
    const peer = await startPeer(answering(fields, Buffer.from(body)))
    const { out } = await onTerminal({ text: `GET ${peer.origin}/`, 'print-response-mode': 'body' })
    expect(Buffer.from(out, 'latin1').toString()).toBe(shown)
  })

  it('a binary body is replaced by a note with its whole size', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(100_000)))
    const { out } = await onTerminal({ text: `GET ${peer.origin}/`, 'print-response-mode': 'body' })
    expect(out).toBe('binary body of 100000 bytes not shown; use -o <file>\n')
  })

  it('a binary request body is replaced in its log; the head is not', async () => {
    const peer = await startPeer(answering(head, 'hello'))
    const { out } = await onTerminal({ text: `POST ${peer.origin}/\n\na\0b`, 'log-request': true })
    expect(out).toMatch(
      /^POST \/ HTTP\/1\.1\r\n[\s\S]*\r\n\r\nbinary body of 3 bytes not shown; use -o <file>\nHTTP\/1\.1 200/,
    )
  })

  it('control characters of a server are not passed through in a head', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nX: a\x1b[31mb\r\nContent-Length: 0\r\n\r\n'))
    const { out } = await onTerminal({ text: `GET ${peer.origin}/` })
    expect(out).toContain('X: a\\x1B[31mb\r\n')
  })

  it('nor in a body, nor in the log of a request', async () => {
    const peer = await startPeer(answering(head, 'a\x1b[2J'))
    const { out } = await onTerminal({ text: `POST ${peer.origin}/\nX: \u009b1m\n\n\x1bc`, 'log-request': true })
    expect(out).toMatch(/\r\nX: \\x9B1m\r\n[^\x1b]*\r\n\r\n\\x1Bc\nHTTP\/1\.1 200 OK[^\x1b]*\r\n\r\na\\x1B\[2J\n$/)
  })

  const json = 'HTTP/1.1 200 OK\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: 15\r\n\r\n'

  it.each<[title: string, values: Values, colors: boolean, shown: string]>([
    ['JSON is laid out', {}, false, '{\n  "a": "x",\n  "b": 1\n}\n'],
    [
      'and coloured',
      {},
      true,
      '{\n  \x1b[36m"a"\x1b[39m: \x1b[32m"x"\x1b[39m,\n  \x1b[36m"b"\x1b[39m: \x1b[33m1\x1b[39m\n}\n',
    ],
    ['but not with --no-decode', { 'no-decode': true }, true, '{"a":"x","b":1}\n'],
  ])('%s', async (_title, values, colors, shown) => {
    const peer = await startPeer(answering(json, '{"a":"x","b":1}'))
    const { out } = await onTerminal({ text: `GET ${peer.origin}/`, 'print-response-mode': 'body', ...values }, colors)
    expect(out).toBe(shown)
  })

  it('status and header names are coloured if colours are enabled', async () => {
    const peer = await startPeer(answering('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))
    const { out } = await onTerminal({ text: `GET ${peer.origin}/` }, true)
    expect(out).toContain('\x1b[33mHTTP/1.1 404 Not Found\x1b[39m\r\n\x1b[36mContent-Length\x1b[39m: 0\r\n')
  })

  it('surprising repairs are reported, common ones are not', async () => {
    const peer = await startPeer(answering(head, 'hello'))
    const { err } = await onTerminal({ text: `GET   ${peer.origin}/\nX: a\n b\n` })
    expect(err).toMatch(/^hint: line 1: .*\nhint: line \d: .*\n$/)
  })

  it('a typed request is prompted for', async () => {
    const peer = await startPeer(answering(head, 'hello'))
    const { out, err } = await onTerminal({}, false, `GET ${peer.origin}/\n`)
    expect(err).toBe('Type the request and end it with an empty line:\n')
    expect(out).toBe(`${head}hello\n`)
  })

  /** Types the lines, one after the other has been read, and never ends the input. */
  async function typing(
    lines: readonly string[],
    values: Values = {},
  ): Promise<{ out: string; err: string; left: number }> {
    let left = lines.length
    const typed = new Readable({
      read() {
        const line = lines[lines.length - left]
        if (line === undefined) return
        left--
        this.push(Buffer.from(line))
      },
      highWaterMark: 1,
    })
    const context = terminalContext({ offline: true, ...values }, false, typed, new AbortController().signal)
    await send(context)
    return { out: context.stdout.text, err: context.stderr.text, left }
  }

  const prompt = 'Type the request and end it with an empty line:\n'

  it('a typed request ends at the empty line', async () => {
    const { out, err } = await typing(['GET http://a.test/\n', 'X: 1\n', '\n'])
    expect([out, err]).toEqual(['GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n\r\n', prompt])
  })

  it('a typed request that usually has a body explains how to provide it', async () => {
    const { err } = await typing(['POST http://a.test/\n', '\n'])
    expect(err).toBe(`${prompt}note: the POST is sent without a body; a body needs Content-Length, or -b or -g\n`)
  })

  it('a typed body ends after its Content-Length, and is prompted for', async () => {
    const { out, err } = await typing(['POST http://a.test/\nContent-Length: 7\n', '\n', 'one\n', 'two\n'])
    expect(out).toMatch(/\r\n\r\none\ntwo$/)
    expect(err).toBe(`${prompt}Type the body, 7 bytes by its Content-Length:\n`)
  })

  it('typed chunks end with the last one', async () => {
    const head = ['POST http://a.test/\n', 'Transfer-Encoding: chunked\n', '\n']
    const { out, err } = await typing([...head, '2\r\n', 'ok\r\n', '0\r\n', '\r\n'])
    expect(out).toMatch(/\r\n\r\n2\r\nok\r\n0\r\n\r\n$/)
    expect(err).toBe(`${prompt}Type the chunks; the last one is 0 and an empty line:\n`)
  })

  it('a replaced body is not awaited', async () => {
    const { out } = await typing(['POST http://a.test/\nContent-Length: 7\n\n'], { 'body-text': 'new' })
    expect(out).toMatch(/Content-Length: 3\r\n\r\nnew\n?$/)
  })

  it('an error is reported while its line is still visible', async () => {
    await expect(typing(['GET http://a.test/ HTTP/9.9\n', 'X: 1\n'])).rejects.toMatchObject({ code: 'VERSION' })
  })
})

it('control characters of a non-HTTP response do not reach a terminal', async () => {
  const peer = await startPeer(answering('HTTP/1.1 200 \x1b[31mred\r\nX: \x07\r\n\r\n'))
  const { signal } = new AbortController()
  const context = terminalContext({ text: `GET ${peer.origin}/` }, false, Readable.from([]), signal)
  await expect(send(context)).rejects.toMatchObject({ code: 'invalid-response' })
  expect(context.stdout.text).toBe('HTTP/1.1 200 \\x1B[31mred\r\nX: \\x07\r\n\r\n')
})
