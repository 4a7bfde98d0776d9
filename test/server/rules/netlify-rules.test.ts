/** `_redirects` and `_headers` in front of a server: the examples of their documentation, and what they must not do. */
import { describe, expect, it } from 'vitest'
import { startRuled } from './ruled-server.ts'

const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`

describe('_redirects', () => {
  it('redirects with 301, or with the status of the rule', async () => {
    const { go } = await startRuled({
      _redirects: [
        '# comments and empty lines',
        '',
        '  /home        /         ',
        '/blog/my-post.php  /blog/my-post # with a comment',
        '/my-redirect /there 302',
        '/see /there 303',
        '/keep /there 307',
        '/moved /there 308',
        '/google https://www.google.com',
        '/ads /blog/my-post#ads',
      ].join('\n'),
    })
    expect(await go('/home')).toBe('301 /')
    expect(await go('/home/')).toBe('301 /')
    expect(await go('/blog/my-post.php')).toBe('301 /blog/my-post')
    expect(await go('/my-redirect')).toBe('302 /there')
    expect(await go('/see')).toBe('303 /there')
    expect(await go('/keep')).toBe('307 /there')
    expect(await go('/moved')).toBe('308 /there')
    expect(await go('/google')).toBe('301 https://www.google.com/')
    expect(await go('/ads')).toBe('301 /blog/my-post#ads')
    expect(await go('/homes')).toBe('404')
    expect(await go('/Home')).toBe('404')
  })

  it('accepts Windows line endings and a byte order mark', async () => {
    const { go } = await startRuled({ _redirects: '\ufeff/a /b\r\n/c /d 302\r\n' })
    expect([await go('/a'), await go('/c')]).toEqual(['301 /b', '302 /d'])
  })

  it('fills placeholders and the splat', async () => {
    const { go } = await startRuled({
      _redirects: [
        '/news/:year/:month/:date/:slug  /blog/:date/:month/:year/:slug',
        '/news/*  /blog/:splat',
        '/old/:name/x  /new?name=:name',
      ].join('\n'),
    })
    expect(await go('/news/2004/02/12/my-story')).toBe('301 /blog/12/02/2004/my-story')
    expect(await go('/news/2004/01/10/my/story')).toBe('301 /blog/2004/01/10/my/story')
    expect(await go('/news/')).toBe('301 /blog/')
    expect(await go('/news')).toBe('301 /blog/')
    expect(await go('/newspaper')).toBe('404')
    expect(await go('/news/caf%C3%A9%20x')).toBe('301 /blog/caf%C3%A9%20x')
    expect(await go('/old/a%26b=c/x')).toBe('301 /new?name=a%26b%3Dc')
  })

  it('compares paths after decoding', async () => {
    const { go } = await startRuled({ _redirects: '/caf%C3%A9 /a\n/thé /b\n' })
    expect(await go('/caf%c3%a9')).toBe('301 /a')
    expect(await go('/th%C3%A9')).toBe('301 /b')
  })

  it('uses query parameters as conditions and values, in any order and no others', async () => {
    const { go } = await startRuled({
      _redirects: [
        '/store id=:id  /blog/:id  301',
        '/path/* param1=:value1 param2=:value2 /otherpath/:value1/:value2/:splat 301',
        '/path/* param1=:value1 /otherpath/:value1/:splat 301',
        '/path/* /otherpath/:splat 301',
        '/ page=news /news',
        '/ _escaped_fragment_=/about /about',
        '/ q=a%20b /blank',
        '/ q=c+d%2B %C3%BC=%C3%A4 /plus',
        '/why%3F /because',
      ].join('\n'),
    })
    expect(await go('/store?id=my-blog-post')).toBe('301 /blog/my-blog-post')
    expect(await go('/store')).toBe('404')
    expect(await go('/path/x?param2=b&param1=a')).toBe('301 /otherpath/a/b/x')
    expect(await go('/path/x?param1=a')).toBe('301 /otherpath/a/x')
    expect(await go('/path/x?other=1')).toBe('301 /otherpath/x?other=1')
    expect(await go('/?page=news')).toBe('301 /news')
    expect(await go('/?_escaped_fragment_=/about')).toBe('301 /about')
    expect([await go('/?q=a%20b'), await go('/?q=a+b')]).toEqual(['301 /blank', '301 /blank'])
    expect(await go('/?%c3%bc=%c3%a4&q=c%20d%2b')).toBe('301 /plus')
    expect(await go('/why%3F')).toBe('301 /because')
    expect(await go('/?page=other')).toBe('200')
  })

  it('passes the query on, unless the destination has one', async () => {
    const { go } = await startRuled({ _redirects: '/a /b\n/c /d?x=1\n/e https://example.com/f#g' })
    expect(await go('/a?q=1&r=2')).toBe('301 /b?q=1&r=2')
    expect(await go('/c?q=1')).toBe('301 /d?x=1')
    expect(await go('/e?q=1')).toBe('301 https://example.com/f?q=1#g')
  })

  it('is overridden by a file, unless forced', async () => {
    const { go, get } = await startRuled({
      _redirects: '/a.txt /b.txt\n/c.txt /b.txt 302!\n/docs/* /b.txt 200\n/page /b.txt 200!\n/gone.txt /b.txt 404!\n',
      'a.txt': 'a',
      'b.txt': 'b',
      'c.txt': 'c',
      'docs/index.html': 'index',
      'page.html': 'page',
      'gone.txt': 'here',
    })
    expect(await go('/a.txt')).toBe('200')
    expect(await go('/c.txt')).toBe('302 /b.txt')
    expect((await get('/docs/')).body.toString()).toBe('index')
    expect((await get('/docs/x')).body.toString()).toBe('b')
    expect((await get('/page')).body.toString()).toBe('b')
    const gone = await get('/gone.txt')
    expect([gone.status, gone.body.toString()]).toEqual([404, 'b'])
  })

  it('takes precedence over the listing of a directory', async () => {
    const { go } = await startRuled({ _redirects: '/ /home\n/empty /there', 'empty/a.txt': 'a', 'home.html': 'home' })
    expect(await go('/')).toBe('301 /home')
    expect(await go('/empty/')).toBe('301 /there')
  })

  it('rewrites to a file, with all features of files', async () => {
    const { get } = await startRuled({
      _redirects: '/*  /index.html  200',
      'index.html': '<h1>App</h1>',
      'real.txt': 'real',
    })
    const page = await get('/users/17?x=1')
    expect([page.status, page.body.toString()]).toEqual([200, '<h1>App</h1>'])
    expect(page.fields.get('content-type')).toBe('text/html; charset=utf-8')
    expect((await get('/users/17', 'Range: bytes=0-3')).status).toBe(206)
    const etag = page.fields.get('etag')!
    expect((await get('/users/18', `If-None-Match: ${etag}`)).status).toBeOneOf([200, 304])
    expect((await get('/real.txt')).body.toString()).toBe('real')
  })

  it('rewrites to a page by its name without extension, and to a directory', async () => {
    const { get } = await startRuled({
      _redirects: '/ecommerce  /store-closed  404\n/pass-through /index.html 200\n/app /sub 200\n/old /closed 410',
      'store-closed.html': 'closed',
      'index.html': 'start',
      'sub/index.html': 'sub',
      'closed.html': 'gone',
    })
    const closed = await get('/ecommerce', 'If-None-Match: *')
    expect([closed.status, closed.body.toString(), closed.fields.get('etag')]).toEqual([404, 'closed', undefined])
    expect((await get('/pass-through')).body.toString()).toBe('start')
    expect((await get('/app')).body.toString()).toBe('sub')
    const gone = await get('/old')
    expect([gone.status, gone.body.toString()]).toEqual([410, 'gone'])
  })

  it('responds with the error if the page of a rule is missing', async () => {
    const { go } = await startRuled({
      _redirects: '/a /none 200\n/b /none 404\n/c /none 410\n/d /.git/config 200\n/e /_headers 200',
    })
    expect([await go('/a'), await go('/b'), await go('/c')]).toEqual(['404', '404', '410'])
    expect([await go('/d'), await go('/e')]).toEqual(['404', '404'])
  })

  it('applies to one host and scheme if the rule says so', async () => {
    const rules =
      'http://blog.example.test/* https://www.example.test/blog/:splat 301!\nhttps://blog.example.test/* /secure'
    const { go } = await startRuled({ _redirects: rules, 'a.txt': 'a' })
    const { go: goSecure } = await startRuled({ _redirects: rules, 'a.txt': 'a' }, {}, { isSecure: true })
    const { get } = await startRuled({ _redirects: rules, 'a.txt': 'a' })
    expect((await get('/a.txt')).status).toBe(200)
    expect(await go('http://blog.example.test/a.txt')).toBe('301 https://www.example.test/blog/a.txt')
    expect(await goSecure('http://blog.example.test/b.txt')).toBe('301 /secure')
  })

  it('does not redirect a path to itself', async () => {
    const { go } = await startRuled({ _redirects: '/a /a/ 301!\n/b/* /b/:splat\n/x /y', 'a/index.html': '' })
    expect([await go('/a/'), await go('/b/c'), await go('/x')]).toEqual(['200', '404', '301 /y'])
  })

  it('redirects a path to itself with another query', async () => {
    const rules = '/a old=:x /a?new=:x\n/b from=mail /b\n/c x=:y /c?x=:y\n/d /d?x=1'
    const { go } = await startRuled({ _redirects: rules })
    expect([await go('/a?old=1'), await go('/a?new=1')]).toEqual(['301 /a?new=1', '404'])
    expect([await go('/b?from=mail'), await go('/b?from=other')]).toEqual(['301 /b', '404'])
    expect([await go('/c?x=1'), await go('/d')]).toEqual(['404', '404'])
  })

  it('uses the first rule that matches', async () => {
    const { go } = await startRuled({
      _redirects: '/a/b /first\n/a/* /second\n/* /last',
    })
    expect([await go('/a/b'), await go('/a/c'), await go('/z')]).toEqual(['301 /first', '301 /second', '301 /last'])
  })

  it('keeps the root path', async () => {
    const { go } = await startRuled({ _redirects: '/a /b\n/c /d.txt 200', 'd.txt': 'd' }, { rootPath: '/docs' })
    expect([await go('/docs/a'), await go('/docs/c'), await go('/a')]).toEqual(['301 /docs/b', '200', '404'])
  })

  it('does not apply to other methods', async () => {
    const { server } = await startRuled({ _redirects: '/a /b 301!' })
    const answer = await fetch(`${server.url}/a`, { method: 'POST', redirect: 'manual' })
    expect(answer.status).toBe(405)
  })
})

describe('a redirect never leads to a host that a request chose', () => {
  it.each([
    ['/redirect/*  /:splat', '/redirect//evil.example', '301 /evil.example'],
    ['/redirect/*  /:splat', '/redirect/%2F/evil.example', '404'],
    ['/redirect/*  /:splat', '/redirect/%5Cevil.example', '404'],
    ['/redirect/*  /:splat', '/redirect/https://evil.example', '404'],
    ['/:a/*  /:splat', '/x/%09/evil.example', '301 /%09/evil.example'],
    ['/r/*  /:splat/x', '/r/', '301 /x'],
    ['/r/*  /:splat/evil.example', '/r', '301 /evil.example'],
    ['/r id=:id /:id', '/r?id=/evil.example', '301 /evil.example'],
    ['/r id=:id /:id', '/r?id=//evil.example', '301 /evil.example'],
    ['/r id=:id /:id', '/r?id=%5Cevil.example', '301 /%5Cevil.example'],
    ['/r id=:id /x/:id', '/r?id=%0d%0aSet-Cookie:a=b', '301 /x/%0D%0ASet-Cookie:a=b'],
    ['/r/* https://example.com/:splat', '/r/@evil.example', '301 https://example.com/@evil.example'],
  ])('%s for %s is %s', async (rule, target, expected) => {
    const { go } = await startRuled({ _redirects: rule })
    expect(await go(target)).toBe(expected)
  })
})

describe('_headers', () => {
  it('sets headers by path, with placeholders and asterisks', async () => {
    const { get } = await startRuled({
      _headers: [
        '# a comment',
        '/templates/index.html',
        '  # indented comment',
        '  X-Frame-Options: DENY',
        '  X-XSS-Protection: 1; mode=block',
        '/*',
        '  X-All: yes',
        '/user/:id/*',
        '  X-User: one',
        '/*.css',
        '  X-Css: yes',
        '/a/*/c',
        '  X-Middle: yes',
      ].join('\n'),
      'templates/index.html': '',
      'user/joe/a.txt': '',
      'deep/main.css': '',
      'a/b/b/c': '',
    })
    const template = (await get('/templates/index.html')).fields
    expect([template.get('x-frame-options'), template.get('x-xss-protection'), template.get('x-all')]).toEqual([
      'DENY',
      '1; mode=block',
      'yes',
    ])
    expect((await get('/user/joe/a.txt')).fields.get('x-user')).toBe('one')
    expect((await get('/deep/main.css')).fields.get('x-css')).toBe('yes')
    expect((await get('/a/b/b/c')).fields.get('x-middle')).toBe('yes')
    expect((await get('/A/B/B/C')).fields.get('x-middle')).toBe('yes')
    expect((await get('/templatesx')).fields.get('x-frame-options')).toBeUndefined()
  })

  it('joins the values of one name, and prefers later rules', async () => {
    const { get } = await startRuled({
      _headers: [
        '/*',
        '  cache-control: max-age=0',
        '  Cache-Control: no-cache',
        '  cache-control: no-store',
        '  X-One: a',
        '/b.txt',
        '  x-one: b',
      ].join('\n'),
      'a.txt': 'a',
      'b.txt': 'b',
    })
    const { fields } = await get('/a.txt')
    expect([fields.get('cache-control'), fields.get('x-one')]).toEqual(['max-age=0, no-cache, no-store', 'a'])
    expect((await get('/b.txt')).fields.get('x-one')).toBe('b')
  })

  it('applies to every kind of response, Cache-Control only to files', async () => {
    const { get } = await startRuled({
      _headers: '/*\n  X-All: yes\n  Cache-Control: max-age=60\n  Content-Type: text/x-mine',
      'a.txt': 'hello',
      'sub/b.txt': '',
    })
    const seen = async (target: string, ...fields: string[]) => {
      const answer = await get(target, ...fields)
      const [all, cache, type] = ['x-all', 'cache-control', 'content-type'].map((name) => answer.fields.get(name))
      return [answer.status, all, cache, type]
    }
    expect(await seen('/a.txt')).toEqual([200, 'yes', 'max-age=60', 'text/x-mine'])
    expect(await seen('/a.txt', 'Range: bytes=1-2')).toEqual([206, 'yes', 'max-age=60', 'text/x-mine'])
    expect(await seen('/a.txt', 'If-None-Match: *')).toEqual([304, 'yes', 'max-age=60', undefined])
    expect((await seen('/none')).slice(0, 3)).toEqual([404, 'yes', 'no-cache'])
    expect((await seen('/sub/')).slice(0, 3)).toEqual([200, 'yes', 'no-cache'])
    expect((await seen('/a.txt', 'Range: bytes=0-0,2-2'))[3]).toMatch(/^multipart\/byteranges/)
  })

  it('is overridden by headers from options', async () => {
    const { get } = await startRuled(
      { _headers: '/*\n  X-One: rule\n  X-Two: rule\n  Cache-Control: max-age=60', 'a.txt': 'a' },
      { fields: [['x-one', 'option']], cacheControl: () => 'no-store' },
    )
    const { fields } = await get('/a.txt')
    expect(['x-one', 'x-two', 'cache-control'].map((name) => fields.get(name))).toEqual(['option', 'rule', 'no-store'])
  })

  it('asks for one of the Basic-Auth passwords', async () => {
    const { go, get } = await startRuled({
      _headers: '/something/*\n  Basic-Auth: someuser:somepassword anotheruser:anotherpassword',
      'something/a.txt': 'secret',
      'other.txt': 'open',
    })
    expect(await go('/something/a.txt')).toBe('401')
    expect((await get('/something/a.txt')).fields.get('www-authenticate')).toMatch(/^Basic /)
    expect(await go('/something/a.txt', basic('someuser:somepassword'))).toBe('200')
    expect(await go('/something/a.txt', basic('anotheruser:anotherpassword'))).toBe('200')
    expect(await go('/something/a.txt', basic('someuser:anotherpassword'))).toBe('401')
    expect(await go('/other.txt')).toBe('200')
    expect((await get('/other.txt')).fields.get('basic-auth')).toBeUndefined()
  })
})

describe('a path with a password is not reached', () => {
  const files = {
    _headers: '/secret.html\n  Basic-Auth: a:b\n/admin/*\n  Basic-Auth: a:b\n/dir/index.html\n  Basic-Auth: a:b',
    _redirects: '/way/* /admin/:splat 200!\n/page /secret.html 200\n/place /dir 200',
    'secret.html': 'secret',
    'secret.html.gz': 'secret',
    'admin/x.txt': 'secret',
    'admin/deep/y.txt': 'secret',
    'dir/index.html': 'secret',
  }
  it.each([
    '/secret.html',
    '/secret',
    '/SECRET.html',
    '/s%65cret.html',
    '//secret.html',
    '/x/../secret.html',
    '/secret.html.gz',
    '/%C5%BFecret.html',
    '/admin',
    '/admin/',
    '/Admin/x.txt',
    '/admin/./deep//y.txt',
    '/admin/deep/',
    '/way/x.txt',
    '/page',
    '/place',
    '/dir/',
    '/dir/index.html',
    '/dir/index',
  ])('by %s', async (target) => {
    const { go, get } = await startRuled(files)
    expect(await go(target)).toBe('401')
    expect((await get(target)).body.toString()).not.toContain('secret')
  })
})

describe('a pattern with a password', () => {
  const files = {
    _headers: '/:language/private/*\n  Basic-Auth: a:b\n/*.pdf\n  Basic-Auth: a:b\n/4*\n  Basic-Auth: a:b',
    'index.html': 'start',
    'about.html': 'about',
    'paper.pdf': 'secret',
    'en/private/x.txt': 'secret',
    '404.html': 'secret',
  }

  it.each([
    ['/', '200'],
    ['/about', '200'],
    ['/about.html', '200'],
    ['/en', '308 /en/'],
    ['/paper', '401'],
    ['/paper.pdf', '401'],
    ['/en/private/x', '401'],
    ['/en/private/', '401'],
  ])('covers only its own paths: %s is %s', async (target, answer) => {
    const { go } = await startRuled(files)
    expect(await go(target)).toBe(answer)
  })

  it('covers pages that answer for missing paths', async () => {
    const { get } = await startRuled(files)
    const { status, body } = await get('/missing.txt')
    expect([status, body.toString()]).toEqual([404, '404 Not Found\n'])
    const application = await startRuled(files, { applicationPage: ['paper.pdf'] })
    expect(await application.go('/route', 'Accept: text/html')).toBe('401')
    expect(await application.go('/route', 'Accept: text/html', basic('a:b'))).toBe('200')
  })
})

describe('an impossible file path', () => {
  const files = {
    _headers: '/*\n  X-Frame-Options: DENY\n/users/*\n  Basic-Auth: joe:pw\n',
    _redirects: '/users/* /index.html 200\n/old/* /new/:splat 302\n/gone /no-page 404\n',
    'index.html': 'start',
    '404.html': 'not here',
  }

  it.each(['/.env', '/a%2fb', '/a%5Cb', '/a%00', '/_headers', '/a:b', '/gone'])(
    'has the headers of its rules on its error: %s',
    async (target) => {
      const { get } = await startRuled(files)
      const { status, fields } = await get(target)
      expect([status, fields.get('x-frame-options')]).toEqual([404, 'DENY'])
    },
  )

  it('has no headers of rules outside the root path', async () => {
    const { get } = await startRuled(files, { rootPath: '/app' })
    expect((await get('/app/.env')).fields.get('x-frame-options')).toBe('DENY')
    expect((await get('/.env')).fields.get('x-frame-options')).toBeUndefined()
  })

  it('may be a route of an application, which is rewritten and never redirected', async () => {
    const { get, go } = await startRuled(files)
    expect((await get('/users/a:b')).status).toBe(401)
    const { status, fields, body } = await get('/users/a:b', basic('joe:pw'))
    expect([status, fields.get('x-frame-options'), body.toString()]).toEqual([200, 'DENY', 'start'])
    expect([await go('/old/a:b'), await go('/old/.env')]).toEqual(['404', '404'])
    expect(await go('/old/a')).toBe('302 /new/a')
  })
})
