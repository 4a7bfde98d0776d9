/**
 * Requests of attackers to static servers, as raw requests to a running one: nothing from outside the directory and
 * nothing hidden may come back, in any spelling, and the server answers the next client as if nothing had been.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, serveDirectory, type Visibility } from '../../src/server/index.ts'

const secret = 'TOP-SECRET'
let base: string
let server: RunningServer

/** Names that are plain on this platform and something else on Windows. */
const windowsNames = [
  ...[
    'con',
    'CON',
    'prn',
    'aux',
    'nul',
    'com1',
    'lpt9',
    'aux.txt',
    'nul.tar.gz',
    'com1.log',
    'conin$',
    'COM¹',
    'con .txt',
  ],
  ...[
    'C:',
    'C:a.txt',
    'a.txt:stream',
    'a.txt::$DATA',
    'a.txt.',
    'a.txt..',
    'a.txt ',
    'sub.',
    'sub ',
    'a\\b.txt',
    '..\\secret.txt',
  ],
]

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'httpcli-attack-'))
  const root = join(base, 'site')
  for (const directory of [
    'site/sub/deep',
    'site/.git',
    'site/.well-known/.private',
    'site/sub/.hidden',
    'site/linked-index',
    'site2',
    'site-old',
  ])
    mkdirSync(join(base, directory), { recursive: true })
  for (const file of [
    'secret.txt',
    'site2/secret.txt',
    'site-old/secret.txt',
    'site/.env',
    'site/.git/config',
    'site/sub/.hidden/x.txt',
    'site/sub/.htpasswd',
    'site/.well-known/.private/key',
  ])
    writeFileSync(join(base, file), secret)
  for (const file of [
    'a.txt',
    '%41.txt',
    'a+b&c=d.txt',
    'ü.txt',
    'b c.txt',
    'sub/x.txt',
    'sub/index.html',
    '.well-known/acme',
    '..c.txt',
    '...d',
    'e..f.txt',
  ])
    writeFileSync(join(root, file), `public ${file}`)
  for (const name of windowsNames) writeFileSync(join(root, name), secret)
  const links: readonly (readonly [name: string, target: string])[] = [
    ['link-file-out', '../secret.txt'],
    ['link-dir-out', '..'],
    ['link-absolute', base],
    ['link-sibling', '../site2'],
    ['link-to-hidden', '.env'],
    ['link-to-hidden-dir', '.git'],
    ['link-of-link', 'link-dir-out'],
    ['link-inside', 'sub'],
    ['dangling', 'nowhere'],
    ['loop-a', 'loop-b'],
    ['loop-b', 'loop-a'],
    ['leak.txt', '../secret.txt'],
    ['a.txt.gz', '../secret.txt'],
    ['a.txt.br', '../secret.txt'],
    ['linked-index/index.html', '../../secret.txt'],
    ['sub/up', '../../secret.txt'],
  ]
  for (const [name, target] of links) symlinkSync(target, join(root, name))
  execFileSync('mkfifo', [join(root, 'fifo'), join(root, 'fifo.txt')])
  server = await serveDirectory({ directory: root, port: 0 })
})

afterAll(async () => {
  await server.close()
  rmSync(base, { recursive: true, force: true })
})

interface Answered {
  readonly status: number
  readonly head: string
  readonly text: string
}

/** Sends one request and gives all that comes until the server closes. Bytes as latin1. */
function ask(target: string, { method = 'GET', fields = '' } = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (bytes: Buffer) => chunks.push(bytes))
    socket.on('error', reject)
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      const [head = ''] = text.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]), head, text })
    })
    socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: a\r\n${fields}Connection: close\r\n\r\n`, 'latin1'))
  })
}

async function expectRefused(target: string, options?: Parameters<typeof ask>[1]): Promise<void> {
  const { status, text } = await ask(target, options)
  expect(text, target).not.toContain(secret)
  expect([400, 403, 404], `${target} answered ${text.slice(0, 300)}`).toContain(status)
}

const dots = [
  ...['..', '%2e%2e', '%2E%2E', '.%2e', '%2e.', '%252e%252e', '%25252e%25252e', '%c0%ae%c0%ae', '%c0%2e%c0%2e'],
  ...[
    '%e0%80%ae%e0%80%ae',
    '%f0%80%80%ae%f0%80%80%ae',
    '%u002e%u002e',
    '%uff0e%uff0e',
    '%ef%bc%8e%ef%bc%8e',
    '\xc0\xae\xc0\xae',
  ],
  ...[
    '..%00',
    '..%20',
    '..%09',
    '%20..',
    '...',
    '....',
    '.%2e%2e.',
    '..;',
    '..%3b',
    '..%0d%0a',
    '..%e2%80%8b',
    '0x2e0x2e',
  ],
]
const separators = [
  ...['/', '%2f', '%2F', '\\', '%5c', '%5C', '%252f', '%255c', '%c0%af', '%c1%9c', '%e0%80%af', '%u2215', '%ef%bc%8f'],
  ...['//', '/./', '%2f%2f', '/%2e/', '\\/', '/\\', '%5c/', ':/', '%3a%2f'],
]

describe('a path that climbs', () => {
  it.each(['/', '/sub/', '//', '/./', '/link-inside/', '/a.txt/', '/.well-known/', '/%2f', '/%5c', '\\'])(
    'below %s never leaves the directory, in any encoding of dots and slashes',
    async (prefix) => {
      for (const dot of dots) {
        for (const separator of separators) {
          const up = `${dot}${separator}`
          await expectRefused(`${prefix}${up}secret.txt`)
          if (prefix === '/sub/') await expectRefused(`${prefix}${up.repeat(4)}secret.txt`)
        }
      }
    },
    60_000,
  )

  it.each([
    ...[
      '/....//secret.txt',
      '/....%2f%2fsecret.txt',
      '/..././secret.txt',
      '/....\\/secret.txt',
      '/.../...//secret.txt',
    ],
    ...[
      '/../site2/secret.txt',
      '/../site-old/secret.txt',
      '/..2/secret.txt',
      '/../site/a.txt',
      '/..',
      '/../',
      '/%2e%2e',
      '/%2e%2e/',
    ],
    ...[
      '/sub/..%2fsecret.txt',
      '/sub/../../secret.txt',
      '/sub%2f..%2f..%2fsecret.txt',
      '/sub/deep/../../../secret.txt',
    ],
    ...['/a.txt/../../secret.txt', '/a.txt%2f..%2f..%2fsecret.txt', '/?/../../secret.txt/../..%2f', '/..?x', '/..#x'],
    ...[
      '/%2fetc%2fpasswd',
      '//etc/passwd',
      '///etc/passwd',
      '/%2f%2fetc/passwd',
      '/file:///etc/passwd',
      '/file:%2f%2f/etc/passwd',
    ],
    ...['/proc/self/environ', '/dev/zero', '/dev/stdin', '/%2fproc%2fself%2fcmdline', '/~root', '/~/secret.txt'],
  ])('%s gives nothing', async (target) => {
    if (target.startsWith('/?')) expect((await ask(target)).text).not.toContain(secret)
    else await expectRefused(target)
  })

  it.each([
    ...['http://a/../secret.txt', 'http://a/%2e%2e/secret.txt', 'http://a/..%5csecret.txt', 'http://a//../secret.txt'],
    ...['http://a/sub/../../secret.txt', 'file:///etc/passwd', 'http://a/../../../../etc/passwd'],
    ...[
      '../secret.txt',
      '..%2fsecret.txt',
      'secret.txt',
      '\\..\\secret.txt',
      '@evil/../secret.txt',
      ':80/../secret.txt',
    ],
  ])('as the target %s gives nothing', (target) => expectRefused(target))
})

describe('a symbolic link', () => {
  it.each([
    ...[
      '/link-file-out',
      '/link-dir-out',
      '/link-dir-out/',
      '/link-dir-out/secret.txt',
      '/link-dir-out/site2/secret.txt',
    ],
    ...[
      '/link-dir-out/site/.env',
      '/link-absolute',
      '/link-absolute/secret.txt',
      '/link-sibling/secret.txt',
      '/link-sibling/',
    ],
    ...['/link-of-link/secret.txt', '/link-to-hidden', '/link-to-hidden-dir/config', '/link-to-hidden-dir/', '/sub/up'],
    ...[
      '/link-inside/up',
      '/leak.txt',
      '/leak',
      '/link-file-out/',
      '/link-file-out/x',
      '/dangling',
      '/dangling/',
      '/loop-a',
      '/loop-a/x',
    ],
    '/link-inside/../link-file-out',
  ])('that leads out or nowhere is not followed: %s', (target) => expectRefused(target))

  it('that leads outside is not the index of its directory', async () => {
    expect((await ask('/linked-index/')).text).not.toContain(secret)
    expect((await ask('/linked-index/index')).text).not.toContain(secret)
  })

  it.each(['gzip', 'br', 'gzip, br, zstd', '*'])(
    'that leads outside is not used as a compressed file (%s)',
    async (codings) => {
      const { status, text } = await ask('/a.txt', { fields: `Accept-Encoding: ${codings}\r\n` })
      expect(text).not.toContain(secret)
      expect([status, text.endsWith('\r\n\r\npublic a.txt')]).toEqual([200, true])
    },
  )

  it('that stays inside is followed', async () => {
    expect((await ask('/link-inside/x.txt')).text).toMatch(/^HTTP\/1\.1 200 [\s\S]*public sub\/x\.txt$/)
  })
})

describe('a hidden name', () => {
  it.each([
    ...[
      '/.env',
      '/.env/',
      '/.env/.',
      '/%2eenv',
      '/.%65nv',
      '/%2Eenv',
      '/.ENV',
      '/.env%00',
      '/.env%00.txt',
      '/.env.',
      '/.env%20',
    ],
    ...[
      '/.env::$DATA',
      '/.env%3a%3a$DATA',
      '/.env?x',
      '/./.env',
      '//.env',
      '/sub/../.env',
      '/.git/config',
      '/.git',
      '/.git/',
    ],
    ...['/.git%2fconfig', '/.git/./config', '/sub/.hidden/x.txt', '/sub/.hidden', '/sub/.htpasswd', '/sub/%2ehtpasswd'],
    ...[
      '/.well-known/.private/key',
      '/.well-known/../.env',
      '/.well-known%2f..%2f.env',
      '/sub/.well-known/x',
      '/.well-known/.private/',
    ],
    ...['/.well-known./acme', '/.Well-Known/acme', '/..c.txt', '/..c', '/...d', '/.'],
  ])('is not served: %s', (target) => expectRefused(target))

  it('is served below /.well-known', async () => {
    expect((await ask('/.well-known/acme')).status).toBe(200)
  })

  it('is not any name with dots in the middle', async () => {
    expect((await ask('/e..f.txt')).status).toBe(200)
  })
})

describe('a name with another meaning on Windows', () => {
  it.each(windowsNames)('is not served: %s', async (name) => {
    await expectRefused(`/${encodeURIComponent(name)}`)
    await expectRefused(`/${encodeURIComponent(name).replaceAll('%', '%25')}`)
    await expectRefused(`/sub/${encodeURIComponent(name)}`)
  })

  it.each([
    ...[
      '/c:/windows/win.ini',
      '/C:%5cwindows',
      '/c:',
      '/C|/windows',
      '/%5c%5cserver%5cshare%5cx',
      '/\\\\server\\share\\x',
    ],
    ...[
      '//server/share/x',
      '/%5c%5c?%5cC:%5cx',
      '/%5c%5c.%5cpipe%5cx',
      '/sub%5cx.txt',
      '/sub\\x.txt',
      '/a.txt%5c..%5c..%5csecret.txt',
    ],
    ...[
      '/con',
      '/CON.txt',
      '/aux.html',
      '/sub/nul',
      '/sub/nul/x',
      '/lpt1.foo.bar',
      '/com1%20.txt',
      '/con%20',
      '/CONOUT$',
      '/COM%C2%B2',
    ],
    ...[
      '/a.txt%2e',
      '/a.txt%20',
      '/a.txt%20.',
      '/sub./x.txt',
      '/sub%20/x.txt',
      '/a.txt:',
      '/a.txt%3astream',
      '/sub:$i30:$INDEX_ALLOCATION/x.txt',
    ],
    ...['/a.txt%00.html', '/a.txt%1f', '/a%3cb', '/a.txt%7f'],
  ])('is not served: %s', async (target) => {
    const { status, text } = await ask(target)
    expect(text).not.toContain(secret)
    expect([400, 404], text.slice(0, 200)).toContain(status)
  })

  it.each(['/console.txt', '/auxiliary', '/nullable.js', '/community', '/comedy.txt', '/com10.txt', '/lpt', '/a:b'])(
    '%s is refused only where it is one',
    async (target) => {
      expect((await ask(target)).status).toBe(404)
    },
  )
})

describe('an escape', () => {
  it.each([...['/%', '/%2', '/%zz', '/%2g', '/a%', '/a.txt%', '/%u0041', '/%%41', '/%-1', '/%+1', '/% 1', '/%0x41']])(
    'that is broken is a 400: %s',
    async (target) => {
      expect((await ask(target)).status).toBe(400)
    },
  )

  it.each([
    ...[
      '/%00',
      '/a.txt%00',
      '/%00a.txt',
      '/a%0d%0aSet-Cookie:%20x=1',
      '/sub%0d%0aSet-Cookie:%20x=1',
      '/%ff',
      '/%fe%ff',
      '/%c3%28',
    ],
    ...[
      '/%ed%a0%80',
      '/%f4%90%80%80',
      '/%c0%80',
      '/a%c0%aftxt',
      '/%80',
      '/a.txt%0a',
      '/a.txt%0d',
      '/%f0%9f%92%a9',
      '/%e2%80%aetxt.a',
    ],
  ])('that is impossible in a file name gives nothing: %s', async (target) => {
    const { status, head } = await ask(target)
    expect([400, 404]).toContain(status)
    expect(head).not.toMatch(/^set-cookie/im)
  })

  it.each([
    ['/%2541.txt', 200],
    ['/%41.txt', 404],
    ['/%61.txt', 200],
    ['/a%2etxt', 200],
    ['/%61%2E%74%78%74', 200],
    ['/a%2Bb%26c%3Dd.txt', 200],
    ['/a+b&c=d.txt', 200],
    ['/%C3%BC.txt', 200],
    ['/\xc3\xbc.txt', 400],
    ['/b%20c.txt', 200],
    ['/b+c.txt', 404],
    ['/A.TXT', 404],
    ['/sub%2fx.txt', 404],
    ['/a.txt%3f', 404],
    ['/a.txt%23', 404],
    ['/a.txt/', 404],
    ['/a.txt/x', 404],
    ['/sub//x.txt', 200],
    ['//sub/x.txt', 200],
    ['/./a.txt', 200],
    ['/sub/./x.txt', 200],
    ['/sub/%2e/x.txt', 200],
    ['/sub/deep/.%2E/x.txt', 200],
    ['/.git/../a.txt', 200],
    ['/.git/%252e%252e/a.txt', 404],
    ['/sub/deep%2f../x.txt', 404],
    ['/sub/.%2fx.txt', 404],
    ['/..', 400],
    ['/sub/%2e%2e/%2e%2e/site/a.txt', 400],
  ])('is decoded once: %s is answered by %i', async (target, status) => {
    expect((await ask(target)).status).toBe(status)
  })
})

describe('a redirect', () => {
  it.each<[target: string, location: string]>([
    ['/sub', '/sub/'],
    ['/sub?x=1', '/sub/?x=1'],
    ['/sub?//evil.example/', '/sub/?//evil.example/'],
    ['/%73ub', '/%73ub/'],
    ['http://evil.example/sub', '/sub/'],
    ['http://evil.example:80/sub?a', '/sub/?a'],
    ['/link-inside', '/link-inside/'],
    ['//sub', '/sub/'],
    ['///sub?x', '/sub/?x'],
    ['/./sub', '/sub/'],
    ['/.//sub', '/sub/'],
    ['//evil.example/%2e%2e/sub', '/sub/'],
    ['http://evil.example//sub', '/sub/'],
    ['//sub/..//sub', '/sub/'],
  ])('of %s goes to %s', async (target, location) => {
    const { status, head } = await ask(target)
    expect([status, /^location: (.*)$/im.exec(head)?.[1]?.trim()]).toEqual([308, location])
  })

  it.each([
    ...['//evil.example/sub', '//evil.example/..%2fsub', '///evil.example/sub', '/\\evil.example/../sub'],
    ...['/%5cevil.example/..%2fsub', '/\\\\evil.example', '//evil.example', '/%2fevil.example', '/%09/evil.example'],
    ...[
      '/sub/..//evil.example',
      '//evil.example//sub',
      '/sub%2f',
      '/sub%2f%2e%2e',
      '/%2f%2fevil.example/sub',
      '/http://evil.example/sub',
    ],
    ...['/sub%0aLocation:%20//evil.example', '/sub%0d%0a', '//\\evil.example', '/;//evil.example', '/@evil.example'],
  ])('never leads to another host: %s', async (target) => {
    const { status, head } = await ask(target)
    expect([400, 404]).toContain(status)
    expect(head).not.toMatch(/^location/im)
  })
})

describe('anything but a regular file', () => {
  it.each(['/fifo', '/fifo.txt', '/fifo/', '/fifo/x'])('is not opened: %s', (target) => expectRefused(target))
})

describe('the request line', () => {
  it.each([
    ...[
      '/a.txt\x00',
      '/a\x00.txt',
      '/a.txt\x01',
      '/a.txt\x7f',
      '/a.txt\x0b',
      '/a.txt\x0c',
      '/a.txt\ttxt',
      '/a\x80b',
      '/<script>',
      '/a b',
    ],
    ...['/"x"', '/`', '/{x}', ''],
  ])('with %j is a 400', async (target) => {
    expect((await ask(target)).status).toBe(400)
  })
})

describe('every method and every field', () => {
  it.each(['HEAD', 'GET', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'TRACE', 'PROPFIND', 'get', 'CONNECT'])(
    '%s gives no secret',
    async (method) => {
      for (const target of ['/..%2fsecret.txt', '/link-file-out', '/.env', '/link-dir-out/secret.txt']) {
        const { status, text } = await ask(target, { method })
        expect(text).not.toContain(secret)
        expect([204, 400, 404, 405, 501]).toContain(status)
      }
    },
  )

  it.each([
    'X-Original-URL: /.env',
    'X-Rewrite-URL: /.env',
    'X-Forwarded-Prefix: /../',
    'Range: bytes=0-5',
    'Range: bytes=0-18446744073709551615',
    'Accept: ../../secret.txt',
    'Accept-Encoding: ../secret',
    'If-None-Match: *',
    'Referer: /link-dir-out/',
    'Destination: /x',
    'Depth: infinity',
  ])('%s changes nothing', async (field) => {
    const { text } = await ask('/link-file-out', { fields: `${field}\r\n` })
    expect(text).toMatch(/^HTTP\/1\.1 404 /)
    expect(text).not.toContain(secret)
  })
})

describe('below a root path', () => {
  it('the prefix matches whole segments and cannot be left by ..', async () => {
    const root = join(base, 'site')
    const other = await serveDirectory({ directory: root, port: 0, rootPath: '/app/v1' })
    const before = server
    server = other
    try {
      expect((await ask('/app/v1/a.txt')).status).toBe(200)
      for (const target of ['/app//v1/a.txt', '/app/v1//a.txt', '/app/../app/v1/a.txt', '/app/v1/../v1/a.txt']) {
        expect([target, (await ask(target)).status]).toEqual([target, 200])
      }
      expect((await ask('//app/v1/./sub')).head).toMatch(/^location: \/app\/v1\/sub\/\r?$/im)
      expect((await ask('/app/v1/sub')).head).toMatch(/^location: \/app\/v1\/sub\/\r?$/im)
      for (const target of [
        ...['/a.txt', '/app/v1x/a.txt', '/app/v1a.txt', '/app/v/a.txt', '/app', '/app/', '/'],
        ...[
          '/app/v1/../../secret.txt',
          '/app/v1/..%2fsecret.txt',
          '/app%2fv1/a.txt',
          '/app/v1%2fa.txt',
          '/app/v1\\a.txt',
          '/APP/v1/a.txt',
        ],
        ...[
          '/app/v1/../a.txt',
          '/app/v1/%2e%2e/v1x/a.txt',
          '/app/v1/../v1/.env',
          '/app/v1/.env',
          '/app/v1/link-file-out',
        ],
      ]) {
        await expectRefused(target)
      }
    } finally {
      server = before
      await other.close()
    }
  })
})

describe('visibility', () => {
  const lists: readonly (readonly [visibility: Partial<Visibility>, target: string, status: number])[] = [
    [{ allowsDotfiles: true }, '/.git/config', 200],
    [{ allowsDotfiles: true }, '/.env', 200],
    [{ allowsDotfiles: true }, '/..c.txt', 200],
    [{ allowsDotfiles: true }, '/link-to-hidden', 200],
    [{ allowsDotfiles: true }, '/..', 400],
    [{ allowsDotfiles: true }, '/.', 404],
    [{ allowsDotfiles: true }, '/%2e%2e/secret.txt', 400],
    [{ allowsDotfiles: true }, '/..%2fsecret.txt', 404],
    [{ allowsDotfiles: true }, '/..%5csecret.txt', 404],
    [{ allowsDotfiles: true }, '/sub/../a.txt', 200],
    [{ allowsDotfiles: true }, '/link-file-out', 404],
    [{ allowsDotfiles: true }, '/link-dir-out/secret.txt', 404],
    [{ allowsDotfiles: true }, '/.env.', 404],
    [{ allowsDotfiles: true }, '/.env%00', 404],
    [{ allowsOutsideSymlinks: true }, '/link-file-out', 200],
    [{ allowsOutsideSymlinks: true }, '/link-dir-out/secret.txt', 200],
    [{ allowsOutsideSymlinks: true }, '/link-sibling/secret.txt', 200],
    [{ allowsOutsideSymlinks: true }, '/..%2fsecret.txt', 404],
    [{ allowsOutsideSymlinks: true }, '/../secret.txt', 400],
    [{ allowsOutsideSymlinks: true }, '/link-dir-out/../secret.txt', 404],
    [{ allowsOutsideSymlinks: true }, '/link-inside/%2e%2e/%2e%2e/secret.txt', 400],
    [{ allowsOutsideSymlinks: true }, '/.env', 404],
    [{ allowsOutsideSymlinks: true }, '/dangling', 404],
    [{ allowsOutsideSymlinks: true }, '/loop-a', 404],
    [{ allowsOutsideSymlinks: true }, '/fifo', 404],
  ]

  it.each(lists)('%j gives for %s the status %i', async (visibility, target, status) => {
    const other = await serveDirectory({ directory: join(base, 'site'), port: 0, visibility })
    const before = server
    server = other
    try {
      expect((await ask(target)).status).toBe(status)
    } finally {
      server = before
      await other.close()
    }
  })
})

it('after all of this, the server responds as before', async () => {
  expect((await ask('/a.txt')).text).toMatch(/^HTTP\/1\.1 200 [\s\S]*public a\.txt$/)
})
