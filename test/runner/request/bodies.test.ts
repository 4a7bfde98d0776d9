/** Bodies as they reach the server: multipart, GraphQL, files with variables, charsets, framing. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type PreparationSettings, prepareText, type SentRequest } from '../preparing.ts'

type Files = Readonly<Record<string, string | Uint8Array>>

async function sent(text: string, files: Files = {}, settings: PreparationSettings = {}): Promise<SentRequest> {
  const { errors, sent } = await prepareText(text, { files, ...settings })
  expect(errors).toEqual([])
  expect(sent).toHaveLength(1)
  return sent[0] as SentRequest
}

async function errorsOf(text: string, files: Files = {}): Promise<readonly string[]> {
  const { errors, sent } = await prepareText(text, { files })
  expect(sent).toEqual([])
  return errors
}

/** `|` for CR LF, `/` for LF. */
const marked = (body: Buffer): string => body.toString('latin1').replaceAll('\r\n', '|').replaceAll('\n', '/')

describe('a multipart body', () => {
  const multipart = (body: string, boundary = 'B'): string =>
    `@v = value\n@none =\nPOST http://h.test/\nContent-Type: multipart/form-data; boundary=${boundary}\n\n${body}`

  it.each<[string, string, string]>([
    [
      'two text parts',
      '--B\nContent-Disposition: form-data; name="a"\n\none\n--B\nContent-Disposition: form-data; name="b"\n\ntwo\n--B--\n',
      '--B|Content-Disposition: form-data; name="a"||one|--B|Content-Disposition: form-data; name="b"||two|--B--|',
    ],
    ['lines in a part with LF', '--B\nX: y\n\na\n\n b \n--B--', '--B|X: y||a// b |--B--|'],
    ['no blank lines around a part', '--B\nX: y\n\n\na\n\n\n--B--', '--B|X: y||a|--B--|'],
    ['an empty part', '--B\nX: y\n\n--B--', '--B|X: y|||--B--|'],
    ['a part without headers', '--B\n\na\n--B--', '--B||a|--B--|'],
    ['variables in all places', '--B\nX: {{v}}\n\n<{{v}}>\n--B--', '--B|X: value||<value>|--B--|'],
    ['comments left out', '# c\n--B\n// c\nX: y\n\n# c\na\n// c\nb\n--B--\n# c', '--B|X: y||a/b|--B--|'],
    ['the closing delimiter added', '--B\nX: y\n\na', '--B|X: y||a|--B--|'],
    ['the text after the end left out', '--B\nX: y\n\na\n--B--\nepilogue', '--B|X: y||a|--B--|'],
    ['a closing delimiter after each part', '--B\nX: y\n\na\n--B--\n\n--B\n\nb\n--B--', '--B|X: y||a|--B||b|--B--|'],
    ['a closing delimiter before a part', '--B--\nX: y\n\na\n--B--', '--B|X: y||a|--B--|'],
    ['the text before the first part', 'preamble\n--B\nX: y\n\na\n--B--', 'preamble|--B|X: y||a|--B--|'],
    ['blanks after a delimiter', '--B  \nX: y\n\na\n--B--  ', '--B|X: y||a|--B--|'],
    ['a text that only begins like a delimiter', '--B\nX: y\n\n--Bx\n--B--', '--B|X: y||--Bx|--B--|'],
    ['a file', '--B\nX: y\n\n< f.bin\n--B--', '--B|X: y||F/|--B--|'],
    ['a file with blank lines round it', '--B\nX: y\n\n< f.bin\n\n--B--', '--B|X: y||F/|--B--|'],
    ['text and a file in one part', '--B\nX: y\n\na\n< f.bin\nb\n--B--', '--B|X: y||a/F//b|--B--|'],
    ['a file with variables', '--B\nX: y\n\n<@ t.txt\n--B--', '--B|X: y||T value|--B--|'],
    ['blank lines that a variable has', '--B\nX: y\n\n{{none}}\na\n{{none}}\n--B--', '--B|X: y||/a/|--B--|'],
    ['a header that a variable leaves out', '--B\n{{none}}\nX: y\n\na\n--B--', '--B|X: y||a|--B--|'],
    [
      'a multipart part',
      '--B\nContent-Type: multipart/mixed; boundary="C D"\n\n--C D\nX: y\n\na\n--C D--\n--B\n\nb\n--B--',
      '--B|Content-Type: multipart/mixed; boundary="C D"||--C D|X: y||a|--C D--||--B||b|--B--|',
    ],
  ])('is sent with %s', async (_, body, expected) => {
    const request = await sent(multipart(body), { 'f.bin': 'F\n', 't.txt': 'T {{v}}' })
    expect(marked(request.body)).toBe(expected)
    expect(request.headers).toContain(`Content-Length: ${request.body.length}`)
  })

  it('takes its boundary from a variable, or quoted', async () => {
    const body = await sent(
      '@b = x y\nPOST http://h.test/\nContent-Type: multipart/mixed; boundary="{{b}}"\n\n--{{b}}\n\na\n--{{b}}--',
    )
    expect(marked(body.body)).toBe('--x y||a|--x y--|')
  })

  it('has the same timestamp in all boundaries, however long it takes to build', async () => {
    let now = 1_000_000
    const sources = { now: () => (now += 999), randomBytes: (count: number) => new Uint8Array(count) }
    const text =
      'POST http://h.test/\nContent-Type: multipart/mixed; boundary=b{{$timestamp}}\n\n--b{{$timestamp}}\n\na\n--b{{$timestamp}}--'
    const { sent, errors } = await prepareText(text, { sources })
    expect(errors).toEqual([])
    expect(marked(sent[0]?.body as Buffer)).toBe('--b1000||a|--b1000--|')
  })

  it.each(['\n', '\r\n', '\r'])('is the same for a file whose lines end with %j', async (end) => {
    const text = multipart('--B\nX: y\n\na\nb\n--B--\n').replaceAll('\n', end)
    expect(marked((await sent(text)).body)).toBe('--B|X: y||a/b|--B--|')
  })

  it('sends files byte for byte, and parts in their own charset', async () => {
    const octets = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256)
    const body = '--B\nContent-Type: text/plain; charset=latin1\n\nZoë\n--B\n\n< big.bin\n--B--'
    const request = await sent(multipart(body), { 'big.bin': octets })
    const start = Buffer.from(
      '--B\r\nContent-Type: text/plain; charset=latin1\r\n\r\nZo\u00eb\r\n--B\r\n\r\n',
      'latin1',
    )
    expect(request.body.subarray(0, start.length)).toEqual(start)
    const content = request.body.subarray(start.length, start.length + octets.length)
    expect(createHash('md5').update(content).digest('hex')).toBe(createHash('md5').update(octets).digest('hex'))
  })

  it('is sent unchanged if no line is a delimiter', async () => {
    expect(marked((await sent(multipart('< f'), { f: 'raw\r\n' })).body)).toBe('raw|')
  })

  const head = 'Content-Disposition: form-data; name='
  it.each<[string, string, string, string]>([
    [
      'quotes and line ends in a name',
      `--B\n${head}"{{x}}"\n\na\n--B--`,
      'a"\r\nX: y"',
      `--B|${head}"a%22%0D%0AX: y%22"||a|--B--|`,
    ],
    [
      'the same in a file name',
      `--B\n${head}"n"; filename="{{x}}.txt"\n\na\n--B--`,
      '"\n',
      `--B|${head}"n"; filename="%22%0A.txt"||a|--B--|`,
    ],
    [
      'both, with more text',
      `--B\n${head}"a{{x}}b{{x}}"; filename="{{x}}"\n\na\n--B--`,
      '"',
      `--B|${head}"a%22b%22"; filename="%22"||a|--B--|`,
    ],
    [
      'a name on a folded line',
      '--B\nContent-Disposition: form-data;\n name="{{x}}"\n\na\n--B--',
      '"',
      '--B|Content-Disposition: form-data;| name="%22"||a|--B--|',
    ],
    ['an escape that was typed', `--B\n${head}"%22{{x}}"\n\na\n--B--`, '%22', `--B|${head}"%22%22"||a|--B--|`],
    ['quotes in another header', '--B\nX: "{{x}}"\n\na\n--B--', '"', '--B|X: """||a|--B--|'],
    ['line ends in a content', '--B\nX: y\n\n{{x}}\n--B--', 'a\r\nb: c\r\n\r\nd', '--B|X: y||a|b: c||d|--B--|'],
    [
      'what looks like a header, in a content',
      `--B\nX: y\n\n${head}"{{x}}"\n--B--`,
      'a"b',
      `--B|X: y||${head}"a"b"|--B--|`,
    ],
    ['another boundary', '--B\nX: y\n\n{{x}}\n--B--', '--C\n--C--', '--B|X: y||--C/--C--|--B--|'],
    ['the boundary within a line', '--B\nX: y\n\n{{x}}\n--B--', 'a --B', '--B|X: y||a --B|--B--|'],
  ])('keeps the parts as written, with %s of a variable', async (_, body, value, expected) => {
    const { sent, errors } = await prepareText(multipart(body), { commandLine: new Map([['x', value]]) })
    expect(errors).toEqual([])
    expect(marked(sent[0]?.body as Buffer)).toBe(expected)
  })

  const simple = '--B\nX: {{x}}\n\na\n--B--'
  const content = '--B\nX: y\n\n{{x}}\n--B--'
  it.each<[string, string, string, RegExp]>([
    ['adds a header', simple, 'y\r\nZ: z', /^7:4 invalid-request the value has a line break/],
    ['adds a header by a lone CR', simple, 'y\rZ: z', /^7:4 invalid-request the value has a line break/],
    ['ends the head', simple, 'y\n\nz', /^7:4 invalid-request the value has a line break/],
    [
      'adds a header in place of one',
      '--B\n{{x}}\n\na\n--B--',
      'X: y\nZ: z',
      /^7:1 invalid-request the value has a line/,
    ],
    ['adds one outside of the quotes', `--B\n${head}{{x}}\n\na\n--B--`, 'y\nZ: z', /^7:38 invalid-request/],
    ['is a delimiter', content, '--B', /^9:1 invalid-request the value has a line that begins with "--B"/],
    ['has a delimiter', content, 'a\r\n--B\r\nX: z\r\n\r\nb', /^9:1 invalid-request the value has a line/],
    ['has the end', '--B\nX: y\n\na{{x}}\n--B--', '\n--B--', /^9:2 invalid-request the value has a line/],
    ['has a longer boundary, which many readers take for it', content, 'a\n--Bx', /^9:1 invalid-request/],
    [
      'has the delimiter of a part inside',
      '--B\nContent-Type: multipart/mixed; boundary=C\n\n--C\n\n{{x}}\n--C--\n--B--',
      '\n--C',
      /^11:1 invalid-request/,
    ],
    ['is before the first part', '{{x}}\n--B\n\na\n--B--', '--B\n\nx', /^6:1 invalid-request/],
  ])('is refused if a value %s', async (_, body, value, message) => {
    const { sent, errors } = await prepareText(multipart(body), { commandLine: new Map([['x', value]]) })
    expect(sent).toEqual([])
    expect(errors).toEqual([expect.stringMatching(message)])
  })

  it('without a boundary is refused, suggesting one', async () => {
    const errors = await errorsOf('POST http://h.test/\nContent-Type: multipart/form-data\n\n--X\n\na\n--X--')
    expect(errors).toEqual([expect.stringMatching(/^4:1 invalid-request .*no boundary$/)])
  })
})

describe('a GraphQL request', () => {
  const graphql = async (body: string, files: Files = {}): Promise<unknown> => {
    const request = await sent(`@n = 5\nGRAPHQL http://h.test/graphql\n\n${body}`, files)
    expect(request.line).toBe('POST /graphql HTTP/1.1')
    expect(request.headers).toContain('Content-Type: application/json')
    return JSON.parse(request.body.toString())
  }

  it.each<[string, string, object]>([
    ['query alone', 'query { a }', { query: 'query { a }', variables: {} }],
    ['short form', '{ a { b } }', { query: '{ a { b } }', variables: {} }],
    [
      'query and variables',
      'query Q($id: ID!) {\n  a(id: $id) { b }\n}\n\n{"id": "x", "n": {{n}}}',
      { query: 'query Q($id: ID!) {\n  a(id: $id) { b }\n}', variables: { id: 'x', n: 5 }, operationName: 'Q' },
    ],
    ['short form and variables', '{ a }\n{"b": {"c": []}}', { query: '{ a }', variables: { b: { c: [] } } }],
    ['empty variables', 'mutation M { a }\n{ }', { query: 'mutation M { a }', variables: {}, operationName: 'M' }],
    [
      'objects and texts with braces in the query',
      'mutation { a(x: {y: "}{\\"", z: {}}, t: """ { "q" """) }',
      { query: 'mutation { a(x: {y: "}{\\"", z: {}}, t: """ { "q" """) }', variables: {} },
    ],
    [
      'a fragment and two operations',
      'fragment F on T { a }\nquery A { ...F }\nquery B { ...F }',
      { query: 'fragment F on T { a }\nquery A { ...F }\nquery B { ...F }', variables: {}, operationName: 'A' },
    ],
    ['variables of the file', 'query { a(n: {{n}}) }', { query: 'query { a(n: 5) }', variables: {} }],
  ])('is sent with %s', async (_, body, expected) => {
    expect(await graphql(body)).toEqual(expected)
  })

  it('sends numbers in variables exactly as written', async () => {
    const { body } = await sent('GRAPHQL http://h.test/\n\n{ a }\n{"id": 12345678901234567890, "n": 1.50}')
    expect(body.toString()).toBe('{"query":"{ a }","variables":{"id": 12345678901234567890, "n": 1.50}}')
  })

  it('is recognised by a REST Client field, which is not sent', async () => {
    const head = 'POST http://h.test/graphql\nX-REQUEST-TYPE: GraphQL\nContent-Type: application/json'
    const { headers, body } = await sent(`${head}\n\nquery Q($n: Int) { a }\n\n{"n": 1}`)
    expect(headers.join()).not.toMatch(/x-request-type/i)
    expect(JSON.parse(body.toString())).toEqual({
      query: 'query Q($n: Int) { a }',
      variables: { n: 1 },
      operationName: 'Q',
    })
  })

  it('takes its query from a file', async () => {
    const expected = { query: 'query Q { a } # c', variables: { b: 1 }, operationName: 'Q' }
    expect(await graphql('< q.graphql\n\n{"b": 1}', { 'q.graphql': 'query Q { a } # c\n' })).toEqual(expected)
  })

  it('keeps a given Content-Type', async () => {
    const { headers } = await sent('GRAPHQL http://h.test/\nContent-Type: application/graphql+json\nX: y\n\n{ a }')
    expect(headers.filter((line) => /content-type/i.test(line))).toEqual(['Content-Type: application/graphql+json'])
  })

  it.each<[string, string, string]>([
    ['without a query', 'GRAPHQL http://h.test/\n', '1:1 invalid-request expected a GraphQL query'],
    ['of variables alone', 'GRAPHQL http://h.test/\n\n{"a": 1}', '3:1 invalid-request expected a GraphQL query'],
    [
      'with wrong variables',
      'GRAPHQL http://h.test/\n\n{ a }\n{"a": }',
      '3:1 invalid-request the GraphQL variables are not JSON',
    ],
  ])('%s is refused', async (_, text, error) => {
    expect((await errorsOf(text)).map((line) => line.slice(0, error.length))).toEqual([error])
  })
})

describe('a file with variables', () => {
  it('has them replaced; one without is sent unchanged', async () => {
    const text = '@a = X\nPOST http://h.test/\nContent-Type: application/json\n\n<@ t.json\n< t.json'
    const { body } = await sent(text, { 't.json': '{"a": "{{a}}", "u": {{$isoTimestamp}}}\n' })
    expect(body.toString()).toMatch(
      /^\{"a": "X", "u": "\d{4}-[^"]*Z"\}\n\n\{"a": "\{\{a\}\}", "u": \{\{\$isoTimestamp\}\}\}\n$/,
    )
  })

  it('is read in the given charset, and sent in that of Content-Type', async () => {
    const file = Buffer.from('Zo\u00eb {{a}}', 'latin1')
    const { body } = await sent('@a = é\nPOST http://h.test/\n\n<@latin1 t', { t: file })
    expect(body.toString('utf8')).toBe('Zoë é')
    const text = '@a = é\nPOST http://h.test/\nContent-Type: text/plain; charset=iso-8859-1\n\n<@iso-8859-1 t'
    expect((await sent(text, { t: file })).body.toString('latin1')).toBe('Zoë é')
  })

  it('in windows-1252 keeps its special characters', async () => {
    const { body } = await sent('POST http://h.test/\n\n<@windows-1252 t', { t: Uint8Array.of(0x80, 0x93, 0xe9) })
    expect(body.toString('utf8')).toBe('€“é')
  })

  it('shows unknown variables at the line that refers to it', async () => {
    expect(await errorsOf('POST http://h.test/\n\n<@ ./t', { t: 'a\nb {{none}}' })).toEqual([
      expect.stringMatching(/^3:4 unknown-variable the variable "none"/),
    ])
  })

  it.each<[string, string, string]>([
    ['that does not exist', '<@ none', '3:4 unreadable-file'],
    ['that is not text of the charset', '<@ latin', '3:1 invalid-request the file is not utf-8 text'],
    ['of an unknown charset', '<@klingon latin', '3:1 invalid-request "klingon"'],
  ])('%s is refused', async (_, body, error) => {
    const errors = await errorsOf(`POST http://h.test/\n\n${body}`, { latin: Uint8Array.of(0xe9) })
    expect(errors.map((line) => line.slice(0, error.length))).toEqual([error])
  })
})

describe('a charset', () => {
  it.each<[string, string, readonly number[]]>([
    ['utf-8', 'é€', [0xc3, 0xa9, 0xe2, 0x82, 0xac]],
    ['UTF-16LE', 'é', [0xe9, 0x00]],
    ['utf-16be', 'é', [0x00, 0xe9]],
    ['windows-1252', '€', [0x80]],
    ['koi8-r', 'Я', [0xf1]],
    ['iso-8859-15', '€', [0xa4]],
    ['windows-1251', 'Я', [0xdf]],
    ['shift_jis', '日a', [0x93, 0xfa, 0x61]],
    ['gbk', '中', [0xd6, 0xd0]],
    ['euc-kr', '한', [0xc7, 0xd1]],
    ['big5', '中', [0xa4, 0xa4]],
  ])('%s is written', async (charset, text, octets) => {
    const { body } = await sent(`POST http://h.test/\nContent-Type: text/plain; charset="${charset}"\n\n${text}`)
    expect([...body]).toEqual(octets)
  })
})

describe('framing', () => {
  it('by chunks is kept if the header is present', async () => {
    const { headers, body } = await sent('POST http://h.test/\nTransfer-Encoding: chunked\n\nbody')
    expect(headers).toContain('Transfer-Encoding: chunked')
    expect(headers.join()).not.toMatch(/content-length/i)
    expect(body.toString()).toBe('4\r\nbody\r\n0\r\n\r\n')
  })

  it('by a wrong length is corrected in place', async () => {
    const { headers } = await sent('POST http://h.test/\nA: b\nContent-Length: 999\nC: d\n\nbody')
    expect(headers.slice(1)).toEqual(['A: b', 'Content-Length: 4', 'C: d'])
  })

  it('of a body without a known length is by chunks', async () => {
    const { headers, body } = await sent('POST http://h.test/\n\n< /proc/self/comm', {}, { fileRoot: '/' })
    expect(headers).toContain('Transfer-Encoding: chunked')
    expect(body.length).toBeGreaterThan(0)
  })
})

describe('a form with # @no-auto-encoding', () => {
  it('is sent as written, with variables unencoded', async () => {
    const text =
      '@v = a&b\n# @no-auto-encoding\nPOST http://h.test/\nContent-Type: application/x-www-form-urlencoded\n\n{"a": 1} {{v}}\n&%='
    expect(marked((await sent(text)).body)).toBe('{"a": 1} a&b/&%=')
  })
})
