/**
 * Answers as long as the limits allow, made to take as long as possible to read: they cost `send` and `run` little more
 * than harmless answers of the same length.
 *
 * Rules: time is what the process spends on the CPU, judged against a harmless answer of the same length in several
 * rounds of which the best counts: other work on the machine only ever adds time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtCommand, commandEnvironment } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { listening, onHead } from '../wire/peer.ts'

const FIELD_CHARACTERS = 60_000
const ROUNDS = 3
/** Exit codes: the answer is read, or it is refused as an invalid response. */
const READ = 0
const REFUSED = 4

const repeat = (unit: string, length = FIELD_CHARACTERS): string => unit.repeat(Math.floor(length / unit.length))
const answer = (fields: string, body = 'ok', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`
const chunked = (chunks: string, type = 'text/plain'): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
const field = (name: string, value: string): string => answer(`${name}: ${value}\r\n`)

type Row = readonly [name: string, text: string, codes: readonly number[], options?: readonly string[]]

const rows: readonly Row[] = [
  ['a field of blanks', field('A', `a${repeat(' ')}b`), [READ]],
  ['a field of quotes', field('A', repeat('"\\')), [READ]],
  ['folded lines', answer(`A: b\r\n${repeat(' c\r\n')}`), [READ]],
  ['interim answers', `${repeat('HTTP/1.1 100 Continue\r\n\r\n')}${answer('')}`, [READ, REFUSED]],
  ['Set-Cookie fields', answer('Set-Cookie: a=b; Path=/\r\n'.repeat(150)), [READ]],
  ['a Set-Cookie field of blanks', field('Set-Cookie', `a=b; Expires=${repeat(' ')}x`), [READ]],
  ['a Content-Type', field('Content-Type', `text/html; ${repeat('a="\\";')}`), [READ]],
  ['a Content-Type of blanks', field('Content-Type', `text/html;${repeat(' ')}charset`), [READ]],
  ['a challenge', answer(`WWW-Authenticate: Digest realm="${repeat('\\"')}\r\n`, 'ok', '401 Unauthorized'), [READ]],
  ['a redirect', answer(`Location: /${repeat('/../')}\r\n`, '', '302 Found'), [REFUSED], ['--follow']],
  ['chunk extensions', chunked(`1;${repeat('a="b";', 10_000)}a\r\nx\r\n`), [READ, REFUSED]],
  ['chunks of one byte', chunked(repeat('1\r\nx\r\n', 100_000)), [READ]],
  [
    'a stream of short lines',
    chunked(`${(100_000).toString(16)}\r\n${'a\n'.repeat(50_000)}\r\n`, 'text/event-stream'),
    [READ],
  ],
]

interface Outcome {
  readonly code: number
  readonly cpuMs: number
  readonly stderr: string
}

/** User and system time of the process as its parent counts it, in ticks of 10 ms. */
async function spend(words: readonly string[], cwd: string): Promise<Outcome> {
  const other = process.env.HTTPCLI_COMMAND
  const command = other === undefined ? [process.execPath, builtCommand] : [other]
  const line = ['-c', 'set +e; "$@" > out 2> err; echo $?; times', 'sh', ...command, ...words]
  const child = spawn('bash', line, { cwd, env: commandEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString()
  })
  await once(child, 'close')
  const [code, , children = ''] = text.trim().split('\n')
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + Number(m) * 60 + Number(s),
    0,
  )
  return { code: Number(code), cpuMs: seconds * 1000, stderr: readFileSync(join(cwd, 'err'), 'utf8') }
}

const start = (text: string): Promise<number> =>
  listening(
    createServer({ allowHalfOpen: true }, (socket: Socket) => {
      socket.on('error', () => undefined)
      onHead(() => socket.end(Buffer.from(text, 'latin1')))(socket)
    }),
  )

describe.each(['send', 'run'] as const)('%s', (command) => {
  it.each(rows.map((row) => [row[0], row] as const))(
    'takes little longer for %s than for a harmless body of that length',
    async (_name, [, text, codes, options = []]) => {
      const cwd = temporaryDirectory()
      writeFileSync(join(cwd, '.git'), '')
      const harmless = answer('', 'a'.repeat(text.length))
      const ports = [await start(harmless), await start(text)] as const
      const measure = (port: number): Promise<Outcome> => {
        writeFileSync(join(cwd, 'a.http'), `GET http://127.0.0.1:${port}/\nAuthorization: Digest a b\n`)
        return spend(
          command === 'run' ? ['run', 'a.http'] : ['send', '-t', `GET http://127.0.0.1:${port}/`, ...options],
          cwd,
        )
      }
      // Each round is judged by itself: a busy machine slows both of its measurements.
      const rounds: { readonly quietMs: number; readonly attackedMs: number }[] = []
      const isHeld = (): boolean => rounds.some(({ quietMs, attackedMs }) => attackedMs < 3 * quietMs + 200)
      while (rounds.length < ROUNDS && !isHeld()) {
        const { cpuMs: quietMs } = await measure(ports[0])
        const { code, cpuMs: attackedMs, stderr } = await measure(ports[1])
        expect([code, stderr], stderr).toEqual([
          expect.toSatisfy((found: number) => codes.includes(found)),
          expect.not.stringContaining('internal error'),
        ])
        rounds.push({ quietMs, attackedMs })
      }
      expect(isHeld(), JSON.stringify(rounds)).toBe(true)
    },
    120_000,
  )
})
