/** The features around the files, against a running server. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createFeatures,
  type FeatureSettings,
  parseExtraField,
  type RunningServer,
  type ServeOptions,
} from '../../../src/server/index.ts'
import { hostileNames } from '../../helpers/hostile-names.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw, RawClient, startServer } from '../raw-client.ts'

const browser = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8'
const json = 'Accept: application/json'

let root: string

beforeEach(() => {
  root = temporaryDirectory()
})

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), content)
  }
}

async function start(
  settings: Partial<FeatureSettings> = {},
  options: Partial<ServeOptions> = {},
): Promise<RunningServer> {
  const features = createFeatures({
    directory: root,
    rootPath: options.rootPath,
    onWarning: (text) => {
      throw new Error(text)
    },
    ...settings,
  })
  const server = await startServer({
    directory: root,
    visibility: settings.visibility ?? {},
    steps: features.steps,
    ...options,
  })
  features.start()
  onTestFinished(() => features.close())
  return server
}

/** A clock for which the files of a test have been there for a while: their entity tags are settled. */
const later = () => Date.now() + 60_000

const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`

describe('a listing', () => {
  it('links every servable file, with any name', async () => {
    write(Object.fromEntries(hostileNames.map((name) => [name, name])))
    mkdirSync(join(root, 'sub <b>'))
    const server = await start()
    const listing = JSON.parse((await fetchRaw(server, '/', [json])).body.toString()) as {
      entries: readonly { name: string; url: string; type: string }[]
    }
    expect(listing.entries).toHaveLength(hostileNames.length + 1)
    for (const { name, url, type } of listing.entries) {
      const answer = await fetchRaw(server, `/${url}`)
      expect([name, answer.status]).toEqual([name, 200])
      if (type === 'file') expect(answer.body.toString()).toBe(name)
    }
  })

  it('contains only what would be served', async () => {
    write({ '.env': 'secret', 'a.txt': '', 'nul.txt': '', '.well-known/x': '' })
    symlinkSync('/etc', join(root, 'etc'))
    symlinkSync('none', join(root, 'dangling'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    const server = await start()
    const { entries } = JSON.parse((await fetchRaw(server, '/', [json])).body.toString()) as {
      entries: readonly { name: string }[]
    }
    expect(entries.map(({ name }) => name)).toEqual(['.well-known', 'a.txt'])
  })

  it('is up to date at every request, and not sent twice', async () => {
    const server = await start()
    const first = await fetchRaw(server, '/')
    const etag = first.fields.get('etag')!
    expect((await fetchRaw(server, '/', [`If-None-Match: ${etag}`])).status).toBe(304)
    for (let index = 0; index < 50; index++) {
      write({ [`n${index}`]: '' })
      const answer = await fetchRaw(server, '/', [`If-None-Match: ${etag}`, json])
      expect(JSON.parse(answer.body.toString()).entries).toHaveLength(index + 1)
    }
  })

  it('has the same head for HEAD and GET, and the policy for browsers', async () => {
    const server = await start()
    const got = await fetchRaw(server, '/')
    const head = await fetchRaw(server, '/', [], 'HEAD')
    expect([...head.fields].filter(([name]) => name !== 'date')).toEqual(
      [...got.fields].filter(([name]) => name !== 'date'),
    )
    expect(head.body).toHaveLength(0)
    expect(got.fields.get('vary')).toBe('Accept, Accept-Encoding')
    expect(got.fields.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(got.fields.get('cache-control')).toBe('no-cache')
  })

  it('of thousands of entries is sent in chunks, and to HTTP/1.0 without', async () => {
    write(Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`n${index}`, ''])))
    const server = await start()
    const ask = async (version: string) => {
      const client = await RawClient.connect(server.port)
      client.send(`GET / HTTP/${version}\r\nHost: a\r\n${json}\r\nConnection: close\r\n\r\n`)
      return client.rest()
    }
    const old = await ask('1.0')
    expect(old.slice(0, old.indexOf('\r\n\r\n'))).not.toMatch(/transfer-encoding|content-length/i)
    expect(JSON.parse(old.slice(old.indexOf('\r\n\r\n'))).entries).toHaveLength(2_000)
    const chunked = await ask('1.1')
    expect(chunked).toMatch(/\r\nTransfer-Encoding: chunked\r\n/)
    expect(chunked).toMatch(/\r\n0\r\n\r\n$/)
    expect((await fetchRaw(server, '/', [], 'HEAD')).fields.has('content-length')).toBe(false)
  })

  it('keeps its place among pipelined requests', async () => {
    write({ 'a.txt': 'a', 'sub/b.txt': 'b' })
    const server = await start()
    const client = await RawClient.connect(server.port)
    const targets = ['/a.txt', '/', '/a.txt', '/sub/', '/sub/', '/a.txt']
    client.send(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\n${json}\r\n\r\n`).join(''))
    const bodies: string[] = []
    for (const _ of targets) bodies.push((await client.response()).body.toString())
    const shown = bodies.map((body) => (body === 'a' ? 'a' : (JSON.parse(body) as { path: string }).path))
    expect(shown).toEqual(['a', '/', 'a', '/sub/', '/sub/', 'a'])
  })

  it('leaves nothing open when its readers disconnect', async () => {
    write(Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`n${index}`, ''])))
    const server = await start()
    const descriptors = () => readdirSync('/proc/self/fd').length
    const before = descriptors()
    for (let count = 0; count < 20; count++) {
      const client = await RawClient.connect(server.port)
      client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      if (count % 2 === 0) await new Promise((resolve) => client.socket.once('data', resolve))
      client.socket.destroy()
    }
    await vi.waitFor(() => expect(descriptors()).toBeLessThanOrEqual(before), 60_000)
    expect((await fetchRaw(server, '/n1')).status).toBe(200)
  }, 120_000)

  it('is replaced by index.html, even if created later', async () => {
    const server = await start()
    expect((await fetchRaw(server, '/')).body.toString()).toContain('Index of')
    write({ 'index.html': 'home' })
    expect((await fetchRaw(server, '/')).body.toString()).toBe('home')
  })

  it('is found below a root path, through links that stay below it', async () => {
    write({ 'sub/a.txt': '' })
    const server = await start({}, { rootPath: '/api' })
    expect((await fetchRaw(server, '/api/sub/')).body.toString()).toContain('href="a.txt"')
    expect((await fetchRaw(server, '/sub/')).status).toBe(404)
    expect((await fetchRaw(server, '/api/sub?sort=size')).fields.get('location')).toBe('/api/sub/?sort=size')
  })

  it('is 404 if turned off', async () => {
    write({ 'sub/a.txt': 'a' })
    const server = await start({ allowsListings: false })
    expect((await fetchRaw(server, '/')).status).toBe(404)
    expect((await fetchRaw(server, '/sub/')).status).toBe(404)
    expect((await fetchRaw(server, '/sub/a.txt')).body.toString()).toBe('a')
  })

  it('is 405 for other methods', async () => {
    const answer = await fetchRaw(await start(), '/', [], 'DELETE')
    expect([answer.status, answer.fields.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('404.html', () => {
  it('is the complete body of every 404, whatever the preconditions and ranges', async () => {
    write({ '404.html': '<h1>lost</h1>' })
    const server = await start({ allowsListings: false })
    const direct = await fetchRaw(server, '/404.html')
    expect(direct.status).toBe(200)
    const conditions = [
      `If-None-Match: ${direct.fields.get('etag')}`,
      'If-None-Match: *',
      'If-Match: "x"',
      'Range: bytes=0-1',
    ]
    for (const target of ['/none', '/none/', '/a/b/c.js', '/']) {
      for (const condition of conditions) {
        const answer = await fetchRaw(server, target, [condition])
        expect([target, condition, answer.status, answer.body.toString()]).toEqual([
          target,
          condition,
          404,
          '<h1>lost</h1>',
        ])
        expect(answer.fields.get('content-type')).toBe('text/html; charset=utf-8')
        expect(answer.fields.has('etag')).toBe(false)
      }
    }
    const head = await fetchRaw(server, '/none', [], 'HEAD')
    expect([head.status, head.fields.get('content-length')]).toEqual([404, '13'])
  })

  it('is up to date, or a short text if missing', async () => {
    const server = await start()
    expect((await fetchRaw(server, '/none')).body.toString()).toBe('404 Not Found\n')
    write({ '404.html': 'one' })
    expect((await fetchRaw(server, '/none')).body.toString()).toBe('one')
    write({ '404.html': 'two' })
    expect((await fetchRaw(server, '/none')).body.toString()).toBe('two')
  })

  it('does not reveal a hidden file, and is not the response to a broken path', async () => {
    write({ '404.html': 'lost', '.env': 'secret' })
    const server = await start()
    const hidden = await fetchRaw(server, '/.env')
    expect([hidden.status, hidden.body.toString()]).toEqual([404, 'lost'])
    expect((await fetchRaw(server, '/%zz')).status).toBe(400)
    expect((await fetchRaw(server, '/none', [], 'POST')).status).toBe(405)
  })
})

describe('a single-page application', () => {
  it('answers navigations to missing paths, but not missing assets', async () => {
    write({ 'index.html': 'app', 'app.js': 'js', 'docs/readme.txt': 'text' })
    const server = await start({ applicationPage: ['index.html'] })
    const bodyOf = async (target: string, ...fields: string[]) => {
      const { status, body } = await fetchRaw(server, target, fields)
      return [status, body.toString()]
    }
    expect(await bodyOf('/users/17', browser)).toEqual([200, 'app'])
    expect(await bodyOf('/users/17/?tab=2', browser)).toEqual([200, 'app'])
    expect(await bodyOf('/docs/', browser)).toEqual([200, 'app'])
    expect(await bodyOf('/users/joe.doe', browser)).toEqual([200, 'app'])
    expect(await bodyOf('/missing.js', 'Accept: */*')).toEqual([404, '404 Not Found\n'])
    expect(await bodyOf('/users/17', 'Accept: */*')).toEqual([404, '404 Not Found\n'])
    expect(await bodyOf('/users/17', json)).toEqual([404, '404 Not Found\n'])
    expect(await bodyOf('/app.js', browser)).toEqual([200, 'js'])
  })

  it.each([
    ['/books/urn:isbn:0451450523', 200],
    ['/con', 200],
    ['/a.b:c', 200],
    ['/.git/HEAD', 404],
    ['/x/../y', 200],
    ['/x/../.git/HEAD', 404],
    ['/x/../../y', 400],
    ['/a%2fb', 404],
    ['//host/x', 200],
  ])('answers a route that no file can have: %s with %i', async (target, status) => {
    write({ 'index.html': 'app' })
    const server = await start({ applicationPage: ['index.html'] })
    expect((await fetchRaw(server, target, [browser])).status).toBe(status)
  })

  it('answers no route outside of the root path', async () => {
    write({ 'index.html': 'app' })
    const server = await start({ applicationPage: ['index.html'] }, { rootPath: '/app' })
    expect((await fetchRaw(server, '/app/a:b', [browser])).status).toBe(200)
    expect((await fetchRaw(server, '/other/a:b', [browser])).status).toBe(404)
    expect((await fetchRaw(server, '/other/a', [browser])).status).toBe(404)
  })

  it('revalidates its page under every path', async () => {
    write({ 'index.html': 'app' })
    const server = await start({ applicationPage: ['index.html'] }, { now: later })
    const { fields } = await fetchRaw(server, '/users', [browser])
    const again = await fetchRaw(server, '/users', [browser, `If-None-Match: ${fields.get('etag')}`])
    expect(again.status).toBe(304)
  })

  it('is 404 if its page is missing', async () => {
    const server = await start({ applicationPage: ['main.html'] })
    expect((await fetchRaw(server, '/users', [browser])).status).toBe(404)
  })

  it('says that Accept chose between it and 404, if it did', async () => {
    write({ 'index.html': '<p>app' })
    const server = await start({ applicationPage: ['index.html'] })
    const varyOf = async (target: string, ...fields: string[]) =>
      (await fetchRaw(server, target, fields)).fields.get('vary')
    expect(await varyOf('/users', browser)).toBe('Accept')
    expect(await varyOf('/users')).toBe('Accept')
    expect(await varyOf('/missing.js', browser)).toBe('Accept')
    expect(await varyOf('/.hidden', browser)).toBe('Accept')
    expect(await varyOf('/index.html', browser)).toBeUndefined()
    write({ '404.html': '<p>none' })
    expect(await varyOf('/users')).toBe('Accept')
    expect(await varyOf('/missing.js')).toBe('Accept')
  })
})

describe('response fields', () => {
  it('are on files, errors, redirects and listings, and replace defaults', async () => {
    write({ 'a.txt': 'a', 'sub/b': '' })
    const fields = ['X-One: 1', 'X-Content-Type-Options: x', 'Vary: X-Key'].map(parseExtraField)
    const server = await start({ fields })
    for (const target of ['/a.txt', '/none', '/sub', '/sub/', '/%zz']) {
      const answer = await fetchRaw(server, target)
      expect([target, answer.fields.get('x-one'), answer.fields.get('x-content-type-options')]).toEqual([
        target,
        '1',
        'x',
      ])
      expect(answer.fields.get('vary')).toMatch(/\bX-Key\b/)
    }
    const notModified = await fetchRaw(server, '/a.txt', ['If-None-Match: *'])
    expect([notModified.status, notModified.fields.get('x-one')]).toEqual([304, '1'])
    expect((await fetchRaw(server, '/sub/')).fields.get('vary')?.split(', ').toSorted()).toEqual([
      'Accept',
      'Accept-Encoding',
      'X-Key',
    ])
  })

  it('do not change the policy of a listing', async () => {
    const server = await start({ fields: [parseExtraField("Content-Security-Policy: default-src 'self'")] })
    write({ 'a.txt': '' })
    expect((await fetchRaw(server, '/')).fields.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect((await fetchRaw(server, '/a.txt')).fields.get('content-security-policy')).toBe("default-src 'self'")
  })

  it('say how long files may be cached, and only for files', async () => {
    write({ 'a.txt': 'a' })
    const server = await start({ cacheControl: () => 'max-age=60', hasHealthPath: true })
    const cacheControl = async (target: string, ...fields: string[]) =>
      (await fetchRaw(server, target, fields)).fields.get('cache-control')
    expect(await cacheControl('/a.txt')).toBe('max-age=60')
    expect(await cacheControl('/a.txt', 'If-None-Match: *')).toBe('max-age=60')
    expect(await cacheControl('/a.txt', 'Range: bytes=0-0')).toBe('max-age=60')
    expect(await cacheControl('/a.txt', 'Range: bytes=9-')).toBe('no-cache')
    expect(await cacheControl('/a.txt', 'If-Match: "x"')).toBe('no-cache')
    expect(await cacheControl('/none')).toBe('no-cache')
    expect(await cacheControl('/')).toBe('no-cache')
    expect(await cacheControl('/healthz')).toBe('no-store')
  })

  it('let pages of other origins read, and answer their preflights', async () => {
    write({ 'a.txt': 'a' })
    const server = await start({ corsOrigin: 'https://app.example', credentials: { user: 'joe', password: 'pw' } })
    const preflight = [
      'Origin: https://app.example',
      'Access-Control-Request-Method: GET',
      'Access-Control-Request-Headers: range',
    ]
    const allowed = await fetchRaw(server, '/a.txt', preflight, 'OPTIONS')
    expect(allowed.status).toBe(204)
    expect(allowed.fields.get('access-control-allow-origin')).toBe('https://app.example')
    expect(allowed.fields.get('access-control-allow-headers')).toBe('range')
    expect(allowed.body).toHaveLength(0)
    const got = await fetchRaw(server, '/a.txt', [basic('joe:pw'), 'Origin: https://app.example'])
    expect([got.status, got.fields.get('access-control-allow-origin')]).toEqual([200, 'https://app.example'])
    const refused = await fetchRaw(server, '/a.txt', ['Origin: https://app.example'])
    expect([refused.status, refused.fields.get('access-control-allow-origin')]).toEqual([401, 'https://app.example'])
  })
})

describe('a password', () => {
  it('is checked before everything except health', async () => {
    write({ 'a.txt': 'a' })
    const server = await start({ credentials: { user: 'joe', password: 's3cret' }, hasHealthPath: true })
    const unauthorized = await fetchRaw(server, '/a.txt')
    expect(unauthorized.fields.get('www-authenticate')).toBe('Basic realm="httpcli", charset="UTF-8"')
    for (const target of ['/a.txt', '/none', '/', '/../x', '/.env']) {
      const answer = await fetchRaw(server, target, [basic('joe:wrong')])
      expect([target, answer.status, answer.body.toString()]).toEqual([target, 401, '401 Unauthorized\n'])
    }
    expect((await fetchRaw(server, '/a.txt', [basic('joe:s3cret')], 'POST')).status).toBe(405)
    expect((await fetchRaw(server, '/a.txt', [], 'POST')).status).toBe(401)
    expect((await fetchRaw(server, '/a.txt', [basic('joe:s3cret')])).body.toString()).toBe('a')
    expect((await fetchRaw(server, '/healthz')).status).toBe(200)
  })

  it('is required for every request of a connection', async () => {
    write({ 'a.txt': 'a' })
    const server = await start({ credentials: { user: 'joe', password: 'pw' } })
    const client = await RawClient.connect(server.port)
    const request = (fields: string) => `GET /a.txt HTTP/1.1\r\nHost: a\r\n${fields}\r\n`
    client.send(request(`${basic('joe:pw')}\r\n`) + request('') + request(`${basic('joe:pw')}\r\n`))
    const statuses = [await client.response(), await client.response(), await client.response()]
    expect(statuses.map(({ status }) => status)).toEqual([200, 401, 200])
  })
})

describe('live reload', () => {
  it('adds its script only to pages, with matching length and tag', async () => {
    const page = '<!doctype html><p>hi</p>'
    write({ 'page.html': page, 'a.txt': 'a' })
    const server = await start({ hasLiveReload: true }, { now: later })
    const plain = await fetchRaw(server, '/page.html')
    expect(plain.body.toString()).toBe(page)
    const shown = await fetchRaw(server, '/page.html', [browser])
    expect(shown.body.toString()).toBe(`${page}\n<script src="/.httpcli/live.js" async></script>\n`)
    expect(shown.fields.get('content-length')).toBe(String(shown.body.length))
    expect(shown.fields.get('etag')).not.toBe(plain.fields.get('etag'))
    const head = await fetchRaw(server, '/page.html', [browser], 'HEAD')
    expect(head.fields.get('content-length')).toBe(String(shown.body.length))
    const again = (etag: string | undefined) => fetchRaw(server, '/page.html', [browser, `If-None-Match: ${etag}`])
    expect((await again(shown.fields.get('etag'))).status).toBe(304)
    expect((await again(plain.fields.get('etag'))).status).toBe(200)
    expect((await fetchRaw(server, '/a.txt', [browser])).body.toString()).toBe('a')
    const script = await fetchRaw(server, '/.httpcli/live.js')
    expect([script.status, script.fields.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  })

  it('ignores the precompressed file of a page that it changes', async () => {
    write({ 'page.html': 'page', 'page.html.gz': 'not really gzip' })
    const server = await start({ hasLiveReload: true })
    const shown = await fetchRaw(server, '/page.html', [browser, 'Accept-Encoding: gzip'])
    expect(shown.fields.has('content-encoding')).toBe(false)
    expect(shown.body.toString()).toMatch(/^page\n<script /)
  })

  it('reports a change to listeners, and ends with the server', async () => {
    const server = await start({ hasLiveReload: true })
    const client = await RawClient.connect(server.port)
    client.send('GET /.httpcli/live HTTP/1.1\r\nHost: a\r\n\r\n')
    const received = new Promise<string>((resolve) => {
      let text = ''
      client.socket.on('data', (bytes: Buffer) => {
        text += bytes.toString()
        if (/data: \w+-1 1\n/.test(text) && !/-2 1\n/.test(text)) write({ 'a.txt': 'new' })
        if (/data: \w+-2 1\n/.test(text)) resolve(text)
      })
    })
    expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Content-Type: text\/event-stream\r\n/)
  })

  it('leaves no trace when it is off', async () => {
    write({ 'page.html': 'page' })
    const server = await start()
    expect((await fetchRaw(server, '/page.html', [browser])).body.toString()).toBe('page')
    expect((await fetchRaw(server, '/.httpcli/live.js')).status).toBe(404)
  })
})
