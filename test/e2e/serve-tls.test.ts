import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConnectionOptions, connect, getCiphers, type TLSSocket } from 'node:tls'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandEnvironment, type RunningCommand, runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../keystore/files/${name}`, import.meta.url))
const startLine = /^Serving directory (\S+) on https:\/\/127\.0\.0\.1:(\d+)$/

let root: string

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
})

type Started = RunningCommand & { readonly port: number }

async function start(words: readonly string[], env: Record<string, string> = {}): Promise<Started> {
  const running = await startCommand(['serve', root, '-p', '0', ...words], startLine, { env, cwd: root })
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return { ...running, port: Number(running.match[2]) }
}

/** The output of a program, stdout and stderr together. */
async function run(program: string, words: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, words, { env: commandEnvironment(), stdio: 'pipe' })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => chunks.push(bytes))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  await once(child, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const curl = (port: number, ...words: string[]) =>
  run('curl', ['-sS', '-k', ...words, `https://127.0.0.1:${port}/a.txt`])

const request = 'GET /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** Undefined if the handshake fails. */
async function connected(port: number, options: ConnectionOptions): Promise<TLSSocket | undefined> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  onTestFinished(() => void socket.destroy())
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(socket))
    socket.on('error', () => resolve(undefined))
  })
}

const openssl = (port: number, ...words: string[]) =>
  run('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-ign_eof', ...words], request)

describe('httpcli serve with a keystore', () => {
  it.each<[file: string, words: readonly string[]]>([
    ['openssl.p12', ['-w', 'changeit']],
    ['openssl-legacy.p12', ['-w', 'changeit']],
    ['keytool-legacy.p12', ['-w', 'changeit']],
    ['empty-password.p12', ['-w', '']],
    ['empty-password.p12', []],
    ['rsa.jks', ['-w', 'changeit']],
    ['ec.jceks', ['-w', 'changeit']],
    ['combined.pem', []],
    ['combined.pem', ['-w', 'is not needed']],
    ['combined-encrypted.pem', ['-w', 'changeit']],
    ['chain.pem', ['--key', fixture('server.key')]],
    ['chain.pem', ['--key', fixture('encrypted-header.key'), '-w', 'changeit']],
  ])('%s %j serves HTTPS', async (file, words) => {
    const { port, stderr } = await start(['-k', fixture(file), ...words])
    expect(await openssl(port)).toMatch(/HTTP\/1\.1 200 OK\r\n[\s\S]*hello/)
    expect(stderr()).toBe('')
  })

  it.each<[what: string, word: string]>([
    ['a variable', 'env:KEYSTORE_PASSWORD'],
    ['a file', '@password.txt'],
  ])('reads the password from %s', async (_what, word) => {
    writeFileSync(join(root, 'password.txt'), 'changeit\n')
    const { port } = await start(['-k', fixture('openssl.p12'), '-w', word], { KEYSTORE_PASSWORD: 'changeit' })
    expect(await curl(port)).toBe('hello')
  })

  it('accepts a file URL', async () => {
    const { port } = await start(['-k', String(pathToFileURL(fixture('combined.pem')))])
    expect(await curl(port)).toBe('hello')
  })

  it('is trusted by a client that knows the root', async () => {
    const { port } = await start(['-k', fixture('combined.pem')])
    const answer = await openssl(
      port,
      '-CAfile',
      fixture('chain.pem'),
      '-verify_return_error',
      '-verify_hostname',
      'localhost',
    )
    expect(answer).toMatch(/Verify return code: 0 \(ok\)/)
    expect(answer).toMatch(/hello/)
  })

  it.each(['-tls1_2', '-tls1_3'])('speaks %s', async (version) => {
    const { port } = await start(['-k', fixture('combined.pem')])
    expect(await openssl(port, version)).toMatch(/hello/)
  })

  it('does not speak TLS 1.1', async () => {
    const { port } = await start(['-k', fixture('combined.pem')])
    const answer = await openssl(port, '-tls1_1', '-cipher', 'DEFAULT@SECLEVEL=0')
    expect(answer).toMatch(/alert protocol version/)
    expect(answer).not.toMatch(/hello/)
  })

  it.each<[keys: string, file: string, kind: string]>([
    ['RSA', 'rsa.jks', 'ECDHE-RSA'],
    ['EC', 'ec.jceks', 'ECDHE-ECDSA'],
  ])('takes only suites of TLS 1.2 with forward secrecy and authenticated encryption, %s', async (_, file, kind) => {
    const { port } = await start(['-k', fixture(file), '-w', 'changeit'])
    const taken: string[] = []
    for (const name of getCiphers().map((each) => each.toUpperCase())) {
      if (name.startsWith('TLS_')) continue
      const socket = await connected(port, { ciphers: `${name}:@SECLEVEL=0`, maxVersion: 'TLSv1.2' })
      if (socket !== undefined) taken.push(socket.getCipher().name)
    }
    const expected = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((suite) => `${kind}-${suite}`)
    expect(taken.toSorted()).toEqual(expected)
    for (const ciphers of [expected, expected.toReversed()]) {
      const socket = await connected(port, { ciphers: ciphers.join(':'), maxVersion: 'TLSv1.2' })
      expect(socket?.getCipher().name).toBe(ciphers[0])
    }
  })

  it('refuses to renegotiate', async () => {
    const { port } = await start(['-k', fixture('combined.pem')])
    const words = ['s_client', '-connect', `127.0.0.1:${port}`, '-tls1_2']
    const child = spawn('openssl', words, { env: commandEnvironment(), stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdin.on('error', () => undefined)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        const before = output
        output += bytes.toString('latin1')
        const hasJust = (text: string): boolean => output.includes(text) && !before.includes(text)
        // One command of its command line each: renegotiate, quit.
        if (hasJust('Verify return code')) child.stdin.write('R\n')
        if (hasJust('RENEGOTIATING')) setImmediate(() => child.stdin.write('Q\n'))
      })
    }
    await once(child, 'close')
    expect(output).toMatch(/no renegotiation/)
    expect(await curl(port)).toBe('hello')
  })

  it('resumes sessions', async () => {
    const { port } = await start(['-k', fixture('combined.pem')])
    const session = join(temporaryDirectory(), 'session')
    expect(await openssl(port, '-sess_out', session)).toMatch(/^New, TLSv1\.3/m)
    expect(await openssl(port, '-sess_in', session)).toMatch(/^Reused, TLSv1\.3/m)
  })

  it.each<[word: string, version: string]>([
    ['--http1.1', '1.1'],
    ['--http2', '2'],
  ])('works with curl %s', async (word, version) => {
    const { port, child, stop } = await start(['-k', fixture('combined.pem'), '-l'])
    expect(await curl(port, word, '-w', ' %{http_version} %{http_code}')).toBe(`hello ${version} 200`)
    expect(await curl(port, word, '-r', '1-2')).toBe('el')
    expect(await curl(port, word, '-I')).toMatch(/^HTTP\/[12.]+ 200/)
    expect(child.exitCode).toBe(null)
    const { stdout } = await stop()
    expect(stdout.toString()).toContain(`"GET /a.txt HTTP/${version === '2' ? '2.0' : '1.1'}" 200 5\n`)
  })

  it('downloads a large file over HTTP/2, and many at a time', async () => {
    const content = Buffer.alloc(10_000_019, 'abcdefghijklm')
    writeFileSync(join(root, 'big'), content)
    const { port } = await start(['-k', fixture('combined.pem')])
    const urls = Array.from({ length: 10 }, () => `https://127.0.0.1:${port}/big`)
    const words = ['-sS', '-k', '--http2', '--parallel', ...urls.flatMap((url) => ['-o', '/dev/null', url])]
    const reported = await run('curl', [...words, '-w', '%{size_download} %{http_version}\n'])
    // Its progress is printed between the lines, with any options.
    expect(reported.match(/^\d+ \d+$/gm)).toEqual(Array.from({ length: 10 }, () => `${content.length} 2`))
  })

  it('uses a changed keystore for the next client and reports its fingerprint', async () => {
    const keystore = join(root, 'keystore')
    copyFileSync(fixture('rsa.jks'), keystore)
    const { port, stderr } = await start(['-k', 'keystore', '-w', 'changeit'])
    expect(await openssl(port)).toMatch(/subject=CN = server/)
    copyFileSync(fixture('openssl.p12'), keystore)
    expect(await openssl(port)).toMatch(/subject=CN = localhost/)
    expect(stderr()).toMatch(
      /^httpcli serve: the keystore changed and was reloaded; SHA-256 fingerprint [0-9A-F:]{95}\n$/,
    )
    writeFileSync(keystore, 'nonsense')
    expect(await openssl(port)).toMatch(/subject=CN = localhost/)
    expect(stderr()).toMatch(
      /keystore: it is not a keystore of a known format; the previous certificate stays in use\n$/,
    )
  })

  it('responds to plain HTTP with a 400', async () => {
    const { port, stop } = await start(['-k', fixture('combined.pem'), '-l'])
    const answer = await run('curl', ['-sS', '-D', '-', `http://127.0.0.1:${port}/a.txt`])
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*this port speaks HTTPS/)
    expect((await stop()).stdout.toString()).toMatch(/" 400 \d+\n/)
  })

  it('reports which of several keys it uses', async () => {
    const { stderr } = await start(['-k', fixture('two-keys.p12'), '-w', 'changeit'])
    expect(stderr()).toBe('httpcli serve: the keystore has several keys: using "first"; the others are "second"\n')
    const { port } = await start(['-k', fixture('two-keys.p12'), '-w', 'changeit', '--alias', 'second'])
    expect(await openssl(port)).toMatch(/subject=CN = Second/)
  })

  it.each(['weak.pem', 'expired.pem'])('warns of %s', async (file) => {
    const { stderr } = await start(['-k', fixture(file)])
    expect(stderr()).toMatch(/^httpcli serve: the certificate of "(weak|expired)" .*; clients will refuse it\n/)
  })
})

describe('httpcli serve --tls-self-signed', () => {
  it('serves HTTPS with a certificate whose fingerprint it prints', async () => {
    const { port, stderr } = await start(['--tls-self-signed'])
    const reported =
      /^httpcli serve: the certificate was generated for this run; SHA-256 fingerprint ([0-9A-F:]{95})\n$/.exec(
        stderr(),
      )?.[1]
    expect(reported).toBeDefined()
    const shown = await promisify(execFile)('sh', [
      '-c',
      `openssl s_client -connect 127.0.0.1:${port} </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256`,
    ])
    expect(shown.stdout).toContain(reported)
    expect(await curl(port)).toBe('hello')
  })

  it('is accepted by a client that trusts exactly this certificate', async () => {
    const { port } = await start(['--tls-self-signed'])
    const certificate = join(root, 'certificate.pem')
    await promisify(execFile)('sh', [
      '-c',
      `openssl s_client -connect 127.0.0.1:${port} </dev/null 2>/dev/null | openssl x509 > ${certificate}`,
    ])
    for (const name of ['127.0.0.1', 'localhost']) {
      expect(await run('curl', ['-sS', '--cacert', certificate, `https://${name}:${port}/a.txt`])).toBe('hello')
    }
  })
})

describe('httpcli serve that cannot open its keystore', () => {
  it.each<[words: readonly string[], code: number, message: RegExp]>([
    [['-k', fixture('openssl.p12')], 4, /openssl\.p12: the keystore \(PKCS12\) needs a password\. Give it with -w/],
    [
      ['-k', fixture('openssl.p12'), '-w', 'no'],
      4,
      /the password does not open the keystore \(PKCS12\)\. Check the password/,
    ],
    [['-k', fixture('rsa.jks'), '-w', 'no'], 4, /the password does not open the keystore \(JKS\)/],
    [['-k', fixture('truststore.jks'), '-w', 'changeit'], 4, /no private key; it holds certificates only/],
    [['-k', fixture('chain.pem')], 4, /no private key.*--key/],
    [['-k', fixture('tiny.pem')], 4, /key too small/],
    [['-k', 'missing.p12'], 4, /the keystore \S*missing\.p12 does not exist/],
    [['-k', '.'], 4, /is a directory/],
    [['-k', 'a.txt'], 4, /a\.txt: it is not a keystore of a known format\. Give a PKCS12, JKS, JCEKS, PEM or DER file/],
    [
      ['-k', fixture('two-keys.p12'), '-w', 'changeit', '--alias', 'x'],
      1,
      /no key "x" found: it has "first", "second"/,
    ],
    [
      ['-k', fixture('openssl.p12'), '-w', 'env:NO_SUCH_VARIABLE'],
      1,
      /the environment variable "NO_SUCH_VARIABLE" is not set/,
    ],
    [['-k', fixture('openssl.p12'), '-w', '@missing.txt'], 4, /missing\.txt/],
    [['-k', 'http://example/keystore'], 4, /does not exist/],
    [['-k', 'file://other-host/keystore'], 1, /not the URL of a file on this machine/],
    [['--key', fixture('server.key')], 1, /--key needs a keystore/],
    [['--alias', 'a'], 1, /--alias needs a keystore/],
    [['-k', fixture('combined.pem'), '--tls-self-signed'], 1, /--keystore.*--tls-self-signed/],
  ])('%j ends with one line and exit code %i', async (words, code, message) => {
    const result = await runCommand(['serve', root, '-p', '0', ...words], { cwd: root })
    expect([result.code, result.stdout.toString()]).toEqual([code, ''])
    expect(result.stderr.toString()).toMatch(/^httpcli serve: [^\n]+\n$/)
    expect(result.stderr.toString()).toMatch(message)
    expect(result.stderr.toString()).not.toContain('changeit')
  })

  it('ignores a password without a keystore', async () => {
    const running = await startCommand(['serve', root, '-p', '0', '-w', 'x'], /^Serving directory \S+ on http:/)
    expect((await running.stop()).code).toBe(0)
  })
})
