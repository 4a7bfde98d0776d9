/** Documents of other tools that are deep, long or circular, and the required answers of `convert`. */
import {
  DEEP,
  deep,
  deepJson,
  document,
  type HostileCase,
  json,
  many,
  ok,
  openapi,
  operation,
  post,
  postman,
} from './hostile-case.ts'

export const hostileConversions: readonly HostileCase[] = [
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
    [2, /aliases .* expand to too much/],
  ),
  document('YAML whose aliases are circular', 'a.yaml', () => 'openapi: 3.0.0\npaths: &a\n  /a: *a\n', [
    2,
    /inside the node that it names/,
  ]),
  document(
    'YAML whose merges multiply',
    'a.yaml',
    () =>
      `openapi: 3.0.0\na0: &a0 {x: 1}\n${many(30, (i) => `a${i + 1}: &a${i + 1}\n  <<: [*a${i}, *a${i}]\n  k${i}: *a${i}\n`)}paths: {}\n`,
    [2, /aliases .* expand to too much/],
  ),
  document('YAML with deep lists', 'a.yaml', () => `openapi: 3.0.0\npaths: ${deep('[', ']')}\n`, [
    [0, 2],
    /nested too deeply/,
  ]),
  document(
    'YAML with deep blocks',
    'a.yaml',
    () => `openapi: 3.0.0\npaths:\n  /p: {get: {}}\na:\n${many(3000, (i) => `${' '.repeat(i + 1)}a:\n`)}`,
    [[0, 2], /nested too deeply/],
  ),
  document(
    'YAML with many keys',
    'a.yaml',
    () => `openapi: 3.0.0\npaths:\n${many(5000, (i) => `  /p${i}: {get: {}}\n`)}`,
    ok,
  ),
  document('Hurl with a deep body', 'a.hurl', () => `POST http://h.test/\n${deep('[', ']')}\n`, ok),
  document(
    'Hurl with a deep assertion',
    'a.hurl',
    () => `GET http://h.test/\nHTTP 200\n[Asserts]\njsonpath "$${deep('[?@', ']')}" == 1\n`,
    ok,
  ),
  {
    title: 'convert to curl: a file name of 20 MB',
    files: {
      'a.http': () =>
        post(
          'multipart/form-data; boundary=b',
          `--b\nContent-Disposition: form-data; name="a"; filename="${'a'.repeat(20_000_000)}"\n\nx\n--b--`,
        ),
    },
    words: ['convert', '--to', 'curl', 'a.http'],
    codes: [0],
    message: /^/,
  },
  document('Hurl with a value of 20 MB', 'a.hurl', () => `GET http://h.test/\nX: ${'a'.repeat(20_000_000)}\n`, ok),
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
