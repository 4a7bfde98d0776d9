/** Error pages: who gets them, what they say, and what they never reveal. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { createErrorPages } from '../../../src/server/listing/error-page.ts'
import { textAnswer } from '../../../src/server/semantics/answer.ts'
import { hostileNames } from '../../helpers/hostile-names.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw } from '../raw-client.ts'
import { startRuled } from '../rules/ruled-server.ts'

const browser = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const suggestions = (html: string) => [...html.matchAll(/<li><a href="([^"]*)"/g)].map(([, href]) => href)

describe('an error', () => {
  it('is a page for browsers, and a line of text for other clients', async () => {
    const { get } = await startRuled({ 'a.txt': 'a' })
    const page = await get('/none/x', browser)
    expect([page.status, page.fields.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.fields.get('vary')).toBe('Accept')
    expect(page.fields.get('cache-control')).toBe('no-cache')
    expect(Number(page.fields.get('content-length'))).toBe(page.body.length)
    expect(page.body.toString()).toContain('<h1>404 Not Found</h1>')
    for (const accept of [[], ['Accept: */*'], ['Accept: application/json'], ['Accept: text/plain, text/html;q=0.5']]) {
      const text = await get('/none/x', ...accept)
      expect([text.fields.get('content-type'), text.fields.get('vary'), text.body.toString()]).toEqual([
        'text/plain; charset=utf-8',
        'Accept',
        '404 Not Found\n',
      ])
    }
  })

  it('is a page without names if the directory cannot be read', async () => {
    const root = temporaryDirectory()
    mkdirSync(join(root, 'a'))
    const current = {
      authenticate: () => undefined,
      before: () => {
        rmSync(join(root, 'a'), { recursive: true })
        return undefined
      },
      missing: () => undefined,
      fields: () => [],
      allowsListing: () => true,
      isListed: () => true,
    }
    const visibility = { allowsDotfiles: false, allowsOutsideSymlinks: false }
    const site = { root, visibility, prefix: '', allowsListings: true, scriptPath: undefined }
    const errorPage = createErrorPages({ ...site, rules: { current } })
    const request = { method: 'GET', target: '/a/x', get: () => 'text/html' }
    const page = await errorPage(textAnswer(404), request, { names: ['a', 'x'], isDirectory: false })
    expect([page.status, String(page.body)]).toEqual([404, expect.stringContaining('<h1>404 Not Found</h1>')])
  })

  it('has the same fields for HEAD, and no body', async () => {
    const { server } = await startRuled({})
    const [get, head] = [await fetchRaw(server, '/x', [browser]), await fetchRaw(server, '/x', [browser], 'HEAD')]
    expect(head.fields.get('content-length')).toBe(get.fields.get('content-length'))
    expect(head.body.length).toBe(0)
  })

  it('states the problem, for every error', async () => {
    const { server } = await startRuled({ 'a.txt': 'a' }, { credentials: { user: 'a', password: 'b' } })
    const page = async (target: string, method: string, ...fields: string[]) => {
      const answer = await fetchRaw(server, target, [browser, ...fields], method)
      return [answer.status, /<h1>(.*)<\/h1>/.exec(answer.body.toString())?.[1], answer.fields.get('allow')]
    }
    const basic = `Authorization: Basic ${Buffer.from('a:b').toString('base64')}`
    expect(await page('/a.txt', 'GET')).toEqual([401, '401 Unauthorized', undefined])
    expect(await page('/a/../../x', 'GET', basic)).toEqual([400, '400 Bad Request', undefined])
    expect(await page('/a.txt', 'DELETE', basic)).toEqual([405, '405 Method Not Allowed', 'GET, HEAD, OPTIONS'])
    expect(await page('/a.txt', 'GET', basic, 'Range: bytes=9-')).toEqual([416, '416 Range Not Satisfiable', undefined])
    expect(await page('/a.txt', 'GET', basic, 'If-Match: "x"')).toEqual([412, '412 Precondition Failed', undefined])
  })

  it('shows the path with links to its parents, relative to the address', async () => {
    const { get } = await startRuled({})
    const html = (await get('/a%20b/c//d/', browser)).body.toString()
    expect(html).toContain('<a href="../../../../" aria-label="Root">/</a>')
    expect(html).toContain('<a href="../../../../a%20b/"><bdi>a b</bdi>/</a>')
    expect(html).toContain('<span aria-current="page"><bdi>d</bdi>/</span>')
    const { get: getBelow } = await startRuled({}, { rootPath: '/docs/v1' })
    expect((await getBelow('/docs/v1/x', browser)).body.toString()).toContain(
      '<a href="../../docs/v1/" aria-label="Root">',
    )
    expect((await getBelow('/other', browser)).body.toString()).toContain('<bdi>/other</bdi>')
  })

  it('escapes any requested path', async () => {
    const { get } = await startRuled(Object.fromEntries(hostileNames.map((name) => [`${name}`, ''])))
    for (const name of [...hostileNames, '<script>alert(1)</script>', '"\'><img src=x onerror=1>']) {
      const target = `/${encodeURIComponent(`${name}~`)}`
      const html = (await get(target, browser)).body.toString()
      expect(html).not.toMatch(/<(?:script|img|b)\b/)
      expect(html).not.toMatch(/[\u202e\u0000-\u0009\u000b-\u001f]/)
      parse(html, { onParseError: ({ code }) => expect(code).toBe(''), sourceCodeLocationInfo: false })
    }
    const raw = (await get('/a/../../<script>x</script>', browser)).body.toString()
    expect(raw).not.toContain('<script')
  })

  it('is replaced by 404.html', async () => {
    const { get } = await startRuled({ '404.html': 'mine' })
    expect((await get('/x', browser)).body.toString()).toBe('mine')
  })
})

describe('the suggestions for a path that is not found', () => {
  const files = {
    'docs/introduction.html': '',
    'docs/install.md': '',
    'docs/notes.txt': '',
    'docs/.secret.html': '',
    'docs/sub/x.txt': '',
    'shop/index.html': '',
    'shop/prices.html': '',
  }

  it('come from the deepest existing directory', async () => {
    const { get } = await startRuled(files)
    const of = async (target: string) => suggestions((await get(target, browser)).body.toString())
    expect(await of('/docs/introdution.html')).toEqual(['../docs/introduction.html'])
    expect(await of('/docs/notes.md')).toEqual(['../docs/notes.txt'])
    expect(await of('/dosc/notes.txt')).toEqual(['../docs/'])
    expect(await of('/docs/sbu/')).toEqual(['../../docs/sub/'])
    expect(await of('/docs/zzzzzzz')).toEqual([])
    expect(await of(`/docs/${'n'.repeat(5_000)}`)).toEqual([])
  })

  it('are never hidden ones, nor those of a directory that is not listed', async () => {
    const of = async (target: string, settings = {}, more = {}, ...fields: string[]) => {
      const { get } = await startRuled({ ...files, ...more }, settings)
      return suggestions((await get(target, browser, ...fields)).body.toString())
    }
    expect(await of('/docs/secret.html')).toEqual([])
    expect(await of('/shop/price.html')).toEqual([])
    expect(await of('/docs/note.txt', { allowsListings: false })).toEqual([])
    expect(await of('/docs/note.txt', { applicationPage: ['app.html'] })).toEqual([])
    expect(await of('/docs/note.txt', {}, { _headers: '/docs\n  Basic-Auth: a:b' })).toEqual([])
    expect(await of('/docs/note.txt', {}, { _redirects: '/docs/ /shop/ 301' })).toEqual([])
    expect(await of('/docs/note.txt', {}, { 'serve.json': '{"unlisted": ["notes.*"]}' })).toEqual([])
    expect(await of('/docs/note.txt', {}, { 'serve.json': '{"directoryListing": ["/shop"]}' })).toEqual([])
    expect(await of('/_header', {}, { _headers: '/x\n  X-A: b' })).toEqual([])
    expect(await of('/docs/note.txt')).toEqual(['../docs/notes.txt'])
  })
})
