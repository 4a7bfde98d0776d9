/** Documents that are deep, long or circular, each made by a small function, and what the command must answer to them. */

/** What one run of the command is given and must answer. */
export interface HostileCase {
  readonly title: string
  readonly files: Readonly<Record<string, () => string>>
  readonly words: readonly string[]
  /** The exit code. The runtimes of the two distributions have stacks of different sizes: one of them may read more. */
  readonly codes: readonly number[]
  /** On standard error, where the code is not 0. */
  readonly message: RegExp
}

const DEEP = 50_000
/** Enough for the square of it to be seen. */
const MANY = 10_000
const deep = (open: string, close: string, depth = DEEP, inner = ''): string =>
  open.repeat(depth) + inner + close.repeat(depth)
const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('')

/** Each variable names the one before it, `factor` times. */
const laughs = (count: number, factor: number): string =>
  `@v0 = ${'ha'.repeat(50)}\n${many(count, (i) => `@v${i + 1} = ${`{{v${i}}}`.repeat(factor)}\n`)}`

const request = 'GET http://127.0.0.1:9/\n'
const json = (value: unknown): string => JSON.stringify(value)
const post = (type: string, body: string): string => `POST http://127.0.0.1:9/\nContent-Type: ${type}\n\n${body}\n`

type Expected = readonly [codes: number | readonly number[], message: RegExp]

const ok: Expected = [0, /^/]
const tooLarge: Expected = [4, /more than 64 MiB of text: v15 → v14 → /]
const circular: Expected = [4, /leads back to itself/]
const deepScript: Expected = [5, /^/]
const deepPath: Expected = [2, /^/]
const deepJson: Expected = [2, /:\d+:\d+: nested deeper than 200 levels/]

/** The same request file given to each command that reads request files. */
function requestFile(
  title: string,
  text: () => string,
  expected: Readonly<Partial<Record<'check' | 'dry' | 'fmt' | 'convert', Expected>>>,
  files: Readonly<Record<string, () => string>> = {},
  words: readonly string[] = [],
): readonly HostileCase[] {
  const commands: Readonly<Record<keyof typeof expected, readonly string[]>> = {
    check: ['check', 'a.http', ...words],
    dry: ['run', '--dry-run', 'a.http', ...words],
    fmt: ['fmt', 'a.http'],
    convert: ['convert', 'a.http'],
  }
  return (Object.keys(expected) as (keyof typeof expected)[]).map((name) => {
    return {
      title: `${name}: ${title}`,
      files: { 'a.http': text, ...files },
      words: commands[name],
      ...answer(expected[name] ?? ok),
    }
  })
}

/** What `check` and a dry run find; the other commands read no values. */
const all = (
  expected: Expected,
  written: Expected = ok,
): Readonly<Record<'check' | 'dry' | 'fmt' | 'convert', Expected>> => ({
  check: expected,
  dry: expected,
  fmt: written,
  convert: written,
})

const document = (title: string, name: string, text: () => string, expected: Expected): HostileCase => ({
  title: `convert: ${title}`,
  files: { [name]: text },
  words: ['convert', name],
  ...answer(expected),
})

function answer([codes, message]: Expected): Pick<HostileCase, 'codes' | 'message'> {
  return { codes: typeof codes === 'number' ? [codes] : codes, message }
}

const postman = (item: unknown): string => json({ info: { name: 'x', schema: 'v2.1.0' }, item })
const openapi = (rest: object): string => json({ openapi: '3.0.0', info: {}, ...rest })
const operation = (schema: unknown): object => ({
  paths: { '/a': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
})

export const hostileCases: readonly HostileCase[] = [
  ...requestFile('variables that multiply', () => `${laughs(15, 4)}GET http://h.test/{{v15}}\n`, all(tooLarge)),
  ...requestFile(
    'variables that multiply in a body',
    () => `${laughs(15, 4)}${post('text/plain', '{{v15}}')}`,
    all(tooLarge),
  ),
  ...requestFile(
    'one variable used often in a body',
    () => `@v = ${'x'.repeat(100_000)}\n${post('text/plain', '{{v}}'.repeat(20_000))}`,
    all([4, /more than 64 MiB of text: v$/m]),
  ),
  ...requestFile(
    'a chain of 10 000 variables',
    () => `@v0 = x\n${many(10_000, (i) => `@v${i + 1} = {{v${i}}}\n`)}GET http://h.test/{{v10000}}\n`,
    all([4, /a\.http:9802:10: .*more than 200 others/]),
  ),
  ...requestFile('a circle of variables', () => `@a = {{b}}\n@b = {{a}}\nGET http://h.test/{{a}}\n`, all(circular)),
  ...requestFile(
    'deep parentheses in a script',
    () => `${request}\n> {% ${deep('(', ')', DEEP, '1')} %}\n`,
    all(deepScript),
  ),
  ...requestFile('deep arrays in a script', () => `${request}\n> {% const a = ${deep('[', ']')} %}\n`, all(deepScript)),
  ...requestFile(
    'deep objects in a script',
    () => `${request}\n> {% const a = ${deep('{a:', '}', DEEP, '1')} %}\n`,
    all(deepScript),
  ),
  ...requestFile('deep blocks in a script', () => `< {% ${deep('{', '}')} %}\n${request}`, all(deepScript)),
  ...requestFile(
    'deep functions in a script',
    () => `< {% ${deep('(()=>', ')', DEEP, '1')} %}\n${request}`,
    all(deepScript),
  ),
  ...requestFile(
    'deep templates in a script',
    () => `< {% ${deep('`${', '}`', DEEP, '1')} %}\n${request}`,
    all(deepScript),
  ),
  ...requestFile('many operators in a script', () => `< {% 1${'+1'.repeat(DEEP)} %}\n${request}`, all([[0, 5], /^/])),
  ...requestFile('many negations in a script', () => `< {% ${'!'.repeat(DEEP)}1 %}\n${request}`, all(deepScript)),
  ...requestFile('many else in a script', () => `< {% ${'if(0);else '.repeat(DEEP)}; %}\n${request}`, all(deepScript)),
  ...requestFile(
    'a deep regular expression in a script',
    () => `< {% /${deep('(', ')')}/ %}\n${request}`,
    all(deepScript),
  ),
  ...requestFile(
    'a deep common script',
    () => `={% const a = ${deep('[', ']')} %}\n###\n${request}`,
    all([[0, 5], /^/]),
  ),
  ...requestFile(
    'a deep test',
    () => `${request}\n> {% client.test('a', () => client.assert(${deep('(', ')', DEEP, '1')})) %}\n`,
    all(deepScript),
  ),
  ...requestFile(
    'an assertion with a deep path',
    () => `# @assert jsonpath "$${deep('[?@', ']')}" == 1\n${request}`,
    all(deepPath),
  ),
  ...requestFile(
    'an assertion with deep parentheses',
    () => `# @assert jsonpath "$[?${deep('(', ')', DEEP, '@.a')}]" == 1\n${request}`,
    all(deepPath),
  ),
  ...requestFile(
    'an assertion with a deep value',
    () => `# @assert body == ${deep('[', ']')}\n${request}`,
    all([2, /a\.http:1:220: .*nested deeper than 200 levels/], [2, /a\.http:1:220: .*nested deeper than 200 levels/]),
  ),
  ...requestFile(
    'an assertion with a deep xpath',
    () => `# @assert xpath "${deep('(', ')', DEEP, '1')}" == 1\n${request}`,
    all(ok),
  ),
  ...requestFile(
    'an assertion with a deep regular expression',
    () => `# @assert body matches /${deep('(', ')')}/\n${request}`,
    all([2, /a\.http:1:24: this is no regular expression/], [2, /a\.http:1:24: this is no regular expression/]),
  ),
  ...requestFile(
    'an assertion with many words',
    () => `# @assert ${'not '.repeat(DEEP)}status == 200\n${request}`,
    all(ok),
  ),
  ...requestFile(
    'a capture with a deep path',
    () => `# @capture a = jsonpath "$${deep('[?@', ']')}"\n${request}`,
    all(deepPath),
  ),
  ...requestFile(
    'a variable with a deep path',
    () => `@a = 1\nGET http://h.test/{{a${'[0]'.repeat(DEEP)}}}\n`,
    all([4, /a\.http:2:19: /]),
  ),
  ...requestFile(
    'a variable with a deep query',
    () => `@a = 1\nGET http://h.test/{{$.a${deep('[?@', ']', 300)}}}\n`,
    all([4, /a\.http:2:19: /]),
  ),
  ...requestFile(
    'many open braces',
    () => `GET http://h.test/${'{{'.repeat(DEEP)}\n`,
    all([2, /"\{\{" is not closed/], [2, /"\{\{" is not closed/]),
  ),
  ...requestFile('many braces in a body', () => post('text/plain', '{{'.repeat(MANY)), all(ok)),
  ...requestFile('deep JSON in a body', () => post('application/json', deep('[', ']')), all(ok)),
  ...requestFile(
    'deep JSON with variables in a body',
    () => `@a = 1\n${post('application/json', deep('{"a":', '}', DEEP, '{{a}}'))}`,
    all(ok),
  ),
  ...requestFile('a deep GraphQL query', () => `GRAPHQL http://127.0.0.1:9/\n\n${deep('{a', '}')}\n`, all(ok)),
  ...requestFile(
    'deep GraphQL variables',
    () => `GRAPHQL http://127.0.0.1:9/\n\n{ a }\n\n${deep('{"a":', '}', DEEP, '1')}\n`,
    all([4, /GraphQL variables .*nested deeper than 200 levels/]),
  ),
  ...requestFile(
    'multipart in multipart',
    () =>
      post(
        'multipart/mixed; boundary=b0',
        `${many(300, (i) => `--b${i}\nContent-Type: multipart/mixed; boundary=b${i + 1}\n\n`)}--b300\n\nx\n--b300--`,
      ),
    all([4, /a\.http:4:1: multipart bodies .*more than 20 deep/]),
  ),
  ...requestFile('many parts', () => post('multipart/mixed; boundary=b', '--b\n\nx\n'.repeat(MANY)), all(ok)),
  ...requestFile(
    'many fields of a form',
    () =>
      post(
        'application/x-www-form-urlencoded',
        many(MANY, (i) => `a${i} = 1 &\n`),
      ),
    all(ok),
  ),
  ...requestFile('many headers', () => `${request}${many(MANY, (i) => `X-${i}: 1\n`)}`, all(ok)),
  ...requestFile('a long header', () => `${request}X: ${'x'.repeat(1_000_000)}\n`, all(ok)),
  ...requestFile('a long URL', () => `GET http://127.0.0.1:9/${'x'.repeat(1_000_000)}\n`, all(ok)),
  ...requestFile('a long host', () => `GET http://${'x'.repeat(1_000_000)}/\n`, all(ok)),
  ...requestFile('many tags', () => `${'# @no-log\n'.repeat(MANY)}${request}`, all(ok)),
  ...requestFile('many lines of a URL', () => `${request}${'  &a=1\n'.repeat(MANY)}`, all(ok)),
  ...requestFile('a circle of imports', () => `import ./b.http\nrun ./b.http\n###\n${request}`, all(circular), {
    'b.http': () => `import ./a.http\nrun ./a.http\n###\n${request}`,
  }),
  ...requestFile('a file that runs itself', () => `run ./a.http\n###\n${request}`, all(circular)),
  ...requestFile(
    'a request that runs itself',
    () => `import ./a.http\n### a\n${request}\n###\nrun #a\n### b\nrun #b\n`,
    all([4, /no request "b" here/]),
  ),
  ...requestFile(
    'files that run each other twice',
    () => 'run ./b0.http\n',
    all([4, /more than 1000000 requests/]),
    Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [
        `b${i}.http`,
        () => (i === 24 ? request : `run ./b${i + 1}.http\n###\nrun ./b${i + 1}.http\n`),
      ]),
    ),
  ),
  ...requestFile(
    '300 files in a chain',
    () => 'run ./c0.http\n',
    all([4, /c98\.http:1:1: files name each other more than 100 deep/]),
    Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`c${i}.http`, () => (i === 299 ? request : `run ./c${i + 1}.http\n`)]),
    ),
  ),
  ...requestFile(
    '120 requests in a chain of calls',
    () => `${many(120, (i) => `### r${i}\nrun #r${i + 1}\n${i === 0 ? '' : request}\n`)}### r120\n${request}`,
    { check: [4, /requests call each other more than 100 deep/], fmt: ok, convert: ok },
  ),
  document(
    'a HAR archive with a text of 20 MB',
    'a.har',
    () =>
      json({
        log: {
          entries: [
            {
              request: {
                url: 'http://h.test/',
                method: 'POST',
                postData: { mimeType: 'text/plain', text: 'x'.repeat(20_000_000) },
              },
            },
          ],
        },
      }),
    ok,
  ),
  document(
    'a HAR archive with a text of escapes',
    'a.har',
    () =>
      `{"log":{"entries":[{"request":{"url":"http://h.test/","method":"POST","postData":{"mimeType":"text/plain","text":"${'\\\\n'.repeat(2_000_000)}"}}}]}}`,
    ok,
  ),
  ...requestFile('10 000 requests', () => many(10_000, (i) => `### r${i}\n${request}\n`), {
    check: ok,
    fmt: ok,
    convert: ok,
  }),
  ...requestFile(
    'a deep environment file',
    () => `GET http://h.test/{{a}}\n`,
    { check: deepJson, dry: deepJson },
    { 'http-client.env.json': () => `{"dev": {"a": ${deep('[', ']')}}}` },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'a deep environment file that is never closed',
    () => `GET http://h.test/{{a}}\n`,
    { check: deepJson, dry: deepJson },
    { 'http-client.env.json': () => '{"a":'.repeat(DEEP) },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'a deep Security block',
    () => `GET http://h.test/{{a}}\n`,
    { check: deepJson, dry: deepJson },
    { 'http-client.env.json': () => `{"dev": {"Security": {"Auth": ${deep('{"a":', '}', DEEP, '1')}}}}` },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'an environment that multiplies',
    () => `GET http://h.test/{{v15}}\n`,
    { check: tooLarge, dry: tooLarge },
    {
      'http-client.env.json': () =>
        json({
          dev: Object.fromEntries([
            ['v0', 'ha'.repeat(50)],
            ...Array.from({ length: 15 }, (_, i) => [`v${i + 1}`, `{{v${i}}}`.repeat(4)]),
          ]),
        }),
    },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'an environment of arrays that multiplies',
    () => `GET http://h.test/{{v15}}\n`,
    { check: [4, /more than 200000 other variables: v15 → /], dry: [4, /more than 200000 other variables: v15 → /] },
    {
      'http-client.env.json': () =>
        json({
          dev: Object.fromEntries([
            ['v0', ['ha'.repeat(50)]],
            ...Array.from({ length: 15 }, (_, i) => [`v${i + 1}`, { a: Array(4).fill(`{{v${i}}}`) }]),
          ]),
        }),
    },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'deep JSON in --data',
    () => request,
    { check: deepJson, dry: deepJson },
    { 'd.json': () => `[{"a": ${deep('[', ']')}}]` },
    ['--data', 'd.json'],
  ),
  ...requestFile(
    'a deep line in --data',
    () => request,
    { check: deepJson, dry: deepJson },
    { 'd.jsonl': () => `{"a": ${deep('[', ']')}}\n` },
    ['--data', 'd.jsonl'],
  ),
  ...requestFile(
    'many columns in --data',
    () => request,
    { check: ok, dry: ok },
    { 'd.csv': () => `${many(MANY, (i) => `c${i},`)}z\n${'1,'.repeat(MANY)}1\n` },
    ['--data', 'd.csv'],
  ),
  ...requestFile(
    'a quote that is never closed in --data',
    () => request,
    { check: [2, /d\.csv:2:1: a field begins with a quote/], dry: [2, /d\.csv:2:1: a field begins with a quote/] },
    { 'd.csv': () => `a,b\n"${'x\n'.repeat(1_000_000)}` },
    ['--data', 'd.csv'],
  ),
  ...requestFile(
    'a row of --data that names itself',
    () => `GET http://h.test/{{a}}\n`,
    { check: circular, dry: circular },
    { 'd.json': () => json([{ a: '{{a}}{{a}}' }]) },
    ['--data', 'd.json'],
  ),
  document('deep JSON', 'a.json', () => deep('[', ']'), [2, /Name its format with --from/]),
  document('a Postman collection with deep JSON', 'a.json', () => `{"info":{},"item":${deep('[', ']')}}`, deepJson),
  document(
    'a Postman collection with deep folders',
    'a.json',
    () => `{"info":{},"item":${deep('[{"name":"a","item":', '}]', 20_000, '[]')}}`,
    deepJson,
  ),
  document(
    'a Postman collection with a deep value',
    'a.json',
    () => `{"info":{},"variable":[{"key":"a","value":${deep('[', ']')}}],"item":[{"request":"http://h.test/"}]}`,
    deepJson,
  ),
  document(
    'a Postman script with deep brackets',
    'a.json',
    () =>
      postman([
        {
          request: 'http://h.test/',
          event: [{ listen: 'test', script: { exec: deep('pm.test("a", function () {', '})', 3000) } }],
        },
      ]),
    ok,
  ),
  document(
    'a Postman script with many calls',
    'a.json',
    () =>
      postman([
        {
          request: 'http://h.test/',
          event: [{ listen: 'test', script: { exec: 'pm.environment.set("a", 1);'.repeat(3000) } }],
        },
      ]),
    ok,
  ),
  document(
    'a HAR archive with deep JSON',
    'a.har',
    () => `{"log":{"entries":[{"request":{"url":"http://h.test/","a":${deep('[', ']')}}}]}}`,
    deepJson,
  ),
  document(
    'a HAR archive with many entries',
    'a.har',
    () => json({ log: { entries: Array(20_000).fill({ request: { url: 'http://h.test/', method: 'GET' } }) } }),
    ok,
  ),
  document(
    'an OpenAPI document with a deep schema',
    'a.json',
    () =>
      `{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":${deep('{"type":"array","items":', '}', DEEP, '{}')}}}}}}}}`,
    deepJson,
  ),
  document(
    'an OpenAPI document with deep allOf',
    'a.json',
    () =>
      `{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/xml":{"schema":${deep('{"allOf":[', ']}', 20_000, '{}')}}}}}}}}`,
    deepJson,
  ),
  document(
    'an OpenAPI document whose schemas multiply',
    'a.json',
    () =>
      openapi({
        ...operation({ $ref: '#/components/schemas/s0' }),
        components: {
          schemas: Object.fromEntries(
            Array.from({ length: 40 }, (_, i) => [
              `s${i}`,
              {
                type: 'object',
                properties: Object.fromEntries(
                  Array.from({ length: 8 }, (_v, p) => [`p${p}`, { $ref: `#/components/schemas/s${i + 1}` }]),
                ),
              },
            ]),
          ),
        },
      }),
    ok,
  ),
  document(
    'an OpenAPI document whose allOf multiplies',
    'a.json',
    () =>
      openapi({
        ...operation({ $ref: '#/components/schemas/s0' }),
        components: {
          schemas: Object.fromEntries(
            Array.from({ length: 40 }, (_, i) => [
              `s${i}`,
              { allOf: Array(4).fill({ $ref: `#/components/schemas/s${i + 1}` }) },
            ]),
          ),
        },
      }),
    ok,
  ),
  document(
    'an OpenAPI document with XML that is circular',
    'a.json',
    () =>
      openapi({
        paths: {
          '/a': {
            post: { requestBody: { content: { 'application/xml': { schema: { $ref: '#/components/schemas/s' } } } } },
          },
        },
        components: {
          schemas: {
            s: { allOf: [{ $ref: '#/components/schemas/s' }], properties: { a: { $ref: '#/components/schemas/s' } } },
          },
        },
      }),
    ok,
  ),
  document(
    'an OpenAPI document that refers to itself',
    'a.json',
    () =>
      openapi({
        ...operation({ $ref: '#/components/schemas/s' }),
        components: { schemas: { s: { $ref: '#/components/schemas/s' } } },
      }),
    ok,
  ),
  document(
    'an OpenAPI document with a minimum length of a billion',
    'a.json',
    () => openapi(operation({ type: 'string', minLength: 1e9 })),
    ok,
  ),
  document(
    'an OpenAPI document with huge numbers',
    'a.json',
    () => openapi(operation({ type: 'number', minimum: 1e308, multipleOf: 1e-308 })),
    ok,
  ),
  document(
    'YAML whose aliases multiply',
    'a.yaml',
    () =>
      `openapi: 3.0.0\na0: &a0 [${'x,'.repeat(50)}]\n${many(12, (i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`)}paths: {}\n`,
    [2, /aliases .* stand for too much/],
  ),
  document('YAML whose aliases are circular', 'a.yaml', () => 'openapi: 3.0.0\npaths: &a\n  /a: *a\n', [
    2,
    /inside of what it names/,
  ]),
  document(
    'YAML whose merges multiply',
    'a.yaml',
    () =>
      `openapi: 3.0.0\na0: &a0 {x: 1}\n${many(30, (i) => `a${i + 1}: &a${i + 1}\n  <<: [*a${i}, *a${i}]\n  k${i}: *a${i}\n`)}paths: {}\n`,
    [2, /aliases .* stand for too much/],
  ),
  document('YAML with deep lists', 'a.yaml', () => `openapi: 3.0.0\npaths: ${deep('[', ']')}\n`, [
    [0, 2],
    /nested too deeply/,
  ]),
  document(
    'YAML with deep blocks',
    'a.yaml',
    () => `openapi: 3.0.0\npaths:\n${many(3000, (i) => `${' '.repeat(i + 1)}a:\n`)}`,
    [[0, 2], /nested too deeply/],
  ),
  document('YAML with many keys', 'a.yaml', () => `openapi: 3.0.0\npaths:\n${many(5000, (i) => `  /p${i}: {}\n`)}`, ok),
  document('Hurl with a deep body', 'a.hurl', () => `POST http://h.test/\n${deep('[', ']')}\n`, ok),
  document(
    'Hurl with a deep assertion',
    'a.hurl',
    () => `GET http://h.test/\nHTTP 200\n[Asserts]\njsonpath "$${deep('[?@', ']')}" == 1\n`,
    ok,
  ),
  document('Hurl with many entries', 'a.hurl', () => 'GET http://h.test/\n'.repeat(10_000), ok),
  document(
    'Hurl with a character that does not exist',
    'a.hurl',
    () => 'GET http://h.test/\nX: \\u{110000}\\u{d800}\n',
    ok,
  ),
  document('curl with globs that multiply', 'a.sh', () => `curl 'http://h.test/${'{a,b,c}'.repeat(30)}'\n`, ok),
  document('curl with a range of a billion', 'a.sh', () => `curl 'http://h.test/[1-1000000000][1-1000000000]'\n`, ok),
  document('curl with deep substitutions', 'a.sh', () => `curl http://h.test/${deep('$(', ')', 20_000)}\n`, ok),
  document('curl with a long word', 'a.sh', () => `curl http://h.test/ -d "${'x'.repeat(1_000_000)}"\n`, ok),
  document('curl with many words', 'a.sh', () => `curl http://h.test/ ${"-H 'a: b' ".repeat(2000)}\n`, ok),
  document(
    'PowerShell with deep brackets',
    'a.ps1',
    () => `Invoke-WebRequest -Uri ${deep('(', ')', 20_000, "'http://h.test/'")}\n`,
    ok,
  ),
]
