/** Text of a foreign document stays text: it becomes neither a variable nor another line of a request file. */
import { describe, expect, it } from 'vitest'
import { convert, type SourceFormat } from '../../src/convert/index.ts'
import { parseHttpFile } from '../../src/http-file/index.ts'
import { recordingServer, runText } from '../runner/running.ts'

const CANARY = 'canary-7f3a'

/** Each is text in the format that it is put into, but would mean something in a request file. */
const hostile: readonly string[] = [
  '{{$env.SECRET}}',
  '{{ $env.SECRET }}',
  '{{{$env.SECRET}}}',
  '{{$processEnv SECRET}}',
  '{{$dotenv SECRET}}',
  '{{$random.uuid}}',
  '{{$projectRoot}}',
  '{{$auth.token("a")}}',
  '{{$.secret}}',
  '{{$..secret}}',
  '{{secret.name}}',
  'a\n### b\nGET http://evil.test/',
  'a\r\n\r\n### b\r\nGET http://evil.test/',
  'a\n> {% client.log(1) %}',
  '{% client.log(1) %}',
  "%}\nGET http://evil.test/\n\n> {% client.log('x')",
  'a\n< ./secret.txt',
  '< ./secret.txt',
  '<@ ./secret.txt',
  '@secret.txt',
  '>>! ./out.txt',
  '<> ./out.txt',
  'a\n# @no-log\n# @prompt',
  '@no-log',
  '# @no-log',
  '### x',
  'import ./evil.http',
  'run ./evil.http',
  'a\n@host = evil.test',
  '@host = evil.test',
  'GET http://evil.test/',
  'HTTP/1.1 200 OK',
  'a\n?? status == 404',
  '?? status',
  '===',
  '=== wait-for-server',
  'a\u2028client.log(1)',
  '// x',
  '',
]

/** Variables that the format itself has are not in its documents: two braces are text. */
const withNames: readonly string[] = [...hostile, '{{secret}}', '{{host}}/x', '{{empty}}']

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const hurl = (text: string): string => text.replace(/[\n\r\u2028]/g, ' ')
/** In a string of Hurl; its braces are escapes, because `{{$env.X}}` is a syntax error there. */
const hurlString = (text: string): string => hurl(text).replace(/["\\#]/g, '\\$&')

interface Source {
  readonly from: SourceFormat
  readonly texts: readonly string[]
  readonly document: (text: string) => string
  /** Variables that the format itself means with some of the texts: `/{{id}}` holds the parameter `{id}` of OpenAPI. */
  readonly meant?: readonly string[]
}

const har = (url: string, request: object): string =>
  JSON.stringify({ log: { pages: [{ title: 'p' }], entries: [{ request: { method: 'POST', url, ...request } }] } })

const sources: Readonly<Record<string, Source>> = {
  'a HAR archive': {
    from: 'har',
    texts: withNames,
    document: (x) =>
      JSON.stringify({
        log: {
          pages: [{ title: x }],
          entries: [
            { request: { method: x, url: 'http://h.test/' } },
            {
              comment: x,
              request: {
                method: 'POST',
                url: `http://h.test/${x}?a=${x}`,
                headers: [
                  { name: 'X', value: x },
                  { name: x, value: 'v' },
                ],
                cookies: [{ name: x, value: x }],
                postData: { mimeType: x, text: x },
              },
            },
            {
              request: {
                method: 'POST',
                url: 'http://h.test/',
                postData: {
                  mimeType: 'multipart/form-data',
                  params: [
                    { name: x, value: x, contentType: x },
                    { name: 'f', fileName: x, contentType: x },
                    { name: 'g', fileName: x, value: x },
                  ],
                },
              },
            },
            {
              request: {
                method: 'POST',
                url: 'http://h.test/',
                postData: { mimeType: 'application/x-www-form-urlencoded', params: [{ name: x, value: x }] },
              },
            },
            { _webSocketMessages: [{ type: 'send', data: x }], request: { method: 'GET', url: 'ws://h.test/' } },
          ],
        },
      }),
  },
  'a Postman collection': {
    from: 'postman',
    texts: hostile,
    meant: ['p'],
    document: (x) =>
      JSON.stringify({
        info: { name: x, description: x },
        variable: [
          { key: 'a', value: x },
          { key: 'b', value: { c: [x] } },
          { key: x, value: 'v' },
        ],
        item: [
          { name: x, item: [{ name: x, request: x }] },
          {
            name: x,
            request: {
              method: 'POST',
              description: x,
              url: {
                raw: `http://h.test/${x}/:p`,
                query: [
                  { key: x, value: x },
                  { key: x, value: x, disabled: true },
                ],
                variable: [{ key: 'p', value: x }],
              },
              header: [
                { key: 'X', value: x },
                { key: x, value: x },
                { key: 'Y', value: x, disabled: true },
              ],
              auth: { type: 'basic', basic: { username: x, password: x } },
              body: { mode: 'raw', raw: x },
            },
          },
          {
            request: {
              method: x,
              url: 'http://h.test/',
              header: `A: ${x}\n${x}: b`,
              auth: { type: 'apikey', apikey: { key: x, value: x } },
            },
          },
          { request: { method: 'POST', url: 'http://h.test/', body: { mode: 'file', file: { src: x } } } },
          {
            request: {
              method: 'POST',
              url: 'http://h.test/',
              auth: { type: 'oauth2', oauth2: [{ key: 'accessToken', value: x }] },
              body: {
                mode: 'formdata',
                formdata: [
                  { key: x, value: x, contentType: x },
                  { key: x, type: 'file', src: x },
                  { key: x, value: x, disabled: true },
                ],
              },
            },
          },
          {
            request: {
              method: 'POST',
              url: 'http://h.test/',
              body: {
                mode: 'urlencoded',
                urlencoded: [
                  { key: x, value: x },
                  { key: x, value: x, disabled: true },
                ],
              },
            },
          },
          {
            request: {
              method: 'POST',
              url: 'http://h.test/',
              body: { mode: 'graphql', graphql: { query: `query {\n${x}\n}`, variables: x } },
            },
          },
        ],
      }),
  },
  'a Postman environment': {
    from: 'postman',
    texts: hostile,
    document: (x) =>
      JSON.stringify({
        name: x,
        values: [
          { key: 'a', value: x },
          { key: 'b', value: [x] },
        ],
      }),
  },
  'an OpenAPI document': {
    from: 'openapi',
    texts: withNames,
    meant: ['secret', 'host', 'empty'],
    document: (x) =>
      JSON.stringify({
        openapi: '3.0.0',
        info: { title: x, version: x },
        servers: [{ url: `http://h.test/${x}`, description: x }, { url: x }],
        paths: {
          [`/a/${x}`]: {
            post: {
              summary: x,
              tags: [x],
              servers: [{ url: `http://h.test/${x}` }],
              parameters: [
                { name: x, in: 'query', required: true, example: x },
                { name: x, in: 'query', example: x },
                { name: x, in: 'header', required: true, example: x },
                { name: 'Y', in: 'header', required: true, example: x },
                { name: x, in: 'cookie', required: true, example: x },
                { name: x, in: 'path', required: true, example: x },
              ],
              security: [{ [x]: [] }],
              requestBody: { content: { [x]: { example: x } } },
              responses: { 200: { content: { [x]: {} } } },
            },
            put: {
              operationId: x,
              requestBody: { content: { 'multipart/form-data': { example: { [x]: x, o: { [x]: x } } } } },
            },
            patch: { requestBody: { content: { 'application/xml': { example: { [x]: x } } } } },
            delete: { requestBody: { content: { 'application/x-www-form-urlencoded': { example: { [x]: x } } } } },
          },
        },
        components: { securitySchemes: { [x]: { type: 'apiKey', in: 'header', name: x } } },
      }),
  },
  'a Hurl file': {
    from: 'hurl',
    texts: hostile,
    document: (x) =>
      [
        `# ${hurl(x)}`,
        'POST http://h.test/a',
        `X: ${hurlString(x)}`,
        '[Query]',
        `a: ${hurlString(x)}`,
        '[Cookies]',
        `c: ${hurlString(x)}`,
        '[Multipart]',
        `m: ${hurlString(x)}`,
        `n: file,${hurl(x).replaceAll(';', '')};`,
        'HTTP 200',
        '[Asserts]',
        `header "X" == "${hurlString(x)}"`,
        '',
        'POST http://h.test/b',
        '```',
        x,
        '```',
        '',
        'POST http://h.test/c',
        '[Form]',
        `a: ${hurlString(x).replaceAll('{', '\\u{7b}')}`,
        '',
      ].join('\n'),
  },
  'curl commands': {
    from: 'curl',
    texts: withNames,
    document: (x) =>
      [
        `# ${hurl(x)}`,
        `A=${single(x)}`,
        `curl http://h.test/${single(x)} -H ${single(`X: ${x}`)} -b ${single(`a=${x}`)} -A ${single(x)} -u ${single(`${x}:${x}`)} -d ${single(x)} -o ${single(x)}`,
        `curl http://h.test/ -F ${single(`${x}=${x}`)} -F ${single(`f=@${x.replace(/[,;]/g, '')}`)} --form-string ${single(`a=${x}`)}`,
        `curl http://h.test/ --data-urlencode ${single(`a=${x}`)} --url-query ${single(`b=${x}`)} -X ${single(x)}`,
        `curl http://h.test/ --json '{' --json ${single(x.slice(1))}`,
        `curl http://h.test/ -d @- <<'EOF'\n${x.replaceAll('{{', '{\n{')}\nEOF`,
        `curl http://h.test/ -H X:\\ ${[...x].map((c) => (/[\n\r\u2028]/.test(c) ? ' '.trim() : `\\${c}`)).join('')}`,
        `curl http://h.test/ -T ${single(`./${x}`)}`,
      ].join('\n'),
  },
  'commands of PowerShell': {
    from: 'curl',
    texts: withNames,
    document: (x) => {
      const q = `'${x.replaceAll("'", "''")}'`
      return [
        `Invoke-WebRequest -Uri ('http://h.test/' + ${q}) -Method POST`,
        `Invoke-WebRequest -Uri "http://h.test/a" -Headers @{ "X"=${q} } -ContentType ${q} -UserAgent ${q} -Body ${q}`,
        `$u = ${q}`,
        'Invoke-WebRequest -Uri "http://h.test/a" -Method POST -Body $u',
        `Invoke-WebRequest -Uri "http://h.test/b" -Body $(${q})`,
      ].join('\n')
    },
  },
}

/** All expressions of variables in a syntax tree, and the kinds of its nodes. */
function outlineOf(node: unknown, found = { expressions: new Set<string>(), kinds: new Set<string>() }): typeof found {
  if (typeof node !== 'object' || node === null) return found
  if ('expression' in node && typeof node.expression === 'string') found.expressions.add(node.expression)
  if ('kind' in node && typeof node.kind === 'string') found.kinds.add(node.kind)
  for (const member of Object.values(node)) outlineOf(member, found)
  return found
}

/** Those that a conversion writes by itself. */
const ownExpressions =
  /^(?:empty|cr|nul|control-[0-9a-f]{2}|baseUrl|A|u|username|password|accessToken|[\p{L}\p{N}_-]*_[\p{L}\p{N}_-]*)$/u

describe.each(Object.entries(sources))('%s', (_, { from, texts, document, meant = [] }) => {
  it.each(texts.map((text) => [JSON.stringify(text), text]))('keeps %s a text', async (_title, text) => {
    const source = { path: 'source', text: document(text) }
    const plain = await convert(
      { path: 'source', text: document('plain') },
      { from, to: 'http', hasDirectory: true, values: new Map() },
    )
    let result: Awaited<ReturnType<typeof convert>>
    try {
      result = await convert(source, { from, to: 'http', hasDirectory: true, values: new Map() })
    } catch (error) {
      // A source that its own tool would refuse, too.
      expect(error).toMatchObject({ code: 'convert-syntax' })
      return
    }
    const { file, errors } = parseHttpFile(result.text)
    expect(errors).toEqual([])
    const requests = file.sections.flatMap(({ request }) => request ?? [])
    const usual = parseHttpFile(plain.text).file.sections.flatMap(({ request }) => request ?? [])
    expect(requests.length).toBeLessThanOrEqual(usual.length)
    expect(requests.every(({ handlers, references }) => handlers.length + references.length === 0)).toBe(true)
    const scripts = file.sections.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === 'script' ? [part] : [])),
    )
    for (const { phase, source: code } of scripts) {
      expect(phase).toBe('pre-request')
      const lines = code.type === 'inline' ? code.code.trim().split('\n') : [code.type]
      for (const line of lines) expect(line).toMatch(/^request\.variables\.set\("[^"]*", "(?:[^"\\]|\\.)*"\)$/)
    }
    const tags = file.sections.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'tag' ? [part.name] : [])))
    for (const tag of tags) expect(tag).toMatch(/^(?:no-redirect|no-auto-encoding|tag|assert|capture)$/)
    const { expressions, kinds } = outlineOf(file)
    expect([...kinds]).not.toContain('directive')
    for (const expression of expressions) {
      if (!meant.includes(expression)) expect(expression).toMatch(ownExpressions)
    }
    // Values of environment files are templates, too.
    for (const { environments } of result.environmentFiles) {
      for (const value of Object.values(environments).flatMap((each) => Object.values(each))) {
        const texts = JSON.stringify(value)
        for (const [, expression] of texts.matchAll(/(?<!\{\{)\{\{([^{}]+)\}\}/g))
          expect(expression).toMatch(ownExpressions)
      }
    }
  })
})

describe('on the wire', () => {
  const value = '{{$env.SECRET}} {{secret}} {{$uuid}}'
  const escaped = encodeURIComponent(value)

  /** Requests that the converted document sends with the secret in both environments. */
  async function sentBy(from: SourceFormat, documentFor: (origin: string) => string): Promise<string> {
    const server = await recordingServer()
    try {
      const { text } = await convert(
        { path: 'source', text: documentFor(server.origin) },
        { from, to: 'http', hasDirectory: false, values: new Map() },
      )
      const { errors } = await runText(text, {
        processEnvironment: { SECRET: CANARY },
        environmentName: 'dev',
        files: { 'http-client.env.json': JSON.stringify({ dev: { secret: CANARY } }) },
      })
      expect(errors).toEqual([])
      return server.requests
        .map(({ line, headers, body }) => [line, ...headers, '', body.toString()].join('\n'))
        .join('\n\n')
    } finally {
      await server.close()
    }
  }

  it.each<[string, SourceFormat, (origin: string) => string, readonly (string | RegExp)[]]>([
    [
      'HAR',
      'har',
      (origin) =>
        har(`${origin}/?a=${value}`, {
          headers: [{ name: 'X', value }],
          cookies: [{ name: 'c', value: 'v{{secret}}' }],
          postData: { mimeType: 'text/plain; x={{secret}}', text: value },
        }),
      [
        `X: ${value}`,
        'Cookie: c=v{{secret}}',
        'Content-Type: text/plain; x={{secret}}',
        `\n\n${value}`,
        '%7B%7Bsecret%7D%7D',
      ],
    ],
    [
      'curl',
      'curl',
      (origin) => `curl -g '${origin}/' -H 'X: ${value}' -A '${value}' -b 'a=${value}' --data-raw '${value}'`,
      [`X: ${value}`, `User-Agent: ${value}`, `Cookie: a=${value}`, `\n\n${value}`],
    ],
    [
      'curl, joined texts',
      'curl',
      (origin) => `curl '${origin}/' -H 'X: {'"{\\$env.SECRET}}" --json '{' --json '{$env.SECRET}}'`,
      ['X: {{$env.SECRET}}', '\n\n{{$env.SECRET}}'],
    ],
    [
      'curl, forms',
      'curl',
      (origin) => `curl '${origin}/' -F 'n{{secret}}={{$env.SECRET}};type=text/plain;filename={{secret}}.txt'`,
      ['name="n{{secret}}"', 'filename="{{secret}}.txt"', '{{$env.SECRET}}'],
    ],
    [
      'Postman',
      'postman',
      (origin) =>
        JSON.stringify({
          info: { name: 'x' },
          variable: [{ key: 'v', value: '{{$env.SECRET}}' }],
          item: [
            {
              request: {
                method: 'POST',
                url: `${origin}/?a={{$env.SECRET}}`,
                header: [
                  { key: 'X', value: '{{$env.SECRET}} {{$processEnv SECRET}}' },
                  { key: 'Y', value: '{{v}}' },
                ],
                body: { mode: 'raw', raw: '{{$dotenv SECRET}}{{$env.SECRET}}{{$random.uuid}}' },
              },
            },
          ],
        }),
      [
        'X: {{$env.SECRET}} {{$processEnv SECRET}}',
        'Y: {{$env.SECRET}}',
        '\n\n{{$dotenv SECRET}}{{$env.SECRET}}{{$random.uuid}}',
      ],
    ],
    [
      'Hurl',
      'hurl',
      (origin) => `POST ${origin}/\nX: \\u{7b}{$env.SECRET}} \\u{7b}{secret}}\n[Query]\na: {{$env.SECRET}}\n`,
      ['X: {{$env.SECRET}} {{secret}}', 'a=%7B%7B%24env.SECRET%7D%7D'],
    ],
    [
      'OpenAPI',
      'openapi',
      (origin) =>
        JSON.stringify({
          openapi: '3.0.0',
          servers: [{ url: `${origin}/{{$env.SECRET}}` }],
          paths: {
            '/a': {
              post: {
                parameters: [
                  { name: 'q', in: 'query', required: true, example: value },
                  { name: 'X', in: 'header', required: true, example: value },
                  { name: 'c', in: 'cookie', required: true, example: '{{secret}}' },
                ],
                requestBody: { content: { 'text/plain': { example: value } } },
              },
            },
          },
        }),
      [`X: ${value}`, 'Cookie: c={{secret}}', `\n\n${value}`, `q=${escaped}`],
    ],
  ])('%s sends what the document says', async (_, from, documentFor, expected) => {
    const sent = await sentBy(from, documentFor)
    for (const text of expected) expect(sent).toContain(text)
    expect(sent).not.toContain(CANARY)
  })
})
