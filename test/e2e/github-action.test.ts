/**
 * The action of this repository: its steps on a machine that has the variables of a runner, with releases of a loopback
 * server that hold this build of the command.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tarGzip, zip } from '../../scripts/archive.ts'
import { targets } from '../../scripts/standalone-targets.ts'
import { commandLine, type RunningCommand, startCommand } from '../helpers/command.ts'
import { type ActionOptions, type ActionRun, runAction } from '../helpers/composite-action.ts'
import { projectRoot } from '../helpers/document.ts'
import { directoryWith, temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { readonly version: string }
const name = `httpcli-${version}-linux-x64`
const content = `#!/bin/sh\nexec ${commandLine()
  .map((word) => `'${word}'`)
  .join(' ')} "$@"\n`
const archive = tarGzip([{ name: `${name}/httpcli`, content: Buffer.from(content), isExecutable: true }])
const windowsArchive = zip([{ name: `httpcli-1.7.0-windows-x64/httpcli.exe`, content: Buffer.from('MZ') }])
const digestLine = (bytes: Buffer, file: string): string =>
  `${createHash('sha256').update(bytes).digest('hex')}  ${file}\n`

const releases = directoryWith({
  [`v${version}/SHA256SUMS`]: `${digestLine(Buffer.from('x'), 'other.zip')}${digestLine(archive, `${name}.tar.gz`)}`,
  [`v${version}/${name}.tar.gz`]: archive,
  'v1.9.0/SHA256SUMS': digestLine(archive, `httpcli-1.9.0-linux-x64.tar.gz`),
  'v1.9.0/httpcli-1.9.0-linux-x64.tar.gz': archive.subarray(1),
  'v1.8.0/SHA256SUMS': digestLine(archive, 'httpcli-1.8.0-darwin-x64.tar.gz'),
  'v1.8.0/httpcli-1.8.0-linux-x64.tar.gz': archive,
  'v1.7.0/SHA256SUMS': digestLine(windowsArchive, 'httpcli-1.7.0-windows-x64.zip'),
  'v1.7.0/httpcli-1.7.0-windows-x64.zip': windowsArchive,
})

let server: RunningCommand
let origin: string

const canRun =
  process.platform !== 'win32' && ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0)

beforeAll(async () => {
  server = await startCommand(['serve', releases.path, '-p', '0'], /^Serving directory .* on (http:\/\/[\d.:]+)/)
  origin = server.match[1]!
})
afterAll(async () => {
  await server.stop()
  releases.remove()
})

/** In a workspace with `api.http`, a request to a server that answers with 404, and a test that fails. */
async function run(options: ActionOptions): Promise<ActionRun & { readonly workspace: string }> {
  const workspace = temporaryDirectory()
  const peer = await startPeer(answering('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))
  mkdirSync(join(workspace, 'tests'))
  writeFileSync(join(workspace, 'tests', 'api.http'), `### Users\n# @assert status == 200\nGET ${peer.origin}/\n`)
  const inputs = { 'releases-url': origin, ...options.inputs }
  return { workspace, ...(await runAction(workspace, { ...options, inputs })) }
}

describe.skipIf(!canRun)('the action', () => {
  it('installs, runs, annotates, writes the summary and uploads the reports of a run that fails', async () => {
    const { code, out, summary, outputs, used } = await run({ inputs: { args: 'run tests -p status' } })
    expect(code).toBe(5)
    expect(out).toContain(`${name}.tar.gz: OK\n`)
    expect(`${out}`).toContain('HTTP/1.1 404 Not Found\n')
    expect(summary).toMatch(/^## httpcli run: Failed\n/)
    expect(outputs.version).toBe(version)
    expect(readdirSync(outputs.reports!).toSorted()).toEqual(['junit.xml', 'report.html'])
    expect(used['actions/upload-artifact']).toEqual({
      name: 'httpcli-report',
      path: outputs.reports,
      'if-no-files-found': 'ignore',
    })
    // The cache would give an earlier build of the version, or give this one to workflows without `releases-url`.
    expect(used).not.toHaveProperty('actions/cache')
  })

  it('annotates at the place of a failure, from the root of the repository', async () => {
    const inputs = { args: 'run api.http', 'working-directory': 'tests' }
    const { code, out } = await run({ inputs })
    expect(code).toBe(5)
    expect(out).toMatch(/^::error file=tests\/api\.http,line=2/m)
  })

  it('only installs httpcli without arguments, for later steps', async () => {
    const { code, out, path, used, outputs } = await run({})
    expect([code, out]).toEqual([0, `${name}.tar.gz: OK\n`])
    const ran = spawnSync(join(path[0]!, 'httpcli'), ['--version'], { encoding: 'utf8' })
    expect(ran.stdout).toMatch(new RegExp(`^httpcli ${version.replaceAll('.', '\\.')} `))
    expect(outputs).toEqual({ version, reports: '' })
    expect(used).not.toHaveProperty('actions/upload-artifact')
  })

  it.skipIf(spawnSync('unzip', ['-v']).status !== 0)('unpacks the archive for Windows', async () => {
    const { code, path } = await run({ env: { RUNNER_OS: 'Windows' }, inputs: { version: '1.7.0' } })
    expect(code).toBe(0)
    expect(readFileSync(join(path[0]!, 'httpcli.exe'), 'utf8')).toBe('MZ')
  })

  it('downloads nothing where the cache has the executable', async () => {
    const { code, out, err, used } = await run({ isCached: true, inputs: { 'releases-url': '' } })
    expect([code, out, err]).toEqual([0, '', ''])
    expect(used['actions/cache']).toEqual({
      path: expect.stringContaining(`/httpcli-${version}-linux-x64`),
      key: `httpcli-${version}-linux-x64`,
    })
  })

  it('uploads nothing for another sub-command or under an empty name', async () => {
    const sent = await run({ inputs: { args: 'send --offline -t "GET http://a/"' } })
    expect([sent.code, sent.used['actions/upload-artifact']]).toEqual([0, undefined])
    expect(sent.out).toContain('GET / HTTP/1.1\r\nHost: a\r\n')
    const ran = await run({ inputs: { args: 'run tests', artifact: '' } })
    expect([ran.code, ran.used['actions/upload-artifact']]).toEqual([5, undefined])
  })

  it.each([
    ['--json', /^\{"type":"run-finished"/m],
    ['--dry-run', /^GET \/ HTTP\/1\.1/m],
  ])('runs with %s, which excludes annotations', async (option, line) => {
    const { out, err } = await run({ inputs: { args: `run tests ${option}` } })
    expect(out).toMatch(line)
    expect(out).not.toContain('::error')
    expect(err).not.toContain('cannot be used together')
  })

  it('neither executes nor expands the arguments', async () => {
    const args = `send --offline http://a/ 'X-One: $(touch touched) *' "X-Two: \`touch touched\`; touch touched"`
    const { code, out, workspace } = await run({ inputs: { args } })
    expect(code).toBe(0)
    expect(out).toContain('X-One: $(touch touched) *\r\n')
    expect(out).toContain('X-Two: `touch touched`; touch touched\r\n')
    expect(existsSync(join(workspace, 'touched'))).toBe(false)
  })

  it.each([
    ['a quote that is not closed', { args: "run 'tests" }, 'a quote is not closed'],
    ['another checksum', { version: '1.9.0' }, 'does not have the checksum that SHA256SUMS lists'],
    ['an archive without a checksum', { version: 'v1.8.0' }, 'SHA256SUMS of release 1.8.0 does not list httpcli-1.8.0'],
    ['a release that does not exist', { version: '7.0.0' }, '/v7.0.0/SHA256SUMS'],
    ['a version that is a path', { version: '../evil' }, 'invalid version "../evil"'],
    ['no repository to download from', { 'releases-url': '' }, 'cannot download http://127.0.0.1:1/owner/httpcli/rel'],
  ])('fails for %s, with an annotation', async (_title, inputs, message) => {
    const { code, out, path } = await run({ inputs })
    expect(code).toBe(1)
    expect(out).toMatch(/^::error title=httpcli::/m)
    expect(out).toContain(message)
    for (const directory of path) {
      const left = readdirSync(dirname(directory)).filter((entry) => !entry.startsWith(name))
      expect(left).toEqual([])
    }
  })
})

describe.skipIf(!canRun)('locate.sh', () => {
  /** The variables of a runner whose C library is this one, as `ldd` prints it. */
  function runner(system: string, architecture: string, library: string): Readonly<Record<string, string>> {
    const programs = temporaryDirectory()
    writeFileSync(join(programs, 'ldd'), `#!/bin/sh\necho '${library}' >&2\nexit 1\n`)
    chmodSync(join(programs, 'ldd'), 0o755)
    return { RUNNER_OS: system, RUNNER_ARCH: architecture, PATH: `${programs}:${process.env.PATH}` }
  }

  it.each([
    ['Linux', 'X64', 'ldd (Debian GLIBC 2.41-12) 2.41', 'linux-x64'],
    ['Linux', 'ARM64', 'ldd (Debian GLIBC 2.41-12) 2.41', 'linux-arm64'],
    ['Linux', 'X64', 'musl libc (x86_64)', 'linux-x64-musl'],
    ['Linux', 'ARM64', 'musl libc (aarch64)', 'linux-arm64-musl'],
    ['macOS', 'X64', 'ldd: command not found', 'darwin-x64'],
    ['macOS', 'ARM64', 'ldd: command not found', 'darwin-arm64'],
    ['Windows', 'X64', 'ldd (cygwin) 3.6.5', 'windows-x64'],
    ['Windows', 'ARM64', 'ldd (cygwin) 3.6.5', 'windows-arm64'],
  ])('finds the executable for %s %s with %s', async (system, architecture, library, target) => {
    const inputs = { 'releases-url': '' }
    const { used } = await run({ env: runner(system, architecture, library), inputs, isCached: true })
    expect(used['actions/cache']!.key).toBe(`httpcli-${version}-${target}`)
    expect(targets.map((each) => each.name)).toContain(target)
  })

  it('reports platforms without an executable', async () => {
    const { code, out } = await run({ env: { RUNNER_ARCH: 'X86' } })
    expect(code).toBe(1)
    expect(out).toMatch(/^::error title=httpcli::no executable for Linux on X86: /)
  })
})
