/**
 * Load tests over the light runtime: which files are sent by it, and that its quick checks never pass what the runner
 * would not.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convert, type K6Target } from '../../src/convert/index.ts'
import { multipartCode } from '../../src/convert/k6-writer/multipart-code.ts'
import { sureCheck } from '../../src/convert/k6-writer/sure-check.ts'
import {
  type Assertion,
  type BodyTextNode,
  escapedPartName,
  type JsonValue,
  parseTemplate,
  plainOrigin,
  readAssertion,
  readCapture,
  templateLines,
} from '../../src/http-file/index.ts'
import { valueAtPath } from '../../src/runner/assertions/json-lookup.ts'
import type { K6Modules } from '../../src/runner/load/k6.ts'
import { checked } from '../../src/runner/load/light/light-checks.ts'
import { multipartBody, partValue } from '../../src/runner/load/light/light-multipart.ts'
import { isSurelyJson, type LightAnswer } from '../../src/runner/load/light/light-response.ts'
import { isPlain, type LightScopes, plainText } from '../../src/runner/load/light/light-scopes.ts'
import { createLoadTest, type LightUser } from '../../src/runner/load/light/light-user.ts'
import { LightValues } from '../../src/runner/load/light/light-values.ts'
import { useWhole } from '../../src/runner/load/light/whole-services.ts'
import type { LoadServices } from '../../src/runner/load/load-services.ts'
import { frameMultipart, multipartLine } from '../../src/runner/request/multipart-body.ts'
import type { Variables } from '../../src/runner/variables/variables.ts'

useWhole(() => ({ valueAtPath }) as unknown as LoadServices)

const target: K6Target = {
  path: 'api.http',
  scriptName: 'load.js',
  userAgent: 'httpcli',
  values: new Map([['host', 'http://localhost']]),
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

async function isLight(text: string, settings: Partial<K6Target> = {}): Promise<boolean> {
  const k6 = { ...target, ...settings }
  const { text: script } = await convert({ path: 'api.http', text }, { from: 'http', to: 'k6', k6 })
  return script.includes("const test = httpcliPart('user')")
}

const multipart = 'POST {{host}}/\nContent-Type: multipart/form-data; boundary=a\n\n'

describe('a file', () => {
  it.each([
    ['<@ ./a.json', '{"a": {{host}}}', true],
    ['<@utf-8 ./a.json', '{{host}}', true],
    ['<@ ./a.json', '{{$auth.token(host)}}', false],
    ['<@ ./a.json', '{{$auth.token("host")}}', true],
    ['<@ ./a.json', '\ufffd', false],
    ['<@latin1 ./a.json', '{{host}}', true],
    ['a\n<@ ./a.json', '{{host}}', true],
    ['a\n<@ ./a.json', '{{["host"]}}', false],
  ])('with the body %j that is %j uses the light runtime: %s', async (body, content, expected) => {
    expect(await isLight(`POST {{host}}/\n\n${body}\n`, { readText: () => content })).toBe(expected)
  })

  it('with a form in a file names its text, which is not encoded', async () => {
    const text = 'POST {{host}}/\nContent-Type: application/x-www-form-urlencoded\n\n<@ ./a.txt\n'
    const k6 = { ...target, readText: () => 'a={{host}}' }
    const { text: script } = await convert({ path: 'api.http', text }, { from: 'http', to: 'k6', k6 })
    expect(script).toContain("contents: [{ template: 'a={{host}}' }]")
  })

  it('with Digest credentials in an environment value uses the full runtime', async () => {
    const text = 'GET {{host}}/\nAuthorization: {{all}}'
    const values = (all: string): Partial<K6Target> => ({ values: new Map([['all', all]]) })
    expect(await isLight(text, values('Digest ada secret'))).toBe(false)
    expect(await isLight(text, values('Basic ada secret'))).toBe(true)
  })

  it('with an unreadable body uses the full runtime, which reports it', async () => {
    const text = 'POST {{host}}/\n\n< here.bin\n###\nPOST {{host}}/\n\n< missing.bin'
    expect(await isLight(text)).toBe(true)
    expect(await isLight(text, { openPath: (path) => (path === 'here.bin' ? path : undefined) })).toBe(false)
  })

  it.each([
    'GET {{host}}/users',
    'GET http://localhost:3000/{{id}}?a={{b}}',
    'GET http://{{host}}/',
    'GET {{host}}api/',
    'GET http://{{host}}:80/',
    'GET http://{{name}}.api.test/',
    'GET http://user:{{password}}@localhost/',
    '@service.host = localhost\nGET {{service.host}}/\n?? status == 200',
    '# @ref a\nGET {{host}}/',
    '# @name a\nGET {{host}}/\n\n###\n@id = {{a.response.body.$.id}}\nGET {{host}}/{{id}}',
    'GET {{host}}/{{$datetime iso8601}}?{{$randomInt 1 2}}&{{$processEnv X}}',
    'GET {{host}}/\nAuthorization: {{all}}',
    'POST {{host}}/\nContent-Length: 5\nContent-Type: text/plain\n\na',
    'GET {{host}}/\nConnection: close\nKeep-Alive: timeout=5\nExpect: 100-continue\nSet-Cookie: a=b',
    'GET http://localhost/\nHost: api.test:80',
    'GET {{host}}/\nAuthorization: Bearer {{$auth.token("a")}}',
    '@json = application/json\nPOST {{host}}/\nContent-Type: {{json}}\n\n{ "a": {{a}} }',
    '@id = {{$uuid}}\n@url = {{host}}/x\nGET {{url}}\nAuthorization: Bearer {{id}}',
    'POST {{host}}\nContent-Type: application/json\n\n{"a": {{a}}}',
    'POST {{host}}\nContent-Type: application/x-www-form-urlencoded\n\na={{b}}',
    'GRAPHQL {{host}}/\n\n{ a }',
    'GRAPHQL {{host}}/\nContent-Type: application/json\n\nquery A { a }\n\n{ "a": {{a}} }',
    `${multipart}--a\nContent-Disposition: form-data; name="{{a}}"\n\n{{b}}\n--a--`,
    `${multipart}--a\nContent-Disposition: form-data; name="a"\nContent-Type: image/png\n\n< ./a.png\n--a\n\nb\n--a--`,
    `${multipart}< ./a.bin`,
    'POST {{host}}\nAuthorization: Basic {{user}} {{password}}\n\n< ./a.bin',
    'GET {{host}}/\n\n> {% client.global.set("id", response.body.id); request.variables.set("a", $uuid) %}',
    '< {% request.variables.set("id", 1) %}\nGET {{host}}/{{id}}',
    'GET {{host}}/\n\n> {% client.test("the request: works", () => client.variables.request.get("a")) %}',
    '# @assert $.a[*] count == 2\n# @capture a = header Location\n# @no-redirect\n# @timeout 5 s\nGET {{host}}/',
    'GET http://localhost/{{user.id}}?{{new Date()}}',
    'GET {{host}}/{{{id}}}',
    '# @loop for 3\nGET {{host}}/\n\n###\n# @stdinCmdPre a\nGET {{host}}/',
    'M-SEARCH {{host}}/',
    '# @name a\nGET {{host}}/\n\n###\nGET {{host}}/{{b.response.body.id}}',
    'GET {{host}}/\nContent-Type: {{type}}',
    'GET /a\nHost: {{server}}',
    'import b.http\nrun #b\n\n###\nGET {{host}}/',
    'GET {{host}}/\n\n> {% client.log($other(1)) %}',
    '# @name a\nPOST {{host}}/\nX-A: b\n\nc\n\n###\nGET {{host}}/{{a.request.body.*}}/{{a.request.headers.x-a}}',
  ])('uses the light runtime: %j', async (text) => {
    expect(await isLight(`${text}\n`)).toBe(true)
  })

  it.each([
    'POST {{host}}/\nContent-Type: {{type}}\n\na',
    'POST {{host}}/\nContent-Type: {{type}}\n\na\n\n###\n@type = text/plain',
    '@type = text/plain\nPOST {{host}}/\nContent-Type: {{type}}\n\na\n\n> {% client.global.set("type", "a/b") %}',
    '@type = text/plain\n# @capture type = $.type\nPOST {{host}}/\nContent-Type: {{type}}\n\na',
    '@type = text/plain; charset=latin1\nPOST {{host}}/\nContent-Type: {{type}}\n\na',
    'POST {{host}}/\nContent-Type: text/plain; charset=latin1\n\na',
    'POST {{host}}/\nContent-Type: multipart/form-data\n\n--a\n\nb\n--a--',
    'POST {{host}}/\nContent-Type: multipart/form-data; boundary={{a}}\n\n--a\n\nb\n--a--',
    ...['b', 'preamble\n--a\n\nb', '--a\n{{b}}\n\nc', '--a\nb{{b}}\n\nc', '--a\n {{b}}\n\nc', '--{{a}}\n\nb'].map(
      (body) => multipart + body,
    ),
    ...['--a{{b}}\n\nb', '--a\nContent-Type: {{b}}\n\nb', '--a\n\n--ab', '--a\n\nb\n--a--\n{{b}}'].map(
      (body) => multipart + body,
    ),
    ...['multipart/mixed; boundary=b', 'text/plain; charset=latin1'].map(
      (type) => `${multipart}--a\nContent-Type: ${type}\n\nb\n--a--`,
    ),
    'POST {{host}}/\n\na\n< ./a.bin',
    'GRAPHQL {{host}}/',
    'GRAPHQL {{host}}/\n\n{ a(id: {{id}}) }',
    'GRAPHQL {{host}}/\n\n{ a }\n\n{ {{a}}: 1 }',
    'GRAPHQL {{host}}/\n\n{ a } # "\n\n{ "a": {{a}} }',
    'GRAPHQL {{host}}/\n\n{ a }\n\n{ "a": }',
    'GRAPHQL {{host}}/\n\n{ "a": 1 }',
    'GRAPHQL {{host}}/\n\n< ./a.graphql',
  ])('has a body that the light runtime makes from its contents: %j', async (text) => {
    const { text: script } = await convert(
      { path: 'api.http', text: `${text}\n` },
      { from: 'http', to: 'k6', k6: target },
    )
    expect(script).toContain("if (name === 'bodies') {")
  })

  it.each([
    'GET {{host}}/\n\n> {% client.log(request.url()) %}',
    'GET {{host}}/\n\n> {% const { method } = request\n client.log(method) %}',
    'GET {{host}}/\n\n> {% show(request) %}',
  ])('has a script to which the light runtime shows the request: %j', async (text) => {
    const { text: script } = await convert(
      { path: 'api.http', text: `${text}\n` },
      { from: 'http', to: 'k6', k6: target },
    )
    expect(script).toContain("request: { url: '{{host}}/' },")
    expect(script).toContain("if (name === 'view') {")
  })

  it.each([
    '@user = a\nGET http://localhost/{{user.id}}',
    'GET http://localhost/{{user.id}}\n\n> {% client.global.set("us" + "er", 1); client.global.set(name, 1) %}',
    'GET {{host}}/{{$.users[0].id}}',
    'GET {{host}}/{{["host"].a}}',
    '@a = {{$auth.token("a")}}\nGET {{host}}/{{a}}',
    '@a = {{{host}}}\nGET {{host}}/{{a}}',
    'GET {{host}}/{{$auth.token(a)}}',
    '< {% client.log("a") %}\nGET {{host}}/{{$auth.token("a")}}',
    'GET /a\nHost: {{$uuid}}',
    'GET {{host}}/\nHost: localhost',
    'GET http://localhost/\nHost: http://localhost',
    'POST {{host}}/\nContent-Length: {{length}}\n\na',
    'GET {{host}}/\nContent-Length: 5',
    'GET {{host}}/\nUpgrade: h2c',
    'GET {{host}}/\nAuthorization: Digest a b',
    'GET {{host}}/\n{{name}}: b',
    `${multipart}--a\n\n<@ ./a.txt\n--a--`,
    `${multipart}--a\n\n< ./{{a}}.txt\n--a--`,
    'POST {{host}}/\n\n<@ ./a.json',
    '# @retry 3\nGET {{host}}/',
    '# @name a\nGET {{host}}/\n\n###\nGET {{host}}/{{a.response.body.//id}}',
    'GET {{host}}/\n\n> {% client.log(request.templateValue(0)) %}',
    'POST {{host}}/\nContent-Type: {{type}}\n\na\n\n> {% client.log(request.body.getRaw()) %}',
    '# @name a\nGET {{host}}/\n\n###\nGET {{host}}/{{a.request.headers.Accept}}',
    '# @name a\nPOST {{host}}/\nContent-Type: text/plain; charset=latin1\n\nb\n\n###\nGET {{host}}/{{a.request.body.*}}',
    '# @name a\nPOST {{host}}/\n\n< ./a.bin\n\n###\nGET {{host}}/{{a.request.body.*}}',
    'GET {{host}}/\n\n> {% client.global.headers.set("A", "b") %}',
    'GET {{host}}/\n\n> {% client.log($env.HOME) %}',
    'run #a\n\n### a\nGET {{host}}/',
    'GRAPHQL {{host}}/\nContent-Type: ;\n\n{ a }',
    'POST {{host}}/\nX-Request-Type: GraphQL\n\n{ a }',
  ])('uses the full runtime: %j', async (text) => {
    expect(await isLight(`${text}\n`)).toBe(false)
  })
})

const kinds = ['status', 'duration', 'body', 'header X-A', '$.a', '$.a[0]', '$.b.c', '$', '$.a count', '$ count']
const predicates = [
  ...['== 1', '== "1"', '== true', '== null', '== text', '== "text"', '== 1.5', '== -0', '== 12345678901234567890'],
  ...['< 1', '>= 1', '> 0.5', '<= "b"', '< text', 'contains x', 'contains "1"', 'exists', 'not exists', '!= 1'],
  ...['isString', 'isNumber', 'isInteger', 'isBoolean', 'isArray', 'isTrue', 'isFalse', 'startsWith "a"'],
]
const bodies = [
  ...['', '1', '"1"', 'true', 'null', 'text', '"text"', '{"a": 1}', '{"a": "1"}', '{"a": [1]}', '{"a": []}', '[1]'],
  ...['{"a": true, "b": {"c": 1.5}}', '{"a": -0}', '{"a": 12345678901234567890}', '\ufeff{"a": 1}', '[', '{"a": null}'],
  ...['{"b": {"c": "text"}}', '1\n2', '{"a": "b"}', `${'['.repeat(1200)}${']'.repeat(1200)}`, '{"length": 1}'],
]
const types = ['application/json', 'application/json; charset=utf-8', 'text/plain; charset=iso-8859-1', '']

function answerOf(body: string, type: string, status: number, field: string | undefined): LightAnswer {
  const bytes = new TextEncoder().encode(body)
  const headers = { ...(type === '' ? {} : { 'Content-Type': type }), ...(field === undefined ? {} : { 'X-A': field }) }
  const response = {
    ...{ status, status_text: `${status} OK`, proto: 'HTTP/1.1', error: '', headers, cookies: {} },
    ...{
      body: bytes.buffer as ArrayBuffer,
      json: () => JSON.parse(body) as JsonValue,
      remote_ip: '',
      remote_port: 1,
      timings: { duration: status / 100, blocked: 0 },
    },
  }
  return { response, url: 'http://localhost/', locations: [], earlierMs: 0 }
}

const answers = fc
  .tuple(
    fc.constantFrom(...bodies),
    fc.constantFrom(...types),
    fc.constantFrom(1, 200, 404),
    fc.constantFrom(undefined, '1', 'text', 'true', 'a, b', ''),
  )
  .map((given) => answerOf(...given))

/** Undefined if the text is not an assertion. */
function assertionOf(text: string): Assertion | undefined {
  try {
    return readAssertion(text, 1)
  } catch {
    return undefined
  }
}

const multipartLines = [
  ...['--a', '--a--', '', ' ', 'b', '{{x}}', 'b{{x}}', ' {{x}}', '-{{x}}', '--{{x}}', '--a{{x}}', '{{x}}{{x}}', '--b'],
  ...['X-A: b ', 'X-A: {{x}}', '{{x}}: b', 'X-A{{x}}', ' b="{{x}}"', 'Content-Disposition: form-data; name="{{x}}"'],
  ...[
    'Content-Disposition: form-data; name="b"; filename="b{{x}}c"',
    'Content-Type: text/plain',
    'Content-Type: {{x}}',
  ],
]
const partValues = ['', 'b', 'X-B: c', '--a', 'a', '\r\n--a', 'b\n\nc', '"b"', 'a--', '-a', ': b', ' b ', '\t']

/** What a function returns; undefined if it throws. */
function attempted<Result>(action: () => Result): Result | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

describe('a multipart body', () => {
  it('is framed as in the runner, for any values', () => {
    let framed = 0
    const bodies = fc.array(fc.constantFrom(...multipartLines), { maxLength: 8 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(bodies, fc.constantFrom(...partValues), (text, value) => {
        const template = parseTemplate(`--a\n${text}`)
        const code = multipartCode([{ kind: 'body-text', template } as BodyTextNode], 'a')
        if (code === undefined) return
        const given = { multipart: multipartBody, v: () => value, partValue: () => partValue(value) }
        const functions = { ...given, partName: () => escapedPartName(value) }
        const make = new Function(...Object.keys(functions), `return ${code.text}`)
        const variables = { resolve: () => ({ text: value }) } as unknown as Variables
        const expected = attempted(() => {
          const items = templateLines(template).map((line) => multipartLine(line, variables))
          const pieces = frameMultipart(items, 'a', (_span, message) => {
            throw new Error(message)
          })
          return pieces?.map((piece) => ('text' in piece ? piece.text : '')).join('')
        })
        if (expected !== undefined) framed++
        expect(attempted(() => make(...Object.values(functions)) as string)).toBe(expected)
      }),
      { numRuns: 10_000 },
    )
    expect(framed).toBeGreaterThan(300)
  })
})

describe('the origin of a URL', () => {
  it.each(['http://localhost:3000/', 'https://api.example.test/a?b', 'http://127.0.0.1:8080/', 'http://a-1.b2/'])(
    'is read directly: %s',
    (url) => {
      expect(plainOrigin(url)).toBe(`${new URL(url).origin}/`)
    },
  )

  it.each([
    ...['http://localhost', 'ftp://a/', 'http:///', 'http://a:80/', 'http://a:443/', 'http://a:080/', 'http://a:1.5/'],
    ...['http://a:123456/', 'http://a:/', 'http://a:-12/', 'http://a:1:2/', 'http://u@a/', 'http://A/', 'http://a..b/'],
    ...['http://a./', 'http://1.2.3/', 'http://1.2.3.256/', 'http://1.2.3.04/', 'http://0x7f.1/', 'http://xn--a/'],
    ...['http://\u00fc/', 'http://[::1]/', 'http://a b/', 'http://-/', '//a/', 'a/', ''],
  ])('is left to a parser: %j', (url) => {
    expect(plainOrigin(url)).toBeUndefined()
  })
})

describe('a plain text', () => {
  const values = ['a', '{{b}}', 1, true, null, undefined, ['a']]
  const combinations = values.flatMap((given) =>
    values.flatMap((global) => values.map((inPlace) => [given, global, inPlace])),
  )

  it('agrees with the rendered value', () => {
    let count = 0
    for (const [given, global, inPlace] of combinations) {
      if (typeof inPlace !== 'string' && inPlace !== undefined) continue
      const scopes = {
        ...{ environment: { x: given, b: 'c' }, row: {}, globals: { x: global }, inPlace: { x: inPlace } },
        ...{ ofRequest: {}, texts: {}, origins: {} },
      } as LightScopes
      const found = plainText(scopes, 'x')
      if (found === undefined) continue
      count++
      expect(new LightValues({ scopes, part: () => undefined as never, isBuilding: false }).text('x')).toBe(found)
    }
    expect(count).toBeGreaterThan(50)
  })
})

describe('a plain value of a URL', () => {
  it.each(['a', 'a-b_c.d~e', 'a/b?c=d&e', 'token=', "!*'()"])('is sent unchanged: %j', (text) => {
    expect(isPlain(text)).toBe(true)
  })

  it.each(['', 'a#b', 'a b', 'a%20b', '\u00fc', '{{a}}', '\ud800', 'a"b'])('is left to a parser: %j', (text) => {
    expect(isPlain(text)).toBe(false)
  })

  it('may be a known beginning', () => {
    const origins = { __proto__: null, 'http://localhost': true } as unknown as LightScopes['origins']
    expect(isPlain('http://localhost', origins)).toBe(true)
    expect(isPlain('constructor', origins)).toBe(true)
    expect(isPlain('http://localhost/#', origins)).toBe(false)
  })
})

describe('variables of a GraphQL body', () => {
  const deep = `${'['.repeat(150)}1${']'.repeat(150)}`

  it.each(['{}', '{ "a": [1, "{"] }', deep])('are certain to be JSON: %j', (text) => {
    expect(isSurelyJson(text)).toBe(true)
  })

  it.each(['{ "a": }', '{} {}', '{"a": 1},"b": {}', '{"a": 1,}', '', `[${deep},${deep}]`])(
    'are left to the runner: %j',
    (text) => {
      expect(isSurelyJson(text)).toBe(false)
    },
  )
})

const noValues = new LightValues({
  scopes: { environment: {}, row: {}, globals: {}, inPlace: {}, ofRequest: {}, texts: {}, origins: {} },
  part: () => undefined as never,
  isBuilding: false,
})

const user: LightUser = createLoadTest(
  {} as K6Modules,
  { file: '', environment: {}, secrets: [] },
  () => undefined as never,
)

/** What the code of a check returns for a response. */
function valueIn(code: string, { response }: LightAnswer): unknown {
  const given = { r: response, ...user, ...user.more() }
  return new Function(...Object.keys(given), `return ${code}`)(...Object.values(given))
}

describe('a quick check', () => {
  it('passes no assertion that fails in the runner', () => {
    let passed = 0
    fc.assert(
      fc.property(
        fc.constantFrom('', '?? '),
        fc.constantFrom(...kinds),
        fc.constantFrom(...predicates),
        answers,
        (form, kind, predicate, answer) => {
          const assertion = assertionOf(`${form}${kind} ${predicate}`)
          const code = assertion && sureCheck(assertion)
          if (assertion === undefined || code === undefined) return
          if (valueIn(code.text, answer) !== true) return
          passed++
          expect(checked(assertion, answer, noValues)).toEqual({ failure: undefined })
        },
      ),
      { numRuns: 10_000 },
    )
    expect(passed).toBeGreaterThan(300)
  })

  it.each(['status', 'duration', 'header X-A', '$.a', '$.a[0]', '$.b.c', '$', 'body'])(
    'captures the same as the runner: %s',
    (subject) => {
      const capture = readCapture(`x = ${subject}`, 1)
      const code = sureCheck(capture)
      fc.assert(
        fc.property(answers, (answer) => {
          const found = valueIn(code?.text ?? '', answer)
          if (found !== undefined) expect(checked(capture, answer, noValues).value).toEqual(found)
        }),
      )
    },
  )
})
