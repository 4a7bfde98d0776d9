import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HttpcliError } from '../../../src/message/index.ts'
import { parseMediaTypes, readMediaTypes } from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

const parse = (text: string) => Object.fromEntries(parseMediaTypes(text, 'types.properties'))

function failure(text: string): HttpcliError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof HttpcliError) return error
  }
  throw new Error('no HttpcliError')
}

describe('parseMediaTypes', () => {
  it.each([
    ['a colon', 'md: text/markdown', { md: 'text/markdown' }],
    ['a colon without blanks', 'md:text/markdown', { md: 'text/markdown' }],
    ['an equals sign', 'md = text/markdown', { md: 'text/markdown' }],
    ['blanks', 'md   text/markdown', { md: 'text/markdown' }],
    ['a tab', 'md\ttext/markdown', { md: 'text/markdown' }],
    ['a leading dot', '.md: text/markdown', { md: 'text/markdown' }],
    ['capitals', 'MD: text/markdown', { md: 'text/markdown' }],
    ['two extensions in one', 'tar.gz: application/gzip', { 'tar.gz': 'application/gzip' }],
    ['comments and empty lines', '# a\n! b\n\n  # c\nmd: text/markdown\n', { md: 'text/markdown' }],
    ['CRLF', 'md: text/markdown\r\ntxt: text/plain\r\n', { md: 'text/markdown', txt: 'text/plain' }],
    ['a continued line', 'md: text/\\\n    markdown', { md: 'text/markdown' }],
    ['a Unicode escape', 'm\\u0064: text/markdown', { md: 'text/markdown' }],
    ['letters past ASCII', 'größe: text/plain', { größe: 'text/plain' }],
    ['blanks after the type', 'md: text/markdown  ', { md: 'text/markdown' }],
    ['a byte order mark', '\uFEFFmd: text/markdown', { md: 'text/markdown' }],
    [
      'parameters',
      'md: text/markdown; charset="utf-8"; variant=GFM',
      { md: 'text/markdown; charset="utf-8"; variant=GFM' },
    ],
    ['the last of two', 'md: text/plain\nmd: text/markdown', { md: 'text/markdown' }],
    ['nothing', '', {}],
    ['an own name', '__proto__: text/plain', {}],
  ])('reads %s', (_, text, types) => {
    expect(parse(text)).toMatchObject(types)
  })

  it('keeps an extension named like a member of Object', () => {
    expect(parseMediaTypes('__proto__: text/plain', 'f').get('__proto__')).toBe('text/plain')
  })

  it.each([
    ['no type', 'txt: text/plain\nmd:', 2, 4],
    ['no type and no separator', 'md', 1, 3],
    ['no slash', '# types\n\nmd: markdown', 3, 5],
    ['two slashes', 'md: text/mark/down', 1, 5],
    ['a blank inside', 'md: text/mark down', 1, 5],
    ['a line end by escape', 'md: text/plain\\r\\nX: y', 1, 5],
    ['a slash in the extension', '  a/b: text/plain', 1, 3],
    ['a blank in the extension', 'a\\ b: text/plain', 1, 1],
    ['only a dot', '.: text/plain', 1, 1],
    ['no extension', ': text/plain', 1, 1],
    ['a broken Unicode escape', 'ok: text/plain\nmd: text/\\u00zz', 2, 1],
  ])('names file, line and column for %s', (_, text, line, column) => {
    const error = failure(text)
    expect(error.code).toBe('media-types-syntax')
    expect(error.where).toEqual({ file: 'types.properties', line, column })
    expect(error.excerpt?.split('\n')).toEqual([text.split('\n')[line - 1], `${' '.repeat(column - 1)}^`])
    expect(error.hint).toContain('md: text/markdown')
  })
})

describe('readMediaTypes', () => {
  it('reads UTF-8', async () => {
    const file = join(temporaryDirectory(), 'types.properties')
    writeFileSync(file, 'é: text/plain\n')
    expect([...(await readMediaTypes(file))]).toEqual([['é', 'text/plain']])
  })

  it('names a directory that is given instead of a file', async () => {
    const directory = temporaryDirectory()
    await expect(readMediaTypes(directory)).rejects.toMatchObject({ code: 'EISDIR', path: directory })
  })

  it('rejects with the system message for a missing file', async () => {
    await expect(readMediaTypes(join(temporaryDirectory(), 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
