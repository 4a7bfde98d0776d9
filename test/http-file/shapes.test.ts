/** Shapes that request files have in the wild: what each is read as, without an error. */
import { describe, expect, it } from 'vitest'
import { parseHttpFile, printHttpFile, type Request, templateText } from '../../src/http-file/index.ts'

/** The content of a file, a line for each part: `common`, `@variable`, `import`, and requests with their counts. */
function summaryOf(source: string): readonly string[] {
  const { file, errors } = parseHttpFile(source)
  expect(errors).toEqual([])
  expect(printHttpFile(file)).toBe(source)
  const common = Object.values(file.common).flat().length
  const lines = file.sections.flatMap(({ request, directives, variables }) => [
    ...variables.map(({ name }) => `@${name}`),
    ...directives.map(({ directive }) => directive),
    ...(request === undefined ? [] : [requestLine(request)]),
  ])
  return [...(common > 0 ? [`common ${common}`] : []), ...lines]
}

function requestLine(request: Request): string {
  const { name, line, headers, tags, body, messages, preRequestScripts, handlers, redirects, references } = request
  const counts = { tags, headers, body, messages, before: preRequestScripts, handlers, saved: redirects, references }
  const numbers = Object.entries(counts).flatMap(([what, { length }]) => (length > 0 ? [`${what} ${length}`] : []))
  const title = name === '' ? [] : [JSON.stringify(name)]
  return [line.method ?? '-', templateText(line.target), ...(line.version ?? '').split(' '), ...title, ...numbers]
    .filter((word) => word !== '')
    .join(' ')
}

describe('a request file with', () => {
  it.each<[string, string, readonly string[]]>([
    ['a URL alone', 'https://api.test/health', ['- https://api.test/health']],
    ['a URL and a header', 'https://api.test/health\nAccept: text/plain', ['- https://api.test/health headers 1']],
    ['a host without scheme', 'api.test/health', ['- api.test/health']],
    ['an address and a port', '127.0.0.1:8080/health', ['- 127.0.0.1:8080/health']],
    ['an IPv6 address', 'GET http://[::1]:8080/health', ['GET http://[::1]:8080/health']],
    ['a lower-case method', 'get {{host}}/users', ['get {{host}}/users']],
    ['a method of WebDAV', 'PROPFIND http://dav.test/files/', ['PROPFIND http://dav.test/files/']],
    ['a blank file head', '\n\n\nGET http://h/', ['GET http://h/']],
    ['separators at both ends', '###\n\nGET http://h/\n\n###\n', ['GET http://h/']],
    ['many separators in a row', '###\n###\n\n###\nGET http://h/\n###\n###', ['GET http://h/']],
    ['more than three number signs', '######## Users ########\nGET http://h/users', ['GET http://h/users "Users"']],
    ['a rule of number signs', '################################\nGET http://h/users', ['GET http://h/users']],
    ['a separator with a colon', '###: list users\nGET http://h/users', ['GET http://h/users ": list users"']],
    ['a separator without blank', '###list\nGET http://h/users', ['GET http://h/users "list"']],
    [
      'a name in brackets',
      '### [users] list all of them\nGET http://h/users',
      ['GET http://h/users "[users] list all of them"'],
    ],
    ['a name with an emoji', '### 🚀 deploy\nPOST http://h/deploy', ['POST http://h/deploy "🚀 deploy"']],
    ['a name in another script', '### 查询用户\nGET http://h/users', ['GET http://h/users "查询用户"']],
    ['a name by a tag', '# @name listUsers\nGET http://h/users', ['GET http://h/users "listUsers" tags 1']],
    [
      'a name by a tag with an equals sign',
      '# @name = listUsers\nGET http://h/users',
      ['GET http://h/users "listUsers" tags 1'],
    ],
    [
      'a name by a tag without blanks',
      '#@name=listUsers\nGET http://h/users',
      ['GET http://h/users "listUsers" tags 1'],
    ],
    [
      'a name by a tag in a slash comment',
      '// @name listUsers\nGET http://h/users',
      ['GET http://h/users "listUsers" tags 1'],
    ],
    ['both names', '### List\n# @name listUsers\nGET http://h/users', ['GET http://h/users "listUsers" tags 1']],
    [
      'a comment after the name',
      '### Login\n# uses the admin account\nGET http://h/users',
      ['GET http://h/users "Login"'],
    ],
    ['a commented-out request', '# GET http://h/old\n\n### new\nGET http://h/new', ['GET http://h/new "new"']],
    ['a commented-out header', 'GET http://h/\n# Accept: text/plain\nX: y', ['GET http://h/ headers 1']],
    [
      'indented headers',
      'GET http://h/x?a=1\n  Authorization: Bearer t\n  # note\n  X-Empty:\n\n###\nGET http://h/ HTTP/1.1\n\tA: b\n\t folded: too\n\tC: d',
      ['GET http://h/x?a=1 headers 2', 'GET http://h/ HTTP/1.1 headers 2'],
    ],
    ['a header comment with indent', 'GET http://h/\n    // X-Debug: 1\nX: y', ['GET http://h/ headers 1']],
    ['a banner of comments', '# ------------\n# Users\n# ------------\n\nGET http://h/users', ['GET http://h/users']],
    ['a licence comment in slashes', '// Copyright\n// All rights\n\n###\nGET http://h/', ['GET http://h/']],
    [
      'several tags',
      '# @no-redirect\n# @no-cookie-jar\n# @no-log\n# @timeout 30\nGET http://h/',
      ['GET http://h/ tags 4'],
    ],
    ['an unknown tag', '# @prompt username Your name\nGET http://h/', ['GET http://h/ tags 1']],
    ['a tag after the separator', '### a\n// @no-log\nGET http://h/', ['GET http://h/ "a" tags 1']],
    [
      'file variables at the top',
      '@host = localhost\n@port = 3000\n@base = http://{{host}}:{{port}}\n\nGET {{base}}/users',
      ['@host', '@port', '@base', 'GET {{base}}/users'],
    ],
    ['a variable without blanks', '@host=http://localhost\nGET {{host}}/', ['@host', 'GET {{host}}/']],
    [
      'a variable with a long value',
      '@token = eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_=\nGET http://h/\nAuthorization: Bearer {{token}}',
      ['@token', 'GET http://h/ headers 1'],
    ],
    [
      'a variable with a comment sign in it',
      '@color = #ff0000\nGET http://h/?c={{color}}',
      ['@color', 'GET http://h/?c={{color}}'],
    ],
    [
      'variables between requests',
      'GET http://h/1\n\n###\n@next = 2\nGET http://h/{{next}}',
      ['GET http://h/1', '@next', 'GET http://h/{{next}}'],
    ],
    ['a variable in a separate section', '###\n@a = 1\n###\nGET http://h/{{a}}', ['@a', 'GET http://h/{{a}}']],
    [
      'variables in a separator of the same name',
      '### Variables\n@a = 1\n\n### Go\nGET http://h/{{a}}',
      ['@a', 'GET http://h/{{a}} "Go"'],
    ],
    ['blanks in braces', 'GET {{ host }}/users/{{ id }}', ['GET {{host}}/users/{{id}}']],
    ['a path variable in braces', 'GET {{users[0].name}}/x', ['GET {{users[0].name}}/x']],
    [
      'a dynamic variable with arguments',
      'GET http://h/{{$random.integer(1, 100)}}',
      ['GET http://h/{{$random.integer(1, 100)}}'],
    ],
    ['a variable as the whole target', 'GET {{url}}', ['GET {{url}}']],
    ['a version after a variable', 'GET {{url}} HTTP/1.1', ['GET {{url}} HTTP/1.1']],
    ['HTTP/2', 'GET https://h/ HTTP/2', ['GET https://h/ HTTP/2']],
    [
      'HTTP/2 with prior knowledge',
      'GET http://h/ HTTP/2 (Prior Knowledge)',
      ['GET http://h/ HTTP/2 (Prior Knowledge)'],
    ],
    [
      'a query over lines',
      'GET http://h/search\n    ?q=cats\n    &page=2\n    &size=10',
      ['GET http://h/search?q=cats&page=2&size=10'],
    ],
    [
      'a query over lines with the sign at the end',
      'GET http://h/search?\n    q=cats&\n    page=2',
      ['GET http://h/search?q=cats&page=2'],
    ],
    [
      'a query over lines with a comment',
      'GET http://h/search\n    ?q=cats\n#    &page=2\n    &size=10',
      ['GET http://h/search?q=cats&size=10'],
    ],
    [
      'a query over lines without indent',
      'GET http://h/search\n?q=cats\n&page=2\nAccept: text/plain',
      ['GET http://h/search?q=cats&page=2 headers 1'],
    ],
    [
      'a query over lines and headers',
      'GET http://h/search\n  ?q=cats\n  &page=2\nAccept: text/plain\nX: y',
      ['GET http://h/search?q=cats&page=2 headers 2'],
    ],
    ['a path over lines', 'GET http://h\n    /api\n    /users\n    /1', ['GET http://h/api/users/1']],
    ['a fragment', 'GET http://h/page#top', ['GET http://h/page#top']],
    ['blanks in a query', 'GET http://h/search?q=two words&x=y z', ['GET http://h/search?q=two words&x=y z']],
    [
      'brackets in a query',
      'GET http://h/items?filter[name]=a&sort[]=b',
      ['GET http://h/items?filter[name]=a&sort[]=b'],
    ],
    ['JSON in a query', 'GET http://h/items?where={"a":{"$gt":1}}', ['GET http://h/items?where={"a":{"$gt":1}}']],
    [
      'a URL in a query',
      'GET http://h/go?to=https://other.test/a?b=c',
      ['GET http://h/go?to=https://other.test/a?b=c'],
    ],
    ['a Host header and a path', 'GET /users\nHost: api.test', ['GET /users headers 1']],
    ['a Host header with a scheme', 'GET /users\nHost: https://api.test', ['GET /users headers 1']],
    ['the star', 'OPTIONS *\nHost: http://api.test:8080', ['OPTIONS * headers 1']],
    [
      'many headers',
      'GET http://h/\nAccept: application/json, text/plain;q=0.5, */*;q=0.1\nAccept-Language: de\nCache-Control: no-cache\nUser-Agent: x/1.0 (y; z)\nX-A: 1',
      ['GET http://h/ headers 5'],
    ],
    ['an empty header', 'GET http://h/\nX-Empty:\nX: y', ['GET http://h/ headers 2']],
    ['a header with colons', 'GET http://h/\nReferer: http://a:80/b:c', ['GET http://h/ headers 1']],
    ['a folded header', 'GET http://h/\nCookie: a=1;\n  b=2;\n  c=3', ['GET http://h/ headers 1']],
    ['a cookie header', 'GET http://h/\nCookie: session=abc; theme=dark', ['GET http://h/ headers 1']],
    [
      'authorization by user and password',
      'GET http://h/\nAuthorization: Basic ada lovelace',
      ['GET http://h/ headers 1'],
    ],
    [
      'authorization from variables',
      'GET http://h/\nAuthorization: Digest {{user}} {{password}}',
      ['GET http://h/ headers 1'],
    ],
    ['a token by id', 'GET http://h/\nAuthorization: Bearer {{$auth.token("svc")}}', ['GET http://h/ headers 1']],
    [
      'JSON',
      'POST http://h/\nContent-Type: application/json\n\n{\n  "a": [1, 2],\n  "b": {"c": null}\n}',
      ['POST http://h/ headers 1 body 1'],
    ],
    [
      'JSON with variables',
      'POST http://h/\nContent-Type: application/json\n\n{"id": {{id}}, "name": "{{name}}", "u": {{$uuid}}}',
      ['POST http://h/ headers 1 body 1'],
    ],
    [
      'JSON with comments',
      'POST http://h/\nContent-Type: application/json\n\n{\n  // first\n  "a": 1,\n  # second\n  "b": 2\n}',
      ['POST http://h/ headers 1 body 3'],
    ],
    ['JSON with blank lines', 'POST http://h/\n\n{\n\n  "a": 1\n\n}\n\n\n', ['POST http://h/ body 1']],
    ['an array', 'POST http://h/\nContent-Type: application/json\n\n[1, 2, 3]', ['POST http://h/ headers 1 body 1']],
    ['a scalar', 'PUT http://h/\nContent-Type: application/json\n\ntrue', ['PUT http://h/ headers 1 body 1']],
    [
      'XML',
      'POST http://h/soap\nContent-Type: text/xml\n\n<?xml version="1.0"?>\n<Envelope>\n  <Body/>\n</Envelope>',
      ['POST http://h/soap headers 1 body 1'],
    ],
    [
      'HTML',
      'POST http://h/\nContent-Type: text/html\n\n<!doctype html>\n<p>a</p>',
      ['POST http://h/ headers 1 body 1'],
    ],
    [
      'a form on one line',
      'POST http://h/login\nContent-Type: application/x-www-form-urlencoded\n\nuser=ada&password=x',
      ['POST http://h/login headers 1 body 1'],
    ],
    [
      'a form over lines',
      'POST http://h/login\nContent-Type: application/x-www-form-urlencoded\n\nuser = ada &\npassword = x y &\nremember = true',
      ['POST http://h/login headers 1 body 1'],
    ],
    [
      'a form with the sign ahead',
      'POST http://h/login\nContent-Type: application/x-www-form-urlencoded\n\nuser=ada\n&password=x',
      ['POST http://h/login headers 1 body 1'],
    ],
    [
      'CSV',
      'POST http://h/import\nContent-Type: text/csv\n\nid,name\n1,ada\n2,alan',
      ['POST http://h/import headers 1 body 1'],
    ],
    [
      'YAML',
      'POST http://h/\nContent-Type: application/yaml\n\na:\n  - b\n  - c: d',
      ['POST http://h/ headers 1 body 1'],
    ],
    [
      'SQL-like text',
      'POST http://h/query\nContent-Type: text/plain\n\nSELECT * FROM t WHERE a = 1 AND b <> 2',
      ['POST http://h/query headers 1 body 1'],
    ],
    [
      'newline-delimited JSON',
      'POST http://h/_bulk\nContent-Type: application/x-ndjson\n\n{"index":{}}\n{"a":1}\n{"index":{}}\n{"a":2}',
      ['POST http://h/_bulk headers 1 body 1'],
    ],
    [
      'a file',
      'POST http://h/\nContent-Type: application/json\n\n< ./data/body.json',
      ['POST http://h/ headers 1 body 1'],
    ],
    ['a file by an absolute path', 'POST http://h/\n\n< /var/data/body.bin', ['POST http://h/ body 1']],
    ['a file by a path of Windows', 'POST http://h/\n\n< C:\\data\\body.bin', ['POST http://h/ body 1']],
    ['a file with variables', 'POST http://h/\n\n<@ ./body.json', ['POST http://h/ body 1']],
    ['a file with variables and a charset', 'POST http://h/\n\n<@latin1 ./body.json', ['POST http://h/ body 1']],
    ['a file in a body', 'POST http://h/\n\nbefore\n< ./middle.txt\nafter', ['POST http://h/ body 3']],
    [
      'multipart with a text and a file',
      'POST http://h/\nContent-Type: multipart/form-data; boundary=WebAppBoundary\n\n--WebAppBoundary\nContent-Disposition: form-data; name="a"\nContent-Type: text/plain\n\nName\n--WebAppBoundary\nContent-Disposition: form-data; name="f"; filename="f.json"\nContent-Type: application/json\n\n< ./f.json\n--WebAppBoundary--',
      ['POST http://h/ headers 1 body 3'],
    ],
    [
      'multipart with comments',
      'POST http://h/\nContent-Type: multipart/form-data; boundary=b\n\n--b\nContent-Disposition: form-data; name="a"\n\n// the first\none\n--b--',
      ['POST http://h/ headers 1 body 2'],
    ],
    [
      'GraphQL with variables',
      'GRAPHQL http://h/graphql\n\nquery($id: ID!) {\n  user(id: $id) { name }\n}\n\n{"id": "1"}',
      ['GRAPHQL http://h/graphql body 1'],
    ],
    [
      'GraphQL in a POST',
      'POST http://h/graphql\nContent-Type: application/json\n\n{"query": "{ me { id } }"}',
      ['POST http://h/graphql headers 1 body 1'],
    ],
    [
      'a WebSocket',
      'WEBSOCKET ws://h/socket\nContent-Type: application/json\n\n===\n{"hello": 1}\n=== wait-for-server\n{"bye": 1}',
      ['WEBSOCKET ws://h/socket headers 1 body 2 messages 2'],
    ],
    ['a WebSocket without messages', 'WEBSOCKET ws://h/socket', ['WEBSOCKET ws://h/socket']],
    [
      'a call by gRPC',
      'GRPC h:443/pkg.Service/Method\n\n{"id": 1}',
      ['GRPC h:443/pkg.Service/Method body 1 messages 1'],
    ],
    [
      'a handler',
      'GET http://h/\n\n> {%\n  client.test("ok", function() {\n    client.assert(response.status === 200)\n  })\n%}',
      ['GET http://h/ handlers 1'],
    ],
    [
      'a handler on one line',
      'GET http://h/\n\n> {% client.global.set("t", response.body.t) %}',
      ['GET http://h/ handlers 1'],
    ],
    [
      'a handler directly below the headers',
      'GET http://h/\nAccept: text/plain\n> {% client.log("x") %}',
      ['GET http://h/ headers 1 handlers 1'],
    ],
    [
      'a handler directly below the request line',
      'GET http://h/\n> {% client.log("x") %}',
      ['GET http://h/ handlers 1'],
    ],
    [
      'a handler directly below the body',
      'POST http://h/\n\n{"a": 1}\n> {% client.log("x") %}',
      ['POST http://h/ body 1 handlers 1'],
    ],
    ['a handler without blank', 'GET http://h/\n\n>{% client.log("x") %}', ['GET http://h/ handlers 1']],
    ['a handler in a file', 'GET http://h/\n\n> ./check.js', ['GET http://h/ handlers 1']],
    ['two handlers', 'GET http://h/\n\n> {% a() %}\n\n> {% b() %}', ['GET http://h/ handlers 2']],
    [
      'a handler with number signs in it',
      'GET http://h/\n\n> {%\n  // # no comment\n  const a = "###"\n### still script\n%}',
      ['GET http://h/ handlers 1'],
    ],
    [
      'a handler with regular expressions and templates',
      'GET http://h/\n\n> {%\n  const m = `a {{c}}`.match(/^a\\s+(?<x>.*)$/)\n%}',
      ['GET http://h/ handlers 1'],
    ],
    [
      'a handler and the next title',
      'POST http://h/\n\n{}\n\n> {% client.global.set("t", 1); %}\n### next\n\nGET http://h/2',
      ['POST http://h/ body 1 handlers 1', 'GET http://h/2 "next"'],
    ],
    [
      'a pre-request script',
      '< {%\n  request.variables.set("a", "b")\n%}\nGET http://h/{{a}}',
      ['GET http://h/{{a}} before 1'],
    ],
    [
      'a pre-request script after the title',
      '### a\n< {% request.variables.set("a", 1) %}\nGET http://h/{{a}}',
      ['GET http://h/{{a}} "a" before 1'],
    ],
    ['a pre-request script in a file', '< ./prepare.js\nGET http://h/', ['GET http://h/ before 1']],
    [
      'a script for all requests',
      '< {% client.global.set("a", 1) %}\n\n###\nGET http://h/{{a}}',
      ['common 1', 'GET http://h/{{a}}'],
    ],
    [
      'imports of code for all scripts',
      '={%\n  import {sign} from "./sign"\n%}\n###\nGET http://h/',
      ['common 1', 'GET http://h/'],
    ],
    ['a response file', 'GET http://h/report\n\n>> report.json', ['GET http://h/report saved 1']],
    [
      'a response file that is overwritten',
      'GET http://h/report\n\n>>! {{$projectRoot}}/out/report.json',
      ['GET http://h/report saved 1'],
    ],
    [
      'references to earlier responses',
      'GET http://h/\n\n<> 2024-01-01T101010.200.json\n<> 2024-01-02T101010.200.json',
      ['GET http://h/ references 2'],
    ],
    [
      'a reference and a handler',
      'GET http://h/\n\n> {% a() %}\n\n<> old.200.json\n\n### b\nGET http://h/b',
      ['GET http://h/ handlers 1 references 1', 'GET http://h/b "b"'],
    ],
    [
      'an import and calls',
      'import auth.http\n\nrun #login\nrun #login (@user=ada, @password=x)\nrun other.http',
      ['import', 'run', 'run', 'run'],
    ],
    [
      'calls between requests',
      'import auth.http\n\n### 1\nrun #login\n\n### 2\nGET http://h/',
      ['import', 'run', 'GET http://h/ "2"'],
    ],
    [
      'lines that end with CR LF',
      '### a\r\nPOST http://h/\r\nContent-Type: text/plain\r\n\r\nbody\r\n\r\n### b\r\nGET http://h/\r\n',
      ['POST http://h/ "a" headers 1 body 1', 'GET http://h/ "b"'],
    ],
    ['lines that end with CR', 'POST http://h/\rX: y\r\rbody\r', ['POST http://h/ headers 1 body 1']],
    ['tabs and form feeds', '\tGET\thttp://h/\t\nX:\ty\t\n\f\nbody', ['GET http://h/ headers 1 body 1']],
    ['a byte order mark', '\ufeff### a\nGET http://h/', ['GET http://h/ "a"']],
    ['trailing blanks', 'GET http://h/   \nX: y   \n   \nbody   ', ['GET http://h/ headers 1 body 1']],
    [
      'a request without a blank line at the end',
      '### a\nDELETE http://h/1\n### b\nDELETE http://h/2',
      ['DELETE http://h/1 "a"', 'DELETE http://h/2 "b"'],
    ],
    ['stray closing braces', 'GET http://h/{{a}}}}/b', ['GET http://h/{{a}}}}/b']],
    ['one brace', 'GET http://h/{id}', ['GET http://h/{id}']],
    ['a body that looks like headers', 'POST http://h/\n\nX: y\nZ: w', ['POST http://h/ body 1']],
    [
      'a body with a request line in it',
      'POST http://h/echo\nContent-Type: message/http\n\nGET /x HTTP/1.1\nHost: a',
      ['POST http://h/echo headers 1 body 1'],
    ],
    ['a body of quotes', 'POST http://h/\n\n>quoted\n>>quoted twice', ['POST http://h/ body 1 saved 1']],
  ])('%s', (_, source, expected) => {
    expect(summaryOf(source)).toEqual(expected)
  })
})
