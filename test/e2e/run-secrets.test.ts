/** Secrets planted everywhere, and searched for in everything that `run` prints or reports. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../helpers/command.ts'
import { runInside } from '../helpers/command-inside.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const secrets = {
  plain: 'pl4in-s3cret',
  special: 'sp3c/al+"se&cret" <ü>',
  nested: 'n3sted-v4lue',
  number: '48151623',
  key: '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----',
  option: 'fr0m-th3-option',
  password: 'b4sic-p4ssword',
  literal: 'wr1tten-in-the-file',
  cookie: 'c00kie-in-the-file',
  session: 's3ssion.of%2Fthe+server',
  access: 'acc3ss-t0ken',
  refresh: 'r3fresh-t0ken',
  client: 'cl1ent-s3cret',
  derived: 'pl4in-s3cret-and-more',
  proxy: 'pr0xy-p4ssword',
}

/** Texts to search for. */
function formsOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    base64(secret).replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    // After one and two bytes, without the characters that hold bits of both.
    base64(`x${secret}`).slice(2, -4),
    base64(`xx${secret}`).slice(3, -4),
    ...secret.split('\n').filter((line) => line.length > 3),
  ]
}

function leaksIn(text: string): readonly string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    return formsOf(secret).flatMap((form) => (text.includes(form) ? [`${name}: ${form}`] : []))
  })
}

const environments = {
  'http-client.env.json': JSON.stringify({
    dev: {
      Security: {
        Auth: {
          svc: {
            Type: 'OAuth2',
            'Grant Type': 'Client Credentials',
            'Token URL': '{{origin}}/token',
            'Client ID': 'cid',
            'Client Secret': secrets.client,
          },
          bad: {
            Type: 'OAuth2',
            'Grant Type': 'Client Credentials',
            'Token URL': '{{origin}}/refused',
            'Client ID': 'cid',
            'Client Credentials': 'in body',
            'Client Secret': secrets.client,
          },
        },
      },
    },
  }),
  'http-client.private.env.json': JSON.stringify({
    dev: {
      plain: secrets.plain,
      special: secrets.special,
      nested: { deep: [secrets.nested] },
      number: Number(secrets.number),
      key: secrets.key,
      derived: '{{plain}}-and-more',
    },
  }),
}

/** Every request shows secrets in another place. */
const requests = `
@user = ada
### headers and body
POST {{origin}}/echo?special={{special}}&number={{number}}
Content-Type: application/json
Authorization: Bearer {{derived}}
Cookie: a=${secrets.cookie}
X-Key: {{nested.deep[0]}}

{"special": "{{special}}", "number": {{number}}, "option": "{{option}}"}

> {%
  client.log(request.environment.get('special'), response.body)
  client.log(encodeURIComponent(request.environment.get('special')), btoa(request.environment.get('plain')))
  client.test('works for ' + request.environment.get('plain'), () => client.assert(true))
  client.test('fails for ' + request.environment.get('option'), () => client.assert(false, 'got ' + JSON.stringify(response.body)))
  client.test('throws', () => { throw new Error(request.environment.get('key')) })
%}

### basic
GET {{origin}}/echo
Authorization: Basic {{user}} ${secrets.password}

### in the URL
GET http://ada:{{plain}}@{{host}}/echo/{{nested.deep[0]}}

### written
GET {{origin}}/echo
Authorization: Bearer ${secrets.literal}

### a form
POST {{origin}}/echo
Content-Type: application/x-www-form-urlencoded

user=ada&password={{special}}&option={{option}}

### a session
GET {{origin}}/session

### with the session
GET {{origin}}/echo

### a redirect
GET {{origin}}/redirect?to={{special}}

### a token
GET {{origin}}/echo
Authorization: Bearer {{$auth.token("svc")}}

### a token that is refused
GET {{origin}}/echo
Authorization: Bearer {{$auth.token("bad")}}

### in pieces
POST {{origin}}/slow
Content-Type: text/plain

{{special}} {{key}}

### binary, with a secret where the sample of the body ends
POST {{origin}}/binary
Content-Type: text/plain

{{plain}}

### base64
POST {{origin}}/echo
Content-Type: application/json

{"token": "${base64('pl4in-s3cret')}", "list": ["${base64('xpl4in-s3cret')}", "${base64('xxpl4in-s3cret')}"]}

### compressed
POST {{origin}}/gzip
Content-Type: text/plain

{{special}}

### a host
GET http://{{plain}}.invalid/

### a file
POST {{origin}}/echo

< ./{{plain}}/no-such-file

### an unknown variable
GET {{origin}}/{{plain.nothing}}
Authorization: Bearer ${secrets.literal}{{unknown}}

### a status line
GET {{origin}}/reason?{{plain}}

### an assertion that fails
# @assert body contains nothing
# @assert header x-key == other
POST {{origin}}/echo
X-Key: {{plain}}

{{special}}{{key}}

### a script that fails
GET {{origin}}/echo

> {% throw new TypeError('no ' + request.environment.get('special')) %}

### an early script that fails
< {% undefined_name(request.environment.get('plain')) %}
GET {{origin}}/echo
`

let server: Server
let origin: string

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces)
      const { pathname } = new URL(request.url ?? '', 'http://h')
      if (pathname === '/token') {
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify({ access_token: secrets.access, refresh_token: secrets.refresh, expires_in: 3600 }))
      } else if (pathname === '/refused') {
        response.writeHead(401, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify({ error: 'invalid_client', error_description: `no ${body.toString()}` }))
      } else if (pathname === '/session') {
        response.setHeader('Set-Cookie', `sid=${secrets.session}; Path=/`)
        response.end(`the session is ${secrets.session}, or ${decodeURIComponent(secrets.session)}`)
      } else if (pathname === '/redirect') {
        response.statusCode = 302
        response.setHeader('Location', `/echo${request.url?.slice(pathname.length)}&again=1`)
        response.end()
      } else if (pathname === '/slow') {
        sendSlowly(
          body,
          (piece) => response.write(piece),
          () => response.end(),
        )
      } else if (pathname === '/gzip') {
        response.setHeader('Content-Encoding', 'gzip')
        response.end(gzipSync(Buffer.concat([Buffer.alloc(100_000, '.'), body])))
      } else if (pathname === '/binary') {
        response.setHeader('Content-Type', 'application/octet-stream')
        response.end(Buffer.concat([Buffer.alloc(1024 - 5, 0xff), body, Buffer.alloc(8192, 0xff), body]))
      } else if (pathname === '/reason') {
        response.writeHead(200, `Fine ${request.url?.split('?')[1]}`)
        response.end()
      } else {
        response.setHeader('Content-Type', 'application/json')
        response.setHeader('X-Echo', Buffer.from(request.url ?? '').toString('base64'))
        response.setHeader('X-Key', request.headers['x-key'] ?? '')
        const { url, method, headers } = request
        response.end(
          JSON.stringify({ url, method, headers, body: body.toString(), bodyBase64: body.toString('base64') }),
        )
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => server.close())

/** Two bytes at a time, each in a separate write. */
function sendSlowly(body: Buffer, write: (piece: Buffer) => void, end: () => void): void {
  write(body.subarray(0, 2))
  if (body.length > 2) setImmediate(() => sendSlowly(body.subarray(2), write, end))
  else end()
}

const directory = directoryWith({ '.git': '', ...environments, 'all.http': requests })
afterAll(() => directory.remove())

function run(...words: readonly string[]): Promise<CommandResult> {
  const host = origin.slice('http://'.length)
  // The entry point of the program reads these two options.
  const execute = words.includes('--color') || words.includes('--debug') ? runCommand : runInside
  return execute(
    [
      'run',
      'all.http',
      '-e',
      'dev',
      '-V',
      `origin=${origin}`,
      '-V',
      `host=${host}`,
      '-P',
      `option=${secrets.option}`,
      ...words,
    ],
    { cwd: directory.path, env: { GITHUB_STEP_SUMMARY: join(directory.path, 'summary.md') } },
  )
}

describe('nothing secret is printed', () => {
  it.each([
    ['-p response', ['-p', 'response']],
    ['-p all', ['-p', 'all']],
    ['-p status -l', ['-p', 'status', '-l']],
    ['-p stats -l', ['-p', 'stats', '-l']],
    ['-l', ['-l']],
    ['-l --verbose --debug', ['-l', '--verbose', '--debug']],
    ['--color always', ['--color', 'always', '-l']],
    ['--json', ['--json', '-p', 'response', '--verbose']],
    ['--json --debug -l', ['--json', '--debug', '-l']],
    ['--lenient', ['--lenient', '-l']],
    ['--parallel', ['--parallel', '2', '--repeat', '2', '-l']],
    ['--retry', ['--retry', '1', '--retry-interval', '1ms']],
    ['a report on standard output', ['--report', 'html=-']],
    ['an archive on standard output', ['--report', 'har=-']],
    ['annotations', ['--report', 'github', '--trace']],
  ])('with %s', async (_name, words) => {
    const { code, stdout, stderr } = await run(...words)
    expect(leaksIn(stdout.toString())).toEqual([])
    expect(leaksIn(stderr.toString())).toEqual([])
    expect(stdout.toString()).toContain('***')
    expect(code).toBe(4)
  })

  it('with -p body, except in bodies, which are printed as received', async () => {
    const { stdout, stderr } = await run('-p', 'body', '--verbose')
    expect(leaksIn(stderr.toString())).toEqual([])
    expect(leaksIn(stdout.toString())).not.toEqual([])
  })

  it.each([['--dry-run'], ['--list'], ['--list', '--json']])('with %s', async (...words) => {
    const { stdout, stderr } = await run(...words)
    expect(leaksIn(stdout.toString() + stderr.toString())).toEqual([])
  })

  it('by check', async () => {
    const words = ['-e', 'dev', '-V', `origin=${origin}`, '-V', 'host=h', '-P', `option=${secrets.option}`]
    const { stdout, stderr } = await runCommand(['check', 'all.http', ...words, '--debug'], { cwd: directory.path })
    expect(stderr.toString()).toContain('***/no-such-file')
    expect(leaksIn(stdout.toString() + stderr.toString())).toEqual([])
  })

  it.each([
    ['check', '--json'],
    ['run', '--list', '--json'],
  ])('by %s %s, and field names stay as they are', async (...words) => {
    const text = 'GET http://127.0.0.1:9/name/code\nAuthorization: Bearer name-and-code\n'
    const place = directoryWith({ '.git': '', 'file.http': text })
    try {
      const known = ['file', 'code', 'written-secret', 'name'].flatMap((value) => ['-P', `a=${value}`])
      const { stdout } = await runCommand([...words, 'file.http', ...known], { cwd: place.path })
      const found = JSON.parse(stdout.toString())
      expect(Object.keys(found)).toContain('file')
      if (words[0] === 'check') expect(found.warnings[0]).toMatchObject({ severity: 'warning', code: 'written-secret' })
      else expect(found).toMatchObject({ method: 'GET', target: 'http://127.0.0.1:9/***/***' })
    } finally {
      place.remove()
    }
  })

  it('in any report, and reports stay what they are', async () => {
    const { stdout, stderr } = await run(
      '--report',
      'junit=junit.xml',
      '--report',
      'json=report.json',
      '--report',
      'tap=report.tap',
      '--report',
      'html=report.html',
      '--report',
      'har=report.har',
      '--report',
      'github',
      '--trace',
    )
    for (const name of ['junit.xml', 'report.json', 'report.tap', 'report.html', 'report.har', 'summary.md']) {
      const text = readFileSync(join(directory.path, name), 'utf8')
      // Markdown has a backslash before punctuation.
      const plain = name === 'summary.md' ? text.replace(/\\(.)/g, '$1') : text
      expect(leaksIn(text + plain), name).toEqual([])
      expect(plain, name).toContain('***')
    }
    expect(leaksIn(stdout.toString() + stderr.toString())).toEqual([])
    for (const name of ['report.json', 'report.har']) {
      const text = readFileSync(join(directory.path, name), 'utf8')
      expect(() => JSON.parse(text), name).not.toThrow()
      // Nor where a reader decodes what is base64.
      const decoded = [...text.matchAll(/"([A-Za-z0-9+/]{16,}={0,2})"/g)].map(([, encoded]) =>
        Buffer.from(encoded as string, 'base64').toString('latin1'),
      )
      expect(decoded.length, name).toBeGreaterThan(0)
      expect(leaksIn(decoded.join('\n')), name).toEqual([])
    }
  })

  it('and every line of --json is JSON', async () => {
    const { stdout } = await run('--json', '-p', 'all')
    for (const line of stdout.toString().trimEnd().split('\n')) expect(() => JSON.parse(line), line).not.toThrow()
  })
})

it('--show-secrets shows everything', async () => {
  const { stdout, stderr } = await run('--show-secrets', '-l')
  const text = stdout.toString() + stderr.toString()
  for (const name of ['plain', 'option', 'literal', 'session', 'access'] as const) expect(text).toContain(secrets[name])
  expect(text).not.toContain('***')
})

it('masking changes nothing that is sent or saved in files', async () => {
  const kept = directoryWith({
    '.git': '',
    ...environments,
    'all.http': 'POST {{origin}}/echo\nAuthorization: Bearer {{plain}}\n\n{{special}}\n\n>>! echo.json\n<> whole.txt\n',
  })
  const { stdout } = await runCommand(['run', 'all.http', '-e', 'dev', '-V', `origin=${origin}`, '--save-responses'], {
    cwd: kept.path,
  })
  const echo = JSON.parse(readFileSync(join(kept.path, 'echo.json'), 'utf8'))
  expect(echo.headers.authorization).toBe(`Bearer ${secrets.plain}`)
  expect(echo.body).toBe(secrets.special)
  expect(readFileSync(join(kept.path, 'whole.txt'), 'utf8')).toContain(secrets.plain)
  expect(leaksIn(stdout.toString())).toEqual([])
  kept.remove()
})

describe('errors before anything is sent show no secret', () => {
  it.each([
    [
      'a private file that is not JSON',
      { 'http-client.private.env.json': `{"dev": {"token": "${secrets.plain}" "x": 1}}` },
      [],
    ],
    ['a private file of another shape', { 'http-client.private.env.json': `{"dev": "${secrets.plain}"}` }, []],
    ['-P without a name', {}, ['-P', secrets.plain]],
    ['an invalid proxy', {}, ['--proxy', `ftp://user:${secrets.proxy}@localhost`]],
    ['a proxy that does not answer', {}, ['--proxy', `http://user:${secrets.proxy}@127.0.0.1:1`, '--debug']],
    [
      'a cookie jar with a broken line',
      { 'jar.txt': `h\tFALSE\t/\tFALSE\tsoon\tsid\t${secrets.cookie}\n` },
      ['-c', 'jar.txt'],
    ],
    [
      'a request file with a broken line',
      { 'a.http': `GET http://h/\nAuthorization: Bearer ${secrets.literal}\nno header\n` },
      [],
    ],
    [
      'a broken field with credentials',
      { 'a.http': `GET http://h/\nAuthorization : Bearer ${secrets.literal} {{\n` },
      [],
    ],
  ])('%s', async (_name, files, words) => {
    const broken = directoryWith({ '.git': '', 'a.http': 'GET http://127.0.0.1:1/\n', ...files })
    const { stdout, stderr, code } = await runCommand(['run', 'a.http', ...words], { cwd: broken.path })
    expect(code).not.toBe(0)
    expect(stderr.toString()).not.toBe('')
    expect(leaksIn(stdout.toString() + stderr.toString())).toEqual([])
    broken.remove()
  })
})

describe('the name of a file that contains a secret', () => {
  const files = {
    'http-client.private.env.json': '{ "dev": { "token": "orders-v2" } }',
    'orders-v2.http': '### first orders-v2\nGET http://127.0.0.1:1/{{nope}}\n\n>> {{token}}.txt\n',
  }

  it.each([
    ['check --json', ['check', '--json']],
    ['run --json', ['run', '--json']],
    ['run --list --json', ['run', '--list', '--json']],
  ])('is printed as is for programs, and the secret is masked elsewhere: %s', async (_, words) => {
    const directory = directoryWith({ '.git': '', ...files })
    try {
      const [command = '', ...options] = words
      const { stdout } = await runInside([command, 'orders-v2.http', '-e', 'dev', ...options], { cwd: directory.path })
      const text = stdout.toString()
      expect(text).toMatch(/"file":"orders-v2\.http"/)
      expect(text).not.toContain('***.http')
      expect(text.replaceAll('orders-v2.http', '')).not.toContain('orders-v2')
    } finally {
      directory.remove()
    }
  })

  it('is listed for a file with any number of jobs', async () => {
    const rows = Array.from({ length: 150_000 }, (_, index) => `${index}\n`).join('')
    const directory = directoryWith({ '.git': '', ...files, 'rows.csv': `nope\n${rows}` })
    try {
      const words = ['run', 'orders-v2.http', '-e', 'dev', '--data', 'rows.csv', '--list', '--json']
      const { code, stdout } = await runInside(words, { cwd: directory.path })
      expect([code, stdout.toString().match(/"file":"[^"]*"/g)]).toEqual([0, ['"file":"orders-v2.http"']])
    } finally {
      directory.remove()
    }
  })

  it.each([
    ['junit', /<testsuite name="orders-v2\.http/],
    ['json', /"file": ?"orders-v2\.http"/],
    ['tap', /at: "?orders-v2\.http:2/],
    ['html', /<code>orders-v2\.http:2<\/code>/],
    ['har', /"title":"orders-v2\.http"/],
    ['github', /^::error file=orders-v2\.http,line=2/m],
  ])('is in reports as is, and the secret is masked elsewhere: %s', async (format, pattern) => {
    const directory = directoryWith({ '.git': '', ...files })
    try {
      const report = format === 'github' ? 'github' : `${format}=report`
      const { stdout } = await runInside(['run', 'orders-v2.http', '-e', 'dev', '--report', report], {
        cwd: directory.path,
      })
      const text =
        format === 'github'
          ? stdout.toString().replace(/^.*?(?=^::)/ms, '')
          : readFileSync(join(directory.path, 'report'), 'utf8')
      expect(text).toMatch(pattern)
      expect(text).not.toContain('***.http')
      expect(text.replaceAll('orders-v2.http', '')).not.toContain('orders-v2')
    } finally {
      directory.remove()
    }
  })

  it.each([
    ['--json', ['--json'], ['***/check.js', '***/more.http']],
    ['report json', ['--report', 'json=report'], ['***/check.js', '***/more.http']],
    ['report junit', ['--report', 'junit=report'], ['***/check.js']],
    ['report github', ['--report', 'github'], ['***/check.js,line=']],
  ])('is masked if a request file writes it with a variable: %s', async (_, options, shown) => {
    const directory = directoryWith({
      '.git': '',
      'http-client.private.env.json': '{ "dev": { "token": "orders-v2" } }',
      'api.http': 'import {{token}}/more.http\n\nrun #more\n',
      'orders-v2/more.http': `### more\nGET ${origin}/echo\n\n> check.js\n`,
      'orders-v2/check.js': 'client.test("fails", () => { nothing() })\nthrow new Error("and the script")',
    })
    try {
      const { stdout, stderr } = await runInside(['run', 'api.http', '-e', 'dev', ...options], { cwd: directory.path })
      const report = join(directory.path, 'report')
      const text = `${stdout}${stderr}${existsSync(report) ? readFileSync(report, 'utf8') : ''}`
      for (const name of shown) expect(text).toContain(name)
      expect(text).not.toContain('orders-v2')
    } finally {
      directory.remove()
    }
  })
})
