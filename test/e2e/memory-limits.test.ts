/** The command in a process with little memory: a script fails with the reason, the run continues. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'

const answer = answering('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok')

/** A script that the engine has to run, and a request that needs none. */
const requests = (port: number): string =>
  `GET http://127.0.0.1:${port}/\n
> {% client.test('each', () => client.assert(/1/.test('1'))) %}\n
###\nGET http://127.0.0.1:${port}/second\n`

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** @param limit as the shell sets it */
async function run(limit: string, words: readonly string[], file: string): Promise<Outcome> {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, '.git'))
  writeFileSync(join(directory, 'a.http'), file)
  const { code, stdout, stderr } = await runCommand([...words, 'a.http'], { cwd: directory, limits: limit })
  return { code, out: stdout.toString(), err: stderr.toString() }
}

/**
 * The runtime of the npm package reserves much address space for WebAssembly: it starts with less than its memory
 * takes.
 */
const addressSpaceKiB = [1_500_000, 3_000_000, 6_000_000]

/** With the least memory with which the runtime and its threads start, where it does not abort, and has no engine. */
async function runWithLittle(words: readonly string[], file: string): Promise<Outcome> {
  for (const limit of addressSpaceKiB) {
    const ran = await run(`ulimit -v ${limit}`, words, file)
    if (ran.code !== null && ran.out !== '') return ran
  }
  return expect.unreachable('the runtime did not start')
}

const reason = /the script engine cannot be started: .*allocate (?:Wasm )?memory/

describe.skipIf(isStandalone || platform() !== 'linux')('if the script engine gets no memory', () => {
  it.each([
    ['a run goes on', ['run', '-p', 'status'], '2 requests: 2 answered, 0 failed; 1 script failed'],
    [
      'jobs that run at a time fail alone',
      ['run', '-p', 'status', '--repeat', '3', '--parallel', '3'],
      '6 requests: 6 answered, 0 failed; 3 scripts failed',
    ],
  ])('%s', async (_title, words, sums) => {
    const { port } = await startPeer(answer)
    const { code, err } = await runWithLittle(words, requests(port))
    expect([code, err]).toEqual([5, expect.stringContaining(sums)])
    expect(err).toMatch(reason)
    expect(err).toContain('a.http:3:5')
  })

  it('check says which script it could not read', async () => {
    const { code, err } = await runWithLittle(['check'], requests(1))
    expect([code, err]).toEqual([5, expect.stringMatching(reason)])
  })
})

describe.skipIf(platform() !== 'linux')('a response that is larger than what a script may take', () => {
  const BODY_BYTES = 150_000_000

  it('fails the script and not the run, with a small heap too', async () => {
    const head = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`
    const { port } = await startPeer(answering(head, Buffer.alloc(BODY_BYTES, 'x')))
    const script = '> {% client.log(response.body.length); /1/.test("1") %}'
    const file = `GET http://127.0.0.1:${port}/\n\n${script}\n\n###\nGET http://127.0.0.1:${port}/second\n`
    const { code, err } = await run('export NODE_OPTIONS=--max-old-space-size=64', ['run', '-p', 'status'], file)
    expect(code).toBe(5)
    expect(err).toContain('2 requests: 2 answered, 0 failed; 1 script failed')
  })
})
