/** The options of `httpcli run`, exit codes and interruption, as a user meets them. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { type CommandResult, runCommand, startCommand } from '../helpers/command.ts'
import { directoryWith, temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/login': (_request, response) => response.writeHead(200, { 'Set-Cookie': 's=1; HttpOnly' }).end('in'),
    '/404': (_request, response) => response.writeHead(404).end('no'),
    '/slow': () => undefined,
    '/moved': (_request, response) => response.writeHead(302, { Location: '/there' }).end(),
  })
})
afterAll(() => server.close())

interface Outcome {
  readonly code: CommandResult['code']
  readonly out: string
  readonly err: string
  /** Content of a file in the directory of the run. */
  file(name: string): string
}

/** Runs `a.http` with this text, `$O` being the server. */
async function run(
  text: string,
  words: readonly string[] = [],
  files: Record<string, string | Uint8Array> = {},
): Promise<Outcome> {
  const directory = temporaryDirectory()
  const own = (content: string): string => content.replaceAll('$O', server.origin)
  for (const [name, content] of Object.entries({ '.git': '', ...files, 'a.http': text })) {
    writeFileSync(join(directory, name), typeof content === 'string' ? own(content) : content)
  }
  server.requests.length = 0
  const { code, stdout, stderr } = await runCommand(['run', 'a.http', ...words], {
    cwd: directory,
    env: { FROM_PROCESS: 'p' },
  })
  return {
    code,
    out: stdout.toString(),
    err: stderr.toString(),
    file: (name) => readFileSync(join(directory, name), 'utf8'),
  }
}
const lines = (): string[] => server.requests.map(({ line }) => line.replace(' HTTP/1.1', ''))

describe('variables', () => {
  const environment = { 'http-client.env.json': '{"dev": {"v": "public", "w": "w"}}' }

  it.each<[string, string[], Record<string, string>, string]>([
    ['-V wins over the environment', ['-e', 'dev', '-V', 'v=given'], environment, '/given'],
    ['-V may be given again, and hold =', ['-V', 'u=x', '-V', 'v=a=b'], {}, '/a=b'],
    ['-P is a private value', ['-e', 'dev', '-P', 'v=private'], environment, '/private'],
    ['--env-file', ['-e', 'x', '--env-file', 'other.json'], { 'other.json': '{"x": {"v": "other"}}' }, '/other'],
    [
      '--private-env-file',
      ['-e', 'dev', '--private-env-file', 'p.json'],
      { ...environment, 'p.json': '{"dev": {"v": "secret"}}' },
      '/secret',
    ],
    ['--lenient', ['--lenient'], {}, '/'],
  ])('%s', async (_, words, files, target) => {
    const { code, err } = await run('GET $O/{{v}}', words, files)
    expect([code, err, lines()]).toEqual([0, '', [`GET ${target}`]])
  })

  it('--dotenv adds variables; those of the process take precedence', async () => {
    const dotenv = 'FROM_FILE=f\nFROM_PROCESS=other\nQUOTED="a b"\n'
    await run('GET $O/{{$env.FROM_FILE}}/{{$env.FROM_PROCESS}}/{{$env.QUOTED}}', ['--dotenv', 'x.env'], {
      'x.env': dotenv,
    })
    expect(lines()).toEqual(['GET /f/p/a%20b'])
  })

  it.each<[string, string[], number, RegExp]>([
    ['no name', ['-V', '=x'], 1, /invalid -V "=x": expected name=value/],
    ['no value', ['-P', 'x'], 1, /invalid -P "x": expected name=value/],
    ['a dotenv file that is not there', ['--dotenv', 'none'], 4, /none of --dotenv does not exist/],
    ['an environment file that is not there', ['--private-env-file', 'none.json'], 4, /none\.json/],
    ['a cookie jar in no directory', ['-c', 'none/jar'], 4, /the directory of the cookie jar none\/jar does not exist/],
  ])('%s: nothing is sent', async (_, words, code, message) => {
    const result = await run('GET $O/x', words)
    expect([result.code, result.err, lines()]).toEqual([code, expect.stringMatching(message), []])
  })
})

describe('a file that is not UTF-8', () => {
  const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

  it.each<[string, number, string[], string, Record<string, Uint8Array>, string]>([
    [
      'the environment',
      2,
      ['-e', 'dev'],
      'GET $O/{{v}}',
      { 'http-client.private.env.json': latin1('{"dev": {"v": "caf\xe9"}}') },
      'http-client.private.env.json:1:19: the byte 0xE9 is not UTF-8 text. Save the file as UTF-8.\n',
    ],
    [
      'an environment in UTF-16',
      2,
      ['-e', 'dev'],
      'GET $O/{{v}}',
      { 'http-client.env.json': Buffer.from('\ufeff{"dev": {"v": "x"}}', 'utf16le') },
      'http-client.env.json:1:1: the file is UTF-16 text, expected UTF-8. Save the file as UTF-8.\n',
    ],
    [
      '--dotenv',
      2,
      ['--dotenv', 'x.env'],
      'GET $O/{{$env.V}}',
      { 'x.env': latin1('V=caf\xe9\n') },
      'the file x.env of --dotenv is not UTF-8 text. Save it as UTF-8.\n',
    ],
    ['.env', 4, [], 'GET $O/{{$dotenv V}}', { '.env': latin1('V=caf\xe9\n') }, '.env is not UTF-8 text\n  GET '],
    [
      'a script',
      5,
      [],
      '< ./a.js\nGET $O/',
      { 'a.js': latin1("client.log('caf\xe9')") },
      'a.js is not UTF-8 text\n        at a.http:1:1\n',
    ],
    [
      'a query',
      4,
      [],
      'GRAPHQL $O/\n\n< ./a.graphql',
      { 'a.graphql': latin1('{ caf\xe9 }') },
      'a.http:3:1: the file is not utf-8 text\n',
    ],
  ])('%s: %d, nothing is sent', async (_, code, words, text, files, message) => {
    const result = await run(text, words, files)
    expect([result.code, lines()]).toEqual([code, []])
    expect(`${result.err}${result.out}`).toContain(message)
    expect(`${result.err}${result.out}`).not.toContain('caf')
  })
})

describe('the cookie jar', () => {
  it('is read and written', async () => {
    const jar = '127.0.0.1\tFALSE\t/\tFALSE\t0\told\t1\n'
    const { code, file } = await run('GET $O/login\n###\nGET $O/x', ['-c', 'jar'], { jar })
    expect(code).toBe(0)
    expect(server.requests[1]?.headers).toContain('Cookie: old=1; s=1')
    expect(file('jar')).toContain('#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\ts\t1\n')
  })

  it('that is malformed: 2, with the line; nothing is sent, the file is unchanged', async () => {
    const { code, err, file } = await run('GET $O/x', ['-c', 'jar'], { jar: '# ok\nnonsense\n' })
    expect([code, lines(), file('jar')]).toEqual([2, [], '# ok\nnonsense\n'])
    expect(err).toContain('jar:2:1: the line has 1 field between tabs')
  })

  it('is written when the run is interrupted: 130', async () => {
    const directory = directoryWith({
      '.git': '',
      'a.http': `GET ${server.origin}/login\n###\nGET ${server.origin}/slow`,
    })
    const running = await startCommand(['run', 'a.http', '-c', 'jar'], /slow$/, { cwd: directory.path })
    const { code, stdout } = await running.stop('SIGINT')
    const jar = readFileSync(join(directory.path, 'jar'), 'utf8')
    directory.remove()
    expect([code, jar]).toEqual([130, expect.stringContaining('\ts\t1')])
    expect(stdout.toString()).toContain('interrupted')
  })
})

describe('how a run ends', () => {
  it.each<[string, number, string, string[]]>([
    ['a status of 404', 0, 'GET $O/404', []],
    ['a status of 404 with --fail', 5, 'GET $O/404', ['--fail']],
    ['a failed script before the request', 5, '< {% throw 1 %}\nGET $O/x', []],
    ['a call of what is not there', 4, 'run #none', []],
    ['an import that is not there', 4, 'import none.http\n###\nrun #x', []],
    ['a handler that is not there', 4, 'GET $O/x\n\n> none.js', []],
    ['a time limit', 4, 'GET $O/slow', ['--timeout', '0.05']],
    ['an imported file that cannot be parsed', 2, 'import b.http\n###\nGET $O/x', []],
  ])('%s: %d', async (_, code, text, words) => {
    expect((await run(text, words, { 'b.http': 'GET' })).code).toBe(code)
  })

  it('--bail stops at the first failure', async () => {
    const { code } = await run('GET $O/{{x}}\n###\nGET $O/later', ['--bail'])
    expect([code, lines()]).toEqual([4, []])
  })
})

it('--verbose reports redirects, saved files and masked values on standard error', async () => {
  const { err } = await run('GET $O/moved\n\n>> out', ['--verbose', '-e', 'dev'], {
    'http-client.env.json': '{"dev": {"v": 1}}',
    'http-client.private.env.json': '{"dev": {"v": 2}}',
  })
  expect(err).toMatch(/^note: the private environment file hides values of the public one: v\n/)
  expect(err).toMatch(/note: redirected with 302 to http:\S+\/there\n/)
  expect(err).toMatch(/note: saved in \S+\/out\n/)
})

it('--save-responses writes the response that <> names', async () => {
  const { file } = await run('GET $O/x\n\n<> seen.txt', ['--save-responses'])
  expect(file('seen.txt')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})

it('-l shows each request that was sent, including redirects', async () => {
  const { out } = await run('GET $O/moved', ['-l', '-p', 'status'])
  expect(out.match(/^GET \/\w+ HTTP\/1\.1\r$/gm)).toEqual(['GET /moved HTTP/1.1\r', 'GET /there HTTP/1.1\r'])
})

it('a request with @no-log is not shown', async () => {
  const { out } = await run('# @no-log\nGET $O/x', ['-l', '-p', 'status'])
  expect(out).not.toMatch(/^GET \/x/m)
})

it('the TLS and connection options are those of send', async () => {
  const directory = temporaryDirectory()
  const authority = makeAuthority(directory)
  const own = makeCertificate(directory, { name: 'server', authority })
  const client = makeCertificate(directory, { name: 'client', authority })
  const secure = createServer(
    {
      cert: readFileSync(own.certificate),
      key: readFileSync(own.key),
      ca: readFileSync(authority.certificate),
      requestCert: true,
    },
    (_request, response) => response.end('mutual'),
  )
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const { port } = secure.address() as AddressInfo
  const options = ['--cacert', authority.certificate, '--cert', client.certificate, '--key', client.key]
  const resolve = ['--resolve', `api.test:${port}:127.0.0.1`, '--servername', 'localhost']
  const { code, out } = await run(`GET https://api.test:${port}/`, ['-p', 'body', ...options, ...resolve])
  secure.closeAllConnections()
  secure.close()
  expect([code, out]).toEqual([0, expect.stringContaining('mutual')])
})
