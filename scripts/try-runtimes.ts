/**
 * Installs the package like a user and tries it on every supported runtime: the command, the library as ES modules and
 * as CommonJS on Node.js, the library on Bun and Deno.
 *
 * Rules: runtimes come from the npm registry and are installed in a temporary directory. Failures are reported with
 * their output, and the remaining runtimes are still tried. Build first.
 *
 * Run: npm run try:runtimes [-- <runtime>…], such as node@22, bun, deno; all of them without one
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BuildError, orReport } from './build-error.ts'

interface Runtime {
  readonly name: string
  /** The path of its executable in the directory where it is installed. */
  readonly executable: string
  /** Arguments before the name of a program. */
  readonly words: readonly string[]
  readonly isNode: boolean
}

const node = (major: number): Runtime => ({
  name: `node@${major}`,
  executable: 'node_modules/node/bin/node',
  words: [],
  isNode: true,
})

const runtimes: readonly Runtime[] = [
  ...[20, 22, 24, 26].map(node),
  { name: 'bun', executable: 'node_modules/bun/bin/bun.exe', words: [], isNode: false },
  { name: 'deno', executable: 'node_modules/deno/deno', words: ['run', '--allow-all'], isNode: false },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const inRepository = (...path: readonly string[]): string => join(root, ...path)

/** V8's message for a flag that this version does not have. */
const unknownSwitch = /unrecognized flag/

await orReport('try:runtimes', async () => {
  const names = process.argv.slice(2)
  const unknown = names.find((name) => !runtimes.some((runtime) => runtime.name === name))
  if (unknown !== undefined) {
    throw new BuildError(`unknown runtime "${unknown}", expected one of ${runtimes.map(({ name }) => name).join(', ')}`)
  }
  const work = mkdtempSync(join(tmpdir(), 'httpcli-runtimes-'))
  try {
    const project = installPackage(work)
    for (const runtime of runtimes) {
      if (names.length === 0 || names.includes(runtime.name)) tryRuntime(runtime, project, work)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

/** Creates an empty project that contains only the package. */
function installPackage(work: string): string {
  const packed = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', work], root)
  if (packed.status !== 0) throw new BuildError(`"npm pack" ended with ${packed.status}: ${packed.stderr}`)
  const project = join(work, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
  const words = ['install', '--offline', '--no-audit', '--no-fund', join(work, packed.stdout.trim())]
  const installed = run('npm', words, project)
  if (installed.status !== 0) throw new BuildError(`the package cannot be installed: ${installed.stderr}`)
  copyFileSync(inRepository('scripts', 'runtimes', 'library.mjs'), join(project, 'library.mjs'))
  writeFileSync(join(project, 'required.cjs'), "process.stdout.write(typeof require('httpcli').parseRequest)\n")
  return project
}

function tryRuntime(runtime: Runtime, project: string, work: string): void {
  const directory = join(work, runtime.name.replace('@', '-'))
  mkdirSync(directory)
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
  const fetched = run('npm', ['install', '--no-audit', '--no-fund', '--silent', runtime.name], directory)
  if (fetched.status !== 0) {
    report(runtime, 'cannot be fetched', fetched)
    return
  }
  const program = join(directory, runtime.executable)
  const start = (...words: readonly string[]): SpawnSyncReturns<string> =>
    run(program, [...runtime.words, ...words], project)
  expect(runtime, 'the library', start('library.mjs'), /^library ok$/m)
  if (!runtime.isNode) return
  expect(runtime, 'the library for CommonJS', start('required.cjs'), /^function$/)
  const command = 'node_modules/httpcli/dist/cli/main.cjs'
  expect(runtime, 'httpcli --version', start(command, '--version'), /^httpcli \S+ \(node v\S+, npm package\)$/m)
  const request = 'POST http://localhost/\n\nhello'
  expect(
    runtime,
    'httpcli send',
    start(command, 'send', '--offline', '-t', request),
    /\r\nContent-Length: 5\r\n\r\nhello$/,
  )
  const file = join(project, 'unreachable.http')
  writeFileSync(file, '< {% client.log(JSON.stringify([1])) %}\nGET http://127.0.0.1:1/\n')
  expect(runtime, 'httpcli run', start(command, 'run', file), /^\[1\]$/m)
}

function expect(runtime: Runtime, what: string, ran: SpawnSyncReturns<string>, output: RegExp): void {
  if (output.test(ran.stdout) && !unknownSwitch.test(ran.stderr))
    process.stdout.write(`${runtime.name}: ${what} works\n`)
  else report(runtime, `${what} does not work`, ran)
}

function report(runtime: Runtime, what: string, ran: SpawnSyncReturns<string>): void {
  process.stdout.write(`${runtime.name}: ${what} (exit code ${ran.status})\n${ran.stdout}${ran.stderr}\n`)
  process.exitCode = 1
}

function run(program: string, words: readonly string[], cwd: string): SpawnSyncReturns<string> {
  const isNpm = program === 'npm'
  const { NODE_EXTRA_CA_CERTS: certificates, ...env } = process.env
  return spawnSync(program, words, {
    cwd,
    env: isNpm && certificates !== undefined ? { ...env, NODE_EXTRA_CA_CERTS: certificates } : env,
    encoding: 'utf8',
    timeout: 300_000,
  })
}
