/**
 * The files that a request file may reach, as a user of `httpcli run` and `check` meets it: reads, writes, links, names
 * from servers.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../helpers/command.ts'
import { runInside } from '../helpers/command-inside.ts'
import { exchangeLinks } from '../helpers/exchanged-links.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

const hostileNames = ['../up', '/tmp/x', 'a/b', 'a\\b', '..', '.', '', 'a\0b', '.git/config']
let server: RecordingServer

beforeAll(async () => {
  const named = hostileNames.map((name, index) => [`/name/${index}`, name] as const)
  server = await recordingServer({
    ...Object.fromEntries(
      [...named, ['/name/good', 'report'] as const].map(([path, name]) => [
        path,
        (_request: unknown, response: { end: (text: string) => void }) => response.end(JSON.stringify({ name })),
      ]),
    ),
  })
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

const canary = 'canary-4711'

/** `base/outside/secret.json` and `base/project`, which is a repository with these files. */
function project(files: Readonly<Record<string, string>>): { readonly base: string; readonly root: string } {
  const base = realpathSync(temporaryDirectory())
  const root = join(base, 'project')
  const all = { '../outside/secret.json': `{"secret": "${canary}"}`, '.git/config': '[core]\n', ...files }
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content.replaceAll('$O', server.origin).replaceAll('$BASE', base))
  }
  return { base, root }
}

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function httpcli(cwd: string, ...words: readonly string[]): Promise<Outcome> {
  return outcomeOf(await runCommand(words, { cwd }))
}

/** The same in this process, for tables. */
async function inside(cwd: string, ...words: readonly string[]): Promise<Outcome> {
  return outcomeOf(await runInside(words, { cwd }))
}

function outcomeOf({ code, stdout, stderr }: CommandResult): Outcome {
  return { code, out: stdout.toString(), err: stderr.toString() }
}

/** Everything below a directory, with its content. */
function snapshot(directory: string): Readonly<Record<string, string>> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  )
}

const post = (body: string): string => `POST $O/sent\nContent-Type: text/plain\n\n${body}\n`
const environment = (settings: object): string => JSON.stringify({ dev: settings })

describe('a file outside the file root', () => {
  it.each<[string, Record<string, string>]>([
    ['as a body', { 'a.http': post('< ../outside/secret.json') }],
    ['by an absolute path', { 'a.http': post('< $BASE/outside/secret.json') }],
    ['with variables', { 'a.http': post('<@ ../outside/secret.json') }],
    [
      'by a variable of the environment',
      {
        'a.http': post('< {{dir}}/secret.json'),
        'http-client.env.json': environment({ dir: '../outside' }),
      },
    ],
    [
      'as a part of a multipart body',
      {
        'a.http':
          'POST $O/sent\nContent-Type: multipart/form-data; boundary=b\n\n--b\n\n< ../outside/secret.json\n--b--\n',
      },
    ],
    ['as a GraphQL query', { 'a.http': 'GRAPHQL $O/sent\n\n< ../outside/secret.json\n' }],
    ['as a script before the request', { 'a.http': '< ../outside/x.js\nGET $O/sent\n' }],
    ['as a handler', { 'a.http': 'GET $O/sent\n\n> ../outside/x.js\n' }],
    ['imported', { 'a.http': 'import ../outside/x.http\n\n###\nGET $O/later\n' }],
    ['run', { 'a.http': 'run ../outside/x.http\n' }],
    ['that does not exist', { 'a.http': post('< ../outside/none') }],
    ['written to', { 'a.http': 'GET $O/sent\n\n>> ../outside/new\n' }],
    ['replaced', { 'a.http': 'GET $O/sent\n\n>>! ../outside/secret.json\n' }],
    ['in a new directory', { 'a.http': 'GET $O/sent\n\n>>! ../outside/a/b/new\n' }],
    ['in the root directory', { 'a.http': 'GET $O/sent\n\n>>! /httpcli-test-new\n' }],
  ])('is neither read nor written: %s', async (_name, files) => {
    const { base, root } = project(files)
    const before = snapshot(base)
    for (const words of [['run'], ['run', '--dry-run'], ['check']]) {
      const [command = '', ...options] = words
      const { code, out, err } = await inside(root, command, 'a.http', '-e', 'dev', ...options).then((outcome) =>
        // Only some of them have an environment.
        outcome.code === 1 ? inside(root, command, 'a.http', ...options) : outcome,
      )
      const shown = out + err
      expect([words, code]).toEqual([words, 4])
      expect(shown).toMatch(/a\.http:\d+:\d+/)
      expect(shown).toContain(`is outside of the file root; the file root is ${root}`)
      expect(shown).toContain('--file-root <dir>')
      expect(shown).not.toContain(canary)
    }
    expect(server.requests.filter(({ line }) => !line.includes('/later'))).toEqual([])
    expect(snapshot(base)).toEqual(before)
  })

  it('is not imported by a script', async () => {
    const { root } = project({
      'a.http': [
        '< {% import data from "../outside/secret.json"; client.log(data.secret) %}',
        'GET $O/sent',
        '',
        '###',
        'GET $O/sent',
        '',
        '> {% const data = await import("../outside/" + "secret.json"); client.log(data.default.secret) %}',
      ].join('\n'),
    })
    const { code, out, err } = await httpcli(root, 'run', 'a.http')
    expect(code).toBe(5)
    expect(out + err).not.toContain(canary)
    expect((out + err).match(/cannot import "[^"]+": the file \S+ is outside of the file root/g)).toHaveLength(4)
    const checked = await httpcli(root, 'check', 'a.http')
    expect([checked.code, checked.err.match(/outside of the file root/g)?.length]).toEqual([5, 1])
  })

  it('may be accessed if --file-root contains it', async () => {
    const { base, root } = project({ 'a.http': `${post('< ../outside/secret.json')}\n>>! ../outside/a/new\n` })
    const { code, err } = await httpcli(root, 'run', 'a.http', '--file-root', '..')
    expect([code, err]).toEqual([0, ''])
    expect(server.requests[0]?.body.toString()).toContain(canary)
    expect(readFileSync(join(base, 'outside/a/new'), 'utf8')).toBe('ok')
  })

  it.each(['none', 'a.http'])('is refused if --file-root is %s: a usage error', async (word) => {
    const { root } = project({ 'a.http': 'GET $O/sent\n' })
    const { code, err } = await httpcli(root, 'run', 'a.http', '--file-root', word)
    expect([code, server.requests.length]).toEqual([1, 0])
    expect(err).toContain(`invalid --file-root "${word}": expected an existing directory`)
  })
})

describe('certificates', () => {
  const settings = { SSLConfiguration: { clientCertificate: '../outside/secret.json' } }
  const https = { 'a.http': 'GET https://127.0.0.1:1/\n' }

  it('that a public environment file names lie below the root', async () => {
    const { root } = project({ ...https, 'http-client.env.json': environment(settings) })
    for (const command of ['run', 'check']) {
      const { code, out, err } = await httpcli(root, command, 'a.http', '-e', 'dev')
      expect(code).toBe(4)
      expect(out + err).toMatch(/http-client\.env\.json:\d+:\d+/)
      expect(out + err).toContain('is outside of the file root')
    }
  })

  it('that a private one names may lie anywhere', async () => {
    const { root } = project({ ...https, 'http-client.private.env.json': environment(settings) })
    const { out, err } = await httpcli(root, 'run', 'a.http', '-e', 'dev')
    expect(out + err).not.toContain('file root')
    expect(out + err).not.toContain('does not exist')
  })

  it('of the public file stay restricted even if a private one exists', async () => {
    const { root } = project({
      ...https,
      'http-client.env.json': environment(settings),
      'http-client.private.env.json': environment({ SSLConfiguration: { certificatePassphrase: 'x' } }),
    })
    const { code, out, err } = await httpcli(root, 'run', 'a.http', '-e', 'dev')
    expect(code).toBe(4)
    expect(out + err).toContain('is outside of the file root')
  })
})

describe('a response is not written', () => {
  it.each([
    ['.git/config', 'a file of a Git repository'],
    ['.GIT/hooks/post-checkout', 'a file of a Git repository'],
    ['.git./x', 'a file of a Git repository'],
    ['git~1/x', 'a file of a Git repository'],
    ['sub/.git/config', 'a file of a Git repository'],
    ['http-client.env.json', 'an environment file'],
    ['sub/http-client.private.env.json', 'an environment file'],
    ['other.http', 'a request file'],
    ['sub/new.REST', 'a request file'],
    ['link/config', 'a file of a Git repository'],
    ['directory', 'a directory, expected a file'],
    ['pipe', 'a named pipe, expected a file'],
  ])('to %s', async (target, kind) => {
    const { base, root } = project({ 'a.http': `GET $O/sent\n\n>>! ${target}\n` })
    symlinkSync('.git', join(root, 'link'))
    mkdirSync(join(root, 'directory'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    const before = snapshot(base)
    for (const command of ['run', 'check']) {
      const { code, out, err } = await inside(root, command, 'a.http')
      expect(code).toBe(4)
      expect(out + err).toContain(`it is ${kind}`)
    }
    expect([server.requests.length, snapshot(base)]).toEqual([0, before])
  })

  it('but --file-root allows it, because the user names the directory', async () => {
    const { root } = project({ 'a.http': 'GET $O/sent\n\n>>! .git/x\n>>! other.http\n' })
    const { code } = await httpcli(root, 'run', 'a.http', '--file-root', '.')
    expect(code).toBe(0)
    expect([readFileSync(join(root, '.git/x'), 'utf8'), readFileSync(join(root, 'other.http'), 'utf8')]).toEqual([
      'ok',
      'ok',
    ])
  })

  it('through a link that leads out of the root, also one that leads to nothing', async () => {
    const { base, root } = project({ 'a.http': 'GET $O/1\n\n>>! dangling\n\n###\nGET $O/2\n\n>>! directory/x\n' })
    symlinkSync(join(base, 'outside/new'), join(root, 'dangling'))
    symlinkSync(join(base, 'outside'), join(root, 'directory'))
    const before = snapshot(base)
    const { code, out, err } = await httpcli(root, 'run', 'a.http')
    expect([code, server.requests.length, snapshot(base)]).toEqual([4, 0, before])
    expect((out + err).match(/leads to \S+ and is outside of the file root/g)).toHaveLength(4)
  })

  it('but a link inside the root is followed, and stays', async () => {
    const { root } = project({ 'a.http': 'GET $O/1\n\n>>! link\n', 'real/target.txt': 'old' })
    symlinkSync('real/target.txt', join(root, 'link'))
    expect((await httpcli(root, 'run', 'a.http')).code).toBe(0)
    expect(readFileSync(join(root, 'real/target.txt'), 'utf8')).toBe('ok')
    expect(readdirSync(join(root, 'real'))).toEqual(['target.txt'])
  })

  it('to a second file of the same name: a number is added', async () => {
    const { root } = project({ 'a.http': 'GET $O/1\n\n>> out/x.json\n\n###\nGET $O/2\n\n>> out/x.json\n' })
    expect((await httpcli(root, 'run', 'a.http', '--parallel', '2', 'a.http')).code).toBe(0)
    expect(readdirSync(join(root, 'out')).toSorted()).toEqual(['x-1.json', 'x-2.json', 'x-3.json', 'x.json'])
  })
})

describe('<> with --save-responses', () => {
  it('is confined, and has no effect without the option', async () => {
    const { base, root } = project({ 'a.http': 'GET $O/sent\n\n<> ../outside/saved\n' })
    expect((await httpcli(root, 'run', 'a.http')).code).toBe(0)
    // It is not written then, so that a name from a server is no reason not to send the request.
    const comment = '# @capture name = jsonpath "$.name"\nGET $O/name/0\n\n###\nGET $O/sent\n\n<> {{name}}\n'
    writeFileSync(join(root, 'b.http'), comment.replaceAll('$O', server.origin))
    expect((await httpcli(root, 'run', 'b.http')).code).toBe(0)
    for (const more of [[], ['--dry-run']]) {
      server.requests.length = 0
      const { code, out, err } = await httpcli(root, 'run', 'a.http', '--save-responses', ...more)
      expect([code, server.requests.length, existsSync(join(base, 'outside/saved'))]).toEqual([4, 0, false])
      expect(out + err).toContain('a.http:3:1')
    }
  })
})

describe('a file name that a server chooses', () => {
  const text = (path: string): string =>
    `# @capture name = jsonpath "$.name"\nGET $O/name/${path}\n\n###\nGET $O/sent\n\n>> out/{{name}}\n`

  it.each(hostileNames.map((name, index) => [JSON.stringify(name), index]))('%s is refused', async (_name, index) => {
    const { base, root } = project({ 'a.http': text(String(index)) })
    const before = snapshot(base)
    const { code, out, err } = await inside(root, 'run', 'a.http')
    expect([code, snapshot(base)]).toEqual([4, before])
    expect(out + err).toMatch(/a\.http:7:8 .*\{\{name\}\} is ".*", which is not a file name/s)
    expect(server.requests.map(({ line }) => line)).toEqual([`GET /name/${index} HTTP/1.1`])
  })

  it('is accepted if it is a single name', async () => {
    const { root } = project({ 'a.http': text('good') })
    expect((await httpcli(root, 'run', 'a.http')).code).toBe(0)
    expect(readFileSync(join(root, 'out/report'), 'utf8')).toBe('ok')
  })

  it.each([
    ['client.global', '> {% client.global.set("p", "../outside/secret.json") %}', '< {{p}}'],
    ['a file variable', '> {% client.global.set("n", "../../outside") %}', '@p = data/{{n}}\n\n< {{p}}/secret.json'],
    ['request.variables', '', '< {% request.variables.set("p", "../outside/secret.json") %}\n\n< {{p}}'],
  ])('is refused in the path of a body: %s', async (_name, handler, use) => {
    const [definitions = '', body = ''] = use.includes('\n\n') ? use.split('\n\n') : ['', use]
    const { root } = project({
      'a.http': `GET $O/1\n\n${handler}\n\n###\n${definitions}\nPOST $O/2\n\n${body}\n`,
    })
    const { code, out, err } = await httpcli(root, 'run', 'a.http')
    expect([code, server.requests.length]).toEqual([4, 1])
    expect(out + err).toContain('which is not a file name')
  })
})

describe('anything but a regular file', () => {
  it.each([
    ['pipe', 'a named pipe'],
    ['directory', 'a directory'],
    ['zero', 'outside of the file root'],
  ])('is not read: %s', async (name, kind) => {
    const { root } = project({ 'a.http': post(`< ${name}`) })
    execFileSync('mkfifo', [join(root, 'pipe')])
    mkdirSync(join(root, 'directory'))
    symlinkSync('/dev/zero', join(root, 'zero'))
    const { code, out, err } = await httpcli(root, 'run', 'a.http')
    expect([code, server.requests.length]).toEqual([4, 0])
    expect(out + err).toContain(kind)
  })

  it('is not read even if the root is /', async () => {
    const { root } = project({ 'a.http': post('< /dev/zero') })
    const { code, out, err } = await httpcli(root, 'run', 'a.http', '--file-root', '/')
    expect([code, server.requests.length]).toEqual([4, 0])
    expect(out + err).toContain('/dev/zero is a device, expected a file')
  })
})

describe('links that change during a run', () => {
  const requests = 150

  it('never let a request read outside the root', async () => {
    const { base, root } = project({ 'a.http': `${post('< door/secret.json')}\n###\n`.repeat(requests) })
    const exchange = await exchangeLinks(root, join(base, 'outside'), { 'secret.json': 'inside' })
    const { code, err } = await httpcli(root, 'run', 'a.http', '-p', 'status')
    await exchange.stop()
    expect([0, 4]).toContain(code)
    expect(err).not.toContain('internal error')
    const bodies = new Set(server.requests.map(({ body }) => body.toString()))
    expect([...bodies].filter((body) => body !== 'inside')).toEqual([])
  })

  it('never let a response be written outside the root', async () => {
    const { base, root } = project({ 'a.http': 'GET $O/sent\n\n>> door/a/new.txt\n\n###\n'.repeat(requests) })
    const exchange = await exchangeLinks(root, join(base, 'outside'), { 'secret.json': 'inside' })
    const { code, err } = await httpcli(root, 'run', 'a.http', '-p', 'status')
    await exchange.stop()
    expect([0, 4]).toContain(code)
    expect(err).not.toContain('internal error')
    expect(readdirSync(join(base, 'outside'), { recursive: true })).toEqual(['secret.json'])
  })
})

describe('the default file root', () => {
  it('of a nested repository is that repository', async () => {
    const { root } = project({ 'nested/.git/config': '', 'nested/a.http': post('< ../b.txt'), 'b.txt': 'b' })
    const { code, out, err } = await httpcli(root, 'run', 'nested/a.http')
    expect([code, server.requests.length]).toEqual([4, 0])
    expect(out + err).toContain(`the file root is ${join(root, 'nested')}`)
  })

  it('of a worktree of Git is the worktree', async () => {
    const { base, root } = project({ 'a.http': post('< ../project/b.txt'), 'b.txt': 'b' })
    rmSync(join(root, '.git'), { recursive: true })
    const git = (...words: string[]): void => {
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.test', '-c', 'init.defaultBranch=main']
      execFileSync('git', [...who, ...words], { cwd: root, stdio: 'pipe' })
    }
    git('init')
    git('add', '.')
    git('commit', '-m', 'x')
    git('worktree', 'add', '../tree')
    const { code, out, err } = await httpcli(join(base, 'tree'), 'run', 'a.http')
    expect(code).toBe(4)
    expect(out + err).toContain(`the file root is ${join(base, 'tree')}`)
    const again = await httpcli(join(base, 'tree'), 'run', 'a.http', '--file-root', '..')
    expect([again.code, server.requests.at(-1)?.body.toString()]).toEqual([0, 'b'])
  })

  it('is never the home directory', async () => {
    const { root } = project({ 'a.http': post('< b.txt'), 'b.txt': 'b' })
    const { code, stdout, stderr } = await runCommand(['run', 'a.http'], { cwd: root, env: { HOME: root } })
    expect([code, server.requests.length]).toEqual([4, 0])
    expect(`${stdout}${stderr}`).toContain('this request file has no file root')
  })

  it('of standard input comes from the working directory', async () => {
    const { root } = project({ 'b.txt': 'b' })
    const stdin = post('< ../outside/secret.json').replaceAll('$O', server.origin)
    const { code, stdout, stderr } = await runCommand(['run', '-'], { cwd: root, stdin })
    expect([code, server.requests.length]).toEqual([4, 0])
    expect(`${stdout}${stderr}`).toContain(`the file root is ${root}`)
  })
})

it('a warning about an environment file names the place, and what to write', async () => {
  const { root } = project({
    'http-client.env.json': '{ "$shared": { "$kulalaDefaultHeaders": { "A": "b" } } }',
    'a.http': 'GET $O/\n',
  })
  const { code, err } = await httpcli(root, 'run', 'a.http')
  expect(code).toBe(0)
  expect(err).toMatch(/^warning: .*http-client\.env\.json:1:16: .*\nhint: Write client\.global\.headers\.set.*\n/)
})

describe.skipIf(process.getuid?.() !== 0)('an environment file in a parent directory', () => {
  const stranger = 54_321
  const dev = environment({ who: 'above', SSLConfiguration: { verifyHostCertificate: false } })
  const files = { 'http-client.env.json': dev, 'sub/a.http': 'GET $O/{{who}}\n' }

  it.each<[string, (path: string) => void]>([
    ['belongs to a stranger', (path) => chownSync(path, stranger, stranger)],
    ['is writable for everybody', (path) => chmodSync(path, 0o666)],
    [
      'is a link of a stranger',
      (path) => {
        renameSync(path, `${path}.real`)
        symlinkSync(`${path}.real`, path)
        execFileSync('chown', ['-h', String(stranger), path])
      },
    ],
  ])('that %s is ignored with a warning, its settings with it', async (_name, change) => {
    const { root } = project(files)
    change(join(root, 'http-client.env.json'))
    for (const command of ['run', 'check']) {
      const { code, err } = await httpcli(root, command, 'sub/a.http', '-V', 'who=me')
      expect([command, code]).toEqual([command, 0])
      expect(err.match(/the environment file \S+http-client\.env\.json is ignored/g)).toHaveLength(1)
      expect(err).not.toContain('not checked')
    }
    const unknown = await httpcli(root, 'run', 'sub/a.http', '-e', 'dev')
    expect(unknown.code).toBe(1)
    expect(unknown.err).toMatch(/no environment "dev" found: .* is ignored: /)
    const named = await httpcli(root, 'run', 'sub/a.http', '-e', 'dev', '--env-file', 'http-client.env.json')
    expect([named.code, server.requests.at(-1)?.line]).toEqual([0, 'GET /above HTTP/1.1'])
  })

  it('is used if writable for its group, and next to the request file with any owner', async () => {
    const { root } = project({ ...files, 'a.http': 'GET $O/{{who}}\n' })
    chmodSync(join(root, 'http-client.env.json'), 0o664)
    expect((await httpcli(root, 'run', 'sub/a.http', '-e', 'dev')).code).toBe(0)
    chownSync(join(root, 'http-client.env.json'), stranger, stranger)
    expect((await httpcli(root, 'run', 'a.http', '-e', 'dev')).code).toBe(0)
  })
})

it('an environment from a pipe counts for all request files', async () => {
  const { root } = project({ 'a.http': 'GET $O/a/{{who}}\n', 'b.http': 'GET $O/b/{{who}}\n' })
  execFileSync('mkfifo', [join(root, 'pipe')])
  createWriteStream(join(root, 'pipe')).end('{"dev": {"who": "me"}}')
  const { code, err } = await httpcli(root, 'run', 'a.http', 'b.http', '-e', 'dev', '--private-env-file', 'pipe')
  expect([code, err]).toEqual([0, ''])
  expect(server.requests.map(({ line }) => line)).toEqual(['GET /a/me HTTP/1.1', 'GET /b/me HTTP/1.1'])
})

describe('a link to a file elsewhere', () => {
  it.each([
    ['run', 'tests'],
    ['run', 'tests/*.http'],
    ['run', '**/*.http'],
    ['check', 'tests'],
    ['fmt', 'tests'],
  ])('is not treated as a request file if only its directory was named: %s %s', async (command, word) => {
    const { base, root } = project({ 'tests/b.http': 'GET   $O/sent\n', '../outside/token.http': 'word-of-a-token\n' })
    symlinkSync(join(base, 'outside/token.http'), join(root, 'tests/a.http'))
    const before = snapshot(base)
    const { code, out, err } = await httpcli(root, command, word)
    expect([code, server.requests.length, snapshot(base)]).toEqual([4, 0, before])
    expect(err).toContain(`leads out of the directory ${word.startsWith('**') ? '.' : 'tests'}`)
    expect(out + err).not.toContain('word-of-a-token')
  })

  it('is a request file if named itself, or if it leads to a file in the directory', async () => {
    const { base, root } = project({ 'tests/b.http': 'GET $O/b\n', '../outside/c.http': 'GET $O/c\n' })
    symlinkSync(join(base, 'outside/c.http'), join(root, 'c.http'))
    symlinkSync('b.http', join(root, 'tests/a.http'))
    expect((await httpcli(root, 'run', 'c.http', 'tests')).code).toBe(0)
    expect(server.requests.map(({ line }) => line.split(' ')[1])).toEqual(['/c', '/b', '/b'])
  })

  it('is not written to by convert, even if its target does not exist', async () => {
    const { base, root } = project({})
    symlinkSync(join(base, 'outside/new.http'), join(root, 'out.http'))
    const { code, err } = await httpcli(root, 'convert', '--text', 'curl http://h.test', '-o', 'out.http')
    expect([code, existsSync(join(base, 'outside/new.http'))]).toEqual([4, false])
    expect(err).toContain('out.http already exists')
  })
})

describe.skipIf(process.platform === 'win32')('a file name with control characters', () => {
  it('is escaped in what check prints', async () => {
    const { root } = project({ 'tests/a\x1b[2J\n::error::b.http': '@x = 1\nGET $O/{{id}}\n' })
    const { out, err } = await httpcli(root, 'check', 'tests')
    expect(out + err).not.toMatch(/\x1b|^::error/m)
    expect(out).toContain('tests/a\\x1B[2J ::error::b.http: 1 error')
    expect(err).toContain('warning: tests/a\\x1B[2J ::error::b.http:1:2: ')
  })
})
