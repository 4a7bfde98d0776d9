/** Commands of curl, and what `httpcli run` sends of the request file made of them: the same. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandEnvironment, isStandalone, runCommand } from '../helpers/command.ts'
import { runInside } from '../helpers/command-inside.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

interface Recorded {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let server: Server
let origin = ''
let recorded: Recorded[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('latin1')
      recorded.push({ method: request.method, url: request.url, headers: request.headers, body })
      if (request.url === '/redirect') response.writeHead(302, { Location: '/target' })
      response.end('ok')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Fields that name the tool, and fields that only frame the message. */
const ownHeaders = ['user-agent', 'connection', 'content-length', 'transfer-encoding', 'expect']

async function recordedBy(action: () => Promise<unknown>): Promise<readonly Recorded[]> {
  recorded = []
  await action()
  return recorded.map((one) => normal(one))
}

function normal({ method, url, headers, body }: Recorded): Recorded {
  const boundary = /^multipart\/form-data; *boundary=(?:"([^"]*)"|(.*))$/.exec(headers['content-type'] ?? '')
  const mark = boundary?.[1] ?? boundary?.[2]
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)))
  if (mark === undefined) return { method, url, headers: own, body }
  return {
    method,
    url,
    headers: { ...own, 'content-type': 'multipart/form-data; boundary=B' },
    body: body.replaceAll(mark, 'B'),
  }
}

async function shell(command: string, directory: string): Promise<void> {
  const child = spawn('bash', ['-c', command], {
    cwd: directory,
    env: commandEnvironment({ O: origin }),
    stdio: 'ignore',
  })
  await once(child, 'exit')
}

const given = (directory: string): void => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'data.json'), '{"from": "a file"}')
  writeFileSync(join(directory, 'image.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 10, 13]))
}

/** `$O` is the server. */
const allCommands: readonly (readonly [title: string, command: string])[] = [
  ['a URL', 'curl $O/'],
  ['a URL without a path', 'curl $O'],
  ['a query with escapes', "curl '$O/a%20b?x=1&y=%26&z[]=2' -g"],
  ['a method', 'curl -X DELETE $O/x'],
  ['a method attached', 'curl -XPATCH $O/x -d a'],
  ['headers', `curl $O/ -H 'X-One: 1' -H"X-Two:2" --header 'X-Empty;' -H 'Accept:'`],
  ['a header that replaces a default', `curl $O/ -H 'accept: text/plain' -d x -H 'Content-Type: text/plain'`],
  ['data', 'curl $O/ -d a=b -d c=d'],
  ['data with blanks and signs', `curl $O/ --data 'name=Ada Lovelace&x=1+1%3D2&é=ü'`],
  ['JSON without a media type', `curl $O/ -d '{"a": [1, 2], "b": "x y"}'`],
  ['JSON with one', `curl $O/ -H 'Content-Type: application/json' -d '{"a": "b"}'`],
  ['--json', `curl --json '{"a":' --json '1}' $O/`],
  [
    'data over several lines',
    `curl $O/ -H 'Content-Type: text/plain' --data-binary '\n# one\n\n// two\n### three\n< four\n> {% x %}\n '`,
  ],
  ['data with braces', `curl $O/ -H 'Content-Type: application/json' -d '{"t": "{{name}} {{{x}}}"}'`],
  ['data with control characters', `curl $O/ -H 'Content-Type: text/plain' --data-raw $'a\\r\\nb\\tc\\x01'`],
  ['data that is escaped', `curl $O/ --data-urlencode 'a=b c&d' --data-urlencode '=x/y' --data-urlencode 'plain text'`],
  ['data from a file', 'curl $O/ -d @data.json'],
  ['bytes from a file', `curl $O/ --data-binary @image.png -H 'Content-Type: image/png'`],
  ['--data-raw with an at sign', 'curl $O/ --data-raw @data.json'],
  ['-G', `curl -G $O/search -d q=1 --data-urlencode 'r=a b'`],
  ['-G after a query', 'curl -G "$O/search?a=1" -d b=2'],
  ['a form', `curl $O/ -F name=Ada -F 'text=a "b" c;type=text/x' --form-string 'raw=@x;y'`],
  ['files', `curl $O/ -F 'f=@image.png' -F 'g=@data.json;type=application/json;filename=other.json' -F 't=<data.json'`],
  [
    'a multipart body that is written out, as browsers copy it',
    `curl $O/ -H 'content-type: multipart/form-data; boundary=----W' --data-raw $'------W\\r\\nContent-Disposition: form-data; name="t"\\r\\n\\r\\nHello # {{x}}\\r\\n------W\\r\\nContent-Disposition: form-data; name="f"; filename="a.txt"\\r\\nContent-Type: text/plain\\r\\n\\r\\n\\r\\n------W--\\r\\n'`,
  ],
  ['a form whose header names no boundary', `curl $O/ -H 'content-type: multipart/form-data' --form a=b`],
  ['a file by another name', `curl $O/ -F 'f=@data.json;filename=x.txt'`],
  ['a file whose name is special to -F', `cp data.json 'a,b;c.json'; curl $O/ -F 'f=@"a,b;c.json"'`],
  ['a part from standard input', `echo hi | curl $O/ -F 'f=@-;filename=x.txt'`],
  ['blanks at the edges of a part', `curl $O/ -F $'a= x\\n' -F 'b=" y "' -F 'c= '`],
  ['edges of a part that count', `curl $O/ --form-string $'a=\\n\\n# x\\n\\n'`],
  ['characters that a URL should not have', `curl -g '$O/a|b?q={"x":[1]}&r=<v>^'`],
  ['such characters, and a form', `curl -g '$O/?q={x}' -d 'a=b c&d'`],
  ['a comment in backquotes', 'curl $O/ \\\n  -H "A: 1" `# why` \\\n  -d x'],
  ['a here-document without its tabs', 'curl $O/ --data-binary @- <<-EOF\n\ta\n\t b\n\tEOF'],
  ['commands in statements', 'if curl $O/1; then\n  curl $O/2\nfi\nget() {\n  curl $O/3\n}\nget'],
  ['dot segments', 'curl $O/a/../b/./c?d=/../'],
  ['dot segments at the end', 'curl $O/a/b/..'],
  ['dot segments that stay', 'curl --path-as-is $O/a/../b'],
  ['an upload', 'curl -T data.json $O/put'],
  ['an upload into a directory', 'curl -T data.json $O/put/'],
  ['credentials', 'curl -u ada:secret $O/'],
  ['credentials with blanks', `curl -u 'ada l:a b:c' $O/`],
  ['credentials in the URL', 'curl http://ada:p%40ss@$AUTHORITY/'],
  ['a token', 'curl --oauth2-bearer abc $O/'],
  ['cookies', `curl -b 'a=b; c=d' $O/`],
  ['user agent and referer', `curl -A 'me/1' -e http://from.test/ $O/`],
  ['HEAD', 'curl -I $O/'],
  ['a redirect that is not followed', 'curl $O/redirect'],
  ['a redirect that is followed', 'curl -L $O/redirect'],
  ['a range', 'curl -r 0-9 $O/'],
  ['several URLs', 'curl $O/a $O/b -H "X: y"'],
  ['globs', 'curl "$O/{a,b}/[1-2]"'],
  ['--next', 'curl $O/a -d x --next $O/b -H "X: y"'],
  ['bundled letters', 'curl -sSLX PUT $O/ -d x'],
  ['line continuations', "curl \\\n  -X POST \\\n  '$O/' \\\n  -d 'a'"],
  ['quotes in quotes', `curl $O/ -H 'Content-Type: text/plain' -d "it's \\"quoted\\" \\$5 \\\\ and"' it'"'"'s'`],
  ['a here-document', 'curl $O/ -d @- <<EOF\n{"a": 1}\nEOF'],
  ['a pipe', `echo '{"a": 1}' | curl $O/ -H 'Content-Type: application/json' --data-binary @- | cat`],
  ['several commands', 'curl $O/1 && curl $O/2; curl $O/3 &\nwait'],
  ['HTTP/1.0', 'curl --http1.0 $O/'],
  ['an empty body', "curl $O/ -d ''"],
  ['a chunked body', `curl $O/ -H 'Transfer-Encoding: chunked' -H 'Content-Type: text/plain' -d abc`],
]

/** The executable makes the same text of the same commands: a sample shows that it does. */
const commands = allCommands.filter((_, index) => !isStandalone || index % 4 === 0)

describe('a request file made from a curl command', () => {
  it.each(commands)('sends what curl sends: %s', async (title, command) => {
    const directory = temporaryDirectory()
    given(directory)
    // The server is a value here: in quotes no shell would replace it.
    const real = command.replaceAll('$O', origin).replaceAll('$AUTHORITY', origin.slice('http://'.length))
    const byCurl = await recordedBy(() => shell(real, directory))
    expect(byCurl.length).toBeGreaterThan(0)
    writeFileSync(join(directory, 'command.sh'), real)
    const conversion = await runInside(['convert', 'command.sh', '-o', 'command.http'], { cwd: directory })
    expect(conversion).toMatchObject({ code: 0 })
    const byRun = await recordedBy(async () => {
      const { code, stderr } = await runCommand(['run', 'command.http'], { cwd: directory })
      expect({ code, stderr: stderr.toString() }).toMatchObject({ code: 0 })
    })
    expect(byRun.map(({ headers, ...rest }) => ({ ...rest, headers: withoutCodings(headers, title) }))).toEqual(
      byCurl.map(({ headers, ...rest }) => ({ ...rest, headers: withoutCodings(headers, title) })),
    )
  })

  it.each(commands)('converts back to a curl command that sends the same: %s', async (title, command) => {
    const directory = temporaryDirectory()
    given(directory)
    const real = command.replaceAll('$O', origin).replaceAll('$AUTHORITY', origin.slice('http://'.length))
    const byCurl = await recordedBy(() => shell(real, directory))
    writeFileSync(join(directory, 'command.sh'), real)
    const there = await runInside(['convert', 'command.sh', '--to', 'http'], { cwd: directory })
    const back = await runInside(['convert', '-', '--from', 'http'], { cwd: directory, stdin: there.stdout })
    expect(back).toMatchObject({ code: 0 })
    const again = await recordedBy(() => shell(back.stdout.toString(), directory))
    expect(again.map(({ headers, ...rest }) => ({ ...rest, headers: withoutCodings(headers, title) }))).toEqual(
      byCurl.map(({ headers, ...rest }) => ({ ...rest, headers: withoutCodings(headers, title) })),
    )
  })
})

/** `HOST` is the server. The variables have what a shell, a URL or an option of curl would read in another way. */
const requests = `@name = Ada "L" é's $HOME \`x\` \\n
@semi = a;type=b
@at = @data.json
@part = a b/{c}?d=[1]|ü#e
@longer = {{part}}/{{semi}}
@percent = 100%
@up = ../x
@escaped = a\\"b

GET http://HOST/{{part}}
X-Name: {{at}}{{semi}}

###
GET http://HOST/q
  ?a={{name}}
  &b=c d&e={{longer}}

###
GET http://HOST/a/{{up}}?p={{percent}}

###
POST http://HOST/json
Content-Type: application/json

{"a": "{{semi}}", "b": ["{{at}}"]}

###
POST http://HOST/form
Content-Type: application/x-www-form-urlencoded

a={{name}}&b={{semi}}&c = {{at}}&d{{part}}e=1&{{name}}={{name}}

###
POST http://HOST/text
Content-Type: text/plain

{{at}}
{{name}}

###
POST http://HOST/multi
Content-Type: multipart/form-data; boundary=B

--B
Content-Disposition: form-data; name="t"

{{at}}
--B
Content-Disposition: form-data; name="f"; filename="x{{semi}}.json"
Content-Type: application/json

< ./data.json
--B
Content-Disposition: form-data; name="j"
Content-Type: text/x

"{{name}}"; {{at}}
--B--

###
PUT http://HOST/nothing

###
GET http://HOST/basic
Authorization: Basic {{at}} p w:"{{semi}}

###
GRAPHQL http://HOST/graphql

query Q($a: Int) { x(a: $a, b: "{{escaped}}") }

{"a": "{{semi}}"}
`

describe('curl commands made from a request file', () => {
  it('send what the file sends, with values that need escapes', async () => {
    const directory = temporaryDirectory()
    given(directory)
    writeFileSync(join(directory, 'all.http'), requests.replaceAll('HOST', origin.slice('http://'.length)))
    const byRun = await recordedBy(async () => {
      const { code, stderr } = await runCommand(['run', 'all.http'], { cwd: directory })
      expect({ code, stderr: stderr.toString() }).toMatchObject({ code: 0 })
    })
    const { stdout, ...conversion } = await runInside(['convert', 'all.http'], { cwd: directory })
    expect(conversion).toMatchObject({ code: 0, stderr: Buffer.alloc(0) })
    const byCurl = await recordedBy(() => shell(stdout.toString(), directory))
    const plain = (all: readonly Recorded[]) =>
      all.map(({ headers, ...rest }) => ({ ...rest, headers: withoutCodings(headers, '') }))
    expect(plain(byCurl)).toEqual(plain(byRun))
  })

  it('report the name of a part that curl would end too early', async () => {
    const head =
      'POST http://a/\nContent-Type: multipart/form-data; boundary=B\n\n--B\nContent-Disposition: form-data; name='
    const { code, stderr } = await runInside(['convert', '-', '--from', 'http'], {
      cwd: temporaryDirectory(),
      stdin: `${head}"a=b"\n\nc\n--B--\n`,
    })
    expect(code).toBe(0)
    expect(stderr.toString()).toContain('the part a=b, whose name ends at "=" for curl')
  })
})

/**
 * `run` accepts the codings that it can decode, curl only with an option; and it sends `*` for an Accept that was taken
 * away.
 */
function withoutCodings(headers: IncomingHttpHeaders, title: string): IncomingHttpHeaders {
  const { 'accept-encoding': _codings, host: _host, accept, ...others } = headers
  return title === 'headers' ? others : { ...others, accept }
}
