/** Documents of other tools, as rows of the test of hostile lengths. */
import { convert } from '../../src/convert/conversion.ts'
import { basic, digest } from '../../src/convert/draft/authorization.ts'
import { formatOf, type SourceFormat } from '../../src/convert/format.ts'
import { loadOptionProblem } from '../../src/convert/k6-writer/load-options.ts'
import { scriptCode } from '../../src/convert/k6-writer/script-code.ts'
import { numbered, repeated } from './hostile-values.ts'
import type { Row } from './row.ts'

const options = { hasDirectory: false, to: 'http', values: undefined } as const

function converted(from: SourceFormat, text: string): unknown {
  return convert({ path: 'a', text }, { ...options, from } as never)
}

/** In a string of JSON. */
function inJson(before: string, text: string, after: string): string {
  return before + JSON.stringify(text) + after
}

const postmanScript = (text: string): string =>
  inJson(
    '{"info":{"name":"a"},"item":[{"name":"a","event":[{"listen":"test","script":{"exec":[',
    text,
    ']}}],"request":{"method":"GET","url":"http://a/"}}]}',
  )

const brunoForm = 'get {\n  url: http://a/\n  body: multipartForm\n}\n'

const insomniaReference = (path: string): string =>
  JSON.stringify({
    __export_format: 4,
    resources: [
      { _type: 'request', _id: 'a', name: 'a', url: 'http://a/' },
      {
        _type: 'request',
        _id: 'b',
        url: `http://a/{% response 'body', 'a', 'b64::${Buffer.from(path).toString('base64')}::46b', 'never', 60 %}`,
      },
    ],
  })

/** Each with a variable, a script and a reference. */
const manyRequests = numbered('', (index) => {
  const request = `### r${index}\n@v${index} = http://a\nPOST {{v${index}}}/{{w${index}}}\nContent-Type: {{v${index}}}\n\n{{r${index}.response.body.a}}`
  return `${request}\n\n> {% client.global.set("w${index}", response.status) %}\n\n`
})

const manyPlainRequests = numbered('', (index) => `### r${index}\nGET http://a/${index}\n\n`)

const k6 = {
  path: 'a.http',
  scriptName: 'a.js',
  userAgent: 'httpcli',
  values: new Map(),
  secretNames: new Set(),
  options: [],
  failsOnStatus: false,
  openPath: (path: string) => path,
  readText: () => undefined,
  readBytes: () => undefined,
}

export const convertRows: readonly Row[] = [
  {
    name: 'the format of a text',
    call: (text) => formatOf({ path: 'a', text }),
    prefixes: ['', '{', 'curl ', 'a=', '[Q', 'HTTP '],
    also: [repeated('{', '"info":', '"item"'), repeated('', ';a='), repeated('', 'if '), repeated('', 'a=b ')],
  },
  {
    name: 'curl commands',
    call: (text) => converted('curl', text),
    prefixes: [
      'curl ',
      "curl '",
      'curl "',
      'curl http://a/',
      'curl -d ',
      "curl $'",
      'curl -F a=',
      'curl <<E\n',
      'curl -u ',
    ],
    also: [repeated('curl http://a/{', ','), repeated('curl ', '\\')],
    maxLength: 512,
  },
  {
    name: 'curl commands of the Windows command prompt',
    call: (text) => converted('curl', `curl ^"http://a/^" ${text}`),
    prefixes: ['', '-H ^"', '-d "', '&'],
    also: [repeated('', '\\', 'x'), repeated('', '&', 'x')],
    maxLength: 1024,
  },
  {
    name: 'PowerShell commands',
    call: (text) => converted('curl', `Invoke-WebRequest -Uri "http://a/" ${text}`),
    prefixes: ['', '-Headers @{', '-Body "', "-Body '", '$a.Cookies.Add(', '-Body @"\n'],
    maxLength: 2048,
  },
  {
    name: 'Postman collections',
    call: (text) =>
      converted(
        'postman',
        inJson('{"info":{"name":"a"},"item":[{"name":"a","request":{"method":"GET","url":', `http://a/${text}`, '}}]}'),
      ),
    prefixes: ['', '?', '{{'],
    maxLength: 2048,
  },
  {
    name: 'JSON bodies of Postman',
    call: (text) =>
      converted(
        'postman',
        inJson(
          '{"info":{"name":"a"},"item":[{"request":{"method":"POST","url":"http://a/","body":{"mode":"raw","options":{"raw":{"language":"json"}},"raw":',
          text,
          '}}}]}',
        ),
      ),
    prefixes: ['', '"', '"\\\\', '/*', '{{'],
    maxLength: 2048,
  },
  {
    name: 'Postman scripts',
    call: (text) => converted('postman', postmanScript(text)),
    prefixes: ['', 'pm.test("a", ', 'pm.expect(', 'tests["', 'pm.response.to', '/', 'let '],
    also: [
      ...[repeated('', 'tests[['), repeated('', 'let {'), repeated('pm.response.to', ' '), repeated('', '\n')],
      numbered('', (index) => `let a${index};`),
      numbered('', (index) => `var a${index} = CryptoJS;`),
      ...[repeated('', 'pm.globals.get('), repeated('a', '.a'), repeated('pm.expect(a)', '.not'), repeated('', ';')],
      ...[repeated('', 'f('), repeated('', 'x=>'), repeated('', 'function f(){')],
    ],
    maxLength: 4096,
  },
  {
    name: 'Bruno files',
    call: (text) => convert({ path: 'a.bru', text }, { ...options, from: 'bruno' } as never),
    prefixes: [
      '',
      'get {\n',
      'get {\n  url: ',
      'get {\n  url: http://a/{{',
      'get {\n  url: http://a/\n}\nheaders {\n  ',
      "get {\n  url: http://a/\n}\nheaders {\n  a: '''",
      'get {\n  url: http://a/\n}\nheaders {\n  @',
      'vars:secret [',
      'get {\n  url: http://a/\n  body: json\n}\nbody:json {\n  ',
      'get {\n  url: http://a/\n  body: multipartForm\n}\nbody:multipart-form {\n  a: @file(',
      'get {\n  url: http://a/\n}\nassert {\n  res.body.',
      'get {\n  url: http://a/\n}\nassert {\n  res.status: matches ',
      'get {\n  url: http://a/\n}\ntests {\n  test("a", ',
    ],
    also: [
      repeated('get {\n  url: http://a/', '/:a'),
      repeated('get {\n', '  a: b\n', '}\n'),
      repeated('', 'headers {\n}\n'),
      repeated('get {\n  url: http://a/\n}\nassert {\n', '  res.status: 1\n', '}\n'),
      repeated('get {\n  url: http://a/\n  body: json\n}\nbody:json {\n', '  /*\n', '}\n'),
    ],
    maxLength: 512,
  },
  {
    name: 'Insomnia exports',
    call: (text) =>
      converted(
        'insomnia',
        inJson('{"__export_format":4,"resources":[{"_type":"request","_id":"a","url":', `http://a/${text}`, '}]}'),
      ),
    prefixes: ['', '?', '{{', '{%', '{% response ', "{% base64 '", '{#', '/:a'],
    also: [repeated('', '{{', '}}'), repeated('', '{%', '%}'), repeated('', '{{ _.a }}'), repeated('', '{% a %}')],
    maxLength: 1024,
  },
  {
    name: 'Insomnia exports with many entries',
    call: (text) => converted('insomnia', text),
    prefixes: [],
    also: [
      numbered(
        '__export_format: 4\nresources:\n',
        (index) => `  - {_type: request_group, _id: f${index + 1}, parentId: f${index}}\n`,
      ),
      numbered(
        '__export_format: 4\nresources:\n',
        (index) => `  - {_type: request, _id: r${index}, url: 'http://a/'}\n`,
      ),
    ],
    maxLength: 1 << 13,
  },
  {
    name: 'HAR documents',
    call: (text) =>
      converted(
        'har',
        inJson(
          '{"log":{"entries":[{"request":{"method":"GET","url":',
          `http://a/${text}`,
          ',"headers":[],"queryString":[]}}]}}',
        ),
      ),
    prefixes: ['', '?', '#'],
    maxLength: 2048,
  },
  {
    name: 'OpenAPI documents in JSON',
    call: (text) =>
      converted(
        'openapi',
        `{"openapi":"3.0.0","info":{"title":"a"},"servers":[{"url":${JSON.stringify(text)}}],"paths":{${JSON.stringify(`/${text}`)}:{"get":{}}}}`,
      ),
    prefixes: ['', 'http://a/'],
    maxLength: 2048,
  },
  {
    name: 'OpenAPI documents in YAML',
    call: (text) => converted('openapi', `openapi: 3.0.0\ninfo:\n  title: ${text}\npaths: {}\n`),
    prefixes: ['', '"', '|\n    '],
    maxLength: 512,
  },
  {
    name: 'long documents',
    call: (text) => converted(text.startsWith('curl') ? 'curl' : 'openapi', text),
    prefixes: [],
    also: [
      repeated('curl http://a/ -d ', 'a '),
      repeated('curl http://a/ -H ', 'a:b -H '),
      numbered('openapi: 3.0.0\n', (index) => `k${index}: 1\n`),
      numbered('openapi: 3.0.0\na: {', (index) => `k${index}: 1, `, '}\n'),
      numbered('openapi: 3.0.0\n', (index) => `k${index}: &a${index} 1\nl${index}: *a${index}\n`),
      numbered('openapi: 3.0.0\na: &a [', (index) => `&a${index} 1, *a${index}, `, ']\nb: *a\n'),
    ],
    maxLength: 1 << 15,
  },
  {
    name: 'Hurl files',
    call: (text) => converted('hurl', text),
    prefixes: [
      'GET ',
      'GET http://a/\n',
      'GET http://a/\na: ',
      'GET http://a/\nHTTP 200\n[Asserts]\n',
      'GET http://a/\nHTTP 200\n[Asserts]\njsonpath "$" ',
      'GET http://a/\n{',
      'POST http://a/\n```graphql\n',
      'POST http://a/\nfile,',
      'POST http://a/\nbase64,',
      'POST http://a/\n[MultipartFormData]\na: file,',
    ],
    also: [repeated('GET http://a/\n', '\\a'), repeated('GET http://a/\n{', '\\"')],
    maxLength: 2048,
  },
  {
    name: 'request files to curl commands',
    call: (text) => convert({ path: 'a', text }, { ...options, from: 'http', to: 'curl' } as never),
    prefixes: ['GET http://a/', 'GET http://a/\nA: ', 'POST http://a/\n\n'],
    also: [repeated('GET http://a/\nAuthorization: Basic x:=', '{{a}}', ' b')],
    maxLength: 2048,
  },
  {
    name: 'files with many requests to curl commands',
    call: (text) => convert({ path: 'a', text }, { ...options, from: 'http', to: 'curl' } as never),
    prefixes: [],
    also: [manyRequests, manyPlainRequests],
    maxLength: 1 << 17,
  },
  {
    name: 'files with many requests to scripts for k6',
    call: (text) => convert({ path: 'a', text }, { from: 'http', to: 'k6', k6 } as never),
    prefixes: [],
    also: [manyRequests, manyPlainRequests],
    maxLength: 1 << 17,
  },
  {
    name: 'parts of Bruno forms',
    call: (text) =>
      convert({ path: 'a.bru', text: `${brunoForm}body:multipart-form {\n  a: ${text}\n}\n` }, {
        ...options,
        from: 'bruno',
      } as never),
    prefixes: [],
    also: [repeated('a', ' ', 'b'), repeated('a', ' @contentType(b) ')],
    maxLength: 1 << 14,
  },
  {
    name: 'bytes of Hurl files',
    call: (text) => converted('hurl', `GET http://a/\nHTTP 200\n[Asserts]\nbody == base64,${text}\n`),
    prefixes: [],
    also: [repeated('', ' ', 'b')],
    maxLength: 1 << 14,
  },
  {
    name: 'values that Insomnia exports take from responses',
    call: (text) => converted('insomnia', insomniaReference(text)),
    prefixes: [],
    also: [repeated('$.a', '-', '.é-')],
    maxLength: 1 << 14,
  },
  {
    name: 'references to requests in scripts for k6',
    call: (text) => convert({ path: 'a.http', text }, { from: 'http', to: 'k6', k6 } as never),
    prefixes: [],
    also: [repeated('# @name a\nPOST http://a/\n\n', 'a-'), repeated('# @name a\nPOST http://a/\n\n', '-', '.a')],
    maxLength: 1 << 14,
  },
  {
    name: 'scripts for k6',
    call: (text) => scriptCode(text, []),
    prefixes: [],
    also: [repeated('a', '\n', 'b'), repeated('a', ' ', '+b')],
    maxLength: 1 << 14,
  },
  {
    name: 'passwords',
    call: (text) => [basic(text, 'a'), digest('a', text)],
    prefixes: ['', '{{'],
    maxLength: 1 << 14,
  },
  {
    name: 'stages of load tests',
    call: (text) => loadOptionProblem({ name: 'stages', value: text }),
    prefixes: [],
    also: [repeated('1s:1', '  1s:1', 'x'), repeated('1s:1', ' , 1s:1', 'x')],
  },
]
