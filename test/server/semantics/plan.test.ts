import { describe, expect, it } from 'vitest'
import { AllowedHosts } from '../../../src/server/semantics/allowed-hosts.ts'
import { type Plan, parseRootPath, planRequest } from '../../../src/server/semantics/plan.ts'
import { defaultVisibility } from '../../../src/server/semantics/url-path.ts'

const hosts = new AllowedHosts({ names: [], listenHost: '127.0.0.1', machineName: 'box' })

const plan = (
  method: string,
  target: string,
  rootNames: readonly string[] = [],
  fields: Readonly<Record<string, string>> = {},
): Plan =>
  planRequest(
    { method, target, get: (name) => fields[name] },
    { root: '/srv', rootNames, visibility: defaultVisibility, hosts },
  )

describe('planRequest', () => {
  it.each([
    ['GET', '*', 400],
    ['GET', 'host:80', 400],
    ['GET', '/%zz', 400],
    ['GET', '/..', 400],
    ['GET', '/a/%2e%2E/../b', 400],
    ['GET', '/%zz/../a', 400],
    ['POST', '/a', 405],
    ['POST', '/..', 405],
    ['CONNECT', 'host:80', 405],
    ['TRACE', '/', 405],
    ['get', '/', 405],
  ] as const)('refuses %s %s with %i', (method, target, status) => {
    expect(plan(method, target).refusal?.status).toBe(status)
  })

  it.each(['/', '/a', '*', '/..'])('answers OPTIONS %s without looking further', (target) => {
    expect(plan('OPTIONS', target).refusal).toMatchObject({ status: 204, fields: [['Allow', 'GET, HEAD, OPTIONS']] })
  })

  it.each([
    ['100-continue', undefined],
    ['100-Continue', undefined],
    ['200-ok', 417],
    ['100-continued', 417],
    ['100-continue, 100-Continue', undefined],
    ['', undefined],
    ['100-continue, x', 417],
  ])('treats Expect: %s as %s', (expectation, status) => {
    expect(plan('GET', '/', [], { expect: expectation }).refusal?.status).toBe(status)
  })

  it('removes the root path and keeps it for the redirect', () => {
    expect(plan('GET', '/api/v1/docs?q', ['api', 'v1'])).toMatchObject({
      refusal: undefined,
      path: { names: ['docs'], isDirectory: false },
      file: { names: ['docs'], path: '/srv/docs' },
      slashLocation: '/api/v1/docs/?q',
    })
  })

  it.each([
    ['/api/./docs', 'docs', '/api/docs/'],
    ['//api//docs?q', 'docs', '/api/docs/?q'],
    ['/x/../api/%2e/docs', 'docs', '/api/docs/'],
    ['/api/%61/..//.%2e/api/docs', 'docs', '/api/docs/'],
    ['http://evil.example//api/docs', 'docs', '/api/docs/'],
  ])('sees only the resolved path of %s', (target, name, slashLocation) => {
    expect(plan('GET', target, ['api'])).toMatchObject({ path: { names: [name], isDirectory: false }, slashLocation })
  })

  it('asks for the index of a directory', () => {
    expect(plan('GET', '/docs/')).toMatchObject({
      path: { names: ['docs'], isDirectory: true },
      file: { names: ['docs', 'index.html'], path: '/srv/docs/index.html' },
    })
  })

  it.each([
    ['/a%2fb', false],
    ['/.git/x', false],
    ['/x/../.git/x', false],
    ['/a:b', true],
    ['/a.b:c', true],
    ['/con', true],
  ])('names no file for %s; whether it may be a route is %s', (target, isRoute) => {
    expect(plan('GET', target)).toMatchObject({ refusal: undefined, path: undefined, file: undefined, isRoute })
  })

  it('reads the conditional and range fields', () => {
    expect(plan('GET', '/', [], { accept: '*/*' }).conditions).toBeUndefined()
    const fields = { range: 'bytes=0-', 'if-none-match': '*' }
    expect(Object.fromEntries(plan('GET', '/', [], fields).conditions ?? [])).toEqual(fields)
  })

  it.each(['/ap', '/apix/a', '/API/a', '/', '/x/api', '/api/..', '/api/../apix'])(
    'finds nothing at %s below the root path /api',
    (target) => {
      expect(plan('GET', target, ['api'])).toMatchObject({
        refusal: undefined,
        path: undefined,
        file: undefined,
        isRoute: false,
      })
    },
  )
})

describe('parseRootPath', () => {
  it.each([
    ['/', []],
    ['', []],
    ['/api', ['api']],
    ['api', ['api']],
    ['/api/', ['api']],
    ['/a/b/c', ['a', 'b', 'c']],
    ['/a%20b', ['a b']],
  ])('reads %j', (text, names) => {
    expect(parseRootPath(text)).toEqual(names)
  })

  it.each(['/..', '/a//b', '/a?b', '/a#b', '/%', '/a b', '/.hidden'])('refuses %j with advice', (text) => {
    expect(() => parseRootPath(text)).toThrow(expect.objectContaining({ code: 'root-path', hint: expect.any(String) }))
  })
})
