import { describe, expect, it } from 'vitest'
import { defaultVisibility, isVisiblePath, parsePath, splitTarget } from '../../../src/server/semantics/url-path.ts'

describe('splitTarget', () => {
  it.each([
    ['/a/b', '/a/b', ''],
    ['/a?x=/../y', '/a', '?x=/../y'],
    ['/a?', '/a', '?'],
    ['/a?b?c', '/a', '?b?c'],
    ['/a#f?x', '/a', ''],
    ['/a?x#f', '/a', '?x'],
    ['http://host/a?b', '/a', '?b'],
    ['HTTP://user@host:80/a', '/a', ''],
    ['http://host', '/', ''],
    ['http://host?x', '/', '?x'],
    ['//evil.example/a', '/evil.example/a', ''],
    ['http://host//a/./b', '/a/b', ''],
    ['/a//b///c', '/a/b/c', ''],
    ['/a/./b/%2e/c', '/a/b/c', ''],
    ['/a/b/../c', '/a/c', ''],
    ['/a/b/.%2E/c/%2e%2e/%2e./d', '/d', ''],
    ['/a//../b', '/b', ''],
    ['/.', '/', ''],
    ['/./', '/', ''],
    ['//', '/', ''],
    ['/a/.', '/a/', ''],
    ['/a/b/..', '/a/', ''],
    ['/a/..', '/', ''],
    ['/a//', '/a/', ''],
    ['/a/%2F../b', '/a/%2F../b', ''],
    ['/a/..%2f/../b', '/a/b', ''],
    ['/.env/..c/...', '/.env/..c/...', ''],
    ['/%252e/a', '/%252e/a', ''],
    ['/.%20/..%00', '/.%20/..%00', ''],
    ['/..\\..\\a', '/..\\..\\a', ''],
  ])('splits %s', (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query })
  })

  it.each(['*', 'host:443', '', 'a/b', '/%zz', '/%zz/../a', 'http://host/%'])('finds no path in %j', (target) => {
    expect(splitTarget(target)).toBe('malformed')
  })

  it.each(['/..', '/../', '/%2e%2e', '/a/../..', '/a//..//../b', '/./../a', 'http://host/..'])(
    'does not follow %s above the root',
    (target) => {
      expect(splitTarget(target)).toBe('above-root')
    },
  )
})

describe('parsePath', () => {
  it.each([
    ['/', [], true],
    ['/a', ['a'], false],
    ['/a/', ['a'], true],
    ['/a/b.txt', ['a', 'b.txt'], false],
    ['/a%20b', ['a b'], false],
    ['/%C3%A9', ['é'], false],
    ['/\xc3\xa9', ['é'], false],
    ['/%e2%82%ac.txt', ['€.txt'], false],
    ['/%2B%3F%23%25', ['+?#%'], false],
    ['/a+b', ['a+b'], false],
    ['/100%25', ['100%'], false],
    ['/%252e%252e', ['%2e%2e'], false],
    ['/line%0Abreak', ['line\nbreak'], false],
    ['/a..b', ['a..b'], false],
    ['/console', ['console'], false],
    ['/com10', ['com10'], false],
    ['/.well-known/acme', ['.well-known', 'acme'], false],
  ])('decodes %s', (path, names, isDirectory) => {
    const parsed = parsePath(path)
    expect(parsed).toEqual({ names, isDirectory })
  })

  it.each([
    ['a parent', '/..'],
    ['a parent inside', '/a/../b'],
    ['the directory itself', '/./a'],
    ['an encoded parent', '/%2e%2e/etc/passwd'],
    ['a half encoded parent', '/.%2E/etc/passwd'],
    ['a parent with an encoded slash', '/..%2fetc'],
    ['an encoded slash', '/a%2fb'],
    ['an encoded backslash', '/a%5cb'],
    ['a backslash', '/a\\b'],
    ['an UNC path', '/%5c%5chost%5cshare'],
    ['a parent after a device', '/con/../a'],
    ['a parent after backslashes', '/..\\..\\secret'],
    ['an overlong slash', '/a%c0%afb'],
    ['overlong dots', '/%c0%ae%c0%ae/a'],
    ['a surrogate in UTF-8', '/%ed%a0%80'],
    ['latin-1', '/%e9'],
    ['NUL', '/a%00.txt'],
    ['NUL at the end', '/a.txt%00'],
    ['two slashes first', '//etc/passwd'],
    ['two slashes inside', '/a//b'],
    ['two slashes last', '/a//'],
    ['a hidden file', '/.env'],
    ['a hidden file, encoded', '/%2eenv'],
    ['a hidden directory', '/.git/config'],
    ['three dots', '/.../a'],
    ['well-known further down', '/a/.well-known/x'],
    ['hidden below well-known', '/.well-known/.secret'],
    ['what only begins like well-known', '/.well-known-not/x'],
  ])('names nothing for %s: %s', (_, path) => {
    expect(parsePath(path)).toBe('unnameable')
  })

  it.each([
    ['a drive', '/C:/windows'],
    ['a drive-relative name', '/c:secret'],
    ['a stream', '/a.txt::$DATA'],
    ['an encoded stream', '/a.txt%3a%3a$DATA'],
    ['a device', '/con'],
    ['a device in capitals', '/NUL'],
    ['a device with an extension', '/aux.txt'],
    ['a device with a blank', '/con%20.txt'],
    ['a numbered device', '/COM1.log'],
    ['a device with a superscript digit', '/lpt%c2%b9'],
    ['a console handle', '/CONIN$'],
    ['a device in a directory', '/a/prn/b'],
    ['a trailing dot', '/a.txt.'],
    ['a trailing blank', '/a.txt%20'],
  ])('names nothing, because Windows reads it differently, for %s: %s', (_, path) => {
    expect(parsePath(path)).toBe('unportable')
  })

  it.each(['/%', '/%4', '/%zz', '/a%2', '/%u002e', '/%-1', '/a/%%'])(
    'reports the broken escape in %s as malformed',
    (path) => {
      expect(parsePath(path)).toBe('malformed')
    },
  )
})

describe('isVisiblePath', () => {
  it.each([
    [['a', 'b'], true],
    [[], true],
    [['.well-known', 'a'], true],
    [['a', '.b'], false],
    [['.a'], false],
    [['a', '.well-known'], false],
  ])('%j: %s', (names, isVisible) => {
    expect(isVisiblePath(names, defaultVisibility)).toBe(isVisible)
    expect(isVisiblePath(names, { ...defaultVisibility, allowsDotfiles: true })).toBe(true)
  })
})
