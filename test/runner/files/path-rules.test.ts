/** Paths judged by their text: what names no file, what is inside, what nothing is written to. */
import { describe, expect, it } from 'vitest'
import { isInside, pathProblem, protectedKind } from '../../../src/runner/files/path-rules.ts'

describe('a path', () => {
  it.each([
    ['posix', '/srv/a.json', false],
    ['posix', '/srv/con', false],
    ['posix', '/srv/a:b', false],
    ['posix', '\\\\host\\share', false],
    ['posix', '/srv/a\0.json', true],
    ['windows', 'C:\\srv\\a.json', false],
    ['windows', 'C:/srv/a.json', false],
    ['windows', '\\\\host\\share\\a.json', true],
    ['windows', '//host/share/a.json', true],
    ['windows', '\\/host/share', true],
    ['windows', '\\\\?\\C:\\a.json', true],
    ['windows', '\\\\.\\pipe\\x', true],
    ['windows', 'C:\\srv\\C:a.json', true],
    ['windows', 'C:a.json', true],
    ['windows', 'C:\\srv\\a.json:stream', true],
    ['windows', 'C:\\srv\\a.json::$DATA', true],
    ['windows', 'C:\\srv\\.git::$INDEX_ALLOCATION\\config', true],
    ['windows', 'C:\\srv\\file:\\\\x', true],
    ['windows', 'C:\\srv\\nul', true],
    ['windows', 'C:\\srv\\CON.txt', true],
    ['windows', 'C:\\srv\\lpt1 .txt', true],
    ['windows', 'C:\\com1\\x', true],
    ['windows', 'C:\\srv\\console', false],
    ['windows', 'C:\\srv\\a\0', true],
  ] as const)('on %s, %j: refused %j', (platform, path, isRefused) => {
    expect(pathProblem(path, platform) !== undefined).toBe(isRefused)
  })

  it.each([
    ['posix', '/srv/api', '/srv/api', true],
    ['posix', '/srv/api/a/b', '/srv/api', true],
    ['posix', '/srv/api-2/a', '/srv/api', false],
    ['posix', '/srv', '/srv/api', false],
    ['posix', '/srv/API/a', '/srv/api', false],
    ['posix', '/anything', '/', true],
    ['windows', 'C:\\srv\\API\\a', 'c:\\srv\\api', true],
    ['windows', 'D:\\srv\\api\\a', 'C:\\srv\\api', false],
    ['windows', 'C:\\a', 'C:\\', true],
  ] as const)('on %s, %j is inside %j: %j', (platform, path, directory, inside) => {
    expect(isInside(path, directory, platform)).toBe(inside)
  })
})

describe('nothing is written to', () => {
  it.each([
    '/r/.git/config',
    '/r/.git',
    '/r/.GIT/config',
    '/r/.Git/hooks/pre-commit',
    '/r/.git /config',
    '/r/.git./config',
    '/r/.git. . /config',
    '/r/git~1/config',
    '/r/GIT~2/config',
    '/r/.git::$INDEX_ALLOCATION/config',
    '/r/.git:x/config',
    '/r/.g\u200cit/config',
    '/r/\ufeff.git/config',
    '/r/sub/.git/modules/x/config',
    'C:\\r\\.git\\config',
  ])('%j, which Git may read', (path) => {
    expect(protectedKind(path)).toBe('a file of a Git repository')
  })

  it.each([
    '/r/http-client.env.json',
    '/r/http-client.private.env.json',
    '/r/sub/rest-client.env.json',
    '/r/rest-client.private.env.json',
    '/r/HTTP-Client.env.JSON',
    '/r/http-client.env.json.',
    '/r/http-client.env.json::$DATA',
  ])('%j, an environment file', (path) => {
    expect(protectedKind(path)).toBe('an environment file')
  })

  it.each(['/r/a.http', '/r/a.HTTP', '/r/a.rest', '/r/a.http. ', '/r/a.rest:x', '/r/.http'])(
    '%j, a request file',
    (path) => {
      expect(protectedKind(path)).toBe('a request file')
    },
  )

  it.each([
    '/r/a.json',
    '/r/.github/workflows/x.yml',
    '/r/.gitignore',
    '/r/git/config',
    '/r/a.http.json',
    '/r/digit~1/x',
    '/r/http/x',
  ])('but %j is allowed', (path) => {
    expect(protectedKind(path)).toBeUndefined()
  })
})
