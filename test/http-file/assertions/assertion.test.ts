import { describe, expect, it } from 'vitest'
import { parseHttpFile, printHttpFile, type Request } from '../../../src/http-file/index.ts'

function requestOf(source: string): Request {
  const { file, errors } = parseHttpFile(source)
  expect(errors).toEqual([])
  return file.sections.find(({ request }) => request !== undefined)?.request as Request
}

describe('the tags of assertions and captures', () => {
  it.each([
    ['before the request line', '# @assert status == 200\nGET http://h/\n'],
    ['with slashes', '// @assert status == 200\nGET http://h/\n'],
    ['between the headers', 'GET http://h/\nA: b\n# @assert status == 200\nC: d\n'],
    ['after the headers', 'GET http://h/\nA: b\n\n# @assert status == 200\n'],
    ['in the body', 'POST http://h/\n\none\n# @assert status == 200\ntwo\n'],
    ['after the body', 'POST http://h/\n\none\n\n# @assert status == 200\n'],
    ['after a handler', 'GET http://h/\n\n> {% %}\n# @assert status == 200\n'],
    ['without blanks', '#@assert status==200\nGET http://h/\n'],
    ['with CRLF', '# @assert status == 200\r\nGET http://h/\r\n'],
    ['with blanks at the end', '# @assert status == 200  \t\nGET http://h/\n'],
  ])('are allowed %s', (_where, source) => {
    const { assertions } = requestOf(source)
    expect(assertions).toHaveLength(1)
    expect(assertions[0]).toMatchObject({
      subject: { kind: 'status' },
      predicate: { type: 'equals', isNegated: false },
    })
  })

  it('are not part of the body', () => {
    const { body } = requestOf('POST http://h/\n\none\n# @assert status == 200\ntwo\n')
    expect(body.map(({ text }) => text)).toEqual(['one\n', 'two\n'])
  })

  it('stay comments in the tree, so that the file can be printed unchanged', () => {
    const source = '# @assert status == 200\n#  @capture a =  $.b \nGET http://h/\n\n> {% %}\n// @assert $.a exists'
    expect(printHttpFile(parseHttpFile(source).file)).toBe(source)
  })

  it('have their place and text as written', () => {
    const { assertions, captures } = requestOf('#  @assert  status ==  200\n  // @capture a = $.b\nGET http://h/\n')
    expect(assertions[0]).toMatchObject({ text: 'status ==  200', span: { line: 1, column: 13, length: 14 } })
    expect(captures[0]).toMatchObject({ name: 'a', text: 'a = $.b', span: { line: 2, column: 15, length: 7 } })
  })

  it('belong to the request of their section', () => {
    const { file } = parseHttpFile('# @assert status == 1\nGET http://a/\n###\n# @assert status == 2\nGET http://b/\n')
    expect(file.sections.map(({ request }) => request?.assertions.map(({ text }) => text))).toEqual([
      ['status == 1'],
      ['status == 2'],
    ])
  })

  it('are errors in a section without a request', () => {
    const { errors } = parseHttpFile('GET http://a/\n###\n# @assert status == 2\n')
    expect(errors.map(({ code, span }) => [code, span.line])).toEqual([['misplaced-assertion', 3]])
  })

  it('are reported with the other errors in the order of the file', () => {
    const { errors } = parseHttpFile('# @assert nothing\n@bad name = 1\nGET http://a/\nno header\n# @capture x\n')
    expect(errors.map(({ span }) => span.line)).toEqual([1, 2, 4, 5])
  })
})

describe('a subject', () => {
  const subjectOf = (written: string) =>
    requestOf(`# @assert ${written} exists\nGET http://h/\n`).assertions[0]?.subject
  const text = (part: unknown): unknown =>
    (part as { parts?: readonly { text?: string; expression?: string }[] } | undefined)?.parts
      ?.map((each) => each.text ?? `{{${each.expression}}}`)
      .join('')

  it.each([
    ['$.a', 'jsonpath', '$.a'],
    ['body $.a', 'jsonpath', '$.a'],
    ['body "$.a b"', 'jsonpath', '$.a b'],
    ['jsonpath $.a', 'jsonpath', '$.a'],
    ['json "$.a"', 'jsonpath', '$.a'],
    ["$['a b']", 'jsonpath', "$['a b']"],
    ['$[?@.a == "x y"]', 'jsonpath', '$[?@.a == "x y"]'],
    ["$.a[?(@.b > 1 && @.c == '] ')]", 'jsonpath', "$.a[?(@.b > 1 && @.c == '] ')]"],
    ['xpath //a[@b="c d"]/e', 'xpath', '//a[@b="c d"]/e'],
    ['body xpath "//a or //b"', 'xpath', '//a or //b'],
    ['header Content-Type', 'header', 'Content-Type'],
    ['HEADER "X Y"', 'header', 'X Y'],
    ['headers {{name}}', 'header', '{{name}}'],
    ['cookie __Host-sid', 'cookie', '__Host-sid'],
    ['certificate Expire-Date', 'certificate', 'expires'],
    ['variable a.b', 'variable', 'a.b'],
    ['{{token}}', 'text', '{{token}}'],
  ])('%s is %s of %s', (written, kind, argument) => {
    const subject = subjectOf(written)
    expect([subject?.kind, text(subject?.argument)]).toEqual([kind, argument])
  })

  it.each([
    ['body /a(b)/i', [['regex', 'a(b)', 'i']]],
    ['body /a\\/[/]b/ length', [['regex', 'a\\/[/]b', ''], ['length']]],
    ['regex "a\\d"', [['regex', 'a\\d', '']]],
    ['header x regex /y/', [['regex', 'y', '']]],
    ['sha256', [['sha256']]],
    ['body lower count', [['lower'], ['count']]],
  ])('%s has filters', (written, filters) => {
    const found = subjectOf(written)?.filters.map((filter) =>
      filter.type === 'regex' ? ['regex', text(filter.pattern), filter.flags] : [filter.type],
    )
    expect(found).toEqual(filters)
  })
})

describe('a predicate', () => {
  const predicateOf = (written: string) =>
    requestOf(`# @assert $.a ${written}\nGET http://h/\n`).assertions[0]?.predicate

  it.each([
    ['== 1', 'equals', false],
    ['===1', 'equals', false],
    ['equals 1', 'equals', false],
    ['!= 1', 'equals', true],
    ['not == 1', 'equals', true],
    ['not != 1', 'equals', false],
    ['not not == 1', 'equals', false],
    ['<1', 'less', false],
    ['<= 1', 'at-most', false],
    ['> 1', 'more', false],
    ['>=1', 'at-least', false],
    ['contains x', 'contains', false],
    ['includes x', 'contains', false],
    ['startsWith x', 'starts-with', false],
    ['starts with x', 'starts-with', false],
    ['starts-with x', 'starts-with', false],
    ['STARTS_WITH x', 'starts-with', false],
    ['ends with x', 'ends-with', false],
    ['matches x', 'matches', false],
    ['in [1]', 'in', false],
    ['not in [1]', 'in', true],
    ['exists', 'exists', false],
    ['not exists', 'exists', true],
    ['isString', 'is', false],
    ['is not a string', 'is', true],
    ['not is empty', 'is', true],
  ])('%s is %s', (written, type, isNegated) => {
    expect(predicateOf(written)).toMatchObject({ type, isNegated })
  })

  it.each([
    ['1', 'bare', '1'],
    ['Not Found', 'bare', 'Not Found'],
    ['"a\\n\\"b"', 'quoted', 'a\n"b'],
    ["'a\\n'", 'quoted', 'a\\n'],
    ['""', 'quoted', ''],
    ['[1, "a"]', 'json', '[1, "a"]'],
    ['{"a": 1}', 'json', '{"a": 1}'],
    ['{{a}} b', 'bare', '{{a}} b'],
    ['"{{a}}"', 'quoted', '{{a}}'],
  ])('has the value %s as %s', (written, form, content) => {
    const predicate = predicateOf(`== ${written}`)
    const value = predicate !== undefined && 'value' in predicate ? predicate.value : undefined
    const shown = value?.template.parts.map((part) => (part.type === 'text' ? part.text : `{{${part.expression}}}`))
    expect([value?.form, shown?.join('')]).toEqual([form, content])
  })

  it.each(['in [200, "abc]', "in [200, 'abc]", 'in [200, "a\\]'])(
    'with an open quote in a list is an error: %s',
    (written) => {
      const { errors } = parseHttpFile(`# @assert status ${written}\nGET http://h/\n`)
      expect(errors.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^the text is not closed: expected ["']$/),
      ])
    },
  )

  it.each(['body matches /(/', 'body matches "("', 'body /x(\\d+/ == 1', 'body matches /[z-a]/'])(
    'with an invalid regular expression is an error: %s',
    (written) => {
      const { errors } = parseHttpFile(`# @assert ${written}\nGET http://h/\n`)
      expect(errors).toMatchObject([
        { code: 'bad-assertion', message: expect.stringContaining('not a regular expression') as string },
      ])
    },
  )
})
