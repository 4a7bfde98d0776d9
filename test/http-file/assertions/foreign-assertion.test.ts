/** `??` lines and script blocks of httpYac: their places, their meaning, and their errors. */
import { describe, expect, it } from 'vitest'
import { formatHttpFile, parseHttpFile, printHttpFile, templateText } from '../../../src/http-file/index.ts'

function read(source: string): {
  readonly assertions: readonly string[]
  readonly body: string
  readonly errors: readonly string[]
} {
  const { file, errors } = parseHttpFile(source)
  expect(printHttpFile(file)).toBe(source)
  const requests = file.sections.flatMap(({ request }) => request ?? [])
  return {
    assertions: requests.flatMap(({ assertions }) =>
      assertions.map(({ text, subject, predicate }) => {
        const { kind, argument, filters } = subject
        const path = argument === undefined ? '' : ` ${templateText(argument)}`
        return `${text} | ${kind}${path}${filters.map(({ type }) => ` ${type}`).join('')} ${predicate.isNegated ? 'not ' : ''}${predicate.type}`
      }),
    ),
    body: requests
      .map(({ body }) => body.map((part) => (part.kind === 'body-text' ? templateText(part.template) : '<')).join('|'))
      .join('#'),
    errors: errors.map(({ span, code, message }) => `${span.line}:${span.column} ${code} ${message}`),
  }
}

describe('a ?? line', () => {
  it.each<[string, string]>([
    ['status == 200', 'status equals'],
    ['status != 201', 'status not equals'],
    ['status >= 200', 'status at-least'],
    ['status startsWith 20', 'status starts-with'],
    ['status exists', 'status exists'],
    ['status isNumber', 'status is'],
    ['status matches ^2', 'status matches'],
    ['header content-type includes json', 'header content-type contains'],
    ['header x-powered-by isFalse', 'header x-powered-by not exists'],
    ['duration < 300', 'duration less'],
    ['xpath //b[1] == one', 'xpath //b[1] equals'],
    ['body == {"foo":"bar"}', 'body equals'],
    ['body includes a == b', 'body contains'],
    ['body  $.foo == 1', 'jsonpath $.foo equals'],
    ['body foo.bar[0] == 1', 'jsonpath $["foo"]["bar"][0] equals'],
    ['body sha256 eji/gfOD9pQzrW6QDTWz4jhVk/dqe3q11DVbi6Qe4ks=', 'body sha256 equals'],
    ['js response.parsedBody.items.length > 0', 'jsonpath $["items"] length more'],
    ['js response.parsedBody?.a["b c"] == x', 'jsonpath $["a"]["b c"] equals'],
    ['js response.parsedBody == {"foo": "bar"}', 'jsonpath $ equals'],
    ['js response.parsedBody.ok isTrue', 'jsonpath $["ok"] is'],
    ['js response.statusCode == 200', 'status equals'],
    ['js response.headers["x-id"] exists', 'header x-id exists'],
    ['$.foo == 1', 'jsonpath $.foo equals'],
  ])('%s', (text, meaning) => {
    expect(read(`GET http://h/\n?? ${text}\n`)).toEqual({ assertions: [`${text} | ${meaning}`], body: '', errors: [] })
  })

  it.each<[string, string]>([
    ['status', '2:10 bad-assertion expected a predicate, such as == 200'],
    ['status ==', '2:13 bad-assertion expected a value, found the end of the line'],
    ['statuss == 200', '2:4 bad-assertion unknown subject "statuss"'],
    ['js foo(response) == 1', '2:7 bad-assertion this JavaScript cannot be read as a part of the response'],
    ['js response.parsedBody.a.map(b) == 1', '2:7 bad-assertion this is not a path into JSON, such as items[0].id'],
    ['body sha256 ä', '2:16 bad-assertion expected a digest in Base64, found "ä"'],
  ])('%s is an error', (text, error) => {
    expect(read(`GET http://h/\n?? ${text}\n`).errors).toEqual([error])
  })

  it('is allowed between headers, below the body and beside handlers', () => {
    const source =
      'POST http://h/\n?? status == 200\nA: b\n\n{"a": 1}\n\n?? body a == 1\n\n> {% client.log(1) %}\n?? duration < 9\n'
    const { assertions, body, errors } = read(source)
    expect([errors, body]).toEqual([[], '{"a": 1}'])
    expect(assertions.map((text) => text.split(' | ')[0])).toEqual(['status == 200', 'body a == 1', 'duration < 9'])
  })

  it.each([
    ['below a blank line', 'GET http://h/\n\n  ?? status == 200\n\t?? duration < 9\n', ''],
    ['below a blank line of the body', 'POST http://h/\n\na\n\n  ?? status == 200\n  ?? duration < 9\n', 'a'],
  ])('may be indented %s', (_where, source, content) => {
    const { assertions, body, errors } = read(source)
    expect([errors, body]).toEqual([[], content])
    expect(assertions.map((text) => text.split(' | ')[0])).toEqual(['status == 200', 'duration < 9'])
  })

  it('is not part of a URL, and neither is another line that begins with ??', () => {
    const { file, errors } = parseHttpFile('GET http://h/??a.js,b.js\n?? status == 200\n')
    expect(errors).toEqual([])
    expect(templateText(file.sections[0]!.request!.line.target)).toBe('http://h/??a.js,b.js')
    expect(parseHttpFile('GET http://h/\n??a.js,b.js\n').errors).toMatchObject([{ code: 'bad-continuation' }])
  })

  it.each([
    ['hedaer content-type includes json', 'unknown subject "hedaer"'],
    ['response.statusCode == 200', 'unknown subject "response.statusCode"'],
  ])('is an error below a blank line, and not sent: %s', (text, message) => {
    const { body, errors } = read(`POST http://h/\n\na\n\n?? ${text}\n`)
    expect([body, errors]).toEqual(['a', [expect.stringContaining(`5:4 bad-assertion ${message}`)]])
  })

  it('leaves code in bodies unchanged', () => {
    const source = 'POST http://h/\n\nlet a = b\n  ?? status == 1\n?? other\n'
    expect(read(source)).toEqual({ assertions: [], body: 'let a = b\n  ?? status == 1\n?? other', errors: [] })
  })

  it('needs a request line before it', () => {
    expect(read('?? status == 200\nGET http://h/\n').errors).toEqual([
      '1:1 misplaced-text an assertion above the request line',
    ])
  })

  it('keeps its form when formatted', () => {
    expect(formatHttpFile('GET http://h/\n??   status == 200\n').text).toBe('GET http://h/\n?? status == 200\n')
  })
})

it('a GraphQL query of a file is an error, and a comparison in a text is not', () => {
  expect(read('POST http://h/\n\ngql a < ./a.gql\n').errors).toHaveLength(1)
  expect(read('POST http://h/\n\ngql a < b is true\n').errors).toEqual([])
})

describe('a block of JavaScript in braces', () => {
  it.each<[string, string, string]>([
    ['before the request', '{{\n  exports.a = 1\n}}\nGET http://h/\n', '1:1'],
    ['below the headers', 'GET http://h/\n{{@response\n  console.log(1)\n}}\n', '2:1'],
    ['below the body', 'POST http://h/\n\nbody\n\n{{+after\n  a()\n\n  b()\n}}\n?? status == 200\n', '5:1'],
  ])('is one error %s', (_title, source, place) => {
    expect(read(source).errors).toEqual([
      `${place} foreign-syntax a script of httpYac, which runs in Node.js, is not supported`,
    ])
  })

  it('is text if it is not closed', () => {
    expect(read('POST http://h/\n\n{{\na\n').body).toBe('{{\na')
  })
})
