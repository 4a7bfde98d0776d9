/** `send` shows a response as it came over the wire, and reports repairs. */
import { describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { answering, onHead, startPeer } from '../wire/peer.ts'
import { send } from './send-outcome.ts'

interface Row {
  readonly what: string
  readonly head: string
  readonly body: string
  /** As it comes over the wire, where that is not the body. */
  readonly wire?: string
  readonly warning: RegExp
}

const repaired: readonly Row[] = [
  {
    what: 'the same length twice',
    head: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-length:5\r\n\r\n',
    body: 'hello',
    warning: /^warning: line \d of the response: the same Content-Length more than once .*\(RFC 9110 section 8\.6\)\n$/,
  },
  {
    what: 'equal lengths in one line',
    head: 'HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n',
    body: 'hello',
    warning: /^warning: line 2 of the response: the same Content-Length .*\n$/,
  },
  {
    what: 'a length beside chunks',
    head: 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n',
    wire: '5\r\nhello\r\n0\r\n\r\n',
    body: 'hello',
    warning: /^warning: line 2 of the response: Content-Length was ignored, .*\(RFC 9112 section 6\.3\)\n$/,
  },
  {
    what: 'folded lines and blanks around values',
    head: 'HTTP/1.1 200 OK\r\nX-Folded: a\r\n   b\r\nX-Blank:   c  \r\nContent-Length: 5\r\n\r\n',
    body: 'hello',
    warning: /^warning: line [23] of the response: the folded line .*\(RFC 9112 section 5\.2\)\n$/,
  },
  {
    what: 'lines that end with LF',
    head: 'HTTP/1.1 200 OK\nX-One: 1\nContent-Length: 5\n\n',
    body: 'hello',
    warning: /^warning: line 1 of the response: the line ends with LF, expected CRLF \(RFC 9112 section 2\.2\)\n$/,
  },
  {
    what: 'blanks in the status line',
    head: 'HTTP/1.1   200   Very   well \r\nContent-Length: 5\r\n\r\n',
    body: 'hello',
    warning: /^warning: line 1 of the response: several spaces in the status line .*\n$/,
  },
  {
    what: 'an empty line before the status line',
    head: '\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n',
    body: 'hello',
    warning: /^warning: line 1 of the response: an empty line before the status line was skipped .*\n$/,
  },
  {
    what: 'a transfer coding in HTTP/1.0',
    head: 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    wire: '5\r\nhello\r\n0\r\n\r\n',
    body: 'hello',
    warning: /^warning: line 2 of the response: Transfer-Encoding in HTTP\/1\.0 .*\(RFC 9112 section 6\.1\)\n$/,
  },
  {
    what: 'white space after the sizes of chunks',
    head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    wire: '5  \r\nhello\r\n0 \r\n\r\n',
    body: 'hello',
    warning: /^warning: line 4 of the response: white space after the size of a chunk .*\(RFC 9112 section 7\.1\)\n$/,
  },
  {
    what: 'chunk extensions that break the grammar',
    head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    wire: '5;\r\nhello\r\n0;=\r\n\r\n',
    body: 'hello',
    warning: /^warning: line 4 of the response: a chunk extension .*\(RFC 9112 section 7\.1\.1\)\n$/,
  },
]

describe('a head', () => {
  it.each(repaired)('with $what is printed byte for byte, with one warning', async (row) => {
    const peer = await startPeer(answering(row.head, row.wire ?? row.body))
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`])
    expect([code, out]).toEqual([0, row.head + row.body])
    expect(err).toMatch(row.warning)
  })

  it.each(repaired)('with $what is in the JSON report, byte for byte, with the repair', async ({ head, ...row }) => {
    const peer = await startPeer(answering(head, row.wire ?? row.body))
    const { response } = JSON.parse((await send(['-t', `GET ${peer.origin}/`, '--json'])).out)
    expect([response.head, response.body]).toEqual([head, row.body])
    expect(response.repairs).toEqual([
      { code: expect.any(String), line: expect.any(Number), message: expect.any(String), rule: expect.any(String) },
    ])
  })

  it('that is not UTF-8 is in the JSON report as base64', async () => {
    const head = 'HTTP/1.1 200 OK\r\nX: \xff\r\nContent-Length: 0\r\n\r\n'
    const peer = await startPeer(answering(head))
    const { response } = JSON.parse((await send(['-t', `GET ${peer.origin}/`, '--json'])).out)
    expect(Buffer.from(response.headBase64, 'base64').toString('latin1')).toBe(head)
  })

  it('that arrives byte by byte, after interim ones, is complete', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink:  </a>\r\n\r\n'
    const head = 'HTTP/1.1 200 OK\r\nX-A:\t1\r\nContent-Length: 5\r\n\r\n'
    const peer = await startPeer(
      onHead((socket) => {
        const octets = [...`${interim}${head}hello`]
        const next = (): void => {
          const octet = octets.shift()
          if (octet === undefined) socket.end()
          else socket.write(octet, () => setImmediate(next))
        }
        socket.setNoDelay(true)
        next()
      }),
    )
    const { out } = await send(['-t', `GET ${peer.origin}/`, '-l'])
    expect(out).toBe(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${peer.port}\r\n\r\n${interim}${head}hello`)
  })

  it('is printed by -p status as its first line, unchanged', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'))
    expect((await send(['-t', `GET ${peer.origin}/`, '-p', 'status'])).out).toBe('HTTP/1.1 200\n')
  })
})

describe('trailers', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n'
  const octets = `${chunked}5\r\nhello\r\n0\r\nX-Sum: abc\r\nX-Two: 2\r\n\r\n`

  it('follow the body', async () => {
    const peer = await startPeer(answering(octets))
    expect((await send(['-t', `GET ${peer.origin}/`])).out).toBe(`${chunked}hello\nX-Sum: abc\r\nX-Two: 2\r\n`)
  })

  it('are not printed with only the body', async () => {
    const peer = await startPeer(answering(octets))
    expect((await send(['-t', `GET ${peer.origin}/`, '-p', 'body'])).out).toBe('hello')
  })

  it('are reported with their repairs', async () => {
    const peer = await startPeer(answering(octets.replace('abc\r\n', 'abc\r\n  def\r\n')))
    const { out, err } = await send(['-t', `GET ${peer.origin}/`])
    expect(out).toContain('X-Sum: abc def\r\n')
    expect(err).toMatch(/^warning: line \d+ of the response: the folded line .*\n$/)
  })
})

describe('statistics', () => {
  it('of a small response have a throughput', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'))
    const { out } = await send(['-t', `GET ${peer.origin}/`, '-p', 'stats'])
    expect(out).toMatch(/^Throughput \(bytes\/sec\): [1-9]\d*$/m)
  })
})

describe('bytes after the end of a response', () => {
  it.each([
    ['a length that is too small', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhel', 'lo', '2 bytes came'],
    ['the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'x', '1 byte came'],
    ['a response without content', 'HTTP/1.1 204 No Content\r\n\r\n', 'hello', '5 bytes came'],
  ])('are counted after %s', async (_title, message, excess, warning) => {
    const peer = await startPeer(answering(message + excess))
    const { code, err } = await send(['-t', `GET ${peer.origin}/`])
    expect(code).toBe(0)
    expect(err).toMatch(new RegExp(`^warning: ${warning} after the end of the response and .* not shown \\(RFC 9112`))
  })

  it('are counted with --json', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello'))
    const { code, err } = await send(['-t', `GET ${peer.origin}/`, '--json'])
    expect(code).toBe(0)
    expect(err).toMatch(/^warning: 2 bytes came after the end of the response/)
  })

  const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n'
  const others = 'bytes of another protocol came after the response and are not shown (RFC 9110 section 15.2.2)'
  const unasked = 'the server switched protocols, which the request did not ask for (RFC 9110 section 7.8)'

  it('are those of another protocol after 101', async () => {
    const peer = await startPeer(answering(`${switching}hello`))
    const { code, out, err } = await send([`${peer.origin}/`, 'Upgrade:a', 'Connection:upgrade'])
    expect([code, out, err]).toEqual([0, switching, `warning: 5 ${others}\n`])
  })

  it.each([[], ['--json']])('are reported with a protocol switch that was not requested %j', async (...options) => {
    const peer = await startPeer(answering(`${switching}hello`))
    const { code, err } = await send(['-t', `GET ${peer.origin}/`, ...options])
    expect([code, err]).toEqual([0, `warning: ${unasked}\nwarning: 5 ${others}\n`])
  })

  it('are reported by run, with the place of the request', async () => {
    const peer = await startPeer(answering(`${switching}!`))
    const { code, stderr } = await runCommand(['run', '-', '-p', 'response'], { stdin: `GET ${peer.origin}/\n` })
    const one = others.replace('bytes', 'byte').replace('are', 'is')
    expect(code).toBe(0)
    expect(stderr.toString()).toContain(`warning: -:1: ${unasked}\nwarning: -:1: 1 ${one}\n`)
  })

  it('are not counted after a requested protocol switch', async () => {
    const peer = await startPeer(answering(switching))
    expect((await send([`${peer.origin}/`, 'Upgrade:a', 'Connection:upgrade'])).err).toBe('')
  })
})

describe('the name of an unknown coding', () => {
  it.each([
    ['send', '-t'],
    ['run', '-'],
    ['run', '-', '--json', '-p', 'body'],
  ])('is shown without its control characters: %s %s %s', async (...words) => {
    const peer = await startPeer(
      answering('HTTP/1.1 200 OK\r\nContent-Encoding: \x1b[31m\r\nContent-Length: 1\r\n\r\nx'),
    )
    const text = `GET ${peer.origin}/\n`
    const { stderr } = await runCommand(words.includes('-t') ? [...words, text] : words, { stdin: text })
    expect(stderr.toString()).toContain('unknown content coding "\\x1B[31m": the body is shown as received\n')
    expect(stderr.toString()).not.toContain('\x1b')
  })
})

describe('a proxy that asks for credentials', () => {
  it('is named when it responds instead of the server', async () => {
    const peer = await startPeer(answering('HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n'))
    const { code, out, err } = await send(['-t', 'GET http://a.test/', '--proxy', peer.origin])
    expect([code, out]).toEqual([0, 'HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n'])
    expect(err).toBe(
      `note: the proxy 127.0.0.1:${peer.port} answered, not the server. Give user and password in the URL of the proxy: http://user:password@host:port\n`,
    )
  })

  it('is named when it rejects them', async () => {
    const peer = await startPeer(
      answering('HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm="a"\r\nContent-Length: 0\r\n\r\n'),
    )
    const proxy = peer.origin.replace('//', '//joe:no@')
    const { err } = await send(['-t', 'GET http://a.test/', '--proxy', proxy])
    expect(err).toBe(
      `note: the proxy 127.0.0.1:${peer.port} answered, not the server. Check user and password in the URL of the proxy\n`,
    )
  })

  it('is not suspected when the server responds', async () => {
    const peer = await startPeer(answering('HTTP/1.1 407 Odd\r\nContent-Length: 0\r\n\r\n'))
    expect((await send(['-t', `GET ${peer.origin}/`])).err).toBe('')
  })
})

it('a binary head is written to a file byte for byte', async () => {
  const head = Buffer.from('HTTP/1.1 200 OK\r\nX: \xe9\x80\r\nContent-Length: 0\r\n\r\n', 'latin1')
  const peer = await startPeer(answering(head))
  const { stdout } = await runCommand(['send', '-t', `GET ${peer.origin}/`])
  expect(stdout.equals(head)).toBe(true)
})
