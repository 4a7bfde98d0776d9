import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RunningServer, ServeOptions } from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw, RawClient, startServer } from '../raw-client.ts'

const { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } = zlib

let root: string

beforeEach(() => {
  root = temporaryDirectory()
})

function plant(files: Readonly<Record<string, string | Buffer>>, modifiedSecond = 1_700_000_000): void {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(root, name), content)
    utimesSync(join(root, name), modifiedSecond, modifiedSecond)
  }
}

/** A clock a minute ahead: every file has been at rest for long. */
const serve = (options: Partial<ServeOptions> = {}): Promise<RunningServer> =>
  startServer({ directory: root, now: () => Date.now() + 60_000, ...options })

const get = async (server: RunningServer, target: string, ...fields: string[]) => {
  const response = await fetchRaw(server, target, fields)
  return { ...response, text: response.body.toString(), coding: response.fields.get('content-encoding') }
}

/** An answer without a length, whose end is that of the connection: all of it, as latin1. */
async function getUntilClosed(server: RunningServer, target: string, fields = ''): Promise<string> {
  const { socket } = await RawClient.connect(server.port)
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  socket.write(`GET ${target} HTTP/1.0\r\n${fields}\r\n`)
  await once(socket, 'end')
  return Buffer.concat(chunks).toString('latin1')
}

describe('a cached file', () => {
  const changes: readonly (readonly [string, () => void])[] = [
    ['rewritten', () => writeFileSync(join(root, 'a.txt'), 'two')],
    [
      'replaced',
      () => {
        writeFileSync(join(root, 'next'), 'two')
        renameSync(join(root, 'next'), join(root, 'a.txt'))
      },
    ],
    ['rewritten and dated back', () => plant({ 'a.txt': 'two' })],
    [
      'led to by a link that is put in its place',
      () => {
        writeFileSync(join(root, 'other.txt'), 'two')
        rmSync(join(root, 'a.txt'))
        symlinkSync('other.txt', join(root, 'a.txt'))
      },
    ],
  ]

  it.each(changes)('is reread after it was %s', async (_, change) => {
    plant({ 'a.txt': 'one' })
    const server = await serve()
    for (let count = 0; count < 3; count++) expect((await get(server, '/a.txt')).text).toBe('one')
    change()
    expect((await get(server, '/a.txt')).text).toBe('two')
  })

  it('is found through a directory link whose target changes', async () => {
    mkdirSync(join(root, 'v1'))
    mkdirSync(join(root, 'v2'))
    plant({ 'v1/a.txt': 'one', 'v2/a.txt': 'two' })
    symlinkSync('v1', join(root, 'current'))
    const server = await serve()
    expect((await get(server, '/current/a.txt')).text).toBe('one')
    rmSync(join(root, 'current'))
    symlinkSync('v2', join(root, 'current'))
    expect((await get(server, '/current/a.txt')).text).toBe('two')
  })

  it('is refused when a link in its path leads outside', async () => {
    const outside = temporaryDirectory()
    writeFileSync(join(outside, 'a.txt'), 'secret')
    mkdirSync(join(root, 'v1'))
    plant({ 'v1/a.txt': 'one' })
    symlinkSync('v1', join(root, 'current'))
    const server = await serve()
    expect((await get(server, '/current/a.txt')).text).toBe('one')
    rmSync(join(root, 'current'))
    symlinkSync(outside, join(root, 'current'))
    expect((await get(server, '/current/a.txt')).status).toBe(404)
    const following = await serve({ visibility: { allowsOutsideSymlinks: true } })
    expect((await get(following, '/current/a.txt')).text).toBe('secret')
  })

  it('is not found after it was deleted', async () => {
    plant({ 'a.txt': 'one' })
    const server = await serve()
    expect((await get(server, '/a.txt')).status).toBe(200)
    rmSync(join(root, 'a.txt'))
    expect((await get(server, '/a.txt')).status).toBe(404)
  })

  it('is dropped when room is needed', async () => {
    const server = await serve({ limits: { cacheBytes: 10_000 } })
    const names = Array.from({ length: 20 }, (_, index) => `${index}.txt`)
    plant(Object.fromEntries(names.map((name) => [name, name.repeat(300)])))
    for (const name of [...names, ...names]) expect((await get(server, `/${name}`)).text).toBe(name.repeat(300))
  })

  it('that is too large for the cache is served', async () => {
    plant({ 'a.txt': 'x'.repeat(50_000) })
    const server = await serve({ limits: { cacheBytes: 10_000 } })
    expect((await get(server, '/a.txt')).body).toHaveLength(50_000)
  })
})

describe('a precompressed file', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br', 'br'],
    ['gzip', 'gzip', 'gz'],
    ['zstd, gzip', 'zstd', 'zst'],
    ['gzip;q=1, br;q=0.1', 'gzip', 'gz'],
    ['*', 'br', 'br'],
    ['br;q=0, *', 'zstd', 'zst'],
  ])('is chosen by Accept-Encoding: %s', async (accepted, coding, text) => {
    plant({ 'a.js': 'plain', 'a.js.br': 'br', 'a.js.zst': 'zst', 'a.js.gz': 'gz' })
    const response = await get(await serve(), '/a.js', `Accept-Encoding: ${accepted}`)
    expect([response.status, response.coding, response.text]).toEqual([200, coding, text])
    expect(response.fields.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.fields.get('vary')).toBe('Accept-Encoding')
  })

  it.each([[], ['Accept-Encoding: identity'], ['Accept-Encoding: gzip;q=0'], ['Accept-Encoding: deflate']])(
    'is not served to a request with %j, whose response has Vary',
    async (...fields) => {
      plant({ 'a.js': 'plain', 'a.js.gz': 'gz' })
      const response = await get(await serve(), '/a.js', ...fields)
      expect([response.text, response.coding, response.fields.get('vary')]).toEqual([
        'plain',
        undefined,
        'Accept-Encoding',
      ])
    },
  )

  it('has its own tag, 304 and ranges', async () => {
    plant({ 'a.js': 'plain', 'a.js.gz': 'packed' })
    const server = await serve()
    const accepting = 'Accept-Encoding: gzip'
    const plainTag = (await get(server, '/a.js')).fields.get('etag')
    const etag = (await get(server, '/a.js', accepting)).fields.get('etag')
    expect(etag).not.toBe(plainTag)
    const unchanged = await get(server, '/a.js', accepting, `If-None-Match: ${etag}`)
    expect([unchanged.status, unchanged.fields.get('vary')]).toEqual([304, 'Accept-Encoding'])
    expect((await get(server, '/a.js', accepting, `If-None-Match: ${plainTag}`)).status).toBe(200)
    const part = await get(server, '/a.js', accepting, 'Range: bytes=0-1')
    expect([part.status, part.text, part.coding, part.fields.get('content-range')]).toEqual([
      206,
      'pa',
      'gzip',
      'bytes 0-1/6',
    ])
  })

  it('that is older than the original is ignored', async () => {
    plant({ 'a.js': 'plain' })
    plant({ 'a.js.gz': 'old' }, 1_600_000_000)
    const response = await get(await serve(), '/a.js', 'Accept-Encoding: gzip')
    expect([response.text, response.coding, response.fields.has('vary')]).toEqual(['plain', undefined, false])
  })

  it('is noticed when created, changed and deleted', async () => {
    plant({ 'a.js': 'plain' })
    const server = await serve()
    const text = async () => (await get(server, '/a.js', 'Accept-Encoding: gzip')).text
    expect(await text()).toBe('plain')
    plant({ 'a.js.gz': 'one' })
    expect(await text()).toBe('one')
    plant({ 'a.js.gz': 'two' })
    expect(await text()).toBe('two')
    rmSync(join(root, 'a.js.gz'))
    expect(await text()).toBe('plain')
  })

  it('that is not a regular file or leads outside is ignored', async () => {
    const outside = temporaryDirectory()
    writeFileSync(join(outside, 'x'), 'secret')
    plant({ 'a.js': 'plain' })
    mkdirSync(join(root, 'a.js.br'))
    symlinkSync(join(outside, 'x'), join(root, 'a.js.gz'))
    expect((await get(await serve(), '/a.js', 'Accept-Encoding: gzip, br')).text).toBe('plain')
  })

  it('is an ordinary file under its own name', async () => {
    plant({ 'a.js': 'plain', 'a.js.gz': 'packed' })
    const { text, coding, fields } = await get(await serve(), '/a.js.gz', 'Accept-Encoding: gzip')
    expect([text, coding, fields.get('content-type')]).toEqual(['packed', undefined, 'application/gzip'])
  })

  it('is used for the variant that Accept selects, and for an index', async () => {
    mkdirSync(join(root, 'dir'))
    plant({ 'a.js': 'plain', 'a.js.gz': 'packed', 'dir/index.html': 'plain', 'dir/index.html.gz': 'packed' })
    const server = await serve()
    const chosen = await get(server, '/a', 'Accept-Encoding: gzip')
    expect([chosen.text, chosen.fields.get('vary')]).toEqual(['packed', 'Accept, Accept-Encoding'])
    expect((await get(server, '/dir/', 'Accept-Encoding: gzip')).text).toBe('packed')
  })
})

describe('a file that exists only compressed', () => {
  const text = 'let answer = 42\n'.repeat(1_000)

  it('is sent with its coding to clients that accept it, and decompressed to all others', async () => {
    plant({ 'x.js.gz': gzipSync(text) })
    const server = await serve()
    const packed = await get(server, '/x.js', 'Accept-Encoding: gzip')
    expect(gunzipSync(packed.body).toString()).toBe(text)
    expect(packed.coding).toBe('gzip')
    const unpacked = await getUntilClosed(server, '/x.js')
    expect(unpacked).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(unpacked).not.toMatch(/^content-encoding/im)
    expect(unpacked.endsWith(`\r\n\r\n${text}`)).toBe(true)
    for (const answer of [packed.fields.get('content-type'), /^content-type: (.*)\r$/im.exec(unpacked)?.[1]]) {
      expect(answer).toBe('text/javascript; charset=utf-8')
    }
    for (const vary of [packed.fields.get('vary'), /^vary: (.*)\r$/im.exec(unpacked)?.[1]]) {
      expect(vary).toBe('Accept-Encoding')
    }
    const tag = /^etag: (.*)\r$/im.exec(unpacked)?.[1]
    expect(tag).toMatch(/^W\//)
    expect(tag).not.toContain(packed.fields.get('etag'))
    expect((await get(server, '/x.js', `If-None-Match: ${tag}`)).status).toBe(304)
  })

  it.each([
    ['br', brotliCompressSync(text), '.br'],
    ['gzip', gzipSync(text), '.gz'],
  ])('is decompressed from %s', async (_name, content, extension) => {
    plant({ [`x.js${extension}`]: content, [`page.html${extension}`]: content })
    const server = await serve()
    expect((await getUntilClosed(server, '/x.js')).endsWith(`\r\n\r\n${text}`)).toBe(true)
    expect((await getUntilClosed(server, '/page.html')).endsWith(`\r\n\r\n${text}`)).toBe(true)
  })

  it.skipIf(!('zstd' in process.versions))('is decompressed from several zstd frames, or aborted', async () => {
    const { zstdCompressSync } = zlib as unknown as { readonly zstdCompressSync: (content: string) => Buffer }
    const frames = Buffer.concat([zstdCompressSync(text), zstdCompressSync(text)])
    plant({ 'x.js.zst': frames, 'y.js.zst': frames.subarray(0, -3) })
    const server = await serve()
    expect((await getUntilClosed(server, '/x.js')).endsWith(`\r\n\r\n${text}${text}`)).toBe(true)
    await expect(fetchRaw(server, '/y.js')).rejects.toThrow('the connection ended')
  })

  it('may be the index of its directory', async () => {
    plant({ 'index.html.gz': gzipSync('<p>') })
    expect(await getUntilClosed(await serve(), '/')).toMatch(/\r\n\r\n<p>$/)
  })

  it('is decompressed in constant memory if it is large, for many clients at a time', async () => {
    const large = Buffer.alloc(30_000_000, 'abcdefgh')
    plant({ 'x.js.gz': Buffer.concat([gzipSync(large), gzipSync(randomBytes(1_200_000))]) })
    const server = await serve()
    const answers = await Promise.all(Array.from({ length: 3 }, () => getUntilClosed(server, '/x.js')))
    for (const answer of answers) expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(31_200_000)
  })

  it('causes an aborted response, not a shorter file, if it is damaged', async () => {
    const errors: unknown[] = []
    const packed = gzipSync(randomBytes(100_000))
    plant({
      'x.js.gz': packed.subarray(0, 50_000),
      'y.js.gz': 'no gzip at all',
      'z.js.br': Buffer.concat([brotliCompressSync(text), Buffer.from('more')]),
    })
    const server = await serve({ onError: (error) => errors.push(error) })
    for (const name of ['x', 'y', 'z']) {
      await expect(fetchRaw(server, `/${name}.js`)).rejects.toThrow('the connection ended')
    }
    await expect(getUntilClosed(server, '/x.js')).rejects.toThrow('ECONNRESET')
    const isDamaged = 'content is damaged or truncated'
    expect(errors.map((error) => (error as Error).message)).toEqual(
      [
        `x.js.gz cannot be read: the gzip ${isDamaged}: unexpected end of file`,
        `y.js.gz cannot be read: the gzip ${isDamaged}: incorrect header check`,
        `z.js.br cannot be read: the br ${isDamaged}: bytes follow its end`,
        `x.js.gz cannot be read: the gzip ${isDamaged}: unexpected end of file`,
      ].map((text) => `the file ${join(root, text)}`),
    )
    expect((await get(server, '/x.js', 'Accept-Encoding: gzip')).status).toBe(200)
  })

  it('may have any extension for a name without one', async () => {
    plant({ 'notes.gz': gzipSync(text) })
    const found = await get(await serve(), '/notes')
    expect([found.status, found.fields.get('content-type'), found.coding]).toEqual([200, 'application/gzip', undefined])
    expect(gunzipSync(found.body).toString()).toBe(text)
  })

  it('is not found if it is outside or hidden', async () => {
    mkdirSync(join(root, 'site'))
    plant({ 'secret.gz': gzipSync('secret'), 'site/.hidden.js.gz': gzipSync('secret') })
    symlinkSync('../secret.gz', join(root, 'site', 'x.js.gz'))
    const server = await serve({ directory: join(root, 'site') })
    for (const target of ['/x.js', '/.hidden.js']) {
      expect((await get(server, target)).status).toBe(404)
      expect((await get(server, target, 'Accept-Encoding: gzip')).status).toBe(404)
    }
  })
})

describe('an .svgz', () => {
  const image = '<svg xmlns="http://www.w3.org/2000/svg"/>'.repeat(50)

  it.each([
    ['any client', []],
    ['a client that accepts gzip', ['Accept-Encoding: br, gzip']],
  ])('is a compressed SVG for %s', async (_, fields) => {
    plant({ 'Logo.SVGZ': gzipSync(image) })
    const server = await serve({ isCompressing: true })
    for (const target of ['/Logo.SVGZ', '/Logo.SVGZ', '/Logo']) {
      const response = await get(server, target, ...fields)
      expect([response.status, response.coding, response.fields.get('content-type')]).toEqual([
        ...[200, 'gzip', 'image/svg+xml'],
      ])
      expect(response.fields.get('vary')).toMatch(/Accept-Encoding$/)
      expect(gunzipSync(response.body).toString()).toBe(image)
    }
  })

  it('is decompressed for a client that refuses gzip', async () => {
    plant({ 'logo.svgz': gzipSync(image) })
    const server = await serve()
    await get(server, '/logo.svgz')
    const answer = await getUntilClosed(server, '/logo.svgz', 'Accept-Encoding: identity\r\n')
    expect(answer).toMatch(/\r\nContent-Type: image\/svg\+xml\r\n/)
    expect(answer).not.toContain('Content-Encoding')
    expect(answer.endsWith(`\r\n\r\n${image}`)).toBe(true)
  })

  it.each([
    ['application/gzip', undefined],
    ['image/svg+xml; charset=utf-8', 'gzip'],
  ])('has the type that a mapping file gives it: %s', async (type, expected) => {
    plant({ 'logo.svgz': gzipSync(image) })
    const { coding, fields } = await get(await serve({ mediaTypes: new Map([['svgz', type]]) }), '/logo.svgz')
    expect([coding, fields.get('content-type')]).toEqual([expected, type])
  })
})

describe('compression', () => {
  const text = 'a line that comes again and again\n'.repeat(1_000)

  it('is off by default', async () => {
    plant({ 'a.txt': text })
    const { coding, fields } = await get(await serve(), '/a.txt', 'Accept-Encoding: gzip')
    expect([coding, fields.has('vary')]).toEqual([undefined, false])
  })

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['br, gzip', 'br', brotliDecompressSync],
  ])('compresses text for %s', async (accepted, expected, unpack) => {
    plant({ 'a.txt': text })
    const server = await serve({ isCompressing: true })
    for (let count = 0; count < 2; count++) {
      const { coding, body, fields } = await get(server, '/a.txt', `Accept-Encoding: ${accepted}`)
      expect(coding).toBe(expected)
      expect(unpack(body).toString()).toBe(text)
      expect(fields.get('vary')).toBe('Accept-Encoding')
      expect(fields.get('content-length')).toBe(String(body.length))
    }
  })

  it('gives the compressed response a separate tag, and 304 for it', async () => {
    plant({ 'a.txt': text })
    const server = await serve({ isCompressing: true })
    const plain = await get(server, '/a.txt')
    const packed = await get(server, '/a.txt', 'Accept-Encoding: gzip')
    const etag = packed.fields.get('etag')
    expect(etag).not.toBe(plain.fields.get('etag'))
    expect(plain.fields.get('vary')).toBe('Accept-Encoding')
    expect((await get(server, '/a.txt', 'Accept-Encoding: gzip', `If-None-Match: ${etag}`)).status).toBe(304)
    expect((await get(server, '/a.txt', `If-None-Match: ${etag}`)).status).toBe(200)
  })

  it('is renewed when the file changes', async () => {
    plant({ 'a.txt': text })
    const server = await serve({ isCompressing: true })
    const unpacked = async () => gunzipSync((await get(server, '/a.txt', 'Accept-Encoding: gzip')).body).toString()
    expect(await unpacked()).toBe(text)
    plant({ 'a.txt': text.toUpperCase() })
    expect(await unpacked()).toBe(text.toUpperCase())
  })

  it.each([
    ['of a picture', 'a.png', text],
    ['of little', 'a.txt', 'short'],
    ['of what does not shrink', 'b.txt', randomBytes(4_096)],
  ])('%s is not done', async (_, name, content) => {
    plant({ [name]: content })
    const server = await serve({ isCompressing: true })
    for (let count = 0; count < 2; count++) {
      const { coding, body } = await get(server, `/${name}`, 'Accept-Encoding: gzip')
      expect([coding, body.equals(Buffer.from(content))]).toEqual([undefined, true])
    }
  })

  it('is not used if a precompressed file exists', async () => {
    plant({ 'a.txt': text, 'a.txt.gz': 'neighbour' })
    expect((await get(await serve({ isCompressing: true }), '/a.txt', 'Accept-Encoding: gzip')).text).toBe('neighbour')
  })
})

describe('large text', () => {
  it('is compressed while it is sent, in chunks, with a weak tag and without ranges', async () => {
    const text = 'a line that comes again and again\n'.repeat(100_000)
    plant({ 'a.txt': text })
    const server = await serve({ isCompressing: true })
    const response = await fetch(`${server.url}/a.txt`, { headers: { 'accept-encoding': 'gzip', range: 'bytes=0-1' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('transfer-encoding')).toBe('chunked')
    expect(response.headers.get('etag')).toMatch(/^W\/"/)
    expect(await response.text()).toBe(text)
    const etag = response.headers.get('etag') ?? ''
    expect((await get(server, '/a.txt', 'Accept-Encoding: gzip', `If-None-Match: ${etag}`)).status).toBe(304)
    expect((await get(server, '/a.txt', 'Accept-Encoding: gzip', `If-Match: ${etag}`)).status).toBe(412)
  })
})
