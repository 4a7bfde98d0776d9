/** Files named by patterns and directories. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesBelow, isPattern, matchingFiles } from '../../../../src/cli/run/files/file-patterns.ts'
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts'

function tree(...names: readonly string[]): string {
  const directory = temporaryDirectory()
  for (const name of names) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), '')
  }
  return directory
}

const files = [
  'a.http',
  'b.rest',
  'B.HTTP',
  'c.txt',
  'http-client.env.json',
  '.hidden.http',
  'x[1].http',
  'api/a.http',
  'api/users/get.http',
  'api/users/post.http',
  'api/orders/get.rest',
  'api/.git/z.http',
  'api/node_modules/z.http',
  'api-old/a.http',
  'dir.http/inner.http',
]

describe('a pattern', () => {
  it.each<[string, string[]]>([
    ['*.http', ['B.HTTP', 'a.http', 'x[1].http'].filter((name) => name.endsWith('.http'))],
    ['*', ['B.HTTP', 'a.http', 'b.rest', 'x[1].http']],
    ['?.*', ['B.HTTP', 'a.http', 'b.rest']],
    ['*.{http,rest}', ['a.http', 'b.rest', 'x[1].http']],
    ['*.txt', ['c.txt']],
    ['{a,c,nope}.*', ['a.http']],
    ['{a.http,c.txt,nope.http}', ['a.http', 'c.txt']],
    ['[ab].*', ['a.http', 'b.rest']],
    ['[!a].*', ['B.HTTP', 'b.rest']],
    ['[^a-c].*', ['B.HTTP']],
    ['[z-a].*', []],
    ['[z-ab].*', ['b.rest']],
    ['[!z-a].*', ['B.HTTP', 'a.http', 'b.rest']],
    ['x\\[1\\].http', ['x[1].http']],
    ['x[[]1].http', ['x[1].http']],
    ['.*.http', ['.hidden.http']],
    ['api/*', ['api/a.http']],
    ['api/*/*.http', ['api/users/get.http', 'api/users/post.http']],
    ['api/{users,{orders,none}}/get.*', ['api/orders/get.rest', 'api/users/get.http']],
    ['api/**', ['api/a.http', 'api/orders/get.rest', 'api/users/get.http', 'api/users/post.http']],
    ['api/**/get.*', ['api/orders/get.rest', 'api/users/get.http']],
    ['**/users/*.http', ['api/users/get.http', 'api/users/post.http']],
    ['**/a.http', ['a.http', 'api-old/a.http', 'api/a.http']],
    ['./api/*.http', ['./api/a.http']],
    ['api/../*.rest', ['api/../b.rest']],
    ['api/node_modules/*.http', ['api/node_modules/z.http']],
    ['api/.git/*', ['api/.git/z.http']],
    ['*/inner.http', ['dir.http/inner.http']],
    ['nope/*', []],
    ['a.http/*', []],
    ['{a.http', []],
  ])('%s', (pattern, expected) => {
    expect(matchingFiles(pattern, tree(...files), false)).toEqual(expected)
  })

  it('has braces with at most 10000 combinations', () => {
    const directory = tree('ab.http')
    expect(matchingFiles(`${'{a,b}'.repeat(13)}.http`, directory, false)).toEqual([])
    const group = `{${Array.from({ length: 5000 }, (_, index) => index).join(',')}}`
    for (const groups of ['{a,b}'.repeat(30), group.repeat(3)]) {
      expect(() => matchingFiles(`${groups}.http`, directory, false)).toThrow(
        expect.objectContaining({ code: 'unreadable-file', message: expect.stringContaining('more than 10000') }),
      )
    }
  })

  it('may be an absolute path', () => {
    const directory = tree('a.http', 'b.http')
    expect(matchingFiles(`${directory}/*.http`, '/', false)).toEqual([`${directory}/a.http`, `${directory}/b.http`])
  })

  it('has names separated by backslashes on Windows', () => {
    expect(matchingFiles('api\\users\\*.http', tree(...files), true)).toEqual([
      'api/users/get.http',
      'api/users/post.http',
    ])
  })

  it('accepts links to files and directories that it names, and follows no links below **', () => {
    const directory = tree('real/a.http')
    symlinkSync('real', join(directory, 'link'))
    symlinkSync('real/a.http', join(directory, 'b.http'))
    symlinkSync('..', join(directory, 'real', 'up'))
    symlinkSync('nowhere', join(directory, 'broken.http'))
    expect(matchingFiles('*/*.http', directory, false)).toEqual(['link/a.http', 'real/a.http'])
    expect(matchingFiles('**/*.http', directory, false)).toEqual(['b.http', 'real/a.http'])
  })

  it.each(['*', 'a?', '[a]', '{a,b}'])('is recognised by its special characters: %s', (word) => {
    expect(isPattern(word)).toBe(true)
  })

  it('is not a plain path', () => {
    expect(isPattern('api/a-b_c.http')).toBe(false)
  })
})

describe('a directory', () => {
  const below = ['api/a.http', 'api/orders/get.rest', 'api/users/get.http', 'api/users/post.http']

  it.each(['api', 'api/', './api'])('means the request files below it: %s', (directory) => {
    const prefix = directory.startsWith('./') ? './' : ''
    expect(filesBelow(directory, tree(...files))).toEqual(below.map((path) => prefix + path))
  })

  it('adds no prefix to the paths if the search starts there', () => {
    expect(filesBelow('.', tree('b.http', 'a/c.rest', 'd.txt'))).toEqual(['a/c.rest', 'b.http'])
  })
})
