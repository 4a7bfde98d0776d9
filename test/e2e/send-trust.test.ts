/**
 * Which certificates `send` and `run` trust: one table for every distribution, made with openssl.
 *
 * Rules: the server takes part in anything, so that the verdict is the client's. Each certificate that is refused is
 * taken with `-i`.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TlsOptions } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

interface Issued {
  readonly certificate: string
  readonly key: string
}

interface Specification {
  readonly key?: 'rsa:1024' | 'rsa:2048' | 'rsa:3072' | 'P-256' | 'P-384' | 'ed25519'
  readonly digest?: 'md5' | 'sha1' | 'sha256'
  readonly subject?: string
  /** X.509 extensions as openssl writes them, one a line. */
  readonly extensions?: string
  /** Undefined: signs itself. */
  readonly issuer?: Issued
  /** As `openssl x509 -days`. */
  readonly days?: number
}

let directory: ReturnType<typeof directoryWith>
let count = 0
beforeAll(() => {
  directory = directoryWith({})
})
afterAll(() => directory.remove())

const openssl = (...words: string[]): void => {
  execFileSync('openssl', words, { cwd: directory.path, stdio: ['ignore', 'ignore', 'pipe'] })
}

const keyWords: Readonly<Record<string, readonly string[]>> = {
  'P-256': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  ed25519: ['-algorithm', 'ed25519'],
}

function issue(specification: Specification): Issued {
  const { key = 'P-256', digest = 'sha256', subject = '/CN=leaf', issuer, days = 30 } = specification
  const { extensions = 'subjectAltName=DNS:localhost' } = specification
  const name = `c${count++}`
  const files = { certificate: join(directory.path, `${name}.pem`), key: join(directory.path, `${name}.key`) }
  const bits = /^rsa:(\d+)$/.exec(key)?.[1]
  const words = bits === undefined ? keyWords[key]! : ['-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${bits}`]
  openssl('genpkey', ...words, '-out', files.key)
  openssl('req', '-new', '-key', files.key, '-subj', subject, '-out', `${name}.csr`)
  writeFileSync(join(directory.path, `${name}.ext`), extensions)
  const signer = issuer === undefined ? ['-signkey', files.key] : ['-CA', issuer.certificate, '-CAkey', issuer.key]
  openssl(
    ...['x509', '-req', '-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', files.certificate],
    ...[...signer, '-set_serial', String(count), '-days', String(days)],
    ...(key === 'ed25519' && issuer === undefined ? [] : [`-${digest}`]),
  )
  return files
}

const authority = 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign'
const roots = new Map<string, Issued>()
/** The same for the same specification. */
function makeRoot(more: Specification = {}): Issued {
  const key = JSON.stringify(more)
  const root = roots.get(key) ?? issue({ subject: '/CN=root', extensions: authority, ...more })
  roots.set(key, root)
  return root
}
const makeIntermediate = (more: Specification): Issued =>
  issue({ subject: '/CN=intermediate', extensions: authority, ...more })

async function listen(leaf: Issued, intermediates: readonly Issued[], options: TlsOptions = {}): Promise<number> {
  const cert = [leaf, ...intermediates].map(({ certificate }) => readFileSync(certificate, 'utf8')).join('')
  const settings = { cert, key: readFileSync(leaf.key), ciphers: 'DEFAULT:@SECLEVEL=0', ...options }
  const server = createServer(settings, (socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** `ok`, or the code of the error. */
async function verdict(host: string, port: number, root: Issued, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand([
    ...[
      'send',
      '-t',
      `GET https://${host}:${port}/`,
      '--resolve',
      `${new URL(`http://${host}`).hostname}:${port}:127.0.0.1`,
    ],
    ...['--cacert', root.certificate, '-p', 'body', '--debug', ...words],
  ])
  if (code === 0 && stdout.toString() === 'ok') return 'ok'
  return `${/\b(?:certificate|tls)-[a-z-]+/.exec(stderr.toString())?.[0]} ${stderr.toString().split('\n')[0]}`
}

interface Row {
  readonly host?: string
  readonly leaf?: Specification
  readonly root?: Specification
  readonly intermediate?: Specification
  /** Not sent by the server. */
  readonly isMissing?: boolean
  /** The client trusts another root. */
  readonly isUnknown?: boolean
  readonly server?: TlsOptions
}

const named = (name: string): Specification => ({ extensions: `subjectAltName=${name}` })
const purpose = (name: string): Specification => ({
  extensions: `subjectAltName=DNS:localhost\nextendedKeyUsage=${name}`,
})
const constrained = (rule: string): Specification => ({ extensions: `${authority}\nnameConstraints=critical,${rule}` })

const taken: readonly (readonly [what: string, row: Row])[] = [
  ['RSA with 2048 bits', { leaf: { key: 'rsa:2048' } }],
  ['RSA with 3072 bits', { leaf: { key: 'rsa:3072' } }],
  ['P-256', { leaf: { key: 'P-256' } }],
  ['P-384', { leaf: { key: 'P-384' } }],
  ['an intermediate', { intermediate: {} }],
  ['a root that signed itself with SHA-1', { root: { key: 'rsa:2048', digest: 'sha1' } }],
  ['an address', { host: '127.0.0.1', leaf: named('IP:127.0.0.1') }],
  ['a wildcard for one label', { host: 'a.w.test', leaf: named('DNS:*.w.test') }],
  ['a host in capitals', { host: 'LOCALHOST' }],
  ['a name in capitals', { leaf: named('DNS:LOCALHOST') }],
  ['a host with a dot at its end', { host: 'a.test.', leaf: named('DNS:a.test') }],
  ['an internationalized name', { host: 'xn--bcher-kva.test', leaf: named('DNS:xn--bcher-kva.test') }],
  ['one of several names', { leaf: named('DNS:other.test,DNS:localhost') }],
  ['the purpose of a server', { leaf: purpose('serverAuth') }],
  ['a permitted name', { host: 'a.test', leaf: named('DNS:a.test'), intermediate: constrained('permitted;DNS:test') }],
]

/** The text is a part of the message. The TLS library of the executable cannot even verify MD5. */
const refused: readonly (readonly [what: string, row: Row, code: string, text: string])[] = [
  ['RSA with 1024 bits', { leaf: { key: 'rsa:1024' } }, 'weak', '"CN=leaf" has an RSA key of 1024 bits'],
  ['a signature with SHA-1', { leaf: { digest: 'sha1' } }, 'weak', '"CN=leaf" is signed with SHA-1'],
  ['one with SHA-1 and RSA', { leaf: { digest: 'sha1' }, root: { key: 'rsa:2048' } }, 'weak', 'is signed with SHA-1'],
  ['one with MD5', { leaf: { digest: 'md5' }, root: { key: 'rsa:2048' } }, '(?:weak|invalid)', ''],
  [
    'an intermediate with SHA-1',
    { intermediate: { digest: 'sha1' } },
    'weak',
    '"CN=intermediate" is signed with SHA-1',
  ],
  ['an intermediate of 1024 bits', { intermediate: { key: 'rsa:1024' } }, 'weak', '"CN=intermediate" has an RSA key'],
  ['a root of 1024 bits', { root: { key: 'rsa:1024' } }, 'weak', ''],
  ['a common name alone', { leaf: { subject: '/CN=localhost', extensions: '' } }, 'wrong-host', 'no subjectAltName'],
  [
    'an address as common name',
    { host: '127.0.0.1', leaf: { subject: '/CN=127.0.0.1', extensions: '' } },
    'wrong-host',
    'no subjectAltName',
  ],
  ['an address as a name', { host: '127.0.0.1', leaf: named('DNS:127.0.0.1') }, 'wrong-host', 'not for 127.0.0.1'],
  [
    'a common name beside other names',
    { leaf: { ...named('DNS:a.test'), subject: '/CN=localhost' } },
    'wrong-host',
    'but for a.test',
  ],
  [
    'another host',
    { leaf: named('DNS:a.test,IP:10.0.0.1') },
    'wrong-host',
    'not for localhost but for a.test, 10.0.0.1',
  ],
  ['a wildcard for two labels', { host: 'a.b.w.test', leaf: named('DNS:*.w.test') }, 'wrong-host', ''],
  ['a wildcard for no label', { host: 'w.test', leaf: named('DNS:*.w.test') }, 'wrong-host', ''],
  ['a part of a label as wildcard', { host: 'foo.w.test', leaf: named('DNS:f*.w.test') }, 'wrong-host', ''],
  ['a wildcard that is not left-most', { host: 'a.b.test', leaf: named('DNS:a.*.test') }, 'wrong-host', ''],
  ['a wildcard of a top-level domain', { host: 'w.test', leaf: named('DNS:*.test') }, 'wrong-host', ''],
  ['an end in the past', { leaf: { days: -1 } }, 'expired', 'has expired'],
  ['itself as the authority', { leaf: { subject: '/CN=self' }, isUnknown: true }, 'unknown-ca', ''],
  [
    'a missing intermediate',
    { intermediate: {}, isMissing: true },
    'unknown-ca',
    'unknown authority (CN=intermediate)',
  ],
  ['the purpose of a client', { leaf: purpose('clientAuth') }, 'invalid', ''],
  ['a name that is not permitted', { intermediate: constrained('permitted;DNS:test') }, 'invalid', ''],
  [
    'an issuer that is not an authority',
    { intermediate: { extensions: 'basicConstraints=critical,CA:FALSE' } },
    'invalid',
    '',
  ],
]

async function start({ leaf, root, intermediate, isMissing, isUnknown, server }: Row): Promise<[number, Issued]> {
  const top = makeRoot(root)
  const middle = intermediate === undefined ? undefined : makeIntermediate({ issuer: top, ...intermediate })
  const end = issue({ issuer: middle ?? top, ...leaf })
  const port = await listen(end, middle === undefined || isMissing ? [] : [middle], server)
  return [port, isUnknown ? makeRoot({ subject: '/CN=other' }) : top]
}

describe('a certificate', () => {
  it.each(taken)('with %s is trusted', async (_, row) => {
    const [port, root] = await start(row)
    expect(await verdict(row.host ?? 'localhost', port, root)).toBe('ok')
  })

  it.each(refused)('with %s is refused, and taken with -i', async (_, row, code, text) => {
    const [port, root] = await start(row)
    const host = row.host ?? 'localhost'
    const seen = await verdict(host, port, root)
    expect(seen).toMatch(new RegExp(`^certificate-${code} `))
    // The runtime of the executable forgets the certificates of a refused chain.
    expect(seen).toContain(isStandalone ? text.replace(/ \(.*$/, '') : text)
    expect(await verdict(host, port, root, '-i')).toBe('ok')
  })

  it('that is self-signed is refused, and trusted when it is given', async () => {
    const self = issue({ extensions: 'subjectAltName=DNS:localhost' })
    const port = await listen(self, [])
    expect(await verdict('localhost', port, makeRoot())).toMatch(/^certificate-self-signed /)
    expect(await verdict('localhost', port, self)).toBe('ok')
  })

  it('is trusted when it is given, without its issuing authority', async () => {
    const intermediate = makeIntermediate({ issuer: makeRoot() })
    const leaf = issue({ issuer: intermediate })
    const port = await listen(leaf, [intermediate])
    expect(await verdict('localhost', port, intermediate)).toBe('ok')
    expect(await verdict('localhost', port, leaf)).toBe('ok')
    expect(await verdict('localhost', port, issue({ issuer: intermediate }))).toMatch(/^certificate-unknown-ca /)
  })

  it('that is given is checked like any other', async () => {
    const expired = issue({ issuer: makeRoot(), days: -1 })
    const weak = issue({ issuer: makeRoot({ key: 'rsa:2048' }), digest: 'sha1' })
    const other = issue({ issuer: makeRoot(), ...named('DNS:a.test') })
    expect(await verdict('localhost', await listen(expired, []), expired)).toMatch(/^certificate-expired /)
    expect(await verdict('localhost', await listen(weak, []), weak)).toMatch(/^certificate-weak /)
    expect(await verdict('localhost', await listen(other, []), other)).toMatch(/^certificate-wrong-host /)
  })

  it.each(['TLSv1', 'TLSv1.1'] as const)('of a server that supports at most %s is not checked', async (maxVersion) => {
    const [port, root] = await start({ server: { minVersion: 'TLSv1', maxVersion } })
    // The runtime of the executable does not name the alert.
    const code = isStandalone ? /^tls-(?:version-refused|handshake-failed) / : /^tls-version-refused /
    expect(await verdict('localhost', port, root)).toMatch(code)
  })

  it('is checked in the same way by run', async () => {
    const [port, root] = await start({ leaf: { digest: 'sha1' } })
    const files = { 'a.http': `GET https://localhost:${port}/\n` }
    const run = directoryWith(files)
    onTestFinished(() => run.remove())
    const words = ['run', 'a.http', '--cacert', root.certificate]
    const strict = await runCommand(words, { cwd: run.path })
    expect([strict.code, strict.stderr.toString()]).toEqual([4, expect.stringContaining('is signed with SHA-1')])
    expect((await runCommand([...words, '-i'], { cwd: run.path })).code).toBe(0)
  })
})
