import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine, isStandalone, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, closedPort, onHead, startPeer } from '../wire/peer.ts'
import { response, responseHead, send } from './send-outcome.ts'

describe('the body', () => {
  const text = 'some text that is long enough to be compressed, compressed, compressed\n'

  const hasZstd = isStandalone || 'zstd' in process.versions
  // One raw block (RFC 8878 section 3.1.1).
  const zstdFrame = (content: string): Buffer =>
    Buffer.concat([
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, content.length, (content.length << 3) | 1, content.length >> 5, 0),
      Buffer.from(content),
    ])
  const skippable = Buffer.from('502a4d1803000000010203', 'hex')
  const zstdRows: readonly [coding: string, encoded: Buffer][] = [
    ['zstd', zstdFrame(text)],
    ['zstd', Buffer.concat([skippable, zstdFrame(text.slice(0, 9)), zstdFrame(text.slice(9)), skippable])],
  ]

  it.each<[coding: string, encoded: Buffer]>([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ...(hasZstd ? zstdRows : []),
  ])('in %s is decoded for display, and not with --no-decode', async (coding, encoded) => {
    const fields = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${encoded.length}\r\n\r\n`
    const peer = await startPeer(answering(fields, encoded))
    expect((await send(['-t', `GET ${peer.origin}/`])).out).toBe(fields + text)
    const raw = await runCommand(['send', '-t', `GET ${peer.origin}/`, '--no-decode', '-p', 'body'])
    expect(raw.stdout.equals(encoded)).toBe(true)
  })

  it('in an unknown coding is shown undecoded, with a warning', async () => {
    const peer = await startPeer(
      answering('HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 5\r\n\r\nuryyb'),
    )
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`, '-p', 'body'])
    expect([code, out]).toEqual([0, 'uryyb'])
    expect(err).toMatch(/^warning: .*rot13/)
  })

  it('that is damaged exits with 4', async () => {
    const peer = await startPeer(
      answering('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain'),
    )
    const { code, err } = await send(['-t', `GET ${peer.origin}/`])
    expect(code).toBe(4)
    expect(err).toContain('gzip')
  })

  it.each([
    ['close', 'Transfer-Encoding: x-odd\r\n\r\nabc'],
    ['chunks', 'Transfer-Encoding: x-odd, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ])('with an unknown transfer coding is printed as received: %s', async (_title, answer) => {
    const peer = await startPeer(answering(`HTTP/1.1 200 OK\r\n${answer}`))
    const { code, stdout, stderr } = await runCommand(['send', '-t', `GET ${peer.origin}/`, '-p', 'body'])
    expect([code, stdout.toString()]).toEqual([0, 'abc'])
    expect(stderr.toString()).toBe('warning: unknown transfer coding "x-odd": the body is shown as received\n')
  })

  it('that is truncated is printed as far as received, then the error, exit 4', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'))
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`, '-p', 'all'])
    expect(code).toBe(4)
    expect(out).toMatch(/\r\n\r\nhello\n\n-{33}\nConnect time/)
    expect(err).toContain('5 bytes of the body had arrived')
  })

  it('that is truncated after one byte is reported in the singular', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nh'))
    expect((await send(['-t', `GET ${peer.origin}/`])).err).toContain('; 1 byte of the body had arrived')
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('in %s that is truncated is decoded as far as received, then the error, exit 4', async (coding, encode) => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `${(index * 7919) % 104_729}\n`).join('')
    const encoded = encode(lines)
    const fields = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${encoded.length}\r\n\r\n`
    const peer = await startPeer(answering(fields, encoded.subarray(0, encoded.length / 2)))
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`, '-p', 'body'])
    expect(code).toBe(4)
    expect(out.length).toBeGreaterThan(1000)
    expect(lines.startsWith(out)).toBe(true)
    expect(err).toContain(`${Math.floor(encoded.length / 2)} bytes of the body had arrived`)
  })

  it.skipIf(!hasZstd)('in zstd that ends within a frame is decoded, then the error, exit 4', async () => {
    const encoded = Buffer.concat([zstdFrame(text), zstdFrame(text).subarray(0, -3)])
    const fields = `HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: ${encoded.length}\r\n\r\n`
    const peer = await startPeer(answering(fields, encoded))
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`, '-p', 'body'])
    expect([code, out.slice(0, text.length)]).toEqual([4, text])
    expect(err).toContain('the zstd content is damaged or truncated')
  })

  it('does not follow a truncated head: the received part is printed', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-'))
    const { code, out } = await send(['-t', `GET ${peer.origin}/`])
    expect([code, out]).toEqual([4, 'HTTP/1.1 200 OK\r\nContent-'])
  })

  it('may be cut off by a reader that has seen enough: quietly, exit 0', async () => {
    let hasClosed = false
    const peer = await startPeer(
      onHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        const more = (): void => {
          while (socket.write(Buffer.alloc(65536, 'x')));
          socket.once('drain', more)
        }
        socket.on('close', () => {
          hasClosed = true
        })
        more()
      }),
    )
    const [program, ...words] = commandLine()
    const child = spawn(program, [...words, 'send', '-t', `GET ${peer.origin}/`, '-p', 'body'], {
      env: commandEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (bytes) => {
      errors += bytes
    })
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [code] = await once(child, 'close')
    expect([code, errors]).toEqual([0, ''])
    expect(hasClosed).toBe(true)
  })
})

describe('-o', () => {
  it('writes the body to the file and the rest to standard output', async () => {
    const cwd = temporaryDirectory()
    const peer = await startPeer(answering(response))
    const { code, out } = await send(['-t', `GET ${peer.origin}/`, '-o', 'out.txt'], { cwd })
    expect([code, out]).toEqual([0, responseHead])
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('hello')
    expect(readdirSync(cwd)).toEqual(['out.txt'])
  })

  const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'

  it('leaves the old file and nothing else when the download fails', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'out.txt'), 'old')
    const peer = await startPeer(answering(cut))
    expect((await send(['-t', `GET ${peer.origin}/`, '-o', 'out.txt'], { cwd })).code).toBe(4)
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('old')
    expect(readdirSync(cwd)).toEqual(['out.txt'])
  })

  it('leaves no file when the connection fails', async () => {
    const cwd = temporaryDirectory()
    expect((await send(['-t', `GET http://127.0.0.1:${await closedPort()}/`, '-o', 'out.txt'], { cwd })).code).toBe(4)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('keeps what arrived with --keep-partial', async () => {
    const cwd = temporaryDirectory()
    const peer = await startPeer(answering(cut))
    expect((await send(['-t', `GET ${peer.origin}/`, '-o', 'out.txt', '--keep-partial'], { cwd })).code).toBe(4)
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('hello')
  })

  const refused = 'HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nthere'

  it.each([
    ['a file that was there', 'old'],
    ['no file', undefined],
  ])('with --fail leaves %s unchanged when the status is refused', async (_title, old) => {
    const cwd = temporaryDirectory()
    if (old !== undefined) writeFileSync(join(cwd, 'out.txt'), old)
    const peer = await startPeer(answering(refused))
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`, '-o', 'out.txt', '--fail'], { cwd })
    expect([code, out]).toEqual([5, refused])
    expect(err).toBe('note: out.txt was not changed, because the status is 404\n')
    expect(readdirSync(cwd)).toEqual(old === undefined ? [] : ['out.txt'])
    if (old !== undefined) expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe(old)
  })

  it.each([[['--json']], [['-p', 'status']], [['--raw']]])('304 leaves the file unchanged: %j', async (options) => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'out.txt'), 'old')
    const peer = await startPeer(answering('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'))
    const text = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${peer.port}\r\nIf-None-Match: "a"\r\n\r\n`
    const { code, err } = await send(['-t', text, '-o', 'out.txt', ...options], { cwd })
    expect([code, err]).toEqual([0, 'note: out.txt was not changed, because the status is 304\n'])
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('old')
  })

  it('with --fail has a refused body in the JSON report', async () => {
    const cwd = temporaryDirectory()
    const peer = await startPeer(answering(refused))
    const { code, out } = await send(['-t', `GET ${peer.origin}/`, '-o', 'out.txt', '--fail', '--json'], { cwd })
    expect([code, JSON.parse(out).response.body]).toEqual([5, 'there'])
    expect(readdirSync(cwd)).toEqual([])
  })

  it('without --fail writes the body of any status', async () => {
    const cwd = temporaryDirectory()
    const peer = await startPeer(answering(refused))
    expect((await send(['-t', `GET ${peer.origin}/`, '-o', 'out.txt'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('there')
  })

  it('writes through a link and keeps the mode of the file', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'real.txt'), 'old')
    chmodSync(join(cwd, 'real.txt'), 0o600)
    symlinkSync('real.txt', join(cwd, 'link.txt'))
    const peer = await startPeer(answering(response))
    await send(['-t', `GET ${peer.origin}/`, '-o', 'link.txt'], { cwd })
    expect(readFileSync(join(cwd, 'real.txt'), 'utf8')).toBe('hello')
    expect(readdirSync(cwd).sort()).toEqual(['link.txt', 'real.txt'])
  })

  it('writes through a link that leads to no file yet', async () => {
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'directory'))
    symlinkSync('directory/link.txt', join(cwd, 'link.txt'))
    symlinkSync('real.txt', join(cwd, 'directory/link.txt'))
    const peer = await startPeer(answering(response))
    await send(['-t', `GET ${peer.origin}/`, '-o', 'link.txt'], { cwd })
    expect(readFileSync(join(cwd, 'directory/real.txt'), 'utf8')).toBe('hello')
    expect(lstatSync(join(cwd, 'link.txt')).isSymbolicLink()).toBe(true)
  })

  it('into circular links exits with 4', async () => {
    const cwd = temporaryDirectory()
    symlinkSync('b', join(cwd, 'a'))
    symlinkSync('a', join(cwd, 'b'))
    const peer = await startPeer(answering(response))
    const { code, err } = await send(['-t', `GET ${peer.origin}/`, '-o', 'a'], { cwd })
    expect([code, err]).toEqual([4, expect.stringContaining('too many symbolic links')])
    expect(peer.received).toEqual([])
  })

  it('does not replace a device', async () => {
    const peer = await startPeer(answering(response))
    expect((await send(['-t', `GET ${peer.origin}/`, '-o', '/dev/null'])).code).toBe(0)
    expect(existsSync('/dev/null')).toBe(true)
  })

  it.each([
    ['a directory', 'directory'],
    ['a path through nothing', 'none/out.txt'],
  ])('into %s exits with 4 before anything is sent', async (_title, path) => {
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'directory'))
    const peer = await startPeer(answering(response))
    const { code, err } = await send(['-t', `GET ${peer.origin}/`, '-o', path], { cwd })
    expect(code).toBe(4)
    expect(err).toContain(path)
    expect(peer.received).toEqual([])
  })
})

describe('an interrupted command', () => {
  it('exits with 130 and leaves no file', async () => {
    const cwd = temporaryDirectory()
    const peer = await startPeer(onHead((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhal')))
    const [program, ...words] = commandLine()
    const child = spawn(program, [...words, 'send', '-t', `GET ${peer.origin}/`, '-o', 'out.txt'], {
      cwd,
      env: commandEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    expect(code).toBe(130)
    expect(readdirSync(cwd)).toEqual([])
  })

  it.each<[option: string, words: readonly string[], files: readonly string[]]>([
    ['--retry', ['--retry', '3'], []],
    ['a cookie jar, which is saved', ['-c', 'jar'], ['jar']],
    ['--digest', ['-u', 'joe:pw', '--digest'], []],
  ])('exits at the first signal with %s', async (_option, words, files) => {
    for (const start of ['', 'HTTP/1.1 200 OK\r\n\r\nhal']) {
      const cwd = temporaryDirectory()
      const peer = await startPeer(onHead((socket) => socket.write(start)))
      const [program, ...first] = commandLine()
      const child = spawn(program, [...first, 'send', `${peer.origin}/`, ...words], {
        cwd,
        env: commandEnvironment(),
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      await (start === '' ? peer.waitFor(/GET [\s\S]*\r\n\r\n/) : once(child.stdout, 'data'))
      child.stdout.resume()
      child.kill('SIGINT')
      const [code] = await once(child, 'close')
      expect([code, readdirSync(cwd)]).toEqual([130, files])
    }
  })
})

describe('an interrupted command that read its request from standard input', () => {
  it.each<[title: string, words: readonly string[], rest: string]>([
    ['and waits for the response', [], ''],
    ['of --raw and waits for the response', ['--raw'], ''],
    [
      'and waits for more of the body, with -o',
      ['-o', 'out.txt'],
      `Content-Length: 1000000\r\n\r\n${'x'.repeat(300_000)}`,
    ],
  ])('%s exits with 130 at the first signal', async (_title, words, rest) => {
    const cwd = temporaryDirectory()
    const peer = await startPeer()
    const [program, ...first] = commandLine()
    const child = spawn(program, [...first, 'send', ...words], {
      cwd,
      env: commandEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin.write(`POST ${peer.origin}/ HTTP/1.1\r\nHost: a\r\n${rest === '' ? '\r\n' : rest}`)
    if (rest === '') child.stdin.end()
    await peer.waitFor(/POST [\s\S]*\r\n\r\n/)
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    expect(code).toBe(130)
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('--json with a response that ends early', () => {
  const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'

  it('has the received part, and the error', async () => {
    const peer = await startPeer(answering(cut))
    const { code, out, err } = await send(['-t', `GET ${peer.origin}/`, '--json'])
    expect(code).toBe(4)
    expect(err).toContain('5 bytes of the body had arrived')
    expect(JSON.parse(out)).toMatchObject({
      response: { status: 200, body: 'hello' },
      statistics: { bytesReceived: cut.length },
      error: { code: 'connection-cut-short', message: expect.stringContaining('5 bytes') },
    })
  })

  it.each<[words: readonly string[], name: string | undefined]>([
    [[], undefined],
    [['--keep-partial'], 'out.txt'],
  ])('names the file of -o if it was kept: %j', async (words, name) => {
    const cwd = temporaryDirectory()
    const peer = await startPeer(answering(cut))
    const { code, out } = await send(['-t', `GET ${peer.origin}/`, '--json', '-o', 'out.txt', ...words], { cwd })
    expect(code).toBe(4)
    expect(JSON.parse(out).response.bodyFile).toBe(name === undefined ? undefined : join(cwd, name))
    expect(readdirSync(cwd)).toEqual(name === undefined ? [] : [name])
  })
})
