/** `serve.json` in front of a server: the examples of its documentation, and where it is read with more care. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RuledServer, startRuled } from './ruled-server.ts'

const files = {
  'index.html': 'start',
  'about.html': 'about',
  'edit-project.html': 'edit',
  'edit-project-123.html': 'edit 123',
  'object.json': '{}',
  'docs.md': 'docs',
  'docs.txt': 'docs as text',
  'pictures/one.png': 'one',
  'sub/index.html': 'sub',
  'sub/a.txt': 'a',
}

const startJson = (settings: object, more: Readonly<Record<string, string>> = {}): Promise<RuledServer> => {
  return startRuled({ 'serve.json': JSON.stringify(settings), ...files, ...more })
}

const body = async (server: RuledServer, target: string) => (await server.get(target)).body.toString()

describe('rewrites', () => {
  it('serve another file, by globs and segments', async () => {
    const server = await startJson({
      rewrites: [
        { source: 'app/**', destination: '/index.html' },
        { source: 'projects/*/edit', destination: '/edit-project.html' },
        { source: '/projects/:id/change', destination: '/edit-project-:id.html' },
        { source: 'face/:id', destination: ':id.json' },
      ],
    })
    expect(await body(server, '/app/users/17')).toBe('start')
    expect(await body(server, '/app')).toBe('start')
    expect(await body(server, '/projects/x/edit')).toBe('edit')
    expect(await body(server, '/projects/123/change')).toBe('edit 123')
    expect(await body(server, '/face/object')).toBe('{}')
    expect(await server.go('/mask/delete')).toBe('404')
  })

  it('take precedence over files without an extension, but not over files with one', async () => {
    const server = await startJson({ rewrites: [{ source: '**', destination: '/index.html' }] })
    expect(await body(server, '/about')).toBe('start')
    expect(await body(server, '/sub/')).toBe('start')
    expect(await body(server, '/sub/a.txt')).toBe('a')
    expect(await body(server, '/sub/none.txt')).toBe('start')
  })

  it('fall back to the path itself if their file is missing, and chain', async () => {
    const server = await startJson({
      rewrites: [
        { source: '/about', destination: '/none.html' },
        { source: '/a/:x', destination: '/b/:x' },
        { source: '/b/:x', destination: '/:x.html' },
      ],
    })
    expect(await body(server, '/about')).toBe('about')
    expect(await body(server, '/a/about')).toBe('about')
  })

  it('do not reach what is not served', async () => {
    const server = await startJson(
      {
        rewrites: [
          { source: '/secret', destination: '/.env' },
          { source: '/up', destination: '/../x' },
          { source: '/rules', destination: '/serve.json' },
        ],
      },
      { '.env': 'secret' },
    )
    expect([await server.go('/secret'), await server.go('/up'), await server.go('/rules')]).toEqual([
      '404',
      '404',
      '404',
    ])
  })
})

describe('redirects', () => {
  it('lead to another path or site, with 301 or their type, and keep the query', async () => {
    const server = await startJson({
      redirects: [
        { source: '/from', destination: '/to' },
        { source: '/old-pages/**', destination: '/home' },
        { source: '/old-docs/:id', destination: '/new-docs/:id' },
        { source: '/old', destination: '/new', type: 302 },
        { source: 'face/*/ideal', destination: 'testing' },
        { source: 'mask/+(mask1|mask2)/ideal', destination: 'testing' },
        { source: '/site', destination: 'https://example.com/x' },
        { source: '/v/:major(\\d+)/:rest*', destination: '/:major-:rest' },
      ],
    })
    expect(await server.go('/from?x=1')).toBe('301 /to?x=1')
    expect(await server.go('/old-pages/a/b')).toBe('301 /home')
    expect(await server.go('/old-docs/12')).toBe('301 /new-docs/12')
    expect(await server.go('/old')).toBe('302 /new')
    expect(await server.go('/OLD')).toBe('302 /new')
    expect(await server.go('/face/mask/ideal')).toBe('301 /testing')
    expect(await server.go('/mask/mask1/ideal')).toBe('301 /testing')
    expect(await server.go('/mask/mask3/ideal')).toBe('404')
    expect(await server.go('/site')).toBe('301 https://example.com/x')
    expect(await server.go('/v/12/a/b')).toBe('301 /12-a/b')
    expect(await server.go('/v/x/a')).toBe('404')
  })

  it('fill repeated and optional segments, which may be empty', async () => {
    const server = await startJson({
      redirects: [
        { source: '/old/:path*', destination: '/new/:path*' },
        { source: '/site/:path+', destination: 'https://example.com/:path+' },
        { source: '/page/:name?', destination: '/pages/:name?' },
        { source: '/lang/:code?/home', destination: '/:code?/start?x=:code' },
        { source: '/search/:word', destination: '/find/:word?in=all' },
      ],
    })
    expect(await server.go('/old/a/b%3Fc')).toBe('301 /new/a/b%3Fc')
    expect(await server.go('/old')).toBe('301 /new')
    expect(await server.go('/site/a/b')).toBe('301 https://example.com/a/b')
    expect(await server.go('/page/x?y=1')).toBe('301 /pages/x?y=1')
    expect(await server.go('/page')).toBe('301 /pages')
    expect(await server.go('/lang/de/home')).toBe('301 /de/start?x=de')
    expect(await server.go('/lang/home')).toBe('301 /start?x=')
    expect(await server.go('/search/a')).toBe('301 /find/a?in=all')
  })

  it.each(['/:path*', '/:path?'])('may be for the root: %s', async (source) => {
    const server = await startJson({ redirects: [{ source, destination: 'https://new.example/:path*' }] })
    expect(await server.go('/')).toBe('301 https://new.example/')
    expect(await server.go('/a')).toBe('301 https://new.example/a')
  })

  it('may apply to all paths except some', async () => {
    const server = await startJson({ redirects: [{ source: '!face/**', destination: 'testing' }] })
    expect(await server.go('/test/mask')).toBe('301 /testing')
    expect(await server.go('/face/mask')).toBe('404')
    expect(await server.go('/testing')).toBe('404')
  })
})

describe('cleanUrls and trailingSlash', () => {
  it('remove .html and index, and keep the query', async () => {
    const server = await startJson({ cleanUrls: true })
    expect(await server.go('/about.html?x=1')).toBe('301 /about?x=1')
    expect(await body(server, '/about')).toBe('about')
    expect(await server.go('/index')).toBe('301 /')
    expect(await server.go('/sub/index.html')).toBe('301 /sub/')
    expect(await server.go('//evil.example/index')).toBe('301 /evil.example/')
    expect(await server.go('/object.json')).toBe('200')
  })

  it('do that only for some paths', async () => {
    const server = await startJson({ cleanUrls: ['/app/**'] }, { 'app/a.html': 'a' })
    expect([await server.go('/app/a.html'), await server.go('/about.html')]).toEqual(['301 /app/a', '200'])
  })

  it('add a slash to paths without extension, before other redirects', async () => {
    const server = await startJson({
      trailingSlash: true,
      cleanUrls: true,
      redirects: [{ source: 'face/**', destination: 'testing' }],
    })
    expect(await server.go('/face/mask')).toBe('301 /face/mask/')
    expect(await server.go('/about')).toBe('301 /about/')
    expect(await server.go('/about.html')).toBe('301 /about/')
    expect(await body(server, '/about/')).toBe('about')
    expect(await body(server, '/sub/')).toBe('sub')
    expect(await server.go('/docs.md')).toBe('200')
  })

  it.each<[target: string, settings: object, content: string]>([
    ['/about/', { cleanUrls: true }, 'about'],
    ['/about/', { cleanUrls: ['/other/**'] }, '404'],
    ['/blog/', { cleanUrls: true }, 'the blog'],
    ['/blog/', { trailingSlash: true }, 'the blog'],
    ['/pictures/', { trailingSlash: true, directoryListing: false }, '404'],
    ['/pictures/', { trailingSlash: true, renderSingle: true }, 'one'],
    ['/docs.txt/', { trailingSlash: true }, 'docs as text'],
    ['/x/a.b/', { trailingSlash: true, rewrites: [{ source: '/x/**', destination: '/about.html' }] }, 'about'],
  ])('serve %s with %j', async (target, settings, content) => {
    const more = { 'blog.html': 'the blog', 'blog/a.html': '', 'blog/b.html': '', 'pictures.zip': 'archive' }
    const server = await startJson(settings, more)
    expect(await body(server, target)).toMatch(content)
  })

  it('remove it, except from directories', async () => {
    const server = await startJson({
      trailingSlash: false,
      redirects: [{ source: 'face/**', destination: 'testing' }],
    })
    expect(await server.go('/face/mask/')).toBe('301 /face/mask')
    expect(await server.go('/about/?x=1')).toBe('301 /about?x=1')
    expect(await body(server, '/sub/')).toBe('sub')
  })
})

describe('headers', () => {
  it('apply to files, for any requested path', async () => {
    const server = await startJson(
      {
        headers: [
          { source: '**/*.@(jpg|jpeg|gif|png)', headers: [{ key: 'Cache-Control', value: 'max-age=7200' }] },
          { source: '404.html', headers: [{ key: 'X-Page', value: '404' }] },
          { source: 'about.html', headers: [{ key: 'X-Page', value: 'about' }] },
          { source: '*.md', headers: [{ key: 'X-Md', value: 'yes' }] },
          { source: '**', headers: [{ key: 'X-All', value: 'yes' }] },
          { source: 'docs.txt', headers: [{ key: 'x-all', value: null }] },
        ],
      },
      { '404.html': 'not here' },
    )
    const field = async (target: string, name: string) => (await server.get(target)).fields.get(name)
    expect(await field('/pictures/one.png', 'cache-control')).toBe('max-age=7200')
    expect(await field('/about', 'x-page')).toBe('about')
    expect(await field('/docs.md', 'x-md')).toBe('yes')
    expect(await field('/none', 'x-all')).toBe('yes')
    expect(await field('/docs.txt', 'x-all')).toBeUndefined()
  })
})

describe('listings', () => {
  it('may be for some directories, and omit unlisted files', async () => {
    const server = await startJson(
      { directoryListing: ['/assets/**', '/pictures'], unlisted: ['.DS_Store', '*.tmp'] },
      { 'pictures/x.tmp': '', 'other/a.txt': '' },
    )
    const listing = await body(server, '/pictures/')
    expect(listing).toContain('one.png')
    expect(listing).not.toContain('x.tmp')
    expect(await server.go('/other/')).toBe('404')
  })

  it('are off if directoryListing is false', async () => {
    const server = await startJson({ directoryListing: false })
    expect(await server.go('/pictures/')).toBe('404')
  })

  it('are the only file of a directory with renderSingle', async () => {
    const server = await startJson({ renderSingle: true }, { 'two/a.txt': 'a', 'two/b.txt': 'b' })
    expect(await body(server, '/pictures/')).toBe('one')
    expect(await body(server, '/two/')).toContain('b.txt')
  })

  it('leave it to the listing to report a directory that cannot be read, also with renderSingle', async () => {
    const { rules, root } = await startJson({ renderSingle: true })
    const request = { method: 'GET', target: '/gone/', get: () => undefined }
    const gone = { path: join(root, 'gone'), root, names: ['gone'] }
    expect(rules.current?.missing(request, { names: ['gone'], isDirectory: true }, gone)).toBeUndefined()
  })
})

describe('the settings of the server', () => {
  it('include another directory below, and content-based entity tags', async () => {
    const server = await startJson(
      { public: './_site', etag: true },
      { '_site/a.txt': 'hello', '_site/serve.json': '{}' },
    )
    expect(await body(server, '/a.txt')).toBe('hello')
    expect(await server.go('/about')).toBe('404')
    expect(server.rules.hasContentTags).toBe(true)
  })

  it.each(['..', '/etc', 'sub/../../x', 'link'])('never open a directory outside: %s', async (place) => {
    const error = await startRuled({ 'serve.json': '{}' }).then(async ({ root }) => {
      symlinkSync('/etc', join(root, 'link'))
      const { writeFileSync } = await import('node:fs')
      writeFileSync(join(root, 'serve.json'), JSON.stringify({ public: place }))
      const { RulesFiles } = await import('../../../src/server/index.ts')
      return RulesFiles.open({
        files: undefined,
        directory: root,
        rootPath: undefined,
        site: {
          visibility: { allowsDotfiles: false, allowsOutsideSymlinks: false },
          isSecure: false,
          optionFields: new Set(),
          isPasswordRequired: false,
        },
      }).catch((failure: unknown) => failure)
    })
    expect(error).toMatchObject({ code: 'rules-public' })
  })

  it('rewrite a path that no file can have, which may be a route of an application', async () => {
    const { get } = await startRuled({
      'serve.json': JSON.stringify({ rewrites: [{ source: '**', destination: '/index.html' }] }),
      'index.html': 'start',
    })
    expect((await get('/users/a:b')).body.toString()).toBe('start')
    expect((await get('/users/a.b:c')).body.toString()).toBe('start')
    expect((await get('/.env')).status).toBe(404)
  })
})
