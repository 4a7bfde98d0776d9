/** `httpcli convert` and `httpcli fmt` as commands: files, exit codes, what is reported. */
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CommandOptions, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function httpcli(words: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  const { code, stdout, stderr } = await runCommand(words, options)
  return { code, stdout: stdout.toString(), stderr: stderr.toString() }
}

function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

const read = (directory: string, name: string): string => readFileSync(join(directory, name), 'utf8')

const collection = JSON.stringify({
  info: { name: 'My Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  variable: [{ key: 'host', value: 'http://h.test' }],
  item: [{ name: 'One', request: { method: 'GET', url: '{{host}}/', auth: { type: 'hawk' } } }],
})

describe('httpcli convert', () => {
  it('writes to standard output, and reports what has no equivalent with its place', async () => {
    const cwd = directoryOf({ 'shop.json': collection })
    expect(await httpcli(['convert', 'shop.json'], { cwd })).toEqual({
      code: 0,
      stdout: '# My Shop\n@host = http://h.test\n\n### One\n# Not converted: hawk authorization\nGET {{host}}/\n',
      stderr: 'warning: shop.json: item[0].request.auth: not converted: hawk authorization\n',
    })
  })

  it('writes to standard output with -o -', async () => {
    const cwd = directoryOf({ 'shop.json': collection })
    const printed = await httpcli(['convert', 'shop.json'], { cwd })
    expect(await httpcli(['convert', 'shop.json', '-o', '-'], { cwd })).toEqual(printed)
    expect(readdirSync(cwd)).toEqual(['shop.json'])
  })

  it('writes a directory that does not exist yet, with environments', async () => {
    const cwd = directoryOf({ 'shop.json': collection })
    const { code, stdout, stderr } = await httpcli(['convert', 'shop.json', '-o', 'api/v1/'], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('wrote api/v1/my-shop.http\nwrote api/v1/http-client.env.json\n')
    expect(read(cwd, 'api/v1/my-shop.http')).toContain('### One\n')
    expect(JSON.parse(read(cwd, 'api/v1/http-client.env.json'))).toEqual({ $shared: { host: 'http://h.test' } })
  })

  it('reads the directory of a Bruno collection, also given by its file', async () => {
    const cwd = directoryOf({})
    mkdirSync(join(cwd, 'shop', 'environments'), { recursive: true })
    mkdirSync(join(cwd, 'shop', 'node_modules'))
    writeFileSync(join(cwd, 'shop', 'bruno.json'), '{"name": "Shop"}')
    writeFileSync(join(cwd, 'shop', 'one.bru'), 'get {\n  url: {{host}}/\n}\n')
    writeFileSync(join(cwd, 'shop', 'node_modules', 'no.bru'), 'not a request')
    writeFileSync(join(cwd, 'shop', 'environments', 'dev.bru'), 'vars {\n  host: http://h.test\n}\n')
    const expected = { code: 0, stdout: '# Shop\n@host = http://h.test\n\n### one\nGET {{host}}/\n', stderr: '' }
    expect(await httpcli(['convert', 'shop'], { cwd })).toEqual(expected)
    expect(await httpcli(['convert', 'shop/bruno.json'], { cwd })).toEqual(expected)
    writeFileSync(join(cwd, 'shop', 'two.bru'), 'get {\n')
    const failed = await httpcli(['convert', 'shop', '-o', 'api/'], { cwd })
    expect(failed).toMatchObject({ code: 2, stdout: '' })
    expect(failed.stderr).toContain('shop/two.bru:1:1: the block "get" is not closed')
    expect(readdirSync(cwd)).toEqual(['shop'])
  })

  it('adds environments to existing ones', async () => {
    const environment = JSON.stringify({
      name: 'dev',
      values: [{ key: 'a', value: '1' }],
      _postman_variable_scope: 'environment',
    })
    const cwd = directoryOf({ 'dev.json': environment, 'http-client.env.json': '{"prod": {"a": "2"}}' })
    expect(await httpcli(['convert', 'dev.json', '-o', '.'], { cwd })).toMatchObject({ code: 0 })
    expect(JSON.parse(read(cwd, 'http-client.env.json'))).toEqual({ prod: { a: '2' }, dev: { a: '1' } })
  })

  it('changes no environment file that is not UTF-8', async () => {
    const cwd = directoryOf({ 'shop.json': collection })
    const env = Buffer.from('{"$shared": {"name": "caf\xe9"}}', 'latin1')
    writeFileSync(join(cwd, 'http-client.env.json'), env)
    const { code, stderr } = await httpcli(['convert', 'shop.json', '-o', 'out.http'], { cwd })
    expect([code, stderr]).toEqual([2, expect.stringContaining('http-client.env.json is not UTF-8 text')])
    expect(readFileSync(join(cwd, 'http-client.env.json'))).toEqual(env)
    expect(existsSync(join(cwd, 'out.http'))).toBe(false)
  })

  it('escapes control characters of the source in its warnings', async () => {
    const { stderr } = await httpcli(['convert', '-t', 'curl --config "\x1b[31mx" http://h.test/'])
    expect(stderr).toBe('warning: text: line 1: not converted: --config \\x1B[31mx\n')
  })

  it.each([
    ['-e', 'dev'],
    ['-V', 'a=1'],
  ])('refuses values for a request file: %s %s', async (...words) => {
    const { code, stdout, stderr } = await httpcli(['convert', '-t', 'curl http://h.test/$a', ...words])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('has no effect on a request file, which keeps its variables. Add --to curl or k6')
  })

  it('overwrites nothing without --force', async () => {
    const cwd = directoryOf({ 'shop.json': collection, 'out.http': 'mine' })
    const { code, stderr } = await httpcli(['convert', 'shop.json', '-o', 'out.http'], { cwd })
    expect(code).toBe(4)
    expect(stderr).toContain('httpcli convert: the file out.http already exists. Give --force')
    expect(read(cwd, 'out.http')).toBe('mine')
    expect(readdirSync(cwd).sort()).toEqual(['out.http', 'shop.json'])
    expect(await httpcli(['convert', 'shop.json', '-o', 'out.http', '--force'], { cwd })).toMatchObject({ code: 0 })
    expect(read(cwd, 'out.http')).toContain('### One')
  })

  it.skipIf(process.platform === 'win32')('writes to a device without --force', async () => {
    const cwd = directoryOf({})
    const { code, stderr } = await httpcli(['convert', '-t', 'curl http://h.test/', '-o', '/dev/null'], { cwd })
    expect([code, stderr]).toEqual([0, 'wrote /dev/null\n'])
  })

  it('replaces no environment value without --force, and then writes nothing', async () => {
    const env = '{"$shared": {"host": "http://other.test"}}'
    const cwd = directoryOf({ 'shop.json': collection, 'http-client.env.json': env })
    const { code, stderr } = await httpcli(['convert', 'shop.json', '-o', 'out.http'], { cwd })
    expect(code).toBe(4)
    expect(stderr).toContain('http-client.env.json already has another value of $shared.host')
    expect(readdirSync(cwd).sort()).toEqual(['http-client.env.json', 'shop.json'])
    expect(read(cwd, 'http-client.env.json')).toBe(env)
  })

  it('fails and writes nothing with --strict if something is lost', async () => {
    const cwd = directoryOf({ 'shop.json': collection })
    const { code, stdout, stderr } = await httpcli(['convert', 'shop.json', '-o', 'out.http', '--strict'], { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('error: shop.json: item[0].request.auth: not converted: hawk authorization\n')
    expect(stderr).toContain('httpcli convert: a part has no equivalent, and --strict was given')
    expect(readdirSync(cwd)).toEqual(['shop.json'])
  })

  it.each<[string, readonly string[], Readonly<Record<string, string>>, number, string]>([
    ['broken JSON', ['convert', 'a.json', '--from', 'postman'], { 'a.json': '{\n  "item": [}\n' }, 2, 'a.json:2:12: '],
    [
      'a broken command',
      ['convert', 'a.sh'],
      { 'a.sh': "curl http://h/ -H 'X" },
      2,
      'a.sh:1:19: a quote is not closed',
    ],
    ['a broken request file', ['convert', 'a.http'], { 'a.http': 'GET http://h/\nno header\n' }, 2, 'a.http:2:1: '],
    [
      'a collection of Thunder Client',
      ['convert', 'a.json'],
      { 'a.json': '{\n  "clientName": "Thunder Client",\n  "requests": []\n}\n' },
      2,
      'which is not supported. Export it from Thunder Client in the format of Postman',
    ],
    ['an unknown format', ['convert', 'a.txt'], { 'a.txt': 'hello\n' }, 2, 'a.txt is not a curl command'],
    ['an empty file', ['convert', 'a.txt'], { 'a.txt': '\n' }, 2, 'a.txt is empty. Give a file'],
    ['a file that is not there', ['convert', 'a.txt'], {}, 4, 'a.txt'],
    [
      'a directory',
      ['convert', '.'],
      {},
      2,
      'the directory . is not a Bruno collection: bruno.json or opencollection.yml not found',
    ],
    [
      'a format that it cannot write',
      ['convert', 'a.http', '--to', 'http'],
      { 'a.http': 'GET http://h/\n' },
      1,
      'is already a request file',
    ],
    ['an unknown format', ['convert', 'a', '--from', 'wsdl'], {}, 1, '--from must be'],
    ['a target that cannot be written', ['convert', 'a.sh', '-o', 'a.sh/x'], { 'a.sh': 'curl http://h/' }, 4, 'a.sh'],
  ])('is an error: %s', async (_, words, files, code, message) => {
    const cwd = directoryOf(files)
    const result = await httpcli(words, { cwd })
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toContain(message)
    expect(readdirSync(cwd).sort()).toEqual(Object.keys(files).sort())
  })

  it.each([[[]], [['-o', 'out']]])('fails if nothing can be converted: %j', async (options) => {
    const cwd = directoryOf({})
    const words = ['convert', ...options, '-t', "curl -X 'FOO BAR' http://h.test/"]
    expect(await httpcli(words, { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: text: http://h.test/: not converted: the whole request: its method is "FOO BAR"\n' +
        'httpcli convert: no part of the source can be converted. Correct what is reported above.\n',
    })
    expect(readdirSync(cwd)).toEqual([])
  })

  it('reads standard input and text from an option', async () => {
    const expected = '# @no-redirect\nGET http://h.test/\n'
    expect(await httpcli(['convert'], { stdin: 'curl http://h.test/' })).toMatchObject({ code: 0, stdout: expected })
    expect(await httpcli(['convert', '-'], { stdin: 'curl http://h.test/' })).toMatchObject({
      code: 0,
      stdout: expected,
    })
    expect(await httpcli(['convert', '-t', 'curl http://h.test/'])).toMatchObject({ code: 0, stdout: expected })
  })

  it('fills in values from an environment and -V in curl commands', async () => {
    const cwd = directoryOf({
      'a.http': 'GET http://{{host}}/{{user.name}}/{{id}}\n',
      'http-client.env.json': '{"dev": {"host": "h.test", "user": {"name": "ada"}}}',
    })
    const { stdout } = await httpcli(['convert', 'a.http', '-e', 'dev', '-V', 'id=7'], { cwd })
    expect(stdout).toBe('curl -L http://h.test/ada/7\n')
  })

  it('makes a collection that runs: variables, scripts, checks and files', async () => {
    const server = createServer((request, response) => {
      const token = request.headers.authorization === 'Bearer t1'
      response.setHeader('Content-Type', 'application/json')
      response.end(request.url === '/login' ? '{"token": "t1", "items": [1, 2]}' : JSON.stringify({ ok: token }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
    })
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const script = (exec: readonly string[]): object => ({ listen: 'test', script: { exec } })
    const shop = JSON.stringify({
      info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      variable: [
        { key: 'host', value: host },
        { key: 'token', value: '' },
      ],
      auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}' }] },
      event: [script(['pm.test("answers", () => pm.response.to.have.status(200))'])],
      item: [
        {
          name: 'Log in',
          request: {
            method: 'POST',
            auth: { type: 'noauth' },
            url: '{{host}}/login',
            body: { mode: 'raw', raw: '{}' },
          },
          event: [
            script([
              'const data = pm.response.json();',
              'pm.test("has items", function () {',
              '  pm.expect(data.items).to.be.an("array").that.includes(2);',
              '  pm.expect(pm.response.responseTime).to.be.below(60000);',
              '});',
              'pm.collectionVariables.set("token", data.token);',
            ]),
          ],
        },
        {
          name: 'Use it',
          request: { url: '{{host}}/use' },
          event: [script(['pm.test("ok", () => pm.expect(pm.response.json().ok).to.be.true)'])],
        },
      ],
    })
    const cwd = directoryOf({ 'shop.json': shop })
    expect(await httpcli(['convert', 'shop.json', '-o', '.', '--strict'], { cwd })).toMatchObject({ code: 0 })
    const { code, stderr } = await httpcli(['run', 'shop.http', '-p', 'status'], { cwd })
    expect(stderr).toMatch(/5 tests? .*passed|5 passed|passed.*5/)
    expect(code).toBe(0)
  })
})

describe('httpcli fmt', () => {
  const messy = 'GET   http://h.test/\nX:y\n\n\n\n'
  const tidy = 'GET http://h.test/\nX: y\n'

  it('formats files in place and reports which', async () => {
    const cwd = directoryOf({ 'a.http': messy, 'b.http': tidy })
    expect(await httpcli(['fmt', 'a.http', 'b.http'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'formatted a.http\n',
    })
    expect([read(cwd, 'a.http'), read(cwd, 'b.http')]).toEqual([tidy, tidy])
  })

  it.skipIf(process.platform === 'win32')('escapes control characters in the names of files', async () => {
    const cwd = directoryOf({ 'a\x1b[31m.http': messy })
    expect((await httpcli(['fmt', '.'], { cwd })).stderr).toBe('formatted a\\x1B[31m.http\n')
  })

  it('rewrites only files that change, and keeps their mode and links', async () => {
    const cwd = directoryOf({ 'a.http': messy, 'b.http': tidy })
    chmodSync(join(cwd, 'a.http'), 0o640)
    symlinkSync('a.http', join(cwd, 'link.http'))
    const before = statSync(join(cwd, 'b.http')).mtimeMs
    const inode = statSync(join(cwd, 'b.http')).ino
    await httpcli(['fmt', 'link.http', 'b.http'], { cwd })
    expect(read(cwd, 'a.http')).toBe(tidy)
    expect(statSync(join(cwd, 'a.http')).mode & 0o777).toBe(0o640)
    expect(statSync(join(cwd, 'b.http'))).toMatchObject({ mtimeMs: before, ino: inode })
  })

  it('formats the request files of a directory', async () => {
    const cwd = directoryOf({ 'a.http': messy, 'c.txt': messy })
    for (const name of ['sub', '.hidden', 'node_modules']) {
      mkdirSync(join(cwd, name))
      writeFileSync(join(cwd, name, 'b.rest'), messy)
    }
    expect(await httpcli(['fmt', '.'], { cwd })).toMatchObject({ stderr: 'formatted a.http\nformatted sub/b.rest\n' })
    expect(read(cwd, 'c.txt')).toBe(messy)
  })

  it('lists what would change with --check, and writes nothing', async () => {
    const cwd = directoryOf({ 'a.http': messy, 'b.http': tidy })
    expect(await httpcli(['fmt', '--check', '.'], { cwd })).toEqual({ code: 5, stdout: 'a.http\n', stderr: '' })
    expect(read(cwd, 'a.http')).toBe(messy)
    expect(await httpcli(['fmt', '--check', 'b.http'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('shows what would change with --diff', async () => {
    const cwd = directoryOf({ 'a.http': messy })
    expect(await httpcli(['fmt', '--diff', 'a.http'], { cwd })).toEqual({
      code: 5,
      stdout:
        '--- a.http\n+++ a.http\n@@ -1,5 +1,2 @@\n-GET   http://h.test/\n-X:y\n-\n-\n-\n+GET http://h.test/\n+X: y\n',
      stderr: '',
    })
  })

  it('leaves a file with errors unchanged, shows them, and continues with the others', async () => {
    const broken = 'GET   http://h.test/\nno header\n'
    const cwd = directoryOf({ 'a.http': broken, 'b.http': messy })
    const { code, stderr } = await httpcli(['fmt', '.'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('httpcli fmt: a.http:2:1: expected "Name: value"')
    expect([read(cwd, 'a.http'), read(cwd, 'b.http')]).toEqual([broken, tidy])
  })

  it('continues with the others if a file is not UTF-8', async () => {
    const cwd = directoryOf({ 'b.http': messy })
    writeFileSync(join(cwd, 'a.http'), Buffer.from('GET http://h.test/\xe4', 'latin1'))
    const { code, stderr } = await httpcli(['fmt', 'a.http', 'b.http'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toBe('httpcli fmt: a.http is not UTF-8 text\nformatted b.http\n')
    expect(read(cwd, 'b.http')).toBe(tidy)
  })

  it('formats standard input to standard output', async () => {
    expect(await httpcli(['fmt', '-'], { stdin: messy })).toEqual({ code: 0, stdout: tidy, stderr: '' })
    expect(await httpcli(['fmt', '-'], { stdin: 'GET h\nx\n' })).toMatchObject({ code: 2, stdout: '' })
  })

  it.each<[string, readonly string[], number, string]>([
    ['no path', ['fmt'], 1, '<path> is missing'],
    ['a path that is not there', ['fmt', 'none.http'], 4, 'none.http'],
    ['a directory without request files', ['fmt', '.'], 1, 'no .http or .rest file found in .'],
    ['standard input and a file', ['fmt', '-', 'a.http'], 1, 'cannot be used together'],
  ])('is an error: %s', async (_, words, code, message) => {
    const result = await httpcli(words, { cwd: directoryOf({}) })
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toContain(message)
  })
})
