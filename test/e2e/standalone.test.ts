/**
 * The stand-alone executable needs only itself.
 *
 * Rules: only where it is what is tested (HTTPCLI_COMMAND). It runs in an empty directory, with an empty environment.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { commandLine, isStandalone } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, onHead, startPeer } from '../wire/peer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const keystore = fileURLToPath(new URL('../keystore/files/openssl.p12', import.meta.url))
const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n'

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(program: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const [file, ...words] = program
  const child = spawn(file!, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const pieces = { out: [] as Buffer[], err: [] as Buffer[] }
  child.stdout.on('data', (bytes: Buffer) => pieces.out.push(bytes))
  child.stderr.on('data', (bytes: Buffer) => pieces.err.push(bytes))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out: Buffer.concat(pieces.out).toString(), err: Buffer.concat(pieces.err).toString() }
}

const requestFile = (origin: string): string =>
  [
    `### {{$random.email}}\nGET ${origin}/\n`,
    "> {% client.test('is seven', () => client.assert(Math.max(response.body.id, 0) === 7)) %}\n",
  ].join('\n')

describe.runIf(isStandalone)('the stand-alone executable', () => {
  const [executable] = commandLine()

  it('reports its version, runtime and distribution', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const { out } = await run([executable, '--version'], root)
    expect(out).toMatch(
      new RegExp(`^httpcli ${version.replaceAll('.', '\\.')} \\(bun v[\\d.]+, stand-alone executable\\)\n$`),
    )
  })

  it('runs in an empty directory with an empty environment, script engine included', async () => {
    const directory = temporaryDirectory()
    const peer = await startPeer(answering(head, '{"id":7}'))
    const sent = await run([executable, 'send', '-t', `GET ${peer.origin}/`, '-p', 'body'], directory)
    expect(sent).toEqual({ code: 0, out: '{"id":7}', err: '' })
    const file = join(directory, 'a.http')
    writeFileSync(file, requestFile(peer.origin))
    const ran = await run([executable, 'run', file], directory)
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(ran.out).toContain('passed  is seven\n')
  })

  it('never treats a response ended by a reset as complete, even if a write fails by the reset', async () => {
    const directory = temporaryDirectory()
    const peer = await startPeer(
      onHead((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\npart', () => socket.resetAndDestroy())),
    )
    const words = ['send', '-t', `POST ${peer.origin}/\r\nContent-Length: 5\r\n\r\nhello`]
    const codes: (number | null)[] = []
    // The reset comes before the second write in two of three runs.
    for (let count = 0; count < 12; count++) codes.push((await run([executable, ...words], directory)).code)
    expect(new Set(codes)).toEqual(new Set([4]))
  })

  it('takes no settings of its runtime from the directory that it runs in', async () => {
    const directory = temporaryDirectory()
    const peer = await startPeer(answering(head, '{"id":7}'))
    writeFileSync(join(directory, '.env'), 'HTTP_PROXY=http://127.0.0.1:1\nhttp_proxy=http://127.0.0.1:1\n')
    writeFileSync(join(directory, 'bunfig.toml'), 'preload = ["./hostile.js"]\n')
    writeFileSync(join(directory, 'hostile.js'), 'console.log("hostile")\n')
    writeFileSync(join(directory, 'package.json'), '{ "type": "nonsense"')
    writeFileSync(join(directory, 'tsconfig.json'), '{ nonsense')
    const sent = await run([executable, 'send', '-t', `GET ${peer.origin}/`, '-p', 'body'], directory)
    expect(sent).toEqual({ code: 0, out: '{"id":7}', err: '' })
  })

  it.each([
    ['BUN_BE_BUN', '1'],
    ['BUN_OPTIONS', '--preload ./hostile.js'],
  ])('is not turned into its runtime by %s', async (name, value) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'hostile.js'), 'console.log("hostile")\n')
    const sent = await run([executable, 'send', '--offline', '-t', 'GET http://a/\n'], directory, { [name]: value })
    expect(sent).toEqual({ code: 0, out: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', err: '' })
  })

  const hasStrip = process.platform === 'linux' && spawnSync('strip', ['--version']).status === 0

  it.skipIf(!hasStrip).each(['--strip-all', '--strip-unneeded', '--strip-debug'])(
    'is intact after strip %s',
    async (option) => {
      const directory = temporaryDirectory()
      const stripped = join(directory, 'httpcli')
      expect(spawnSync('strip', [option, '-o', stripped, executable]).status).toBe(0)
      const sent = await run([stripped, 'send', '--offline', '-t', 'GET http://a/\n'], directory)
      rmSync(stripped)
      expect(sent).toEqual({ code: 0, out: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', err: '' })
    },
  )

  const hasStrace = spawnSync('strace', ['-V']).status === 0

  it.skipIf(!hasStrace)('opens no file of its build directory', async () => {
    const directory = temporaryDirectory()
    const peer = await startPeer(answering(head, '{"id":7}'))
    const file = join(directory, 'a.http')
    writeFileSync(file, requestFile(peer.origin))
    const trace = join(directory, 'trace')
    const strace = ['strace', '-f', '-e', 'trace=%file', '-o', trace]
    const traced: readonly (readonly [code: number, words: readonly string[]])[] = [
      [0, ['run', file, '-p', 'status', '--quiet']],
      [0, ['send', '-t', `GET ${peer.origin}/`]],
      [0, ['check', file]],
      [0, ['fmt', '--check', file]],
      [0, ['convert', '-t', `curl ${peer.origin}/ -d a=b`]],
      [0, ['convert', '--to', 'curl', file]],
      [0, ['help', 'run']],
      [0, ['completion', 'bash']],
      // The password is wrong, so that it ends.
      [4, ['serve', directory, '-p', '0', '-k', keystore, '-w', 'wrong']],
    ]
    for (const [code, words] of traced) {
      const ran = await run([...strace, executable, ...words], directory, { PATH: process.env.PATH })
      expect(ran.code, `${words.join(' ')}: ${ran.err}`).toBe(code)
      const outside = readFileSync(trace, 'utf8')
        .split('\n')
        .filter((line) => line.includes(root) || line.includes('node_modules'))
        .filter((line) => !line.includes(executable) && !line.includes(keystore))
      expect(outside, words.join(' ')).toEqual([])
    }
  })
})
