/** Variables and environments: who wins, what is fresh, what is unknown. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { InvalidFileError, loadEnvironment, UnknownEnvironmentError } from '../../../../src/runner/index.ts'
import { noFiles } from '../../../helpers/file-root.ts'
import { directoryWith } from '../../../helpers/temporary-directory.ts'
import { type RecordingServer, type RunSettings, recordingServer, runText } from '../../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer()
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

/** The rest of each request's path after `/`. */
async function paths(text: string, settings: RunSettings = {}): Promise<readonly string[]> {
  const { errors } = await runText(text.replaceAll('$O', server.origin), settings)
  expect(errors).toEqual([])
  return server.requests.map(({ line }) => decodeURIComponent((line.split(' ')[1] as string).slice(1)))
}

const environment = (values: object, name = 'dev'): RunSettings => ({
  environmentName: name,
  files: { 'http-client.env.json': JSON.stringify(values) },
})

describe('a variable', () => {
  it.each<[string, string, string]>([
    ['a string', '"a b"', 'a b'],
    ['a number', '1.5', '1.5'],
    ['a boolean', 'false', 'false'],
    ['an object', '{"a":1}', '{"a":1}'],
    ['one with others in it', '"<{{other}}>"', '<O>'],
  ])('may be %s of the environment', async (_, json, text) => {
    expect(await paths('GET $O/{{v-1.x}}', environment({ dev: { 'v-1.x': JSON.parse(json), other: 'O' } }))).toEqual([
      text,
    ])
  })

  it('is read from the environment, then client.global, then in-place variables', async () => {
    const text = `@a = place
@b = place
@c = place
GET $O/

> {% client.global.set('a', 'global'); client.global.set('b', 'global') %}
###
GET $O/{{a}}-{{b}}-{{c}}`
    expect((await paths(text, environment({ dev: { a: 'env' } })))[1]).toEqual('env-global-place')
  })

  it('in place is available from its definition on, and may be redefined', async () => {
    expect(await paths('@a = 1\nGET $O/{{a}}\n###\n@a = 2\nGET $O/{{a}}\n###\nGET $O/{{ a }}')).toEqual(['1', '2', '2'])
    const { errors } = await runText(`GET ${server.origin}/{{a}}\n###\n@a = 1\nGET ${server.origin}/`)
    expect(errors).toEqual([expect.stringMatching(/^1:\d+ unknown-variable/)])
  })

  it('in place reflects changes of the variables that it uses', async () => {
    const text = `@auth = <{{token}}>
GET $O/

> {% client.global.set('token', 't1') %}
###
GET $O/{{auth}}

> {% client.global.set('token', 't2') %}
###
GET $O/{{auth}}`
    expect((await paths(text)).slice(1)).toEqual(['<t1>', '<t2>'])
  })

  it('that a script set is never read as a template', async () => {
    const text = `GET $O/

> {% client.global.set('answer', '{{secret}}') %}
###
GET $O/{{answer}}`
    expect((await paths(text, environment({ dev: { secret: 's' } })))[1]).toBe('{{secret}}')
  })

  it.each<[string, string, string]>([
    ['itself', '@a = {{a}}\nGET $O/{{a}}', '1:6 circular-variable'],
    ['itself over another', '@a = {{b}}\n@b = x{{a}}\nGET $O/{{a}}', '2:7 circular-variable'],
    [
      'hundreds of others',
      `${Array.from({ length: 5000 }, (_, index) => `@v${index} = {{v${index + 1}}}`).join('\n')}\nGET $O/{{v0}}`,
      'circular-variable',
    ],
    ['itself over a path', '@a = {{a.b}}\nGET $O/{{a}}', 'circular-variable'],
    ['an empty array', 'GET $O/{{list}}', '1:28 empty-array the array "list" is empty'],
    ['nothing in an object', 'GET $O/{{object.none}}', 'unknown-variable the variable "object" has nothing at'],
    ['no JSONPath', 'GET $O/{{object[?(]}}', 'bad-variable-path'],
    [
      'a variable of the process that is not set',
      'GET $O/{{$env.NOPE}}',
      'unknown-variable the environment variable "NOPE"',
    ],
    ['a wrong argument', 'GET $O/{{$random.integer(3, 1)}}', 'bad-argument'],
    ['a placeholder', 'GET $O/{{$placeholder}}', 'unknown-variable'],
  ])('that leads to %s is an error', async (_, text, error) => {
    const values = environment({ dev: { list: [], object: { key: 1 } } })
    const { errors } = await runText(text.replaceAll('$O', server.origin), values)
    expect(errors).toEqual([expect.stringContaining(error)])
    expect(server.requests).toEqual([])
  })

  it('that is unknown prevents its request, with the place and the nearest names; the run continues', async () => {
    const text = `GET ${server.origin}/a\n###\nPOST ${server.origin}/b\nX: {{user-nme}}\n\n{{body}}\n###\nGET ${server.origin}/c`
    const { events, summary } = await runText(text, environment({ dev: { userName: 'x', 'user-id': 'y' } }))
    const [event] = events.filter((each) => each.type === 'error')
    expect(event?.error).toMatchObject({
      code: 'unknown-variable',
      message: 'the variable "user-nme" is not defined',
      hint: 'Did you mean userName?',
      where: { file: 'test.http', line: 4, column: 4 },
      excerpt: 'X: {{user-nme}}\n   ^^^^^^^^^^^^',
    })
    expect(server.requests.map(({ line }) => line)).toEqual(['GET /a HTTP/1.1', 'GET /c HTTP/1.1'])
    expect(summary).toMatchObject({ requests: 3, answered: 2, failed: 1 })
  })
})

describe('a dynamic variable', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

  it.each<[string, RegExp]>([
    ['$uuid', uuid],
    ['$random.uuid', uuid],
    ['$timestamp', /^\d{10}$/],
    ['$isoTimestamp', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
    ['$randomInt', /^\d{1,4}$/],
  ])('%s has its form', async (name, form) => {
    expect((await paths(`GET $O/{{${name}}}`))[0]).toMatch(form)
  })

  it('has a fresh value at each use', async () => {
    const [all] = await paths('GET $O/{{$uuid}}+{{$uuid}}\nX: y')
    const [first, second] = (all as string).split('+')
    expect(first).not.toBe(second)
  })

  it('in an in-place variable is generated once', async () => {
    const values = await paths('@id = {{$uuid}}\nGET $O/{{id}}\n###\nGET $O/{{id}}')
    expect(values[0]).toMatch(uuid)
    expect(values[1]).toBe(values[0])
  })

  it('$randomInt ranges from 0 to 1000, both included', async () => {
    const draw = async (octets: number[]): Promise<string | undefined> => {
      server.requests.length = 0
      const sources = { now: () => 0, randomBytes: (count: number) => Uint8Array.from(octets.splice(0, count)) }
      return (await paths('GET $O/{{$randomInt}}', { sources }))[0]
    }
    expect(await draw([0, 0, 0, 0])).toBe('0')
    expect(await draw([0, 0, 0x03, 0xe8])).toBe('1000')
    expect(await draw([0, 0, 0x03, 0xe9])).toBe('0')
    // 0xffffffff is beyond the last whole multiple of 1001: drawn again.
    expect(await draw([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 7])).toBe('7')
  })
})

describe('environment files', () => {
  it('are merged: private over public, the environment over $shared', async () => {
    const files = {
      'http-client.env.json': JSON.stringify({ $shared: { a: 1, b: 1, c: 1, e: 1 }, dev: { b: 2, c: 2, d: 2 } }),
      'http-client.private.env.json': JSON.stringify({ $shared: { e: 3 }, dev: { c: 3, d: 3 } }),
    }
    expect(await paths('GET $O/{{a}}{{b}}{{c}}{{d}}{{e}}', { environmentName: 'dev', files })).toEqual(['12333'])
  })

  it('provide only $shared if no environment is selected', async () => {
    const files = { 'http-client.env.json': JSON.stringify({ $shared: { a: 'A' }, dev: { b: 'B' } }) }
    expect(await paths('GET $O/{{a}}', { files })).toEqual(['A'])
    const { errors } = await runText(`GET ${server.origin}/{{b}}`, { files })
    expect(errors).toEqual([expect.stringContaining('unknown-variable')])
  })

  it('may define an environment only in the private file', async () => {
    const files = { 'http-client.private.env.json': '{"dev": {"a": "A"}}' }
    expect(await paths('GET $O/{{a}}', { environmentName: 'dev', files })).toEqual(['A'])
  })

  it('are searched for in parent directories up to the one with .git, the nearest first', () => {
    const directory = directoryWith({ 'http-client.env.json': '{"top": {}}' })
    mkdirSync(join(directory.path, 'repo', '.git'), { recursive: true })
    mkdirSync(join(directory.path, 'repo', 'a', 'b'), { recursive: true })
    const file = join(directory.path, 'repo', 'a', 'b', 'x.http')
    const known = (): readonly string[] => {
      try {
        loadEnvironment(file, 'none')
        return []
      } catch (error) {
        return (error as UnknownEnvironmentError).known
      }
    }
    try {
      expect(known()).toEqual([])
      writeFileSync(join(directory.path, 'repo', 'http-client.env.json'), '{"repo": {}}')
      expect(known()).toEqual(['repo'])
      writeFileSync(join(directory.path, 'repo', 'a', 'rest-client.env.json'), '{"rest": {}}')
      expect(known()).toEqual(['rest'])
      writeFileSync(join(directory.path, 'repo', 'a', 'http-client.env.json'), '{"near": {}, "other": {}}')
      writeFileSync(join(directory.path, 'repo', 'http-client.private.env.json'), '{"secret": {}}')
      expect(known()).toEqual(['near', 'other', 'secret'])
    } finally {
      directory.remove()
    }
  })

  it('that do not name the environment are a usage error with the names', async () => {
    const run = runText(`GET ${server.origin}/`, environment({ dev: {}, staging: {} }, 'stagin'))
    await expect(run).rejects.toThrow(UnknownEnvironmentError)
    await expect(run).rejects.toMatchObject({ known: ['dev', 'staging'], hint: 'The environments are: dev, staging' })
    expect(server.requests).toEqual([])
  })

  it('with errors prevent sending, and show them all', async () => {
    const files = { 'http-client.env.json': '{\n  "dev": 1,\n  "b": [null]\n}' }
    const run = runText(`GET ${server.origin}/`, { files })
    await expect(run).rejects.toThrow(InvalidFileError)
    const { errors } = (await run.catch((error: unknown) => error)) as InvalidFileError
    expect(errors.map(({ where }) => [where?.line, where?.column])).toEqual([
      [2, 10],
      [3, 8],
    ])
    expect(server.requests).toEqual([])
  })

  it('leave a null variable to another file', async () => {
    const files = {
      'http-client.env.json': '{"dev": {"a": null, "b": "public"}} // comment',
      'http-client.private.env.json': '{"dev": {"a": "private", "b": null,},}',
    }
    const { errors } = await runText(`GET ${server.origin}/{{a}}/{{b}}`, { files, environmentName: 'dev' })
    expect(errors).toEqual([])
    expect(server.requests.map(({ line }) => line)).toEqual(['GET /private/public HTTP/1.1'])
  })

  it('report what is private, and its value', async () => {
    const reported = new Set<string>()
    const secrets = { add: (value: string): unknown => reported.add(value) }
    const directory = directoryWith({
      '.git': '',
      'http-client.env.json': '{"dev": {"public": "shown", "host": "h"}}',
      'http-client.private.env.json':
        '{"$shared": {"s": "shared"}, "dev": {"a": ["in a list", 12345], "b": "{{host}}-and-more"}, "other": {"o": "no"}}',
    })
    const privateValues = new Map([['p', 'given']])
    const environment = loadEnvironment(join(directory.path, 'x.http'), 'dev', { privateValues, secrets })
    directory.remove()
    expect([...reported]).toEqual(['shared', 'in a list', '12345', '{{host}}-and-more', 'given'])
    await runText(`GET ${server.origin}/{{b}}`, { environment, secrets })
    expect([...reported].at(-1)).toBe('h-and-more')
  })

  it('show nothing of an invalid private file', () => {
    const reported: string[] = []
    const directory = directoryWith({ '.git': '', 'http-client.private.env.json': '{"dev": {"a": "private" "b": 1}}' })
    const load = (secrets?: { add(value: string): void }): InvalidFileError => {
      try {
        loadEnvironment(join(directory.path, 'x.http'), 'dev', { secrets })
      } catch (error) {
        return error as InvalidFileError
      }
      return expect.unreachable()
    }
    expect(load().errors[0]?.excerpt).toContain('private')
    expect(load({ add: (value) => reported.push(value) }).errors[0]?.excerpt).toBeUndefined()
    expect(reported).toContain('private')
    directory.remove()
  })

  it('that are named explicitly are not searched for', () => {
    const directory = directoryWith({
      '.git': '',
      'http-client.env.json': '{"dev": {"a": "found"}}',
      'other/my.json': '{"dev": {"a": "named"}}',
      'other/secret.json': '{"dev": {"b": "secret"}}',
    })
    try {
      const { variables, hidden } = loadEnvironment(join(directory.path, 'x.http'), 'dev', {
        publicFile: join(directory.path, 'other/my.json'),
        privateFile: join(directory.path, 'other/secret.json'),
        privateValues: new Map([['a', 'given']]),
      })
      expect(Object.fromEntries(variables)).toEqual({ a: 'given', b: 'secret' })
      expect(hidden).toEqual(['a'])
    } finally {
      directory.remove()
    }
  })

  it('report which names a private value shadows', () => {
    const directory = directoryWith({
      '.git': '',
      'http-client.env.json': '{"$shared": {"s": 1}, "dev": {"a": 1, "b": 2}}',
      'http-client.private.env.json': '{"dev": {"b": 3, "s": 4, "c": 5}}',
    })
    try {
      expect(loadEnvironment(join(directory.path, 'x.http'), 'dev').hidden).toEqual(['s', 'b'])
    } finally {
      directory.remove()
    }
  })

  it('have settings, merged key by key, with the place of the effective file', () => {
    const directory = directoryWith({
      '.git': '',
      'http-client.env.json': JSON.stringify({
        dev: { Security: { Auth: { svc: { Type: 'OAuth2', 'Client ID': 'id' } } }, SSLConfiguration: { a: 1 } },
      }),
      'http-client.private.env.json': JSON.stringify({
        dev: { Security: { Auth: { svc: { 'Client Secret': 's' } } } },
      }),
    })
    try {
      const { security, ssl, variables } = loadEnvironment(join(directory.path, 'x.http'), 'dev')
      expect(security?.value).toEqual({ Auth: { svc: { Type: 'OAuth2', 'Client ID': 'id', 'Client Secret': 's' } } })
      expect(security?.source.path).toContain('private')
      expect(ssl).toMatchObject({ value: { a: 1 }, directory: directory.path })
      expect(variables.size).toBe(0)
    } finally {
      directory.remove()
    }
  })
})

describe('a path', () => {
  const values = {
    dev: {
      user: { name: 'ada', 'host.url': 'h', tags: ['x', 'y'], deep: [{ id: 1 }, { id: { n: 2 } }], 'a-b': 'hyphen' },
      'user.flat': 'flat',
      clients: [
        { name: 'one', 'first-name': 'f1' },
        { name: 'two', 'first-name': 'f2' },
      ],
      text: '{{user.name}}!',
      host: { of: '{{user.name}}.test' },
    },
  }

  it.each<[string, string]>([
    ['user.name', 'ada'],
    ['user["name"]', 'ada'],
    ["user.['host.url']", 'h'],
    ["user['host.url']", 'h'],
    ['user.tags[1]', 'y'],
    ['user.deep[0].id', '1'],
    ['user.deep[1].id', '{"n":2}'],
    ['user.deep[1].id.n', '2'],
    ['user.a-b', 'hyphen'],
    ['user.flat', 'flat'],
    ['$.user.name', 'ada'],
    ["$['user'].name", 'ada'],
    ['text', 'ada!'],
    ['host.of', 'ada.test'],
    ['clients[?@.name == "two"].first-name', 'f2'],
    ["$..['host.url']", 'h'],
  ])('%s refers to %j', async (path, text) => {
    expect(await paths(`GET $O/{{${path}}}`, environment(values))).toEqual([text])
  })

  it.each<[string, readonly string[]]>([
    ['user.tags', ['x', 'y']],
    ['$.clients..name', ['one', 'two']],
    ['clients[*].name', ['one', 'two']],
    ['clients..first-name', ['f1', 'f2']],
    ['$.clients[*].first-name', ['f1', 'f2']],
  ])('%s sends a request for each value', async (path, expected) => {
    expect(await paths(`GET $O/{{${path}}}`, environment(values))).toEqual(expected)
  })

  it('into a value that a script set is followed, and does not leave the value', async () => {
    const text = `GET $O/

> {% client.global.set('r', {a: [1, {b: 'x'}]}) %}
###
GET $O/{{r.a[1].b}}`
    expect((await paths(text))[1]).toBe('x')
    const { errors } = await runText(
      `@t = text\nGET ${server.origin}/{{t.length}}\n###\nGET ${server.origin}/{{$.t.constructor}}`,
    )
    expect(errors).toEqual([expect.stringContaining('unknown-variable'), expect.stringContaining('unknown-variable')])
  })
})

describe('values from outside', () => {
  it('from the command line override everything, and may contain variables', async () => {
    const settings = { ...environment({ dev: { a: 'env', b: 'env' } }), variables: new Map([['a', '<{{b}}>']]) }
    expect(await paths('@a = place\nGET $O/{{a}}', settings)).toEqual(['<env>'])
  })

  it('of the process are available through $env', async () => {
    const processEnvironment = { SOME_NAME: 'x y', N: '5' }
    const text = 'POST $O/{{$env.SOME_NAME}}\nContent-Type: application/json\n\n[{{$env.SOME_NAME}}, {{$env.N}}]'
    expect(await paths(text, { processEnvironment })).toEqual(['x y'])
    expect(server.requests[0]?.body.toString()).toBe('["x y", 5]')
  })

  it('are empty if unknown and if that is allowed', async () => {
    expect(await paths('GET $O/[{{none}}]', { isLenient: true })).toEqual(['[]'])
  })

  it('include the directory of the project', async () => {
    const [path] = await paths('GET $O/{{$projectRoot}}!{{$historyFolder}}!{{$exampleServer}}')
    const [root, history, examples] = (path as string).split('!')
    expect(history).toBe(join(root as string, '.idea', 'httpRequests'))
    expect(root).toMatch(/httpcli-run-/)
    expect(examples).toBe('https://examples.http-client.intellij.net')
  })

  it('that need a token wait for it', async () => {
    const { SharedVariables } = await import('../../../../src/runner/variables/shared-variables.ts')
    const { Variables } = await import('../../../../src/runner/variables/variables.ts')
    const { FileScope } = await import('../../../../src/runner/variables/file-scope.ts')
    const { parseTemplate } = await import('../../../../src/http-file/index.ts')
    const known = new Map<string, string>()
    const tokens = {
      known: (id: string, kind: string) => known.get(`${kind} ${id}`),
      acquire: async (id: string, kind: string) => void known.set(`${kind} ${id}`, `${kind}-token-of-${id}`),
    }
    const sources = { now: () => 0, randomBytes: (count: number) => new Uint8Array(count) }
    const shared = new SharedVariables({ environment: new Map(), sources, tokens, files: noFiles })
    const variables = new Variables(shared, new FileScope({ path: 'x', text: '' }, '/x'))
    const template = parseTemplate('{{$auth.token("svc")}} {{$auth.idToken("svc")}}')
    await variables.load([template])
    expect(variables.render(template)).toBe('access-token-of-svc id-token-of-svc')
  })
})
