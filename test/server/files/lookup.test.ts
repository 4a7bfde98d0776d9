import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RunningServer } from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw, startServer } from '../raw-client.ts'

/** Puts files (path to content) into a directory. */
function plant(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

let parent: string
let root: string

beforeEach(() => {
  parent = temporaryDirectory()
  root = join(parent, 'root')
  mkdirSync(root)
})

const serve = (rootPath?: string): Promise<RunningServer> =>
  startServer({ directory: root, ...(rootPath === undefined ? {} : { rootPath }) })

const get = async (server: RunningServer, target: string, accept?: string) => {
  const response = await fetchRaw(server, target, accept === undefined ? [] : [`Accept: ${accept}`])
  return { ...response, text: response.body.toString() }
}

describe('an exact file', () => {
  it.each([
    ['/a.txt', 'a.txt'],
    ['/a.txt?v=1', 'a.txt'],
    ['/deep/er/b.txt', 'deep/er/b.txt'],
    ['/with%20blank.txt', 'with blank.txt'],
    ['/%E2%82%AC%F0%9F%98%80.txt', '€😀.txt'],
    ['/plus+and%26.txt', 'plus+and&.txt'],
    ['/%2B%3F%23%25.txt', '+?#%.txt'],
    ['/%252e.txt', '%2e.txt'],
    ['/pages/[id].js', 'pages/[id].js'],
    ['/a|b^c.txt', 'a|b^c.txt'],
    ['/__proto__', '__proto__'],
    ['/.well-known/x.txt', '.well-known/x.txt'],
  ])('is found at %s', async (target, path) => {
    plant(root, { [path]: `content of ${path}` })
    const response = await get(await serve(), target)
    expect(response.status).toBe(200)
    expect(response.text).toBe(`content of ${path}`)
    expect(response.fields.has('vary')).toBe(false)
  })

  it('takes precedence over variants of its name', async () => {
    plant(root, { a: 'exact', 'a.html': 'variant' })
    expect((await get(await serve(), '/a', 'text/html')).text).toBe('exact')
  })

  it.each(['/a.txt/', '/a.txt/b', '/a.txt/..', '/A.txt/', '/none.txt', '/none/', '/none/a.txt'])(
    'is not found at %s',
    async (target) => {
      plant(root, { 'a.txt': 'a' })
      expect((await get(await serve(), target)).status).toBe(404)
    },
  )

  it('is not found when the name is longer than the file system allows', async () => {
    expect((await get(await serve(), `/${'a'.repeat(300)}`)).status).toBe(404)
  })

  it('is up to date after it was replaced, rewritten and deleted', async () => {
    plant(root, { 'a.txt': 'one', 'b.txt': 'two' })
    const server = await serve()
    expect((await get(server, '/a.txt')).text).toBe('one')
    renameSync(join(root, 'b.txt'), join(root, 'a.txt'))
    expect((await get(server, '/a.txt')).text).toBe('two')
    writeFileSync(join(root, 'a.txt'), 'six')
    expect((await get(server, '/a.txt')).text).toBe('six')
    rmSync(join(root, 'a.txt'))
    expect((await get(server, '/a.txt')).status).toBe(404)
  })
})

describe('a name without its extension', () => {
  const variants = { 'page.html': 'html', 'page.json': 'json', 'page.txt': 'text' }

  it.each([
    [undefined, 'html'],
    ['application/json', 'json'],
    ['text/plain, text/html', 'text'],
    ['text/*;q=0.5, application/json;q=0.4', 'html'],
    ['text/html;q=0, text/*', 'text'],
    ['image/png', 'html'],
  ])('is chosen by Accept: %s', async (accept, text) => {
    plant(root, variants)
    const response = await get(await serve(), '/page', accept)
    expect(response.status).toBe(200)
    expect(response.text).toBe(text)
    expect(response.fields.get('vary')).toBe('Accept')
  })

  it('has Vary even if there is only one variant, and in a 304', async () => {
    plant(root, { 'page.html': 'html' })
    const old = new Date(1_700_000_000_000)
    utimesSync(join(root, 'page.html'), old, old)
    const server = await serve()
    const response = await get(server, '/page')
    expect(response.fields.get('vary')).toBe('Accept')
    const second = await fetchRaw(server, '/page', ['If-None-Match: *'])
    expect(second.status).toBe(304)
    expect(second.fields.get('vary')).toBe('Accept')
  })

  it('is chosen by the types of the mapping file, too', async () => {
    plant(root, { 'a.html': 'html', 'a.odd': 'odd' })
    const server = await startServer({ directory: root, mediaTypes: new Map([['odd', 'application/x-odd']]) })
    expect((await get(server, '/a', 'application/x-odd')).text).toBe('odd')
  })

  it.each([
    ['archive', 'archive.tar.gz', 200],
    ['jquery', 'jquery.min.js', 404],
    ['jquery.min', 'jquery.min.js', 200],
    ['dot', 'dot.', 404],
    ['page', 'page2.html', 404],
    ['page', 'Page.html', 404],
    ['strange', 'strange.a:b', 404],
  ])('/%s with the file %s: %i', async (name, file, status) => {
    plant(root, { [file]: 'x' })
    expect((await get(await serve(), `/${name}`)).status).toBe(status)
  })

  it('skips a directory, a dangling link and a link that leads outside', async () => {
    plant(parent, { 'secret.txt': 'secret' })
    plant(root, { 'page.txt': 'text' })
    mkdirSync(join(root, 'page.a'))
    symlinkSync('nowhere', join(root, 'page.b'))
    symlinkSync('../secret.txt', join(root, 'page.c'))
    expect((await get(await serve(), '/page')).text).toBe('text')
  })

  it('notices variants that are added and removed', async () => {
    plant(root, { 'page.txt': 'text' })
    const server = await serve()
    expect((await get(server, '/page')).text).toBe('text')
    plant(root, { 'page.html': 'html' })
    expect((await get(server, '/page')).text).toBe('html')
    rmSync(join(root, 'page.html'))
    expect((await get(server, '/page')).text).toBe('text')
    rmSync(join(root, 'page.txt'))
    expect((await get(server, '/page')).status).toBe(404)
  })

  it('takes precedence over a directory of the same name', async () => {
    plant(root, { 'docs.html': 'page', 'docs/index.html': 'index' })
    const server = await serve()
    expect((await get(server, '/docs')).text).toBe('page')
    expect((await get(server, '/docs/')).text).toBe('index')
  })
})

describe('a directory', () => {
  it.each([
    [undefined, '/docs', '/docs/'],
    [undefined, '/docs?a=b&c', '/docs/?a=b&c'],
    [undefined, '/docs?', '/docs/?'],
    [undefined, '/a%20b', '/a%20b/'],
    [undefined, 'http://other.example/docs?x', '/docs/?x'],
    ['/api', '/api/docs?x', '/api/docs/?x'],
    ['/api', '/api?x', '/api/?x'],
    [undefined, '//docs', '/docs/'],
    [undefined, '//evil.example/%2e%2e/docs?x', '/docs/?x'],
    ['/api', '//api/./docs', '/api/docs/'],
  ])('with root path %s redirects %s to %s', async (rootPath, target, location) => {
    plant(root, { 'docs/index.html': 'index', 'a b/index.html': 'index', 'index.html': 'root' })
    const response = await get(await serve(rootPath), target)
    expect(response.status).toBe(308)
    expect(response.fields.get('location')).toBe(location)
  })

  it.each(['/%2f/docs', '//evil.example/docs', '//evil.example/%2e%2e', '/\\evil.example', '//'])(
    'never redirects %s to another host',
    async (target) => {
      plant(root, { 'docs/index.html': 'index' })
      const response = await get(await serve(), target)
      expect(response.status === 404 || response.status === 400).toBe(true)
      expect(response.fields.has('location')).toBe(false)
    },
  )

  it('serves its index.html', async () => {
    plant(root, { 'index.html': 'root', 'docs/index.html': 'docs' })
    const server = await serve()
    const response = await get(server, '/')
    expect(response.text).toBe('root')
    expect(response.fields.get('content-type')).toBe('text/html; charset=utf-8')
    expect((await get(server, '/docs/')).text).toBe('docs')
  })

  it.each(['no index.html', 'a directory called index.html'])('is not found with %s', async (kind) => {
    mkdirSync(join(root, 'docs', kind === 'no index.html' ? '' : 'index.html'), { recursive: true })
    expect((await get(await serve(), '/docs/')).status).toBe(404)
  })
})

describe('the root path', () => {
  it.each([
    ['/api', '/api/a.txt', 200],
    ['api/', '/api/a.txt', 200],
    ['/api/v1', '/api/v1/a.txt', 200],
    ['/api', '/%61pi/a.txt', 200],
    ['/a%20b', '/a%20b/a.txt', 200],
    ['/', '/a.txt', 200],
    ['/api', '/apix/a.txt', 404],
    ['/api', '/a.txt', 404],
    ['/api', '/', 404],
    ['/api', '/api/../a.txt', 404],
    ['/api/v1', '/api/a.txt', 404],
  ])('%s: %s is %i', async (rootPath, target, status) => {
    plant(root, { 'a.txt': 'a' })
    expect((await get(await serve(rootPath), target)).status).toBe(status)
  })

  it.each(['/../x', '/a//b', '/a?b', '/%zz', '/a b'])('%s is refused', async (rootPath) => {
    await expect(serve(rootPath)).rejects.toMatchObject({ code: 'root-path' })
  })

  it('is part of the printed address', async () => {
    expect((await serve('/api/')).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/)
  })
})

describe('anything outside or hidden', () => {
  beforeEach(() => {
    plant(parent, { 'secret.txt': 'secret', 'root2/secret.txt': 'secret', 'outside/secret.txt': 'secret' })
    plant(root, { 'a.txt': 'inside', 'sub/b.txt': 'inside', '.env': 'secret', '.git/config': 'secret' })
  })

  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/..%2Fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/.%2e/secret.txt',
    '/%2e./secret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/....//secret.txt',
    '/....%2f%2fsecret.txt',
    '/%252e%252e/secret.txt',
    '/%252e%252e%252fsecret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/..%c0%afsecret.txt',
    '/..%ef%bc%8fsecret.txt',
    '/..;/secret.txt',
    '/sub/../../secret.txt',
    '/sub/..%2f..%2fsecret.txt',
    '/sub/%2e%2e/%2e%2e/secret.txt',
    '/../root2/secret.txt',
    '/..%00/secret.txt',
    '/a.txt%00',
    '/a.txt%00.html',
    '/%2fetc/passwd',
    '//etc/passwd',
    '/etc/passwd',
    'http://127.0.0.1/../secret.txt',
    'http://127.0.0.1/%2e%2e/secret.txt',
    'file:///etc/passwd',
    '/.env',
    '/%2eenv',
    '/.git/config',
    '/.git/',
    '/.git',
    '/sub/../.env',
    '/./.env',
    '/a.txt.',
    '/a.txt::$DATA',
    '/C:/windows/win.ini',
    '/con',
  ])('%s is not answered', async (target) => {
    const response = await get(await serve(), target)
    expect([400, 404]).toContain(response.status)
    expect(response.text).not.toContain('secret')
    expect(response.text).not.toContain('root:')
    expect(response.text).not.toContain(parent)
  })

  it.each([
    ['a link to a file outside', 'link', '../secret.txt', '/link'],
    ['an absolute link to a file outside', 'link', '/etc/passwd', '/link'],
    ['a link to a directory outside', 'link', '../outside', '/link/secret.txt'],
    ['a link to the parent', 'link', '..', '/link/secret.txt'],
    ['a link to a sibling that begins with the same name', 'link', '../root2', '/link/secret.txt'],
    ['a link to a hidden file', 'link', '.env', '/link'],
    ['a link to a hidden directory', 'link', '.git', '/link/config'],
    ['a link to itself', 'link', 'link', '/link'],
    ['a dangling link', 'link', 'nowhere', '/link'],
    ['a device', 'link', '/dev/zero', '/link'],
  ])('%s is not found', async (_, name, linked, target) => {
    symlinkSync(linked, join(root, name))
    expect((await get(await serve(), target)).status).toBe(404)
  })

  it('is not redirected to or searched for an index, if it is a directory', async () => {
    plant(parent, { 'outside/index.html': 'secret' })
    symlinkSync('../outside', join(root, 'link'))
    const server = await serve()
    expect((await get(server, '/link')).status).toBe(404)
    expect((await get(server, '/link/')).status).toBe(404)
    expect((await get(server, '/link/secret')).status).toBe(404)
  })

  it('links that stay inside are followed', async () => {
    symlinkSync('sub', join(root, 'linked'))
    symlinkSync('a.txt', join(root, 'linked.txt'))
    const server = await serve()
    expect((await get(server, '/linked/b.txt')).text).toBe('inside')
    expect((await get(server, '/linked.txt')).text).toBe('inside')
  })

  it('a root that is a link is served, even after it was replaced', async () => {
    symlinkSync('outside', join(parent, 'current'))
    const server = await startServer({ directory: join(parent, 'current') })
    expect((await get(server, '/secret.txt')).text).toBe('secret')
    plant(parent, { 'release2/secret.txt': 'second' })
    symlinkSync('release2', join(parent, 'next'))
    renameSync(join(parent, 'next'), join(parent, 'current'))
    expect((await get(server, '/secret.txt')).text).toBe('second')
  })

  it('a FIFO and a socket are not found and block nothing', async () => {
    execFileSync('mkfifo', [join(root, 'fifo'), join(root, 'variant.fifo')])
    const local = createServer()
    await new Promise<void>((resolve) => local.listen(join(root, 'socket'), resolve))
    onTestFinished(() => {
      local.close()
    })
    const server = await serve()
    for (const target of ['/fifo', '/fifo', '/fifo', '/fifo', '/fifo', '/variant', '/socket']) {
      expect((await get(server, target)).status).toBe(404)
    }
    expect((await get(server, '/a.txt')).text).toBe('inside')
  })
})
