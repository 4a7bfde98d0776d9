/** Every source is converted, or is an error with its place: nothing else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConvertSyntaxError, convert, type SourceFormat, sourceFormats } from '../../src/convert/index.ts'
import { parseHttpFile } from '../../src/http-file/index.ts'

const pieces: Readonly<Record<Exclude<SourceFormat, 'http'>, readonly string[]>> = {
  curl: [
    'curl',
    ' ',
    '\n',
    "'",
    '"',
    "$'",
    '\\',
    '$x',
    '\x24{y}',
    '$(z',
    '-H',
    '-d',
    '-F',
    'a=@b',
    '@-',
    '-u',
    'a:b',
    'http://h/',
    '{a,b}',
    '[1-3]',
    '<<EOF',
    '|',
    ';',
    '#',
    '`',
    '^',
    '@{',
    'Invoke-WebRequest',
    '--next',
    '-G',
    'EOF',
  ],
  insomnia: [],
  bruno: [
    'meta {',
    'get {',
    'headers {',
    'assert {',
    'body:json {',
    'tests {',
    'vars:pre-request {',
    'vars:post-response {',
    'vars:secret [',
    '}',
    ']',
    '  url: http://h/:id?{{a}}',
    '  ~a: b',
    '  "a b": c',
    "  a: '''",
    "'''",
    '  @number',
    '  res.body.a: eq {{b}}',
    '  res.status: in 1, 2',
    '  a: @file(b) @contentType(c)',
    'test("a", () => { expect(res.body).to.eql({a: 1}) })',
    'bru.setVar("a", {{b}})',
    '{{$a}}',
    '{{?a}}',
    '',
  ],
  postman: [],
  openapi: [],
  har: [],
  hurl: [
    'GET http://h/',
    'HTTP 200',
    '\n',
    '[Query]',
    '[Asserts]',
    '[Captures]',
    '[Form]',
    '[Multipart]',
    '[Options]',
    '[BasicAuth]',
    'a: b',
    'a: file,b;',
    '```',
    '{',
    '}',
    '<a>',
    '`',
    'base64,',
    'hex,zz;',
    'jsonpath "$.a" == 1',
    'regex "',
    '#',
    '{{',
    '}}',
    '\\u{110000}',
    'status',
    ' ',
  ],
}

const json = fc.jsonValue({ maxDepth: 4 })
const word = (...words: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...words)
/** Objects with the members that the formats have, of any type. */
const documentOf = (names: readonly string[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ readonly node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(
        json,
        word('{{a}}', 'http://h/', '#/components/schemas/A', 'a b', '', 'basic', 'raw', 'string', 'object'),
      ),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(word(...names), tie('node'), { maxKeys: 6, noNullPrototype: true }),
    ),
  })).node

const postman = documentOf([
  'item',
  'request',
  'url',
  'raw',
  'host',
  'path',
  'query',
  'header',
  'body',
  'mode',
  'urlencoded',
  'formdata',
  'graphql',
  'auth',
  'type',
  'basic',
  'event',
  'script',
  'exec',
  'listen',
  'key',
  'value',
  'name',
  'variable',
  'disabled',
  'src',
  'info',
])
const insomnia = documentOf([
  '_id',
  '_type',
  'parentId',
  'meta',
  'id',
  'name',
  'children',
  'url',
  'method',
  'body',
  'mimeType',
  'params',
  'fileName',
  'authentication',
  'type',
  'parameters',
  'pathParameters',
  'value',
  'disabled',
  'environment',
  'data',
  'subEnvironments',
  'scripts',
  'preRequest',
  'settings',
  'metaSortKey',
])
const openapi = documentOf([
  'paths',
  '/a',
  '/{b}',
  'get',
  'post',
  'parameters',
  'requestBody',
  'content',
  'application/json',
  'schema',
  '$ref',
  'components',
  'schemas',
  'A',
  'properties',
  'items',
  'allOf',
  'oneOf',
  'type',
  'name',
  'in',
  'example',
  'examples',
  'security',
  'securitySchemes',
  'servers',
  'url',
  'variables',
  'tags',
])
const har = documentOf([
  'request',
  'url',
  'method',
  'headers',
  'name',
  'value',
  'postData',
  'params',
  'text',
  'mimeType',
  'encoding',
  'cookies',
  'response',
  'status',
  'fileName',
  '_webSocketMessages',
  'type',
  'data',
])

const sources: Readonly<Record<SourceFormat, fc.Arbitrary<string>>> = {
  curl: fc.array(word(...pieces.curl), { maxLength: 25 }).map((parts) => parts.join('')),
  hurl: fc.array(word(...pieces.hurl), { maxLength: 15 }).map((parts) => parts.join('\n')),
  bruno: fc.array(word(...pieces.bruno), { maxLength: 15 }).map((parts) => parts.join('\n')),
  http: fc
    .array(
      word(
        'GET http://h/',
        '{{a}}',
        'A: b',
        '',
        '--B',
        '< f',
        'POST /x',
        '> {% y %}',
        '@a = {{a}}',
        '###',
        'Content-Type: multipart/form-data; boundary=B',
        'Host: h',
        'WEBSOCKET ws://h',
      ),
      { maxLength: 10 },
    )
    .map((lines) => lines.join('\n')),
  insomnia: insomnia.map((item) =>
    JSON.stringify({
      __export_format: 4,
      resources: [
        item,
        { _type: 'request', _id: 'a', parentId: 'a', body: item, url: item },
        { _type: 'environment', data: item },
      ],
    }),
  ),
  postman: postman.map((item) => JSON.stringify({ info: { name: 'x' }, item: [item, { request: item }] })),
  openapi: openapi.map((paths) => JSON.stringify({ openapi: '3.0.0', paths, components: { schemas: { A: paths } } })),
  har: har.map((entry) => JSON.stringify({ log: { entries: [entry] } })),
}

describe('any source', () => {
  it.each(sourceFormats)('of the format %s is converted or gives an error with its place', async (from) => {
    await fc.assert(
      fc.asyncProperty(sources[from], fc.boolean(), async (text, hasDirectory) => {
        try {
          const to = from === 'http' ? 'curl' : 'http'
          const result = await convert(
            { path: from === 'bruno' ? 'source.bru' : 'source', text },
            { from, to, hasDirectory, values: new Map() },
          )
          if (to === 'http') expect(parseHttpFile(result.text).errors).toEqual([])
          for (const { place, message } of result.losses) expect(`${place}${message}`).not.toMatch(/[\n\r]/)
        } catch (error) {
          if (!(error instanceof ConvertSyntaxError)) throw error
          expect(error.where?.line).toBeGreaterThan(0)
        }
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})

describe('a request that a request file cannot represent', () => {
  const collection = (request: Readonly<Record<string, unknown>>): string =>
    JSON.stringify({ info: { name: 'x' }, item: [{ name: 'One', request: { method: 'GET', ...request } }] })

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a URL of blanks', { url: ' ' }, 'the whole request: its URL is " "'],
    ['a URL that reads as a version', { url: 'HTTP/1.1' }, 'the whole request: its URL is "HTTP/1.1"'],
    [
      'a header that reads as a part of the URL',
      { url: 'http://h/', header: [{ key: '&', value: 'a' }] },
      'the header "&": a request file cannot hold its name',
    ],
  ])('is left out and reported: %s', async (_, request, message) => {
    const options = { from: 'postman', to: 'http', hasDirectory: false } as const
    const { text, losses } = await convert({ path: 'source', text: collection(request) }, options)
    expect(losses).toEqual([{ place: 'One', message }])
    expect(parseHttpFile(text).errors).toEqual([])
  })

  it('leaves no orphaned script', async () => {
    const text = JSON.stringify({ openapi: '3.0.0', servers: [{ url: '{{ }} ' }], paths: { '{{ }} ': { get: {} } } })
    const result = await convert({ path: 'source', text }, { from: 'openapi', to: 'http', hasDirectory: false })
    expect(parseHttpFile(result.text).errors).toEqual([])
  })
})
