/** Request files as scripts for k6: texts, options, secrets, losses, and the resources of the operator. */
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { convert, type K6Target, loadOptionProblem } from '../../src/convert/index.ts'
import { escapedPartName } from '../../src/http-file/index.ts'
import { multipartBody, partValue } from '../../src/runner/load/light/light-multipart.ts'

const target: K6Target = {
  path: 'api.http',
  scriptName: 'load.js',
  userAgent: 'httpcli',
  values: new Map(),
  secretNames: new Set(),
  security: undefined,
  ssl: undefined,
  options: [],
  failsOnStatus: false,
  data: undefined,
  openPath: (path) => path,
  readText: () => undefined,
  readBytes: () => undefined,
}

interface SentRequest {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly after?: readonly (() => void)[]
}

type Build = () => Omit<SentRequest, 'name'>

/** The requests of a script with the light runtime, each variable with its name as value. */
async function sentBy(script: string): Promise<readonly SentRequest[]> {
  const [, statements = ''] = /^export default (?:async )?function \(\) \{\n(.*?)^\}$/ms.exec(script) ?? []
  const sent: SentRequest[] = []
  const functions = {
    test: { begin: () => undefined },
    send: (_line: number, name: string, build: Build) => sent.push({ ...build(), name }),
    sendWithScripts: (_line: number, name: string, build: Build, scripts: object) =>
      sent.push({ ...build(), ...scripts, name }),
    v: (name: string) => name,
    json: (name: string) => JSON.stringify(name),
    address: (url: string) => url,
    field: (value: string) => value,
    graphqlVariables: (json: string) => json,
    multipart: multipartBody,
    partName: (name: string) => escapedPartName(`"${name}"`),
    partValue: (name: string) => name,
    files: { './a b': Uint8Array.of(0, 255).buffer },
    define: () => undefined,
  }
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor
  await new AsyncFunction(...Object.keys(functions), statements)(...Object.values(functions))
  return sent
}

interface Written {
  readonly script: string
  readonly losses: readonly string[]
}

async function written(text: string, given: Partial<K6Target> = {}, to: 'k6' | 'k6-operator' = 'k6'): Promise<Written> {
  const result = await convert({ path: 'api.http', text }, { from: 'http', to, k6: { ...target, ...given } })
  const losses = result.losses.map(({ place, message }) => `${place}: ${message}`)
  return { script: result.text, losses }
}

function withoutRuntime(script: string): string {
  return script.slice(0, script.search(/\nfunction httpcli(?:Part|Runtime)/))
}

/** The options of a script. */
async function optionsOf(text: string, given: Partial<K6Target> = {}): Promise<unknown> {
  const { script } = await written(text, given)
  const [, found] = /^export const options = (.*?)\n\n/ms.exec(script) ?? []
  return new Function(`return ${found}`)()
}

const request = 'GET http://localhost/\n'

/** Options in place of parameters that all requests have. */
const ofAllRequests = { userAgent: 'httpcli', maxRedirects: 0, discardResponseBodies: true }

describe('the load', () => {
  it('is one iteration without options', async () => {
    expect(await optionsOf(request)).toEqual({
      ...ofAllRequests,
      vus: 1,
      iterations: 1,
      thresholds: { httpcli_errors: ['count==0'] },
    })
  })

  it.each([
    ['# @k6 vus 10', { vus: 10, duration: '30s' }],
    ['# @k6 vus 10\n# @k6 duration 1m30s', { vus: 10, duration: '1m30s' }],
    [
      '# @k6 stages 30s:10, 1m:50',
      {
        stages: [
          { duration: '30s', target: 10 },
          { duration: '1m', target: 50 },
        ],
      },
    ],
    [
      '# @k6 rate 20/m\n# @k6 max-vus 300',
      {
        scenarios: {
          requests: {
            ...{ executor: 'constant-arrival-rate', rate: 20, timeUnit: '1m', duration: '30s' },
            ...{ preAllocatedVUs: 10, maxVUs: 300 },
          },
        },
      },
    ],
    [
      '# @k6 rate 1/s\n# @k6 max-vus 5',
      { scenarios: { requests: { executor: 'constant-arrival-rate', rate: 1, preAllocatedVUs: 5, maxVUs: 5 } } },
    ],
  ])('follows %j', async (lines, expected) => {
    expect(await optionsOf(`${lines}\n${request}`)).toMatchObject(expected)
  })

  it('of the command line replaces that of the file, whose thresholds stay', async () => {
    const text = `# @k6 vus 10\n# @k6 threshold http_reqs count>5\n# @assert status == 200\n${request}`
    const options = [{ name: 'iterations', value: '7' }]
    expect(await optionsOf(text, { options, failsOnStatus: true })).toEqual({
      ...ofAllRequests,
      vus: 1,
      iterations: 7,
      thresholds: {
        checks: ['rate==1'],
        httpcli_errors: ['count==0'],
        http_req_failed: ['rate==0'],
        http_reqs: ['count>5'],
      },
    })
  })

  it.each(['vus', 'duration', 'iterations', 'stages', 'rate', 'max-vus', 'threshold'])(
    'needs a value of %s',
    (name) => {
      expect(loadOptionProblem({ name, value: '?' })).toContain(`${name} "?": expected `)
    },
  )

  it.each([
    ['rate 1/s', 'iterations 5', 'iterations: it has no effect beside rate'],
    ['rate 1/s', 'stages 1s:5', 'stages: it has no effect beside rate'],
    ['stages 1s:5', 'iterations 5', 'iterations: it has no effect beside stages'],
    ['stages 1s:5', 'duration 5s', 'duration: it has no effect beside stages'],
    ['vus 5', 'max-vus 5', 'max-vus: it has no effect without rate'],
  ])('reports an option without effect: %s, %s', async (used, unused, message) => {
    const { losses } = await written(`# @k6 ${used}\n# @k6 ${unused}\n${request}`)
    expect(losses).toEqual([`line 2: @k6 ${message}`])
  })

  it('reports unknown and invalid options of the file', async () => {
    const { losses } = await written(`# @k6 users 10\n# @k6 vus many\n${request}`)
    expect(losses[0]).toMatch(/^line 1: @k6 "users" is not a load option: expected vus, /)
    expect(losses[1]).toBe('line 2: @k6 vus "many": expected a number of virtual users, such as 10')
  })
})

describe('values', () => {
  const values = new Map<string, string | number>([
    ['host', 'http://localhost'],
    ['key', 'secret value'],
    ['count', 3],
    ['pin', 1234],
    ['unused', 'another secret'],
    ['PATH', 'x'],
  ])
  const text = 'GET {{host}}/{{count}}?key={{key}}&pin={{pin}}&path={{PATH}}&new={{other}}\n'

  it('are in the script, except for secrets', async () => {
    const { script } = await written(text, { values, secretNames: new Set(['key', 'pin', 'unused']) })
    const [environment] = /^const environment = .*?^}/ms.exec(script) ?? []
    expect(environment).toBe(`const environment = {
  host: __ENV.host ?? 'http://localhost',
  key: __ENV.key,
  count: 3,
  pin: httpcliValue(__ENV.pin),
  PATH: 'x',
  other: __ENV.other, // has no value yet
}`)
    expect(script).toContain("secrets: ['key', 'pin']")
    expect(withoutRuntime(script)).not.toMatch(/secret value|another secret|1234/)
  })

  it('keep the names of their members, whatever they are', async () => {
    const user = JSON.parse('{"a\\nb": 1, "c d": 2, "__proto__": {"e": 3}}')
    const { script } = await written('POST http://localhost/\n\n{{user}}\n', { values: new Map([['user', user]]) })
    const [, environment] = /^const environment = (.*?^})/ms.exec(script) ?? []
    const found = new Function('__ENV', `return ${environment}`)({}) as { readonly user: object }
    expect(JSON.stringify(found.user)).toBe(JSON.stringify(user))
  })

  it('have names that k6 accepts', async () => {
    const values = new Map([
      ['api-key', 'secret value'],
      ['api_key', 'b'],
      ['größe', 'c'],
      ['1st', 'd'],
    ])
    const { script } = await written('GET {{host}}/{{api-key}}/{{api_key}}/{{größe}}/{{1st}}\n', {
      values: new Map([['host', 'http://localhost'], ...values]),
      secretNames: new Set(['api-key']),
    })
    const [environment] = /^const environment = .*?^}/ms.exec(script) ?? []
    expect(environment).toBe(`const environment = {
  host: __ENV.host ?? 'http://localhost',
  'api-key': __ENV.api_key,
  api_key: __ENV.api_key_ ?? 'b',
  'größe': __ENV.gr__e ?? 'c',
  '1st': __ENV._1st ?? 'd',
}`)
    expect(script).toContain("secrets: ['api_key']")
    expect(script).toContain('k6 run -e api_key=… load.js')
  })

  it('may be used only in a body file', async () => {
    const { script, losses } = await written('POST http://localhost/\n\n<@ ./a.json\n', {
      values: new Map([
        ['here', 'a'],
        ['secret', 'open sesame'],
      ]),
      secretNames: new Set(['secret']),
      readText: () => '{"a": "{{here}}", "b": "{{secret}}", "c": "{{new}}", "d": "{{$random.name.fullName}}"}',
    })
    expect(script).toContain("here: __ENV.here ?? 'a'")
    expect(script).toContain('secret: __ENV.secret,')
    expect(script).toContain('new: __ENV.new, // has no value yet')
    expect(losses).toEqual(['line 3: {{$random.name.fullName}}'])
  })

  it('of Security are written without secrets', async () => {
    const value = { Auth: { api: { Type: 'OAuth2', 'Client ID': 'me', 'Client Secret': 'open sesame' } } }
    const { script } = await written('GET http://localhost/\nAuthorization: Bearer {{$auth.token("api")}}\n', {
      security: value,
    })
    expect(script).toContain("'Client Secret': __ENV.api_Client_Secret")
    expect(script).toContain("secrets: ['api_Client_Secret']")
    expect(script).not.toContain('open sesame')
  })
})

describe('plain beginnings of URLs', () => {
  it('are in the plan, unless they are secret', async () => {
    const values = new Map([
      ['host', 'http://localhost:3000'],
      ['hidden', 'http://hidden.test'],
      ['odd', 'http://ODD.test'],
      ['unused', 'http://unused.test'],
    ])
    const text = '@own = https://own.test\nGET {{host}}/\n###\nGET {{hidden}}/\n###\nGET {{odd}}/\n###\nGET {{own}}/\n'
    const { script } = await written(text, { values, secretNames: new Set(['hidden']) })
    const [, origins] = /^ +origins: (.*),$/m.exec(script) ?? []
    expect(origins).toBe("{ __proto__: null, 'http://localhost:3000': true, 'https://own.test': true }")
  })
})

describe('texts', () => {
  it('cannot end a literal or a comment', async () => {
    const body = `\`\${process.exit()}\`\n\\ \u2028 */`
    const { script } = await written(
      `### a */ b\nPOST http://localhost/\nX-Quote: '"\\\nContent-Type: text/plain\n\n${body}\n`,
      { path: '*/ evil.http' },
    )
    expect(await sentBy(script)).toMatchObject([{ name: 'a */ b', body, headers: { 'X-Quote': `'"\\` } }])
    expect(script).toContain('Load test of * / evil.http')
  })
})

describe('templates', () => {
  it('in a file are sent like an inline body, with the final newline', async () => {
    const values = new Map([['a', 'a']])
    const text = 'POST http://localhost/\nContent-Type: application/json\n\n<@ ./a.json\n'
    const { script } = await written(text, { values, readText: () => '\n{"a": {{a}}}\n' })
    expect((await sentBy(script))[0]?.body).toBe('\n{"a": "a"}\n')
    expect(script).not.toContain('const files')
  })

  it('become literals that give the same text', async () => {
    const values = new Map([['a', 'a']])
    const placeholder = '`$' + '{x}`'
    const text = `POST http://localhost/\nContent-Type: text/plain\n\n${placeholder} \\n {{a}}\n\t$\u2028{{a}}$ {\n`
    expect((await sentBy((await written(text, { values })).script))[0]?.body).toBe(
      `${placeholder} \\n a\n\t$\u2028a$ {`,
    )
  })

  it('quote a value in JSON only outside strings', async () => {
    const values = new Map([['a', 'a']])
    const text =
      'POST http://localhost/\nContent-Type: application/json\n\n{"a": {{a}}, "b": "\\"{{a}}", "c": {{a}} }\n'
    const [request] = await sentBy((await written(text, { values })).script)
    expect(request?.body).toBe('{"a": "a", "b": "\\"a", "c": "a" }')
  })
})

it.each(['cookie', 'COOKIE'])('a Cookie field is recognised, spelled %s', async (name) => {
  const [request] = await sentBy((await written(`GET http://localhost/\n${name}: a=b\n`)).script)
  expect(request?.headers).toEqual({ Cookie: 'a=b' })
})

describe('a GraphQL body', () => {
  const values = new Map([['a', 'a']])

  it('is the same JSON that run sends', async () => {
    const [request] = await sentBy(
      (await written('GRAPHQL http://localhost/\n\n{ a(b: "`\\n") }\n', { values })).script,
    )
    expect(request?.body).toBe(JSON.stringify({ query: '{ a(b: "`\\n") }', variables: {} }))
    expect(request).toMatchObject({ method: 'POST', headers: { 'Content-Type': 'application/json' } })
  })

  it('has the values of its variables', async () => {
    const placeholder = '`$' + '{x}\\n'
    const query = `query A($a: Int) {\n  a(a: "${placeholder}")\n}`
    const text = `GRAPHQL http://localhost/\n# comment\n\n${query}\n\n{ "a": {{a}}, "b": "{{a}} ${placeholder}" }\n`
    const [request] = await sentBy((await written(text, { values })).script)
    const variables = `{ "a": "a", "b": "a ${placeholder}" }`
    expect(request?.body).toBe(`{"query":${JSON.stringify(query)},"variables":${variables},"operationName":"A"}`)
  })
})

describe('a multipart body', () => {
  const values = new Map([['a', 'a']])
  const head = 'POST http://localhost/\nContent-Type: multipart/form-data; boundary="x y"\n\n'

  it('is framed as run frames it', async () => {
    const body =
      '--x y\nContent-Disposition: form-data; name="{{a}}"\nX-A: {{a}} \n\n{{a}}`\n\n b\n\n--x y--\n--x y\n\n--x y--'
    const [request] = await sentBy((await written(`${head}${body}\n`, { values })).script)
    const field = 'Content-Disposition: form-data; name="%22a%22"'
    expect(request?.body).toBe(`--x y\r\n${field}\r\nX-A: a\r\n\r\na\`\n\n b\r\n--x y\r\n\r\n\r\n--x y--\r\n`)
  })

  it('has the bytes of its files', async () => {
    const [request] = await sentBy((await written(`${head}--x y\n\nü\n< ./a b\nb\n--x y--\n`)).script)
    const bytes = Buffer.from(request?.body as unknown as ArrayBuffer).toString('latin1')
    expect(bytes).toBe('--x y\r\n\r\n\u00c3\u00bc\n\0\u00ff\nb\r\n--x y--\r\n')
  })

  it.each([
    ['--XX', 'begins with "--XX"'],
    ['a\r--XXb', 'begins with "--XX"'],
  ])('refuses the value %j', (value, message) => {
    expect(() => multipartBody('XX', [{ headers: [], content: [value] }])).toThrow(message)
  })

  it('refuses line breaks in headers, and missing files', () => {
    expect(() => partValue('a\nb')).toThrow('a line break')
    expect(() => multipartBody('XX', [{ headers: ['A: "b%0A--XX"'], content: [] }])).toThrow('begins with "--XX"')
    expect(() => multipartBody('XX', [{ headers: [], content: [undefined] }])).toThrow('cannot be read')
  })
})

describe('multi-line texts', () => {
  it('keep their lines, in bodies and in scripts', async () => {
    const body = '{\n  "a": 1\n}'
    const { script } = await written(`POST http://localhost/\n\n${body}\n\n> {%\n  client.log(\`a\n  b\nc\`)\n%}\n`)
    const [section] = await sentBy(script)
    expect(section?.body).toBe(body)
    const logged: string[] = []
    Object.assign(globalThis, { client: { log: (text: string) => logged.push(text) } })
    section?.after?.[0]?.()
    expect(logged).toEqual(['a\n  b\nc'])
  })
})

describe('scripts', () => {
  it('declare variables that they only assign', async () => {
    const { script, losses } = await written(`${request}\n> {%\n  total = 1\n  for (i of [1]) total += i\n%}\n`)
    expect(script).toMatch(/after: \[\n\s+\(\) => \{\n\s+let (?:total, i|i, total)\n\s+total = 1\n/)
    expect(losses).toEqual([])
  })

  it.each([
    ['[a, { x: b, ...c }] = [1, {}]', 'let a, b, c|let c, b, a'],
    ['const { a: b } = {}\na = b', 'let a'],
    ['({ a = 1 } = {})', 'let a'],
    ['for ([a] of []) a++', 'let a'],
    ['client.a = 1', 'client.a = 1'],
  ])('declare the names in patterns: %j', async (code, expected) => {
    const { script } = await written(`${request}\n> {%\n${code}\n%}\n`)
    expect(withoutRuntime(script)).toMatch(new RegExp(`\\(\\) => \\{\\n\\s+(?:${expected})\\n`))
  })

  it('are async if they use await', async () => {
    const { script } = await written(`${request}\n> {% await sleep(5) %}\n`)
    expect(script).toContain('async () => {\n')
  })

  it.each([
    ["import { a } from './a'\na()", 'a script that imports modules'],
    ['client.log(', 'a script that is not JavaScript'],
    ['with (client) log(1)', 'the statement "with"'],
    ['var mode = 010', 'a script that k6 cannot read: Invalid number'],
    ['var public = 1', "a script that k6 cannot read: The keyword 'public' is reserved"],
    ['function f(a, a) {}', 'a script that k6 cannot read: Argument name clash'],
    ['var a = 1\ndelete a', 'a script that k6 cannot read: Deleting local variable in strict mode'],
    ['client.log(xpath("//a"))', 'documents and XPath in a script'],
    ['client.log(response.body.getElementsByTagName("a"))', 'documents and XPath in a script'],
    ['client.log(response.body.documentElement.textContent)', 'documents and XPath in a script'],
    ['execSync("ls")', 'a program that a script starts'],
    ['crypto.rsa.sha256()', 'keys and crypto.subtle in a script'],
    ['client.log($random.name.fullName)', 'made-up values in a script'],
  ])('report %j', async (code, message) => {
    const { losses } = await written(`${request}\n> {% ${code} %}\n`)
    expect(losses).toEqual([expect.stringContaining(message)])
    expect(losses[0]).toMatch(/^line 3: /)
  })
})

describe('requests', () => {
  it.each([
    ['GRPC localhost/a.B/c', 'line 1: a GRPC request'],
    ['OPTIONS *\nHost: localhost', 'line 1: a request with the target *'],
    ['GET http://localhost/ HTTP/1.0', 'line 1: HTTP/1.0: k6 sends HTTP/1.1'],
    ['GET http://localhost/ HTTP/2 (Prior Knowledge)', 'line 1: HTTP/2 with prior knowledge'],
    ['POST http://localhost/\nTransfer-Encoding: chunked\n\na', 'line 2: Transfer-Encoding: k6 sends Content-Length'],
    ['GET http://localhost/\nX-A: 1\nX-A: 2', 'line 3: a repeated header: k6 sends one X-A'],
    ['# @assert xpath //a exists\nGET http://localhost/', 'line 1: @assert xpath //a exists: XPath'],
    ['GET http://localhost/\n\n>> a.json', 'line 3: >> a.json: k6 writes no files'],
    ['GET http://localhost/{{$random.name.fullName}}', 'line 1: {{$random.name.fullName}}'],
    ['import a.http\n\nGET http://localhost/', 'line 1: a.http: requests of other files'],
    ['run #other (@a = b)\n\n### this\nGET http://localhost/', 'line 1: run #other: a request of another file'],
    ['GET http://localhost/\nUser-Agent:', 'line 2: an empty User-Agent: k6 sends none'],
    ['GET http://localhost/\nCookie: a=1\nCookie: b=2', 'line 3: a repeated header: k6 sends one Cookie'],
    ['# @no-auto-encoding\nGET http://localhost/%zz', 'line 2: @no-auto-encoding: k6 cannot send the URL'],
    [
      '# @assert header x-a[*] count == 2\nGET http://localhost/',
      expect.stringContaining('line 1: @assert header x-a'),
    ],
    [
      '### a\nGET http://localhost/\n\n###\nGET http://localhost/{{a.response.body.//id}}',
      'line 5: {{a.response.body.//id}}: XPath',
    ],
    [
      '### a\nGET http://localhost/\n\n###\nGET http://localhost/\nX-A: {{a.response.body.asXml./id}}',
      expect.stringContaining('XPath'),
    ],
  ])('report what k6 cannot do: %j', async (text, loss) => {
    expect((await written(`${text}\n`)).losses).toEqual([loss])
  })
})

describe('the name of a request', () => {
  it('is the same as in reports if {{host}} precedes its path', async () => {
    const text = '@host = http://localhost\nGET /users\n?? status == 200\n\n###\n# @name b\nGET /b\n'
    const script = withoutRuntime((await written(text)).script)
    expect(script).toContain("send(2, 'GET /users', () => ({ url: address(v('host'), '/users')")
    expect(script).toContain("'GET /users > status == 200'")
    expect(script).toContain("'b', () => ({ url: address(v('host'), '/b')")
  })

  it('is the same in the full runtime', async () => {
    const { script } = await written('@host = http://localhost\n# @retry 1\nGET /users\n')
    expect(withoutRuntime(script)).toContain("name: 'GET /users',")
    expect(withoutRuntime(script)).toContain("url: '{{host}}/users',")
  })
})

describe('the operator', () => {
  it('gets a TestRun and its ConfigMap', async () => {
    const bytes = Uint8Array.of(0, 1, 255)
    const { script, losses } = await written(
      'POST {{host}}/\nX-Key: {{key}}\n\n< ./files/a b.bin\n',
      { values: new Map([['key', 'v']]), secretNames: new Set(['key']), readBytes: () => bytes, path: 'My API.http' },
      'k6-operator',
    )
    expect(losses).toEqual([])
    const [run, map] = parseAllDocuments(script).map((document) => document.toJS()) as [unknown, ConfigMap]
    expect(run).toMatchObject({
      kind: 'TestRun',
      metadata: { name: 'my-api-load' },
      spec: {
        script: { configMap: { name: 'my-api-load', file: 'load.js' } },
        runner: { env: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'my-api-load', key: 'key' } } }] },
      },
    })
    expect(map.binaryData).toEqual({ 'a_b.bin': 'AAH/' })
    expect(map.data['load.js']).toContain("open('./a_b.bin', 'b')")
    expect(map.data['load.js']).toMatch(/^\/\*\*\n \* Load test of My API\.http for k6/)
  })
})

/** The fields of TestRun in the API of the operator that the document may use. */
const testRunFields = {
  apiVersion: 'k6.io/v1alpha1',
  kind: 'TestRun',
  metadata: { name: expect.stringMatching(/^[a-z\d](?:[a-z\d-]{0,49}[a-z\d])?$/) },
  spec: {
    parallelism: expect.any(Number),
    script: { configMap: { name: expect.any(String), file: expect.any(String) } },
  },
}

describe('the resources of the operator', () => {
  const files =
    'POST {{host}}/\n\n< ./a/x.bin\n###\nPOST {{host}}/\n\n< ./b/x.bin\n###\nPOST {{host}}/\n\n< ./load.js\n'

  async function documentsOf(text: string, given: Partial<K6Target>): Promise<readonly [unknown, ConfigMap]> {
    const { script } = await written(text, given, 'k6-operator')
    return parseAllDocuments(script).map((document) => document.toJS()) as [unknown, ConfigMap]
  }

  it('have only fields of its API, and a name that leaves room for those of its jobs', async () => {
    const [run] = await documentsOf('GET {{host}}/\n', { path: `${'long-name.'.repeat(12)}http` })
    expect(run).toEqual(testRunFields)
  })

  it('have a key for each file', async () => {
    const readBytes = (path: string): Uint8Array => Buffer.from(path)
    const [, map] = await documentsOf(files, { readBytes })
    const texts = Object.entries(map.binaryData).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
    expect(texts).toEqual([
      ['x.bin', './a/x.bin'],
      ['2-x.bin', './b/x.bin'],
      ['2-load.js', './load.js'],
    ])
    expect(map.data['load.js']).toContain("'./b/x.bin': open('./2-x.bin', 'b')")
  })

  it('have the script as bytes if it contains a character that YAML does not have', async () => {
    const [, map] = await documentsOf('GET {{host}}/\n\n> {% client.log("\u0001") %}\n', {})
    expect(map.data).toBeUndefined()
    expect(Buffer.from(map.binaryData['load.js'] as string, 'base64').toString()).toContain('client.log("\u0001")')
  })

  it('are refused if a ConfigMap cannot hold them', async () => {
    const readBytes = (): Uint8Array => new Uint8Array(1_048_576)
    const converted = written('POST {{host}}/\n\n< ./a.bin\n', { readBytes }, 'k6-operator')
    await expect(converted).rejects.toMatchObject({
      code: 'config-map-too-large',
      message: expect.stringMatching(/^the ConfigMap would have \d+ bytes, but Kubernetes accepts 1048576$/),
    })
  })
})

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>
  readonly binaryData: Readonly<Record<string, string>>
}
