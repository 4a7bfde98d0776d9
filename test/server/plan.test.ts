import { describe, expect, it } from 'vitest'
import { parseRootPath, planRequest } from '../../src/server/plan.ts'

const plan = (method: string, target: string, rootNames: readonly string[] = []) =>
  planRequest({ method, target }, rootNames)

describe('planRequest', () => {
  it.each([
    ['GET', '*', 400],
    ['GET', 'host:80', 400],
    ['GET', '/%zz', 400],
    ['GET', '/..', 404],
    ['POST', '/a', 405],
    ['POST', '/..', 405],
    ['CONNECT', 'host:80', 405],
    ['TRACE', '/', 405],
    ['get', '/', 405],
  ] as const)('refuses %s %s with %i', (method, target, status) => {
    expect(plan(method, target)).toEqual({ type: 'refused', status })
  })

  it.each(['/', '/a', '*', '/..'])('answers OPTIONS %s without looking further', (target) => {
    expect(plan('OPTIONS', target)).toEqual({ type: 'options' })
  })

  it('takes the root path away and keeps it for the redirect', () => {
    expect(plan('GET', '/api/v1/docs?q', ['api', 'v1'])).toEqual({
      type: 'file',
      path: { names: ['docs'], isDirectory: false },
      slashLocation: '/api/v1/docs/?q',
    })
  })

  it.each(['/ap', '/apix/a', '/API/a', '/', '/x/api'])('finds nothing at %s below the root path /api', (target) => {
    expect(plan('GET', target, ['api'])).toEqual({ type: 'refused', status: 404 })
  })
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

  it.each(['/..', '/a//b', '/a?b', '/a#b', '/%', '/a b', '/.hidden'])('refuses %j with what to do', (text) => {
    expect(() => parseRootPath(text)).toThrow(expect.objectContaining({ code: 'root-path', hint: expect.any(String) }))
  })
})
