/** `send` around one exchange: Digest, cookies, retries, the limit for all of it, downloads. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, onHead, startPeer } from '../wire/peer.ts'
import { response, send } from './send-outcome.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const status = (line: string, ...headers: readonly string[]): string =>
  `HTTP/1.1 ${line}\r\n${headers.map((header) => `${header}\r\n`).join('')}Content-Length: 0\r\n\r\n`

const part = (from: number, text: string, total: number): string =>
  `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes ${from}-${total - 1}/${total}\r\nContent-Length: ${text.length}\r\n\r\n${text}`

describe('Digest', () => {
  const challenge = status('401 Unauthorized', 'WWW-Authenticate: Digest realm="r", nonce="n1", qop="auth"')

  it.each([
    ['-u with --digest', ['-u', 'joe:pw', '--digest'], ''],
    ['the short form of request files', [], '\nAuthorization: Digest joe pw'],
  ])('by %s answers the challenge', async (_title, words, field) => {
    const peer = await startPeer(
      onHead((socket, text) => socket.end(/authorization/i.test(text) ? response : challenge)),
    )
    const { code, out } = await send(['-t', `GET ${peer.origin}/x${field}`, ...words])
    expect([code, out]).toEqual([0, response])
    expect(peer.received).toHaveLength(2)
    const [, cnonce, answer] = /cnonce="([^"]+)".*response="([0-9a-f]{32})"/.exec(peer.received[1] as string) ?? []
    const expected = md5(`${md5('joe:r:pw')}:n1:00000001:${cnonce}:auth:${md5('GET:/x')}`)
    expect(answer).toBe(expected)
  })

  describe('shows both requests and the challenge', () => {
    const words = ['-u', 'joe:pw', '--digest']
    const startServer = () =>
      startPeer(onHead((socket, text) => socket.end(/authorization/i.test(text) ? response : challenge)))

    it('with -l', async () => {
      const peer = await startServer()
      const { out } = await send(['-t', `GET ${peer.origin}/`, ...words, '-l'])
      expect(out).toBe(`${peer.received[0]}${challenge}${peer.received[1]}${response}`)
    })

    it('with --verbose', async () => {
      const peer = await startServer()
      const { err } = await send(['-t', `GET ${peer.origin}/`, ...words, '--verbose'])
      const steps = err.split('\n').filter((line) => /^[<>] (?:GET|HTTP)|^\* (?:connected|sent again)/.test(line))
      expect(steps).toEqual([
        expect.stringMatching(/^\* connected to 127\.0\.0\.1/),
        '> GET / HTTP/1.1',
        '< HTTP/1.1 401 Unauthorized',
        '* sent again with an answer to the challenge',
        expect.stringMatching(/^\* connected to 127\.0\.0\.1/),
      ])
    })

    it('with --json, which has the final request', async () => {
      const peer = await startServer()
      const { out } = await send(['-t', `GET ${peer.origin}/`, ...words, '--json'])
      expect(JSON.parse(out).request.head).toBe(peer.received[1])
    })
  })

  describe('with a body', () => {
    const digest = ['-u', 'joe:pw', '--digest', '-p', 'status']
    const bodies = (received: readonly string[]): readonly (string | undefined)[] =>
      received.map((text) => text.split('\r\n\r\n')[1])

    it('sends it only with the credentials', async () => {
      const peer = await startPeer((socket) => {
        let text = ''
        socket.on('data', (bytes: Buffer) => {
          text += bytes.toString('latin1')
          if (text.endsWith('text')) socket.end(response)
          else if (text.endsWith('\r\n\r\n') && !/authorization/i.test(text)) socket.end(challenge)
        })
      })
      const { code, out } = await send(['POST', peer.origin, '-b', 'text', 'Expect:100-continue', ...digest])
      expect([code, out, bodies(peer.received)]).toEqual([0, 'HTTP/1.1 200 OK\n', ['', 'text']])
      expect(peer.received[0]).toContain('Content-Length: 0\r\n')
      expect(peer.received[0]).not.toContain('Expect')
    })

    it('reads one from a pipe only once', async () => {
      const peer = await startPeer(
        onHead((socket, text) => socket.end(/authorization/i.test(text) ? response : challenge)),
      )
      const input = 'x'.repeat(400_000)
      const { code, out } = await send(['POST', peer.origin, '-g', '-', ...digest], { stdin: input })
      expect([code, out]).toEqual([0, 'HTTP/1.1 200 OK\n'])
      expect(bodies(peer.received)[0]).toBe('')
    })

    it.each(['200 OK', '404 Not Found', '307 Temporary Redirect'])('sends it after %s, too', async (line) => {
      const peer = await startPeer((socket) => {
        let text = ''
        socket.on('data', (bytes: Buffer) => {
          text += bytes.toString('latin1')
          if (text.endsWith(text.includes('Content-Length: 0') ? '\r\n\r\n' : 'text')) socket.end(status(line))
        })
      })
      const { code, out } = await send(['PUT', peer.origin, '-b', 'text', ...digest])
      expect([code, out, bodies(peer.received)]).toEqual([0, `HTTP/1.1 ${line}\n`, ['', 'text']])
    })

    it('does not send it for another kind of challenge', async () => {
      const peer = await startPeer(answering(status('401 Unauthorized', 'WWW-Authenticate: Basic realm="r"')))
      const { code, out } = await send(['POST', peer.origin, '-b', 'text', ...digest])
      expect([code, out, bodies(peer.received)]).toEqual([0, 'HTTP/1.1 401 Unauthorized\n', ['']])
    })
  })

  it('with a wrong password ends with the second 401', async () => {
    const peer = await startPeer(answering(challenge))
    const { code, out } = await send(['-t', `GET ${peer.origin}/`, '-u', 'joe:no', '--digest', '-p', 'status'])
    expect([code, out, peer.received.length]).toEqual([0, 'HTTP/1.1 401 Unauthorized\n', 2])
  })
})

describe('a cookie jar', () => {
  it('keeps cookies that a server sets, even on redirects', async () => {
    const directory = temporaryDirectory()
    const peer = await startPeer(
      onHead((socket, text) =>
        socket.end(
          text.startsWith('GET /in') ? status('302 Found', 'Location: /home', 'Set-Cookie: sid=1; Path=/') : response,
        ),
      ),
    )
    const first = await send(['-t', `GET ${peer.origin}/in`, '-c', 'jar.txt', '--follow'], { cwd: directory })
    expect([first.code, first.err]).toEqual([0, ''])
    expect(peer.received[1]).toContain('Cookie: sid=1\r\n')
    expect(readFileSync(join(directory, 'jar.txt'), 'utf8')).toContain('\tsid\t1')
    await send(['-t', `GET ${peer.origin}/again\nCookie: a=b`, '-c', 'jar.txt'], { cwd: directory })
    expect(peer.received[2]).toContain('Cookie: sid=1; a=b\r\n')
  })

  it('that is invalid is an error, and nothing is sent', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'jar.txt'), 'no jar at all')
    const peer = await startPeer(answering(response))
    const { code, err } = await send(['-t', `GET ${peer.origin}/`, '-c', 'jar.txt'], { cwd: directory })
    expect([code, peer.received]).toEqual([2, []])
    expect(err).toContain('jar.txt:1:1')
    expect(readFileSync(join(directory, 'jar.txt'), 'utf8')).toBe('no jar at all')
  })
})

describe('--retry', () => {
  const words = ['--retry', '2', '--retry-interval', '1ms', '-p', 'status']

  it('ends with the response if the body can be read only once', async () => {
    const peer = await startPeer(onHead((socket) => socket.end(status('503 Service Unavailable'))))
    const stdin = 'x'.repeat(300_000)
    const { code, out, err } = await send(['POST', `${peer.origin}/`, '-g', '-', ...words], { stdin })
    expect([code, out]).toEqual([0, 'HTTP/1.1 503 Service Unavailable\n'])
    expect(err).toMatch(/\nnote: not retried: the body comes from a pipe, which can be read only once\n$/)
  })

  it('retries after a temporary status and after a lost connection', async () => {
    let count = 0
    const peer = await startPeer(
      onHead((socket) => {
        count++
        if (count === 1) socket.end(status('503 Service Unavailable', 'Retry-After: 0'))
        else if (count === 2) socket.destroy()
        else socket.end(response)
      }),
    )
    const { code, out, err } = await send(['-t', `POST ${peer.origin}/\n\nbody`, ...words])
    expect([code, out, count]).toEqual([0, 'HTTP/1.1 200 OK\n', 3])
    expect(err).toMatch(/^note: the status is 503; retrying in 0\.001 s \(2 tries left\)\nnote: .*\(1 try left\)\n$/)
  })

  describe('after a body that breaks off', () => {
    const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel'
    const answers = (...all: readonly string[]) => {
      let count = 0
      return startPeer(onHead((socket) => socket.end(all[Math.min(count++, all.length - 1)] as string)))
    }

    it.each<[words: readonly string[], answers: readonly string[], ranges: readonly (string | undefined)[]]>([
      [
        ['-o', 'a.txt'],
        [cut, cut, response],
        [undefined, undefined, undefined],
      ],
      [
        ['-O', '--keep-partial'],
        [cut, response],
        [undefined, undefined],
      ],
      [
        ['-O', '--continue'],
        [cut, part(3, 'lo', 5).slice(0, -1), part(4, 'o', 5)],
        [undefined, '3-', '4-'],
      ],
      [
        ['-O', '--continue'],
        [cut, response],
        [undefined, '3-'],
      ],
    ])('repeats a download with %j', async (options, sent, ranges) => {
      const directory = temporaryDirectory()
      const peer = await answers(...sent)
      const { code, out, err } = await send([`${peer.origin}/a.txt`, ...options, ...words], { cwd: directory })
      expect([code, readdirSync(directory)]).toEqual([0, ['a.txt']])
      expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('hello')
      expect(peer.received.map((text) => /^Range: bytes=(.*)\r$/m.exec(text)?.[1])).toEqual(ranges)
      expect(out.split('\n')).toHaveLength(sent.length + 1)
      const note = /^note: 127.* closed the connection .*; retrying in 0\.001 s \(2 tries left\)\n/
      expect(err).toMatch(note)
    })

    it('has one report with --json', async () => {
      const peer = await answers(cut, response)
      const options = ['-o', 'a.txt', '--json', ...words.slice(0, -2)]
      const { code, out } = await send([`${peer.origin}/a.txt`, ...options], { cwd: temporaryDirectory() })
      expect([code, JSON.parse(out).error]).toEqual([0, undefined])
    })

    it('fails after the last try, and keeps the file', async () => {
      const directory = temporaryDirectory()
      writeFileSync(join(directory, 'a.txt'), 'old')
      const peer = await answers(cut)
      const { code, err } = await send([`${peer.origin}/a.txt`, '-O', ...words], { cwd: directory })
      expect([code, peer.received.length]).toEqual([4, 3])
      expect(err.trimEnd().split('\n')).toHaveLength(3)
      expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('old')
    })

    it.each<[title: string, options: readonly string[], answer: string]>([
      ['is on standard output', [], cut],
      ['is on standard output, because --fail refuses it', ['-O', '--fail'], cut.replace('200 OK', '404 Not Found')],
    ])('does not repeat one that %s', async (_title, options, answer) => {
      const peer = await answers(answer)
      const directory = temporaryDirectory()
      const { code, err } = await send([`${peer.origin}/a.txt`, ...options, ...words.slice(0, -2)], { cwd: directory })
      expect([code, peer.received.length]).toEqual([4, 1])
      expect(err).not.toContain('retrying')
    })

    it('ends with its failure if the body of the request can be read only once', async () => {
      const peer = await answers(cut)
      const options = ['-g', '-', '-o', 'a.txt', ...words]
      const stdin = 'x'.repeat(300_000)
      const { code, err } = await send(['POST', `${peer.origin}/`, ...options], { stdin, cwd: temporaryDirectory() })
      expect([code, err]).toEqual([
        4,
        expect.stringMatching(/retrying[\s\S]*closed the connection before the response/),
      ])
    })
  })

  it('ends with the last response', async () => {
    const peer = await startPeer(answering(status('503 Service Unavailable')))
    const { code, out } = await send(['-t', `GET ${peer.origin}/`, ...words, '--fail'])
    expect([code, out, peer.received.length]).toEqual([5, 'HTTP/1.1 503 Service Unavailable\n', 3])
  })

  it.each(['404 Not Found', '200 OK'])('sends once for %s', async (line) => {
    const peer = await startPeer(answering(status(line)))
    await send(['-t', `GET ${peer.origin}/`, ...words])
    expect(peer.received).toHaveLength(1)
  })

  it('does not wait for hours', async () => {
    const peer = await startPeer(answering(status('429 Too Many Requests', 'Retry-After: 7200')))
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`, ...words])
    expect([code, out, peer.received.length]).toEqual([0, 'HTTP/1.1 429 Too Many Requests\n', 1])
    expect(err).toBe('note: not retried: the status is 429, and Retry-After asks for a wait of 7200 s\n')
  })

  it('waits as long as the user says', async () => {
    const peer = await startPeer(answering(status('503 Service Unavailable')))
    const wait = ['--retry', '1', '--retry-interval', '3m', '--max-time', '0.5']
    const { code, err } = await send(['-t', `GET ${peer.origin}/`, ...wait])
    expect([code, err]).toEqual([4, expect.stringContaining('retrying in 180 s')])
  })

  it.each(['x', '-1', '1.5'])('refuses %s as a count', async (count) => {
    const { code, err } = await send(['-t', 'GET http://127.0.0.1:1/', '--retry', count])
    expect([code, err]).toEqual([1, expect.stringContaining(`invalid --retry "${count}": expected a number`)])
  })
})

describe('--max-time', () => {
  it('ends a longer transfer, even while a body trickles', async () => {
    const peer = await startPeer(
      onHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
        const timer = setInterval(() => socket.write('x'), 20)
        socket.on('close', () => clearInterval(timer))
      }),
    )
    const { code, err } = await send(['-t', `GET ${peer.origin}/`, '--max-time', '0.5', '-p', 'body'])
    expect([code, err]).toEqual([4, expect.stringContaining('not done within 0.5 s')])
  })

  it('ends the wait for another attempt', async () => {
    const { code, err } = await send([
      ...['-t', 'GET http://127.0.0.1:1/', '--retry', '3', '--retry-interval', '60s', '--max-time', '0.5'],
    ])
    expect([code, err]).toEqual([4, expect.stringContaining('not done within 0.5 s')])
  })
})

describe('downloads', () => {
  it('-O uses the last path segment of the URL', async () => {
    const directory = temporaryDirectory()
    const peer = await startPeer(answering(response))
    const { code } = await send(['-t', `GET ${peer.origin}/a/b%20c.txt?x=/d`, '-O'], { cwd: directory })
    expect([code, readFileSync(join(directory, 'b c.txt'), 'utf8')]).toEqual([0, 'hello'])
  })

  it.each(['/', '/a/', '/..%2Fa', '/%2e%2e', '/a%00'])('-O refuses %s', async (path) => {
    const { code, err } = await send(['-t', `GET http://127.0.0.1:1${path}`, '-O'])
    expect([code, err]).toEqual([1, expect.stringContaining('does not end in a file name')])
  })

  it.each([
    ['what the file lacks', part(5, ' world', 11), 0, 'hello world'],
    ['all of it from a server without ranges', status('200 OK').replace('0\r\n\r\n', '3\r\n\r\nnew'), 0, 'new'],
    ['nothing where it is complete', status('416 Range Not Satisfiable', 'Content-Range: bytes */5'), 0, 'hello'],
    ['nothing where the server does not say whether it is', status('416 Range Not Satisfiable'), 4, 'hello'],
    ['another part', part(3, 'lo', 5), 4, 'hello'],
    [
      'a part that ends early, and reports that',
      part(5, ' world', 11).replace('5-10/11', '5-10/100'),
      4,
      'hello world',
    ],
    ['a part that is shorter than announced', part(5, ' wor', 11), 4, 'hello wor'],
    ['a part of unknown size', part(5, ' world', 11).replace('/11', '/*'), 0, 'hello world'],
    ['less than the file has, and keeps the file', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnew', 4, 'hello'],
    ['more than the file has', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnewer one', 0, 'newer one'],
    ['an error', status('404 Not Found'), 4, 'hello'],
    ['a response that is not the file', status('202 Accepted'), 4, 'hello'],
    ['a response without content', 'HTTP/1.1 204 No Content\r\n\r\n', 4, 'hello'],
  ])('--continue downloads %s', async (_title, answer, exit, content) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.txt'), 'hello')
    const peer = await startPeer(answering(answer))
    const { code } = await send(['-t', `GET ${peer.origin}/a.txt`, '-O', '--continue'], { cwd: directory })
    expect([code, readFileSync(join(directory, 'a.txt'), 'utf8')]).toEqual([exit, content])
    expect(peer.received[0]).toContain('Range: bytes=5-\r\n')
  })

  it.each([
    [status('302 Found', 'Location: /b'), /the server answered 302 .* Add --follow\./],
    [status('404 Not Found'), /the server answered 404 .* Check the request\./],
    [status('503 Busy'), /the server answered 503 .* Repeat the command later\./],
    [part(3, 'lo', 5), /the server answered 206 .* Download all of it without --continue\./],
  ])('--continue says what to do after %j', async (answer, message) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.txt'), 'hello')
    const peer = await startPeer(answering(answer))
    const { err } = await send(['-t', `GET ${peer.origin}/`, '-o', 'a.txt', '--continue'], { cwd: directory })
    expect(err).toMatch(message)
  })

  it.each([
    ['changed since', 10, undefined, 4, 'hello'],
    ['is older', -10, undefined, 0, 'hello world'],
    ['is older by the clock of a server that is fast', 3590, 3600, 0, 'hello world'],
    ['changed since by the clock of a server that is slow', -3590, -3600, 4, 'hello'],
  ])('--continue when the file on the server %s', async (_title, modified, clock, exit, content) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.txt'), 'hello')
    const date = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()
    const fields = [
      `Last-Modified: ${date(modified)}`,
      ...(clock === undefined ? [] : [`Date: ${date(clock)}`]),
      'Content-Range',
    ].join('\r\n')
    const peer = await startPeer(answering(part(5, ' world', 11).replace('Content-Range', fields)))
    const { code, err } = await send(['-t', `GET ${peer.origin}/a.txt`, '-O', '--continue'], { cwd: directory })
    expect([code, readFileSync(join(directory, 'a.txt'), 'utf8')]).toEqual([exit, content])
    if (exit === 0) return
    expect(err).toContain('the file on the server has changed since')
    expect(err).toContain("or if the file only grew, append the rest: -H 'Range: bytes=5-' -p body >> a.txt")
  })

  it('--continue keeps the received part, and resumes from there', async () => {
    const directory = temporaryDirectory()
    const peer = await startPeer(
      onHead((socket, text) => {
        if (/^range/im.test(text)) socket.end(part(3, 'lo', 5))
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel')
      }),
    )
    const words = ['-t', `GET ${peer.origin}/a.txt`, '-o', 'a.txt', '--continue']
    expect((await send(words, { cwd: directory })).code).toBe(4)
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('hel')
    expect((await send(words, { cwd: directory })).code).toBe(0)
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('hello')
  })

  it('--continue does not replace the Range of the request', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.txt'), 'hello')
    const words = ['http://127.0.0.1:1/a.txt', 'Range:bytes=20-30', '-O', '--continue']
    const { code, err } = await send(words, { cwd: directory })
    expect([code, err]).toEqual([1, expect.stringContaining('--continue sets Range, which the request already has')])
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('hello')
  })

  it('--continue without a file is a usage error', async () => {
    const { code, err } = await send(['-t', 'GET http://127.0.0.1:1/', '--continue'])
    expect([code, err]).toEqual([1, expect.stringContaining('--continue needs a file to keep')])
    expect(existsSync('undefined')).toBe(false)
  })
})
