/**
 * `send` against servers that other people wrote. A server that is not installed is skipped, nothing else is.
 */
import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { accepting, isInstalled, startProgram } from '../helpers/peer-program.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { closedPort, listening } from '../wire/peer.ts'

/** Bytes that no compression and no luck gives by accident. */
function pattern(size: number): Buffer {
  const octets = Buffer.alloc(size)
  for (let i = 0; i < size; i++) octets[i] = (i * 31 + (i >> 8) * 7) & 0xff
  return octets
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes)
  return hash.digest('hex')
}

describe('nginx', () => {
  it.skipIf(!isInstalled('nginx'))('serves, refuses, compresses, and accepts an upload with 100-continue', async () => {
    const cwd = temporaryDirectory()
    const port = await closedPort()
    mkdirSync(join(cwd, 'site'))
    mkdirSync(join(cwd, 'temp'))
    const text = 'all work and no play\n'.repeat(500)
    writeFileSync(join(cwd, 'site/page.txt'), text)
    writeFileSync(
      join(cwd, 'nginx.conf'),
      `daemon off; master_process off; pid ${cwd}/nginx.pid; error_log ${cwd}/error.log;
       ${process.getuid?.() === 0 ? 'user root;' : ''}
       events {}
       http {
         access_log off; gzip on; gzip_types text/plain; gzip_min_length 1; types { text/plain txt; }
         client_body_temp_path ${cwd}/temp; proxy_temp_path ${cwd}/temp/p; fastcgi_temp_path ${cwd}/temp/f;
         uwsgi_temp_path ${cwd}/temp/u; scgi_temp_path ${cwd}/temp/s; client_max_body_size 1m;
         server { listen 127.0.0.1:${port}; root ${cwd}/site;
           location /put/ { dav_methods PUT; create_full_put_path on; }
           location /moved { return 301 /page.txt; } } }`,
    )
    const server = startProgram('nginx', ['-e', join(cwd, 'error.log'), '-p', cwd, '-c', join(cwd, 'nginx.conf')], cwd)
    await accepting(port, server)
    const url = `http://127.0.0.1:${port}`

    const zipped = await runCommand(['send', '-t', `GET ${url}/page.txt\nAccept-Encoding: gzip`])
    expect(zipped.stdout.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\nServer: nginx[\s\S]*Content-Encoding: gzip\r\n/)
    expect(zipped.stdout.toString()).toContain(`\r\n\r\n${text}`)

    const followed = await runCommand(['send', '--follow', '-p', 'body', '-t', `GET ${url}/moved`])
    expect(followed.stdout.toString()).toBe(text)

    const missing = await runCommand(['send', '--fail', '-p', 'status', '-t', `GET ${url}/none`])
    expect([missing.code, missing.stdout.toString()]).toEqual([5, 'HTTP/1.1 404 Not Found\n'])

    writeFileSync(join(cwd, 'upload.bin'), pattern(500_000))
    const put = `PUT ${url}/put/a.bin\nExpect: 100-continue`
    const uploaded = await runCommand(['send', '-l', '-p', 'status', '-t', put, '-g', 'upload.bin'], { cwd })
    expect(uploaded.code).toBe(0)
    expect(uploaded.stdout.toString('latin1')).toContain('HTTP/1.1 100 Continue\r\n\r\n')
    expect(uploaded.stdout.toString('latin1')).toMatch(/HTTP\/1\.1 201 Created\n$/)
    expect(readFileSync(join(cwd, 'site/put/a.bin')).equals(pattern(500_000))).toBe(true)

    writeFileSync(join(cwd, 'large.bin'), Buffer.alloc(20_000_000))
    const refused = await runCommand(['send', '-p', 'status', '-t', `PUT ${url}/put/b.bin`, '-g', 'large.bin'], { cwd })
    expect([refused.code, refused.stdout.toString()]).toEqual([0, 'HTTP/1.1 413 Request Entity Too Large\n'])
  })
})

/** Where Debian and its descendants install the modules of Apache. */
const apacheModules = '/usr/lib/apache2/modules'

describe('apache2', () => {
  it.skipIf(!isInstalled('apache2') || !existsSync(apacheModules))(
    'challenges for Digest, accepts uploads, and compresses in chunks',
    async () => {
      const cwd = temporaryDirectory()
      const port = await closedPort()
      // Started by root, Apache gives its rights up.
      for (const path of ['.', 'site', 'site/secret', 'locks']) {
        mkdirSync(join(cwd, path), { recursive: true })
        chmodSync(join(cwd, path), 0o777)
      }
      const text = Array.from({ length: 50_000 }, (_, index) => `${(index * 7919) % 104_729}\n`).join('')
      writeFileSync(join(cwd, 'site/page.txt'), text)
      const hash = createHash('md5').update('joe:peers:p@ss').digest('hex')
      writeFileSync(join(cwd, 'users'), `joe:peers:${hash}\n`)
      const modules = 'mpm_event authn_core authn_file authz_core authz_user auth_digest filter deflate dav dav_fs'
      writeFileSync(
        join(cwd, 'apache.conf'),
        `ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${cwd}/locks/pid
ErrorLog ${cwd}/locks/log
${modules.replace(/\w+/g, (name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so\n`)}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
DocumentRoot ${cwd}/site
DavLockDB ${cwd}/locks/dav
SetOutputFilter DEFLATE
<Location /secret>
Dav On
AuthType Digest
AuthName peers
AuthUserFile ${cwd}/users
Require valid-user
</Location>
`,
      )
      const server = startProgram('apache2', ['-f', join(cwd, 'apache.conf'), '-D', 'FOREGROUND'], cwd)
      await accepting(port, server)
      const origin = `http://127.0.0.1:${port}`

      const page = await runCommand(['send', `${origin}/page.txt`, 'Accept-Encoding:gzip'])
      const [head = '', body] = page.stdout.toString().split('\r\n\r\n')
      expect(head.split('\r\n')).toEqual(
        expect.arrayContaining(['Content-Encoding: gzip', 'Transfer-Encoding: chunked']),
      )
      expect(body === text).toBe(true)

      const upload = pattern(2 * 1024 * 1024)
      writeFileSync(join(cwd, 'upload.bin'), upload)
      const put = ['PUT', `${origin}/secret/upload.bin`, '-g', 'upload.bin', '-p', 'status', '--digest']
      const wrong = await runCommand(['send', ...put, '-u', 'joe:no'], { cwd })
      expect(wrong.stdout.toString()).toBe('HTTP/1.1 401 Unauthorized\n')
      const right = await runCommand(['send', ...put, '-u', 'joe:p@ss', '-H', 'Expect: 100-continue'], { cwd })
      expect([right.stderr.toString(), right.stdout.toString()]).toEqual(['', 'HTTP/1.1 201 Created\n'])
      expect(readFileSync(join(cwd, 'site/secret/upload.bin')).equals(upload)).toBe(true)
    },
  )
})

describe('python3 -m http.server', () => {
  it.skipIf(!isInstalled('python3'))('responds with HTTP/1.0 and closes the connection', async () => {
    const cwd = temporaryDirectory()
    const port = await closedPort()
    writeFileSync(join(cwd, 'page.txt'), 'hello\n')
    const server = startProgram('python3', ['-m', 'http.server', String(port), '--bind', '127.0.0.1'], cwd)
    await accepting(port, server)
    const { code, stdout } = await runCommand(['send', '-t', `GET http://127.0.0.1:${port}/page.txt`])
    expect(code).toBe(0)
    expect(stdout.toString()).toMatch(/^HTTP\/1\.0 200 OK\r\nServer: SimpleHTTP[\s\S]*\r\n\r\nhello\n$/)
    const listed = await runCommand(['send', '-p', 'body', '-t', `GET http://127.0.0.1:${port}/`])
    expect(listed.stdout.toString()).toContain('page.txt')
  })
})

describe('openssl s_server', () => {
  it.skipIf(!isInstalled('openssl'))('is trusted with its authority, refused without, accepted with -i', async () => {
    const cwd = temporaryDirectory()
    const port = await closedPort()
    const authority = makeAuthority(cwd)
    const { certificate, key } = makeCertificate(cwd, { name: 'server', authority })
    const words = ['s_server', '-accept', `127.0.0.1:${port}`, '-cert', certificate, '-key', key, '-WWW', '-quiet']
    writeFileSync(join(cwd, 'page.txt'), 'secret\n')
    const server = startProgram('openssl', words, cwd)
    await accepting(port, server)
    const request = `GET https://localhost:${port}/page.txt`

    const trusted = await runCommand(['send', '-p', 'body', '-t', request, '--cacert', authority.certificate])
    expect([trusted.stderr.toString(), trusted.stdout.toString(), trusted.code]).toEqual(['', 'secret\n', 0])

    const refused = await runCommand(['send', '-t', request])
    expect([refused.code, refused.stdout.toString()]).toEqual([4, ''])
    expect(refused.stderr.toString()).toMatch(
      isStandalone
        ? /^httpcli send: localhost port \d+: the certificate [^\n]*--cacert[^\n]*-i[^\n]*\n/
        : /^httpcli send: localhost port \d+: the certificate [^\n]*--cacert[^\n]*-i[^\n]*\n {2}certificate 1: CN=server\n/,
    )

    const ignored = await runCommand(['send', '-i', '-p', 'body', '-t', request])
    expect([ignored.code, ignored.stdout.toString()]).toEqual([0, 'secret\n'])
    expect(ignored.stderr.toString()).toMatch(/^warning: [^\n]*\(-i\)\n$/)
  })
})

describe('node:http', () => {
  it('accepts 64 MB and returns them, byte for byte', async () => {
    const cwd = temporaryDirectory()
    const port = await listening(createHttpServer((request, response) => void request.pipe(response)))
    writeFileSync(join(cwd, 'large.bin'), pattern(64_000_000))
    const words = ['send', '-t', `POST http://127.0.0.1:${port}/`, '-g', 'large.bin', '-o', 'copy.bin', '-p', 'status']
    const { code, stdout } = await runCommand(words, { cwd })
    expect([code, stdout.toString()]).toEqual([0, 'HTTP/1.1 200 OK\n'])
    expect(await sha256(join(cwd, 'copy.bin'))).toBe(await sha256(join(cwd, 'large.bin')))
  })

  it.each([
    ['with a length', 'Content-Length: 8000000\n', 8_000_000],
    ['without one, in a file', '', 8_000_000],
  ])('accepts a large request %s', async (_title, field, size) => {
    const cwd = temporaryDirectory()
    const port = await listening(
      createHttpServer((request, response) => {
        const hash = createHash('sha256')
        request.on('data', (bytes) => hash.update(bytes))
        request.on('end', () => response.end(hash.digest('hex')))
      }),
    )
    const body = pattern(size)
    const request = Buffer.concat([Buffer.from(`POST http://127.0.0.1:${port}/\n${field}\n`), body])
    writeFileSync(join(cwd, 'request.http'), request)
    const expected = createHash('sha256').update(body).digest('hex')
    const fromFile = await runCommand(['send', '-p', 'body', 'request.http'], { cwd })
    expect(fromFile.stdout.toString()).toBe(expected)
    const fromStdin = await runCommand(['send', '-p', 'body'], { stdin: request })
    expect(fromStdin.stdout.toString()).toBe(expected)
  })
})
