import { describe, expect, it } from 'vitest'
import { createFallbackPages, parseApplicationPage } from '../../../src/server/features/fallback-pages.ts'
import { requestFor } from '../server-request.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const application = { names: ['index.html'], status: 200, isNegotiated: true }
const notFound = { names: ['404.html'], status: 404, isNegotiated: false }

function substituteFor(path: string, accept: string | undefined, applicationPage?: readonly string[]) {
  const request = requestFor(path, accept === undefined ? {} : { accept })
  return createFallbackPages({ applicationPage })(request, !path.startsWith('/.'))
}

describe('the response for a path that does not exist', () => {
  it.each(['/users', '/users/', '/users/17', '/', '/users/joe.doe', '/app.js'])(
    'is the page of the application if a browser opens %s',
    (path) => {
      expect(substituteFor(path, browser, ['index.html'])).toEqual(application)
    },
  )

  it.each([
    ['a hidden name', '/.git/HEAD', browser],
    ['a hidden name that is fetched', '/.git/HEAD', '*/*'],
  ])('is 404.html for %s, for any Accept', (_, path, accept) => {
    expect(substituteFor(path, accept, ['index.html'])).toEqual(notFound)
  })

  it.each([
    ['a script that fetches', '/api/users', '*/*'],
    ['a script that is missing', '/app.js', '*/*'],
    ['a picture that is missing', '/img/a.png', 'image/avif,image/webp,*/*;q=0.8'],
    ['a script that fetches JSON', '/api/users', 'application/json'],
    ['a tool that says nothing', '/users', undefined],
    ['a client that does not want HTML', '/users', 'text/html;q=0, */*'],
    ['a client that takes any text', '/users', 'text/*'],
  ])('is 404.html for %s, which could have received the application', (_, path, accept) => {
    expect(substituteFor(path, accept, ['index.html'])).toEqual({ ...notFound, isNegotiated: true })
  })

  it('is 404.html for every client without an application', () => {
    expect(substituteFor('/users', browser)).toEqual(notFound)
    expect(substituteFor('/users', undefined)).toEqual(notFound)
  })

  it('may be another page of the application', () => {
    expect(substituteFor('/x', browser, parseApplicationPage('app/main.html'))).toEqual({
      names: ['app', 'main.html'],
      status: 200,
      isNegotiated: true,
    })
  })
})

describe('the page of an application', () => {
  it.each([
    ['index.html', ['index.html']],
    ['/index.html', ['index.html']],
    ['a b/100%.html', ['a b', '100%.html']],
  ])('%s is a path below the directory', (text, names) => {
    expect(parseApplicationPage(text)).toEqual(names)
  })

  it.each(['', '/', 'app/', '../x.html', 'a/../b.html', '.hidden', 'a//b', 'c:\\x'])('%j is invalid', (text) => {
    expect(() => parseApplicationPage(text)).toThrow(expect.objectContaining({ code: 'application-page' }))
  })
})
