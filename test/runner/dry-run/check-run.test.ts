import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  checkRun,
  InvalidFileError,
  loadEnvironment,
  loadHttpFile,
  type RunFindings,
  type RunOptions,
} from '../../../src/runner/index.ts'
import { SecretMask } from '../../../src/secrets/index.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer()
})
afterAll(() => server.close())

interface Settings extends Partial<RunOptions> {
  readonly files?: Readonly<Record<string, string>>
  readonly environmentName?: string
}

async function check(text: string, { files = {}, environmentName, ...options }: Settings = {}): Promise<RunFindings> {
  const directory = directoryWith({ '.git': '', ...files, 'test.http': text.replaceAll('$O', server.origin) })
  try {
    const loaded = loadHttpFile('test.http', directory.path)
    return await checkRun(loaded, { environment: loadEnvironment(loaded.path, environmentName), ...options })
  } finally {
    directory.remove()
    expect(server.requests).toEqual([])
  }
}

describe('a file of another tool', () => {
  const convertedFrom = (path: string): string => `To convert it: httpcli convert ${path} -o requests.http`
  const copied = 'Copy its requests into a request file, separated by "###"'
  it.each([
    ['one.hurl', 'GET http://h.test\nHTTP 200\n[Asserts]\n', 'a Hurl file', convertedFrom('one.hurl')],
    ['one.bru', 'meta {\n  name: One\n}\n', 'a request of Bruno', convertedFrom('DIRECTORY')],
    ['api.YAML', 'openapi: 3.0.0\npaths: {}\n', 'a YAML document', convertedFrom('api.YAML')],
    [
      'a.postman_collection.json',
      '{\n  "item": []\n}\n',
      'a JSON document',
      convertedFrom('a.postman_collection.json'),
    ],
    ['README.md', '# Shop\n\nThe products of a shop.\n', 'a Markdown document', copied],
  ])('is one error, which says what to do: %s', (name, text, what, advice) => {
    const directory = directoryWith({ [name]: text })
    const load = () => loadHttpFile(name, directory.path)
    expect(load).toThrow(InvalidFileError)
    try {
      load()
    } catch (error) {
      expect((error as InvalidFileError).errors.map(({ message, hint }) => [message, hint])).toEqual([
        [`this is ${what}, expected a request file`, advice],
      ])
    } finally {
      directory.remove()
    }
  })

  it('may contain requests, whatever its name is', () => {
    const directory = directoryWith({ 'a.json': 'GET http://h.test/\n' })
    expect(loadHttpFile('a.json', directory.path).file.sections).toHaveLength(1)
    directory.remove()
  })
})

it('each iteration of a request is checked', async () => {
  const variables = new Map([['file', ['none', 'a', 'nothing']]])
  const { errors } = await check('POST $O/\n\n< ./{{file}}\n', { variables, files: { a: 'A' } })
  expect(errors.map(({ error }) => error.message)).toEqual([
    expect.stringMatching(/none does not exist$/),
    expect.stringMatching(/nothing does not exist$/),
  ])
})

describe('a host', () => {
  it.each(['http://192.168.1.300/', 'http://1.2.3.4.5/', 'http://xn--/', 'user.1'])(
    'that is invalid in a URL is found: %s',
    async (target) => {
      expect(reported(await check(`GET ${target}`))).toEqual(['error 1:5 invalid-request'])
    },
  )
})

it('a query of GraphQL to a host that is not known yet is not expected to be JSON', async () => {
  const query = 'Content-Type: application/json\n\nquery { a }\n'
  const { errors, warnings } = await check(
    `# @capture host = $.x\nGET $O/\n###\nGRAPHQL http://{{host}}/\n${query}###\nPOST http://{{host}}/\nX-Request-Type: GraphQL\n${query}`,
  )
  expect([errors, warnings]).toEqual([[], []])
})

it('a mistake in a body whose first line is indented ends where it ends', async () => {
  const { warnings } = await check('POST $O/\nContent-Type: application/json\n\n    {"a": bad}\n')
  expect(warnings[0]?.where).toMatchObject({ line: 4, column: 11, end: { line: 4, column: 12 } })
})

const reported = ({ errors }: RunFindings): readonly string[] =>
  errors.map(({ error, outcome }) => `${outcome} ${error.where?.line}:${error.where?.column} ${error.code}`)
const warned = ({ warnings }: RunFindings): readonly string[] =>
  warnings.map(({ where, code }) => `${where?.line}:${where?.column} ${code}`)

describe('a variable', () => {
  it.each<[string, string, Settings]>([
    [
      'of the environment',
      'GET $O/{{a}}',
      { files: { 'http-client.env.json': '{"dev":{"a":"1"}}' }, environmentName: 'dev' },
    ],
    ['of the command line', 'GET $O/{{a}}', { variables: new Map([['a', '1']]) }],
    ['that is defined above', '@a = 1\nGET $O/{{a}}', {}],
    ['of a script before the request', '< {% request.variables.set("a", 1) %}\nGET $O/{{a}}', {}],
    ['of a common script', '< {% client.global.set("a", 1) %}\n###\nGET $O/{{a}}', {}],
    ['of the handler of an earlier request', 'GET $O/\n\n> {% client.global.set("a", 1) %}\n###\nGET $O/{{a}}', {}],
    [
      'of a handler by another name',
      'GET $O/\n\n> {% const g = client.global; g.set(`a`, 1) %}\n###\nGET $O/{{a.b}}',
      {},
    ],
    [
      'that a handler sets, in a variable of the same name',
      '@a = {{a}}\nGET $O/\n\n> {% client.global.set("a", 1) %}\n###\nGET $O/{{a}}',
      {},
    ],
    [
      'that a script may set, in a variable of the same name',
      '@a = {{a}}\nGET $O/\n\n> {% const n = "a"; client.global.set(n, 1) %}\n###\nGET $O/{{a}}',
      {},
    ],
    ['of an earlier capture', '# @capture a = $.x\nGET $O/\n###\nGET $O/{{a}}', {}],
    ['of a capture, in an assertion', '# @assert $.y == {{a}}\n# @capture a = $.x\nGET $O/', {}],
    ['of a script file', '< a.js\nGET $O/{{a}}', { files: { 'a.js': 'request.variables.set("a", 1)' } }],
    ['of a module', '< {% import "./m" %}\nGET $O/{{a}}', { files: { 'm.js': 'client.global.set("a", 1)' } }],
    ['that is dynamic', 'GET $O/{{$uuid}}/{{$random.name.firstName}}', {}],
    ['of the process', 'GET $O/{{$env.A}}', { processEnvironment: { A: '1' } }],
    ['where unknown ones are empty', 'GET $O/{{nope}}', { isLenient: true }],
  ])('%s is known', async (_where, text, settings) => {
    const found = await check(text, settings)
    expect([reported(found), warned(found)]).toEqual([[], []])
  })

  it.each<[string, string, string]>([
    ['no one sets', 'GET $O/{{a}}', 'error 1:28 unknown-variable'],
    ['only a later capture sets', 'GET $O/{{a}}\n###\n# @capture a = $.x\nGET $O/', 'error 1:28 unknown-variable'],
    ['only its own handler sets', 'GET $O/{{a}}\n\n> {% client.global.set("a", 1) %}', 'error 1:28 unknown-variable'],
    [
      'only another request has',
      '< {% request.variables.set("a", 1) %}\nGET $O/\n###\nGET $O/{{a}}',
      'error 4:28 unknown-variable',
    ],
    ['an assertion names and nothing sets', '# @assert status == {{a}}\nGET $O/', 'failed 1:21 unknown-variable'],
    ['is not set in the process', 'GET $O/{{$env.NOPE_NOPE}}', 'error 1:28 unknown-variable'],
    ['leads back to itself', '@a = {{a}}\nGET $O/{{a}}', 'error 1:6 circular-variable'],
  ])('that %s is an error', async (_what, text, error) => {
    const shown = text.replaceAll('$O', 'http://127.0.0.1:1')
    const found = await check(shown)
    const column = 'GET http://127.0.0.1:1/'.length + 1
    expect(reported(found)).toEqual([error.replace(':28', `:${column}`)])
  })

  it('that is not defined is not suggested for another', async () => {
    const { errors } = await check('GET http://h/{{user-name}}/{{usr-name}}/{{user-name}}')
    expect(errors.map(({ error }) => error.hint)).toEqual([
      expect.stringMatching(/^Choose an environment/),
      expect.stringMatching(/^Choose an environment/),
    ])
  })

  it('that a script may set under a computed name is a warning', async () => {
    const text =
      'GET http://h/\n\n> {% for (const n of [1]) client.global.set("a" + n, 1); client.global.set(n, 2) %}\n###\nGET http://h/{{b}}'
    const found = await check(text)
    expect([reported(found), warned(found)]).toEqual([[], ['5:14 unknown-variable']])
  })

  it.each([
    ['nothing uses', 'client.log(1)', ['1:2 unused-variable']],
    ['a script reads', 'client.variables.file.get("b")', []],
    ['a script may read under a computed name', 'client.variables.file.get("a" + 1)', []],
    ['a script may read by another name of the object', 'const v = client.variables.file; v.get(n)', []],
    ['a comment names in a call', '// client.variables.file.get(n)', ['1:2 unused-variable']],
    ['no global variable can be', 'client.global.get(n)', ['1:2 unused-variable']],
  ])('that %s', async (_what, code, warnings) => {
    const found = await check(`@b = 1\nGET http://h/\n\n> {% const n = "x"; ${code}\n%}`)
    expect([reported(found), warned(found)]).toEqual([[], warnings])
  })

  it('that is the host is used by a file that ends with the path /', async () => {
    const found = await check('@host = $O\nGET /')
    expect([reported(found), warned(found)]).toEqual([[], []])
  })

  it('that hides what is captured is a warning', async () => {
    const found = await check('# @capture a = $.x\nGET http://h/{{a}}', { variables: new Map([['a', '1']]) })
    expect([reported(found), warned(found)]).toEqual([[], ['1:12 hidden-capture']])
  })

  it.each([
    ['client.global.set("a", 1)', ['3:24 hidden-variable']],
    ["request.variables.set('a', 1)", ['3:28 hidden-variable']],
    ['client.global.set("b", client.global.get("b"))', []],
    ['client.variables.environment.set("a", 1)', []],
    ['client.global.headers.set("a", 1)', []],
  ])('that hides what a script sets for a template is a warning: %s', async (code, warnings) => {
    const text = `GET http://h/{{a}}\n\n> {%${code} %}`
    const found = await check(text, { variables: new Map(['a', 'b'].map((name) => [name, ''])) })
    expect([reported(found), warned(found)]).toEqual([[], warnings])
  })
})

describe('a script', () => {
  it.each([
    ['that cannot be read', '< {% const a = ; %}\nGET http://h/', 'failed 1:16 script-failed'],
    ['after the response', 'GET http://h/\n\n> {%\n  if (1 {\n%}', 'failed 4:9 script-failed'],
    ['in common code', '={% const %}\n###\n< {% 1 %}\nGET http://h/', 'failed 1:4 script-failed'],
    ['whose module is not there', '< {%\n  import "./nope"\n%}\nGET http://h/', 'failed 2:3 script-failed'],
    ['whose file is not there', '< nope.js\nGET http://h/', 'error 1:1 unreadable-file'],
  ])('%s is an error', async (_what, text, error) => {
    expect(reported(await check(text))).toEqual([error])
  })

  it.each([
    ['in a call', 'require("x")', ['3:6 unknown-member']],
    ['as an object, twice', 'if (response) { pm.a(); pm.b() }', ['3:22 unknown-member']],
    ['for the status', 'client.log(response.code)', ['3:17 unknown-member']],
    [
      'for a header',
      'client.log(response.headers["X"], response.headers.get("X"))',
      ['3:17 unknown-member', '3:40 unknown-member'],
    ],
    ['for a variable', 'client.global.token = 1', ['3:6 unknown-member']],
    ['for a variable that has the name', 'client.global["token"] = 1', ['3:6 unknown-member']],
    ['of an own object', 'const response = { code: 1 }; client.log(response.code)', []],
    ['of an own parameter', '[{ code: 1 }].forEach((response) => client.log(response.code))', []],
    ['of a member of its own', 'const a = { response: { code: 1 } }; client.log(a.response.code)', []],
    ['in the right way', 'client.log(response.headers.valueOf("X"), response.body.code, response.body["json"])', []],
    ['that it declares', 'const expect = (value) => value; expect(1)', []],
    ['that it destructures', 'const { test, assert } = client; test("a", () => assert(true))', []],
    ['that it asks for', 'if (typeof process !== "undefined") client.log(1)', []],
    ['of a member', '/a/.test("a"); client.test("a", () => client.assert(true))', []],
    ['of a method', 'class A { fetch(url) { return url } }', []],
    ['of a parameter', '[1].map((test) => test.length)', []],
    ['that it imports', 'import { expect } from "./m.js"; expect(1)', []],
    ['that is global', 'globalThis.fetch = () => 1; fetch("x")', []],
  ])('uses a name of another tool %s: %s', async (_what, code, expected) => {
    const files = { 'm.js': 'export const expect = (value) => value' }
    expect(warned(await check(`GET http://h/\n\n> {% ${code} %}`, { files }))).toEqual(expected)
  })

  it('may use a name that common code declares', async () => {
    expect(warned(await check('={% function test() {} %}\n###\nGET http://h/\n\n> {% test("a") %}'))).toEqual([])
  })

  it('is not run', async () => {
    const found = await check('< {% throw new Error("run") %}\nGET http://h/\n\n> {% for (;;) {} %}')
    expect(found).toMatchObject({ requests: 1, scripts: 2, errors: [] })
  })

  it('of a broken module is reported at its place in the module', async () => {
    const { errors } = await check('< {% import "./m.js" %}\nGET http://h/', {
      files: { 'm.js': 'let a = 1\nlet b = (' },
    })
    expect(errors.map(({ error }) => error.where)).toMatchObject([{ file: 'm.js', line: 2 }])
  })
})

describe('a tag', () => {
  it.each([
    ['@asert status == 200', ['1:1 unknown-tag']],
    ['@captures a = $.b', ['1:1 unknown-tag']],
    ['@no-redirects', ['1:1 unknown-tag']],
    ['@note of somebody', []],
    ['@no-redirect', []],
    ['@tag smoke', []],
  ])('%s that only resembles another is a warning', async (tag, expected) => {
    expect(warned(await check(`# ${tag}\nGET http://h/`))).toEqual(expected)
  })
})

describe('a request', () => {
  it.each([
    ['whose body is not there', 'POST http://h/\n\n< nope.json', 'error 3:3 unreadable-file'],
    ['whose URL is invalid', 'GET http://:1/', 'error 1:5 invalid-request'],
    ['whose scheme is not HTTP', 'GET ftp://h/', 'error 1:5 invalid-request'],
    ['whose tag is wrong', '# @timeout soon\nGET http://h/', 'error 1:1 invalid-request'],
    ['that is called and not there', 'run #nope\n###\nGET http://h/', 'error 1:1 unknown-request'],
    ['of a file that is not there', 'import nope.http\n###\nGET http://h/', 'error 1:1 unreadable-file'],
    [
      'whose authorization is not there',
      'GET http://h/\nAuthorization: Bearer {{$auth.token("x")}}',
      'error 2:23 unknown-auth',
    ],
  ])('%s is an error', async (_what, text, error) => {
    const lines = reported(await check(text))
    expect(lines).toHaveLength(1)
    expect(lines[0]?.replace(/:\d+ /, ':0 ')).toBe(error.replace(/:\d+ /, ':0 '))
  })

  it.each([
    ['JSON without a type', '\n\n{"a": 1}', ['3:1 undeclared-json']],
    ['a GraphQL query without a type', '\n\nquery a($b: ID!) {\n  c\n}', ['3:1 undeclared-json']],
    ['a GraphQL query as JSON', '\nX-Request-Type: GraphQL\n\nquery a {\n  c\n}', []],
    ['a list of a variable without a type', '\n\n[{{$uuid}}]', []],
    ['JSON of another type', '\nContent-Type: text/plain\n\n{"a": 1}', []],
    ['JSON of a type that a variable names', '\nContent-Type: {{type}}\n\n{"a": 1}', []],
    ['text in braces', '\n\n{a}', []],
    ['a form', '\nContent-Type: application/x-www-form-urlencoded\n\na={"b": 1}', []],
    ['JSON as a form', '\nContent-Type: application/x-www-form-urlencoded\n\n{"a": 1}', ['4:1 undeclared-json']],
    ['JSON in the line of the URL', ' {"a": 1}', ['1:16 body-in-url']],
    ['nothing, but an action in the path', 'v1/items:batchGet', []],
    ['nothing, but a parameter in the path', ':id/x', ['1:15 colon-parameter']],
  ])('with %s', async (_what, rest, expected) => {
    const variables = new Map([['type', 'text/plain']])
    expect(warned(await check(`POST http://h/${rest}`, { variables }))).toEqual(expected)
  })

  it('is checked completely, however many mistakes it has', async () => {
    const text = '# @assert status == {{d}}\n< {% ( %}\nPOST http://h/{{a}}?{{b}}\nX: {{c}}\n\n< nope.json\n\n> {% ) %}'
    expect(reported(await check(text)).map((line) => line.replace(/:\d+/, ''))).toEqual([
      'failed 2 script-failed',
      'error 3 unknown-variable',
      'error 3 unknown-variable',
      'error 4 unknown-variable',
      'error 6 unreadable-file',
      'failed 8 script-failed',
      'failed 1 unknown-variable',
    ])
  })

  it('is not rejected because of a value that is not known yet', async () => {
    const text =
      '# @capture port = $.port\nGET http://h/\n###\nGET http://h:{{port}}/\nX-A: {{port}}\n\n< {{port}}.json'
    expect(reported(await check(text))).toEqual([])
  })

  it('that is not selected is not checked', async () => {
    const choice = { names: ['right'], lines: [], tags: [] }
    expect(await check('### right\nGET http://h/\n### wrong\nGET http://h/{{nope}}', { choice })).toMatchObject({
      requests: 1,
      errors: [],
    })
  })

  it('with a token is valid if its authorization is complete', async () => {
    const auth = (settings: object): string => JSON.stringify({ dev: { Security: { Auth: { x: settings } } } })
    const text = 'GET http://h/\nAuthorization: Bearer {{$auth.token("x")}}'
    const right = { Type: 'OAuth2', 'Grant Type': 'Client Credentials', 'Token URL': 'http://h/t', 'Client ID': 'c' }
    const settings = (env: string) => ({ files: { 'http-client.env.json': env }, environmentName: 'dev' })
    expect(reported(await check(text, settings(auth(right))))).toEqual([])
    expect(reported(await check(text, settings(auth({ Type: 'OAuth2' }))))).toEqual(['error 2:23 invalid-auth'])
  })
})

describe('access by a run', () => {
  const nothing = { filesRead: [], filesWritten: [], environmentVariables: [], hosts: ['h.test'] }

  it.each<[string, string, Settings, object]>([
    ['a host', 'GET http://user:word@h.test/x', {}, {}],
    ['a host with its port', 'GET http://h.test:81/x', {}, { hosts: ['h.test:81'] }],
    ['a host by its header', 'GET /x\nHost: h.test', {}, {}],
    [
      'hosts, each once',
      'GET http://b.test\n###\nGET http://a.test\n###\nGET http://b.test',
      {},
      { hosts: ['a.test', 'b.test'] },
    ],
    ['a host that is not known', 'GET http://{{none}}:81/x', {}, { hosts: ['{{none}}:81'] }],
    [
      'a host that a response brings',
      '# @capture host = $.x\nGET http://h.test\n###\nGET http://{{host}}/x',
      {},
      { hosts: ['h.test', '{{host}}'] },
    ],
    ['a body', 'POST http://h.test\n\n< a.txt', { files: { 'a.txt': '' } }, { filesRead: ['a.txt'] }],
    ['a body that is not there', 'POST http://h.test\n\n< ./d/a.txt', {}, { filesRead: ['d/a.txt'] }],
    ['a body outside', 'POST http://h.test\n\n< /none/a.txt', {}, { filesRead: ['/none/a.txt'] }],
    [
      'scripts and their modules',
      '< a.js\nGET http://h.test\n\n> b.js',
      { files: { 'a.js': 'import "./c.js"', 'b.js': '$env.B; $env["C"]', 'c.js': '$env.D' } },
      { filesRead: ['a.js', 'b.js', 'c.js'], environmentVariables: ['B', 'C', 'D'] },
    ],
    ['a request file', 'import ./b.http\nGET http://h.test', { files: { 'b.http': '' } }, { filesRead: ['b.http'] }],
    [
      'an environment file and what it names',
      'GET http://h.test/{{a}}',
      {
        files: { 'http-client.env.json': '{"dev":{"a":"{{$env.A}}"}}' },
        environmentName: 'dev',
        processEnvironment: { A: '1' },
      },
      { filesRead: ['http-client.env.json'], environmentVariables: ['A'] },
    ],
    ['a response file', 'GET http://h.test\n\n>> out/a.json', {}, { filesWritten: ['out/a.json'] }],
    ['a response file outside', 'GET http://h.test\n\n>>! /none/a', {}, { filesWritten: ['/none/a'] }],
    [
      'a response file that a response names',
      '# @capture name = $.x\nGET http://h.test\n###\nGET http://h.test\n\n>> out/{{name}}.json',
      {},
      { filesWritten: ['out/{{name}}.json'] },
    ],
  ])('is listed: %s', async (_name, text, settings, expected) => {
    const { touched } = await check(text, settings)
    const below = touched.filesRead.map((path) => path.replace(/^.*\/(?=http-client)/, ''))
    expect({ ...touched, filesRead: below }).toEqual({ ...nothing, ...expected })
  })
})

describe('a path that a response completes', () => {
  it.each([
    ['>> ../{{name}}', 'outside-file-root'],
    ['>> .git/{{name}}', 'protected-file'],
    ['< ../{{name}}', 'outside-file-root'],
  ])('is found to be forbidden before the response arrives: %s', async (line, code) => {
    const text = `# @capture name = $.x\nGET $O/\n###\nPOST $O/\n\n${line}`
    const findings = await check(text)
    expect(reported(findings)).toEqual([expect.stringMatching(new RegExp(`^error 6:\\d+ ${code}$`))])
    expect(findings.errors[0]?.error.message).toContain('{{name}}')
  })
})

describe('a repeated key of an environment file', () => {
  const files = {
    'http-client.env.json': '{\n  "dev": { "a": "1" },\n  "dev": { "a": "2" }\n}',
    'http-client.private.env.json': '{ "dev": { "token": "first-secret", "token": "second-secret" } }',
  }

  it('is a warning with the file and both places', async () => {
    const { errors, warnings } = await check('GET $O/{{a}}{{token}}', { files, environmentName: 'dev' })
    expect(errors).toEqual([])
    expect(
      warnings.map(
        ({ where, message, code }) =>
          `${basename(where?.file ?? '')}:${where?.line}:${where?.column} ${code} ${message}`,
      ),
    ).toEqual([
      'http-client.env.json:3:3 repeated-key the key "dev" is repeated: its value at 2:3 is not used',
      'http-client.private.env.json:1:37 repeated-key the key "token" is repeated: its value at 1:12 is not used',
    ])
  })

  it('shows no line of a private file, which could show a part of a secret', () => {
    const directory = directoryWith({ '.git': '', ...files })
    const path = join(directory.path, 'test.http')
    const { repeatedKeys } = loadEnvironment(path, 'dev', { secrets: new SecretMask() })
    directory.remove()
    expect(repeatedKeys?.map(({ excerpt }) => excerpt)).toEqual(['  "dev": { "a": "2" }\n  ^^^^^', undefined])
  })
})

describe('a key of an environment file that only Kulala knows', () => {
  it.each([
    [
      '{ "$shared": { "$kulalaDefaultHeaders": { "A": "b" } } }',
      '1:16',
      '"$kulalaDefaultHeaders" does not set headers',
    ],
    ['{ "dev": { "$default_headers": { "A": "b" } } }', '1:12', '"$default_headers" does not set headers'],
    ['{ "dev": { "DEFAULT_HEADERS": { "A": "b" } } }', '1:12', '"DEFAULT_HEADERS" does not set headers'],
    ['{ "$kulalaShared": { "a": "b" } }', '1:3', '"$kulalaShared" is an environment like others'],
  ])('is a warning: %s', async (text, place, message) => {
    const { warnings } = await check('GET $O/', { files: { 'http-client.env.json': text } })
    expect(warnings.map(({ where, code }) => `${where?.line}:${where?.column} ${code}`)).toEqual([
      `${place} foreign-key`,
    ])
    expect(warnings[0]?.message).toContain(message)
  })

  it('is none if it is a text', async () => {
    const text = '{ "dev": { "DEFAULT_HEADERS": "b" } }'
    expect((await check('GET $O/', { files: { 'http-client.env.json': text } })).warnings).toEqual([])
  })
})
