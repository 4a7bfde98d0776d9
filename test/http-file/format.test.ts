/** Request files laid out: what changes, and that nothing else does. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHttpFile, parseHttpFile } from '../../src/http-file/index.ts'
import { meaningOf } from '../../src/http-file/meaning.ts'

function format(source: string): string {
  const { text, errors } = formatHttpFile(source)
  expect(errors).toEqual([])
  return text
}

describe('the layout', () => {
  it.each<[string, string, string]>([
    ['puts one space between the words of a request line', 'GET   http://h/\tHTTP/1.1', 'GET http://h/ HTTP/1.1\n'],
    ['keeps blanks inside a target', 'GET http://h/a  b', 'GET http://h/a  b\n'],
    ['keeps a request line without a method', '  http://h/', 'http://h/\n'],
    ['keeps the case of a method', 'get http://h/', 'get http://h/\n'],
    ['puts one space after the colon of a header', 'GET http://h/\nA:b\nC  :   d  ', 'GET http://h/\nA: b\nC: d\n'],
    ['writes an empty header without a blank', 'GET http://h/\nA:   ', 'GET http://h/\nA:\n'],
    ['finds the colon after braces', "GET http://h/\n{{a['x:y']}} :b", "GET http://h/\n{{a['x:y']}}: b\n"],
    [
      'indents the lines that continue a URL',
      'GET http://h/\n  a\n?b=1\n # c\n\t&d=2',
      'GET http://h/\n    a\n    ?b=1\n    # c\n    &d=2\n',
    ],
    [
      'takes the indent of headers away',
      'GET http://h/\n  ?a=1\n  A: b\n   c\n  D: e',
      'GET http://h/\n    ?a=1\nA: b\n    c\nD: e\n',
    ],
    ['indents the lines that continue a header', 'GET http://h/\nA: b,\n c', 'GET http://h/\nA: b,\n    c\n'],
    [
      'writes the name after a separator',
      '###one\nGET http://h/\n####  two ###\nGET http://h/',
      '### one\nGET http://h/\n\n### two\nGET http://h/\n',
    ],
    [
      'puts one blank line before a separator',
      '### a\nGET http://h/\n\n\n\n### b\nGET http://h/',
      '### a\nGET http://h/\n\n### b\nGET http://h/\n',
    ],
    ['puts none after it', '###\n\n\nGET http://h/', '###\nGET http://h/\n'],
    [
      'writes tags with one space',
      '//@name=x\n#   @timeout    5 s\nGET http://h/',
      '# @name x\n# @timeout 5 s\nGET http://h/\n',
    ],
    [
      'writes variables with blanks around the sign',
      '@a=1\n  @b  =  2 \nGET http://h/',
      '@a = 1\n@b = 2\nGET http://h/\n',
    ],
    ['writes an empty variable', '@a=\nGET http://h/', '@a =\nGET http://h/\n'],
    ['keeps blanks in braces', 'GET http://h/\nA: x {{ b }}', 'GET http://h/\nA: x {{ b }}\n'],
    ['makes several blank lines one', '@a = 1\n\n\n\n# c\n\n\nGET http://h/', '@a = 1\n\n# c\n\nGET http://h/\n'],
    ['takes blank lines at the start and the end away', '\n\nGET http://h/\n\n\n', 'GET http://h/\n'],
    ['puts one blank line before the body', 'POST http://h/\nA: b\n\n\n\nbody\n', 'POST http://h/\nA: b\n\nbody\n'],
    [
      'leaves a body alone',
      'POST http://h/\n\n  a \n\n\n# c\n <x/>\t\nb  ',
      'POST http://h/\n\n  a \n\n\n# c\n <x/>\t\nb  \n',
    ],
    [
      'puts one space before the path of a body',
      'POST http://h/\n\n<   ./a.txt\n<@latin1\tb.txt',
      'POST http://h/\n\n< ./a.txt\n<@latin1 b.txt\n',
    ],
    [
      'puts one blank line before a handler',
      'POST http://h/\n\nbody\n> {% x() %}',
      'POST http://h/\n\nbody\n\n> {% x() %}\n',
    ],
    [
      'puts one after the headers too',
      'GET http://h/\nA: b\n>{% x() %}\n>>!  out',
      'GET http://h/\nA: b\n\n> {% x() %}\n>>! out\n',
    ],
    ['leaves scripts alone', '<{%\n  a  \n\n\n b%}  \nGET http://h/', '< {%\n  a  \n\n\n b%}\nGET http://h/\n'],
    [
      'writes calls with one space',
      'import   a.http\nrun  #one two  (@a=1,@b = 2)',
      'import a.http\nrun #one two (@a = 1, @b = 2)\n',
    ],
    ['keeps calls over several lines', 'run #x (\n  @a = 1,  \n  @b = 2\n)', 'run #x (\n  @a = 1,\n  @b = 2\n)\n'],
    [
      'keeps comments',
      '  // one\n#two\nGET http://h/\n  # three\nA: b',
      '// one\n#two\nGET http://h/\n    # three\nA: b\n',
    ],
    ['keeps a comment of number signs no separator', '  ### no\nGET http://h/', ' ### no\nGET http://h/\n'],
    ['keeps CR LF', 'GET   http://h/\r\nA:b\r\n\r\nx\r\n', 'GET http://h/\r\nA: b\r\n\r\nx\r\n'],
    ['keeps a byte order mark', '\ufeffGET  http://h/', '\ufeffGET http://h/\n'],
    ['keeps sections without a request', '###\n\n###\n# c\n\n\n###', '###\n\n###\n# c\n\n###\n'],
    ['leaves an empty file empty', '\n \n', ''],
    [
      'keeps WebSocket messages',
      'WEBSOCKET ws://h/\n\na\n===\n b\n=== wait-for-server\nc',
      'WEBSOCKET ws://h/\n\na\n===\n b\n=== wait-for-server\nc\n',
    ],
  ])('%s', (_, source, expected) => {
    const text = format(source)
    expect(text).toBe(expected)
    expect(format(text)).toBe(text)
  })

  it('leaves a file with errors unchanged and returns them', () => {
    const source = 'GET   http://h/\nno header\n'
    expect(formatHttpFile(source)).toMatchObject({ text: source, errors: [{ code: 'bad-header' }] })
  })
})

const meaning = (source: string): readonly string[] =>
  parseHttpFile(source)
    .file.sections.map(meaningOf)
    .filter((text) => text !== '')

const piece = fc.constantFrom(
  ...[
    '###',
    '###  x ###',
    '#### y',
    '# c',
    '  ### c',
    '// @name  z',
    '#@timeout 5',
    '@a=1',
    ' @b = {{ a }}',
    '@c =',
    '',
  ],
  ...[
    '  ',
    '\t',
    'GET  http://h/',
    'POST http://h/  HTTP/1.1',
    'get http://h',
    '  http://h/x y',
    '  ?a=1',
    '&b',
    'WEBSOCKET ws://h',
  ],
  ...[
    'A:b',
    'B :  c ',
    '  d',
    '{{n}}: v',
    'C:',
    '< {%',
    'x()',
    '%}',
    '> {% y %}',
    '={% z %}',
    '<  f.txt',
    '<@ g',
    '< {% a',
    'b %}',
  ],
  ...[
    '>> o',
    '>>!  p',
    '<> q',
    '> h.js',
    'text  ',
    ' { "a": 1 }',
    '===',
    '=== wait-for-server',
    'run  #x ( @a=1 , @b=2 )',
    'import  y',
  ],
  ...['run #x (', '@k=v,', ')', '\u00a0', 'é', '{{', '}}', '--B', '=', '\f'],
)
const of = (...lines: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.array(fc.constantFrom(...lines), { maxLength: 4 })

/** Lines in an order that a file has them in. */
const section = fc
  .tuple(
    fc.constantFrom('###', '###  a', '#### b ###'),
    of(
      '# c',
      ' // @name  z',
      '@a=1',
      ' @b =  {{ a }}',
      '',
      '  ',
      'run  #x  ( @a=1 )',
      '< {%',
      '%}',
      '<   f.js',
      '  ### c',
    ),
    fc.constantFrom('GET   http://h/', ' http://h/a b', 'post http://h/  HTTP/1.1', 'WEBSOCKET  ws://h'),
    of('  /x', '?a=1', '  # c', 'A:b', 'B :  c ', '  d', '{{n}}: v', 'C:'),
    of('', '  ', ' text  ', '# c', '<   f', '<@ g', '===', '{{x}}', '\u00a0', '{ "a": 1 }', '// @tag  x'),
    of('', '>  h.js', '> {% x', '%}', '>>  o', '>>! p', '<>q', '# c'),
  )
  .map(([separator, head, line, headers, body, after]) => [separator, ...head, line, ...headers, '', ...body, ...after])

const file = fc
  .tuple(
    fc.oneof(
      fc.array(piece, { maxLength: 14 }),
      fc.array(section, { maxLength: 3 }).map((sections) => sections.flat()),
    ),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.boolean(),
  )
  .map(([lines, end, isClosed]) => lines.join(end) + (isClosed ? end : ''))

describe('any request file', () => {
  it('keeps its meaning when formatted, and does not change when formatted again', () => {
    fc.assert(
      fc.property(file, (source) => {
        const { text, errors } = formatHttpFile(source)
        if (errors.length > 0) {
          expect(text).toBe(source)
          return
        }
        expect(parseHttpFile(text).errors).toEqual([])
        expect(meaning(text)).toEqual(meaning(source))
        expect(format(text)).toBe(text)
      }),
      { numRuns: 3000 },
    )
  })

  it.each(['docs/request-file.md', 'examples/demo.http'])('keeps the meaning of the requests in %s', (path) => {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    const blocks = path.endsWith('.md')
      ? [...text.matchAll(/```http[^\n]*\n(.*?)```/gs)].map((match) => match[1] as string)
      : [text]
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) {
      const formatted = format(block)
      expect(meaning(formatted)).toEqual(meaning(block))
      expect(format(formatted)).toBe(formatted)
    }
  })
})
