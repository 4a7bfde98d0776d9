/**
 * The parts of a response that `run` shows besides its head and content, as `send` does: repairs, trailers, the answer
 * of a proxy.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'

async function run(
  origin: string,
  words: readonly string[] = [],
  text = `GET ${origin}/`,
): Promise<readonly [code: number | null, out: string, err: string]> {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'api.http'), `# @name first\n${text}\n`)
  const { code, stdout, stderr } = await runCommand(['run', 'api.http', '--quiet', ...words], { cwd })
  return [code, stdout.toString(), stderr.toString()]
}

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 7\r\n\r\n'

it('trailers follow the body', async () => {
  const peer = await startPeer(answering(chunked))
  const [code, out] = await run(peer.origin)
  expect([code, out]).toEqual([0, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\nX-Sum: 7\r\n'])
})

it('trailers are not printed with -p body', async () => {
  const peer = await startPeer(answering(chunked))
  expect((await run(peer.origin, ['-p', 'body']))[1]).toBe('hello')
})

it('a response that is stopped before its end has no statistics', async () => {
  const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n'))
  const text = `GET ${peer.origin}/\n\n> {%\n  response.body.onEachLine((line, unsubscribe) => unsubscribe())\n%}`
  expect((await run(peer.origin, [], text))[0]).toBe(0)
})

it.each<[words: readonly string[]]>([[[]], [['-p', 'body']], [['-p', 'status']]])(
  'each repair is one warning that names the rule and the request: %j',
  async (words) => {
    const peer = await startPeer(
      answering('HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi'),
    )
    const [code, , err] = await run(peer.origin, words)
    expect(code).toBe(0)
    expect(err.split('\n').toSorted()).toEqual([
      '',
      'warning: api.http:2: line 3 of the response: the folded line was joined with the one before by a space (RFC 9112 section 5.2)',
      'warning: api.http:2: line 5 of the response: the same Content-Length more than once was read as one (RFC 9110 section 8.6)',
    ])
  },
)

it('of thousands of repairs, only the first are listed, and the others counted', async () => {
  const peer = await startPeer(
    answering(`HTTP/1.1 200 OK\r\nX: a\r\n${' b\r\n'.repeat(3000)}Content-Length: 2\r\n\r\nhi`),
  )
  const lines = (await run(peer.origin))[2].trimEnd().split('\n')
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toBe('warning: api.http:2: 2980 more repairs of this response are not listed')
})

it('a repair in trailers is reported, too', async () => {
  const peer = await startPeer(answering(chunked.replace('X-Sum: 7\r\n', 'X-Sum: 7\r\n  8\r\n')))
  const [code, out, err] = await run(peer.origin)
  expect(code).toBe(0)
  expect(out).toMatch(/\r\n\r\nhello\nX-Sum: 7 8\r\n$/)
  expect(err).toMatch(/^warning: api\.http:2: line \d+ of the response: the folded line [^\n]+\n$/)
})

it('--json and the JSON report have repairs and trailers', async () => {
  const peer = await startPeer(answering(chunked.replace('X-Sum: 7\r\n', 'X-Sum: 7\r\n  8\r\n')))
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'api.http'), `GET ${peer.origin}/\n`)
  const words = ['run', 'api.http', '--json', '-p', 'body', '--report', 'json=report.json']
  const { stdout } = await runCommand(words, { cwd })
  const events = stdout.toString().trimEnd().split('\n')
  const done = events.map((line) => JSON.parse(line)).find(({ type }) => type === 'response-done')
  const expected = {
    repairs: [{ code: 'obs-fold', line: 8, message: expect.any(String), rule: 'RFC 9112 section 5.2' }],
    trailers: [['X-Sum', '7 8']],
  }
  expect(done).toMatchObject(expected)
  const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
  expect(report.jobs[0].requests[0].exchanges[0].response).toMatchObject(expected)
})

it('a proxy that responds instead of the server is named', async () => {
  const peer = await startPeer(answering('HTTP/1.1 407 Odd\r\nContent-Length: 0\r\n\r\n'))
  const [code, , err] = await run('http://shop.example', ['--proxy', peer.origin])
  expect([code, err]).toEqual([
    0,
    `note: api.http:2: the proxy ${new URL(peer.origin).host} answered, not the server. Give user and password in the URL of the proxy: http://user:password@host:port\n`,
  ])
})

it.each<[words: readonly string[], pattern: RegExp]>([
  [['--json'], /"type":"response-done".*"excessBytes":5/],
  [['--report', 'json=-'], /"excessBytes": 5/],
])('bytes after the end of the response are counted for programs: %j', async (words, pattern) => {
  const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiXXXXX'))
  const [code, out] = await run(peer.origin, words)
  expect(code).toBe(0)
  expect(out).toMatch(pattern)
})
