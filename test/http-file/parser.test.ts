/** The parser of request files: forms, positions, errors, and that no byte is lost. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  parseHttpFile,
  parseTemplate,
  printHttpFile,
  type Request,
  type Template,
  templateText,
} from '../../src/http-file/index.ts'

function requestsOf(source: string): Request[] {
  const { file, errors } = parseHttpFile(source)
  expect(errors).toEqual([])
  return file.sections.flatMap((section) => (section.request === undefined ? [] : [section.request]))
}

function requestOf(source: string): Request {
  const [request, ...others] = requestsOf(source)
  expect(others).toEqual([])
  return request as Request
}

function errorsOf(source: string): string[] {
  const { file, errors } = parseHttpFile(source)
  expect(printHttpFile(file)).toBe(source)
  return errors.map(({ code, span }) => `${span.line}:${span.column} ${code}`)
}

const bodyOf = (request: Request): (string | { file: string })[] =>
  request.body.map((part) =>
    part.kind === 'body-text' ? templateText(part.template) : { file: templateText(part.path) },
  )

describe('request lines', () => {
  it.each([
    ['GET http://h/a', 'GET', 'http://h/a', undefined],
    ['http://h/a', undefined, 'http://h/a', undefined],
    ['h/a', undefined, 'h/a', undefined],
    ['localhost:8080', undefined, 'localhost:8080', undefined],
    ['POST http://h/a HTTP/1.1', 'POST', 'http://h/a', 'HTTP/1.1'],
    ['GET http://h/a HTTP/1.0', 'GET', 'http://h/a', 'HTTP/1.0'],
    ['GET http://h/a HTTP/2', 'GET', 'http://h/a', 'HTTP/2'],
    ['GET http://h/a HTTP/2 (Prior Knowledge)', 'GET', 'http://h/a', 'HTTP/2 (Prior Knowledge)'],
    ['http://h/a HTTP/1.1', undefined, 'http://h/a', 'HTTP/1.1'],
    ['  \tGET   http://h/a  ', 'GET', 'http://h/a', undefined],
    ['GET http://h/a b?c=d e', 'GET', 'http://h/a b?c=d e', undefined],
    ['GET http://h/a b HTTP/1.1', 'GET', 'http://h/a b', 'HTTP/1.1'],
    ['{{host}}/get', undefined, '{{host}}/get', undefined],
    ['GET {{ host }}/{{path}}', 'GET', '{{host}}/{{path}}', undefined],
    ['GET {{host name}}/x', 'GET', '{{host name}}/x', undefined],
    ['OPTIONS *', 'OPTIONS', '*', undefined],
    ['M-SEARCH http://h/', 'M-SEARCH', 'http://h/', undefined],
    ['GET /path', 'GET', '/path', undefined],
    ['GET http://h/?q=a{{{id}}}', 'GET', 'http://h/?q=a{{{id}}}', undefined],
  ])('reads %j', (line, method, target, version) => {
    const request = requestOf(line)
    expect([request.line.method, templateText(request.line.target), request.line.version]).toEqual([
      method,
      target,
      version,
    ])
  })

  it.each([
    ['path on indented lines', 'GET http://h/\n    api\n    /get\n', 'http://h/api/get'],
    ['query with leading separators', 'GET http://h/x\n  ?a=1\n  &b=2\n', 'http://h/x?a=1&b=2'],
    ['query with trailing separators', 'GET http://h/x?\n\ta=1&\n\tb=2\n', 'http://h/x?a=1&b=2'],
    ['comments between the lines', 'GET http://h/x\n  ?a=1\n  # no\n// no\n  &b=2\n', 'http://h/x?a=1&b=2'],
    ['a fragment', 'GET http://h/x\n  ?a=1\n  #part\n', 'http://h/x?a=1'],
    ['a query that is not indented', 'GET http://h/x\n?a=1\n&b=2\nA: b\n', 'http://h/x?a=1&b=2'],
    ['the version on the last line', 'GET http://h/x\n  ?a=1 HTTP/1.1\n', 'http://h/x?a=1'],
    ['the version on a separate line', 'GET http://h/x\n  ?a=1\n  HTTP/1.1\n', 'http://h/x?a=1'],
    ['everything below the method', 'GET\n  http://h/x\n', 'http://h/x'],
    ['nothing after a version', 'GET http://h/x HTTP/1.1\n  A: b\n', 'http://h/x'],
    ['a query with blanks', 'GET http://h/x\n  ?a=b c\n&d=e f HTTP/1.1\n', 'http://h/x?a=b c&d=e f'],
    ['a query with a colon', 'GET http://h/x\n  ?at=10:30\n  &b={{ c d }}\n', 'http://h/x?at=10:30&b={{c d}}'],
    ['no indented header', 'GET http://h/x\n  ?a=1\n  A: b\n', 'http://h/x?a=1'],
    ['what is written in one line', 'GET http://h/??a.js,b.js?q=at time: now\n', 'http://h/??a.js,b.js?q=at time: now'],
  ])('joins %s', (_, source, target) => {
    expect(templateText(requestOf(source).line.target)).toBe(target)
  })

  it.each<[string, string]>([
    ['GET http://h/a HTTP/1.1', 'http://h/a'],
    ['http://h/a  ', 'http://h/a'],
    ['GET http://h/\n   ?a=1 HTTP/1.1', 'http://h/\n   ?a=1'],
    ['GET http://h/\n   ?a=1\n  HTTP/1.1', 'http://h/\n   ?a=1'],
  ])('gives the place of the target of %j', (source, target) => {
    const { offset, length } = requestOf(source).line.targetSpan
    expect(source.slice(offset, offset + length)).toBe(target)
  })

  it('gives the place of a variable in a continued target', () => {
    const { target } = requestOf('GET http://h/\n   x{{ id }}\n').line
    expect(target.parts.at(-1)).toEqual({
      type: 'variable',
      expression: 'id',
      span: { offset: 18, line: 2, column: 5, length: 8 },
    })
  })
})

describe('sections', () => {
  it('separates requests and reads their names', () => {
    const names = requestsOf(
      '###\n### First\nGET http://h/1\n\n###\nGET http://h/2\n### Third\n# @name real\nGET http://h/3\n###\n',
    )
    expect(names.map(({ name }) => name)).toEqual(['First', '', 'real'])
  })

  it.each(['\n', '\r\n', '\r'])('reads files whose lines end with %j', (end) => {
    const [first, second] = requestsOf(['GET http://h/1', 'A: 1', '', 'x', 'y', '### b', 'http://h/2', ''].join(end))
    expect(bodyOf(first as Request)).toEqual(['x\ny'])
    expect(templateText((second as Request).line.target)).toBe('http://h/2')
  })

  it('removes a byte order mark and restores it', () => {
    const { file } = parseHttpFile('\ufeffGET http://h/')
    expect(file.sections[0]?.request?.line.method).toBe('GET')
    expect(file.sections[0]?.request?.line.span).toEqual({ offset: 1, line: 1, column: 1, length: 13 })
    expect(printHttpFile(file)).toBe('\ufeffGET http://h/')
  })

  it('reads tags as data, and comments with and without indentation', () => {
    const request = requestOf(
      '# @name = A b\n  // @no-redirect\n# plain @x\n// @timeout 5 s\nGET http://h/\n# @late\nA: b\n',
    )
    expect(request.name).toBe('A b')
    expect(request.tags.map(({ name, value }) => [name, value])).toEqual([
      ['name', 'A b'],
      ['no-redirect', ''],
      ['timeout', '5 s'],
      ['late', ''],
    ])
    expect(request.headers).toHaveLength(1)
  })

  it('reads in-place variables with their templates', () => {
    const { file, errors } = parseHttpFile('@host = http://{{name}}:1/a=b \n@größe=1\n@empty =\n')
    expect(errors).toEqual([])
    expect(file.sections[0]?.variables.map(({ name, value }) => [name, templateText(value)])).toEqual([
      ['host', 'http://{{name}}:1/a=b'],
      ['größe', '1'],
      ['empty', ''],
    ])
    expect(file.sections[0]?.request).toBeUndefined()
  })
})

describe('headers', () => {
  it.each<[string, string, string]>([
    ['A: b', 'A', 'b'],
    ['A:b:c ', 'A', 'b:c'],
    ['A:', 'A', ''],
    ['A : b', 'A', 'b'],
    ['{{name}}: {{value}}', '{{name}}', '{{value}}'],
    ['{{a:b}}: c', '{{a:b}}', 'c'],
    ['Link: <a>;\n   rel=next\n\t;x', 'Link', '<a>; rel=next ;x'],
    ['A: b\n# between\n  c', 'A', 'b c'],
  ])('reads %j', (source, name, value) => {
    const { headers } = requestOf(`GET http://h/\n${source}\n`)
    expect(headers.map((header) => [templateText(header.name), templateText(header.value)])).toEqual([[name, value]])
  })

  it('keeps repeated names in order, with comments between them', () => {
    const { headers } = requestOf('GET http://h/\nB: 1\n# c\na: 2\n // c\nB: 3\n')
    expect(headers.map(({ text }) => text)).toEqual(['B: 1\n', 'a: 2\n', 'B: 3\n'])
  })
})

describe('bodies', () => {
  const withBody = (body: string): Request => requestOf(`POST http://h/\nA: b\n\n${body}`)

  it.each<[string, string, (string | { file: string })[]]>([
    ['one line', 'x', ['x']],
    ['no blank lines around it', '\n \nx\n\n\t\n', ['x']],
    ['the blank lines and the indent inside it', 'x\n\n  y \n', ['x\n\n  y ']],
    ['no comments', '# a\nx\n  // b\ny\n# c\n', ['x', 'y']],
    ['XML', '<?xml version="1.0"?>\n<a>\n  <b/>\n</a>', ['<?xml version="1.0"?>\n<a>\n  <b/>\n</a>']],
    ['JSON with closing braces', '{"a":{"b":{{id}}}}', ['{"a":{"b":{{id}}}}']],
    ['a file', '< ./a b.json', [{ file: './a b.json' }]],
    ['a file named by a variable', '< {{dir}}/x', [{ file: '{{dir}}/x' }]],
    [
      'a mix',
      '--B\nX: y\n\n< a.bin\n--B\n\n< b.bin\n--B--',
      ['--B\nX: y\n', { file: 'a.bin' }, '--B\n', { file: 'b.bin' }, '--B--'],
    ],
    ['a line that only looks like a handler', '>no\n>\n>> ', ['>no\n>\n>> ']],
    ['nothing at all', '\n\n# c\n', []],
  ])('holds %s', (_, body, expected) => {
    expect(bodyOf(withBody(body))).toEqual(expected)
  })

  it('distinguishes a file that is sent unchanged from one with variables', () => {
    const parts = withBody('< a\n<@ b\n<@latin1 c').body
    expect(parts.map((part) => part.kind === 'body-file' && [part.substitutes, part.charset])).toEqual([
      [false, undefined],
      [true, undefined],
      [true, 'latin1'],
    ])
  })
})

describe('scripts, redirects, references', () => {
  it('reads handlers inline and from a file, with and without a body', () => {
    const source =
      'GET http://h/\nA: b\n\n> {% one()\n### no separator\n%}\n> two.js\n>> out.json\n>>! over.json\n<> old.200.json\n'
    const request = requestOf(source)
    expect(
      request.handlers.map(({ source: script }) => (script.type === 'inline' ? script.code : script.path.parts)),
    ).toEqual([' one()\n### no separator\n', [{ type: 'text', text: 'two.js' }]])
    expect(request.redirects.map(({ path, shouldOverwrite }) => [templateText(path), shouldOverwrite])).toEqual([
      ['out.json', false],
      ['over.json', true],
    ])
    expect(request.references.map(({ path }) => templateText(path))).toEqual(['old.200.json'])
    expect(request.body).toEqual([])
  })

  it('reads a handler directly below the headers', () => {
    expect(requestOf('GET http://h/\nA: b\n> {% x %}\n').handlers).toHaveLength(1)
  })

  it('gives the position where the code of a script begins', () => {
    const [handler] = requestOf('GET http://h/\n\n>  {%x%}\n').handlers
    expect(handler?.source).toEqual({ type: 'inline', code: 'x', span: { offset: 20, line: 3, column: 6, length: 1 } })
  })

  it('reads scripts before the request line', () => {
    const request = requestOf('< {%\n a()\n%}\n< pre.js\nGET http://h/\n')
    expect(request.preRequestScripts.map(({ source }) => source.type)).toEqual(['inline', 'file'])
  })
})

describe('errors', () => {
  it.each<[string, string, string[]]>([
    ['a method without a target', 'GET', ['1:1 missing-target']],
    ['a method without a target, but a version', '###\nPOST HTTP/1.1\n', ['2:1 missing-target']],
    ['an unknown version', 'GET http://h/ HTTP/9', ['1:15 unknown-version']],
    ['a sentence', 'Content-Type: text/plain', ['1:1 bad-request-line']],
    ['a variable that is not closed', 'GET {{host/get', ['1:1 unclosed-variable']],
    ['a header without a colon', 'GET http://h/\nAccept\n', ['2:1 bad-header']],
    ['text below a version', 'GET http://h/ HTTP/1.1\n  /more\n', ['2:3 bad-header']],
    ['a blank in a line that continues a path', 'GET http://h/\n  ?a=1\n  /c d\n', ['3:3 bad-continuation']],
    ['a second query', 'GET http://h/\n  ??a=b\n', ['2:3 bad-continuation']],
    ['a second query without indent', 'GET http://h/\n??a=b\n', ['2:1 bad-continuation']],
    ['an indented header with a blank in its name', 'GET http://h/\n  My Name: x\n', ['2:3 bad-continuation']],
    ['a header name with a blank', 'GET http://h/\n\nx\n###\nGET http://h/\nMy Name: x\n', ['6:1 bad-header-name']],
    ['a header without a name', 'GET http://h/\n: x\n', ['2:1 bad-header-name']],
    ['a header with a variable that is not closed', 'GET http://h/\nA: b{{x}\n', ['2:4 unclosed-variable']],
    ['a bad variable', '@a b\nGET http://h/\n', ['1:1 bad-variable']],
    ['a script that is not closed', 'GET http://h/\n\n> {% x\n', ['3:3 unclosed-script']],
    [
      'a script that would swallow a request',
      'GET http://h/\n\n> {% x\n###\nGET http://h/\n\n> {% y %}\n',
      ['3:3 unclosed-script'],
    ],
    ['text after a script', 'GET http://h/\n\n> {% x %} y\n', ['3:11 text-after-script']],
    ['text after a handler, once', 'GET http://h/\n\n> {% x %}\nGET http://h/2\nA: b\n', ['4:1 misplaced-text']],
    ['a file of scripts alone', '> {% x %}\n', ['1:1 misplaced-script']],
    ['a handler before its request', '> {% x %}\nGET http://h/\n', ['1:1 misplaced-text']],
    ['a handler without a request', 'GET http://h/\n###\n> {% x %}\n', ['3:1 misplaced-text']],
    ['a script without a request', 'GET http://h/\n###\n< {%\n x\n%}\n', ['3:1 misplaced-script']],
    ['a script beside a call', '< {% x %}\nrun a.http\n###\nGET http://h/\n', ['1:1 misplaced-script']],
    ['a misspelt wait', 'WEBSOCKET ws://h/\n\n=== wait-for-sever\n', ['3:1 bad-message-separator']],
    ['a pre-request script in the body', 'GET http://h/\n\n< {% x %}\n', ['3:1 misplaced-script']],
  ])('reports %s', (_, source, expected) => {
    expect(errorsOf(source)).toEqual(expected)
  })

  it('reports all errors of a file, in order, and parses the text between them', () => {
    const source = 'GET\n###\nGET http://h/\nnope\nA: b\n### good\nGET http://h/\n###\nGET http://h/ HTTP/7\n'
    const { file, errors } = parseHttpFile(source)
    expect(errors.map(({ span }) => span.line)).toEqual([1, 4, 9])
    expect(file.sections[1]?.request?.headers).toHaveLength(1)
    expect(file.sections[2]?.request?.name).toBe('good')
  })

  it('shows the line with carets below the mistake', () => {
    const [error] = parseHttpFile('GET http://h/\n\n###\nGET http://h/\nBad\tName: x\u0007\n').errors
    expect(error?.excerpt).toBe('Bad Name: x·\n^^^^^^^^')
  })
})

describe('the tree', () => {
  const line = fc.constantFrom(
    ...['### name', '###', '', ' ', '# c', ' // @tag v', '@a = b', 'GET http://h/{{x}}', '  /more', 'A: b', ' folded'],
    ...[
      '< file',
      '<@ file',
      '> {% a',
      '%}',
      '> {% b %}',
      '> h.js',
      '>> o',
      '>>! o',
      '<> r',
      '< {%',
      'text',
      '{"a": {{b}}}',
      'WEBSOCKET ws://h/',
      '===',
      '=== wait-for-server',
      'import x.http',
      'run #a b (@c = d,',
      '  @e = f)',
      '={% c %}',
    ],
  )
  const end = fc.constantFrom('\n', '\r\n', '\r')
  const source = fc.oneof(
    fc.array(fc.tuple(fc.oneof(line, fc.string()), end)).map((lines) => lines.map((pair) => pair.join('')).join('')),
    fc.string({ unit: 'binary' }),
  )

  it('prints back to the file byte for byte, for any file', () => {
    fc.assert(
      fc.property(source, fc.boolean(), (text, mark) => {
        const whole = (mark ? '\ufeff' : '') + text
        expect(printHttpFile(parseHttpFile(whole).file)).toBe(whole)
      }),
      { numRuns: 2000 },
    )
  })

  it('has spans with the position of each part', () => {
    fc.assert(
      fc.property(source, fc.boolean(), (body, mark) => {
        const text = (mark ? '\ufeff' : '') + body
        for (const part of parseHttpFile(text).file.sections.flatMap(({ parts }) => parts)) {
          const { offset, length, line, column } = part.span
          expect(part.text).toContain(text.slice(offset, offset + length))
          // A byte order mark has no column.
          const start = text.startsWith('\ufeff') ? 1 : 0
          const before = text.slice(start, offset).split(/\r\n|\n|\r/)
          expect([line, column]).toEqual([before.length, (before.at(-1) as string).length + 1])
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('has spans of variables that cover their braces', () => {
    const variables = (template: Template): string[] =>
      template.parts.flatMap((part) =>
        part.type === 'text' ? [] : [body.slice(part.span.offset, part.span.offset + part.span.length)],
      )
    const body = 'POST {{a}}/{{ b }}\nX: {{c}}\n\n{{d}}\r\n\r\nx{{ e }}\n'
    const request = requestOf(body)
    const found = [
      request.line.target,
      request.headers[0]?.value,
      ...request.body.map((p) => (p.kind === 'body-text' ? p.template : p.path)),
    ]
    expect(found.flatMap((template) => variables(template as Template))).toEqual([
      '{{a}}',
      '{{ b }}',
      '{{c}}',
      '{{d}}',
      '{{ e }}',
    ])
  })

  it('of ten thousand requests is complete', () => {
    const source = '### r\nGET http://h/{{x}}\nA: b\n\nbody\n\n> {% client.test("a", () => {}) %}\n\n'.repeat(10_000)
    const { file, errors } = parseHttpFile(source)
    expect([file.sections.length, errors.length]).toEqual([10_000, 0])
  })
})

describe('braces', () => {
  it.each<[string, string, readonly string[]]>([
    ['blanks without end before one closing brace', `{{${' '.repeat(200_000)}}`, []],
    ['blanks without end inside', `{{ a${' '.repeat(200_000)}b }}`, [`a${' '.repeat(200_000)}b`]],
    ['nothing but blanks', '{{ \t }}', []],
    ['blanks around the name', '{{\t a b\f}}', ['a b']],
  ])('with %s are read in one pass', (_, text, expressions) => {
    const found = parseTemplate(text).parts.flatMap((part) => (part.type === 'variable' ? [part.expression] : []))
    expect(found).toEqual(expressions)
  })
})

describe('common scripts of a file', () => {
  const common = (source: string): Record<string, number> => {
    const { file, errors } = parseHttpFile(source)
    expect(errors).toEqual([])
    expect(printHttpFile(file)).toBe(source)
    const { code, preRequestScripts, handlers } = file.common
    return { code: code.length, before: preRequestScripts.length, behind: handlers.length }
  }

  it.each<[string, string, Record<string, number>]>([
    ['in a section before the first request', '< {% a %}\n> {% b %}\n###\nGET http://h/\n', { before: 1, behind: 1 }],
    ['in several', '< {% a %}\n###\n< b.js\n> c.js\n###\nGET http://h/\n', { before: 2, behind: 1 }],
    ['with variables and imports', '@a = 1\nimport x.http\n> {% b %}\n### n\nGET http://h/\n', { behind: 1 }],
    ['in a block of common code', '={%\nimport {a} from "./a"\n%}\n\nGET http://h/\n\n> {% a() %}\n', { code: 1 }],
    ['but not those of the first request', '< {% a %}\nGET http://h/\n\n> {% b %}\n', {}],
  ])('are found %s', (_, source, expected) => {
    expect(common(source)).toEqual({ code: 0, before: 0, behind: 0, ...expected })
  })
})
