/** Hurl files: whole bodies of responses, texts between backticks, and options that change what is sent. */
import { describe, expect, it } from 'vitest'
import { converted, headerOf, lossesOf, sentOf } from './converting.ts'

const from = 'hurl'

function assertsOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^# @assert (.*)/.exec(line)?.[1] ?? [])
}

describe('the body of a response', () => {
  it.each([
    ['lines', '```\nline1\nline2 {{a}}\n```', 'body == "line1\\nline2 {{a}}\\n"'],
    ['lines with escapes', '```escape\na\\tb\n```', 'body == "a\\tb\\n"'],
    ['lines without variables', '```novariable\n{{a}}\n```', 'body == "{{{empty}}{a}}\\n"'],
    ['XML', '<a>\n  <b/>\n</a>', 'body == "<a>\\n  <b/>\\n</a>"'],
    ['base64', 'base64,AAH/;', 'body toHex == "0001ff"'],
    ['hexadecimal digits', 'hex,00 01 ff;', 'body toHex == "0001ff"'],
    ['lines as a value', '[Asserts]\nbody == ```\na # b\n\n{{c}}\n``` # c', 'body == "a # b\\n\\n{{c}}\\n"'],
    ['a line as a value', '[Asserts]\nbody == ```a b```', 'body == "a b"'],
  ])('is compared: %s', async (_, body, wanted) => {
    const result = await converted(`GET http://h.test/\nHTTP *\n${body}\n`, { from })
    expect([assertsOf(result.text), lossesOf(result)]).toEqual([[wanted], []])
  })

  it('is reported if it is in a file', async () => {
    const result = await converted('GET http://h.test/\nHTTP *\nfile,data.txt;\n', { from })
    expect([assertsOf(result.text), lossesOf(result)]).toEqual([[], ['line 3: the assert of the whole body']])
  })

  it('may follow a value of several lines', async () => {
    const asserts = '[Asserts]\nbody != ```\na\n```\nstatus == 200\n```\nb\n```\n'
    const { text } = await converted(`GET http://h.test/\nHTTP *\n${asserts}`, { from })
    expect(assertsOf(text)).toEqual(['body != "a\\n"', 'status == 200', 'body == "b\\n"'])
  })
})

describe('the target of a request', () => {
  it.each([
    ['without dot segments', 'http://h.test/a/../b/./c?d=/../e', '', '/b/c?d=/../e'],
    ['with them by an option', 'http://h.test/a/../b', '[Options]\npath-as-is: true', '/a/../b'],
    ['with characters that Hurl does not escape', 'http://h.test/[a]?b={c}|d', '', '/[a]?b={c}|d'],
    ['with escapes beyond ASCII', 'http://h.test/é?ü', '', '/%C3%A9?%C3%BC'],
    ['with names as written', 'http://h.test/', '[Query]\n$top: 5 $\na\\:b: c\\#d', '/?$top=5%20%24&a:b=c%23d'],
    ['with escaped values of variables', 'http://h.test/[a]/{{v}}', '[Options]\nvariable: v=b c', '/%5Ba%5D/b%20c'],
  ])('is sent %s', async (_, url, section, wanted) => {
    const { text } = await converted(`GET ${url}\n${section}\n`, { from })
    expect((await sentOf(text)).map(({ line }) => line)).toEqual([`GET ${wanted} HTTP/1.1`])
  })
})

describe('the body of a request', () => {
  it.each([
    ['escapes', '```escape\na\\tb {{a}}\n```', 'a\tb A\n'],
    ['no variables', '```novariable\na\\tb {{a}}\n```', 'a\\tb {{a}}\n'],
    ['both', '```text,escape,novariable\na\\tb {{a}}\n```', 'a\tb {{a}}\n'],
    ['JSON without variables', '```json,novariable\n{"a": "{{a}}"}\n```', '{"a": "{{a}}"}\n'],
    ['spaces between digits', 'hex,68 69;', 'hi'],
  ])('has %s', async (_, body, wanted) => {
    const { text } = await converted(`POST http://h.test/\n${body}\n`, { from })
    const [sent] = await sentOf(`@a = A\n${text}`)
    expect(sent?.body.toString()).toBe(wanted)
  })
})

describe('two spaces', () => {
  it('stay in values of asserts and names of files', async () => {
    const source = 'POST http://h.test/\nfile,a  b.txt;\nHTTP *\n[Asserts]\nbody == "a  b"\nbody matches /a  b/\n'
    const { text } = await converted(source, { from })
    expect(assertsOf(text)).toEqual(['body == "a  b"', 'body matches /a  b/'])
    expect(text).toContain('\n< a  b.txt\n')
  })
})

describe('options of an entry', () => {
  it('add headers', async () => {
    const source = 'GET http://h.test/\nX-A: 1\n[Options]\nheader: X-B: 2\nheader: X-C: {{c}}\nuser-agent: robot/1\n'
    const result = await converted(source, { from })
    const [sent] = await sentOf(`@c = C\n${result.text}`)
    expect(sent?.headers).toEqual(['Host: h.test', 'X-A: 1', 'X-B: 2', 'X-C: C', 'User-Agent: robot/1'])
    expect(lossesOf(result)).toEqual([])
  })

  it('count as the last one says', async () => {
    const source = 'GET http://h.test/\n[Options]\nhttp1.0: true\nhttp1.1: true\nmax-time: 1\nmax-time: 2s\n'
    const { text } = await converted(source, { from })
    expect(text).toContain('# @timeout 2 s\n')
    expect((await sentOf(text)).map(({ line }) => line)).toEqual(['GET / HTTP/1.1'])
  })

  it('leave out a request that Hurl skips', async () => {
    const source = 'GET http://h.test/a\n\nDELETE http://h.test/b\n[Options]\nskip: true\nHTTP 200\n'
    const result = await converted(source, { from })
    expect((await sentOf(result.text)).map(({ line }) => line)).toEqual(['GET /a HTTP/1.1'])
    expect(lossesOf(result)).toEqual(['line 3: DELETE http://h.test/b, which has the option skip'])
  })

  it('may skip every request, which is an error', async () => {
    const error = await converted('GET http://h.test/\n[Options]\nskip: true\n', { from }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'convert-syntax', message: 'every request has the option skip' })
  })
})

describe('credentials', () => {
  it.each([
    ['without a password', '[BasicAuth]\nada:', 'ada:'],
    ['of a variable without a password', '[Options]\nvariable: key=ada\nuser: {{key}}:', 'ada:'],
    ['with spaces', '[BasicAuth]\nada b: secret word', 'ada b:secret word'],
  ])('%s are encoded', async (_, section, wanted) => {
    const { text } = await converted(`GET http://h.test/\n${section}\n`, { from })
    const [sent] = await sentOf(text)
    expect(headerOf(sent!, 'Authorization')).toBe(`Basic ${Buffer.from(wanted).toString('base64')}`)
  })
})

describe('a password', () => {
  it.each(['aws-sigv4: aws:amz:eu:s', 'ntlm: true', 'negotiate: true'])(
    'is not sent in another form than with %s',
    async (option) => {
      const result = await converted(`GET http://h.test/\n[Options]\nuser: ada:hush\n${option}\n`, { from })
      expect(result.text).not.toContain('Authorization')
      expect(lossesOf(result)).toEqual([`line 4: the option ${option.split(':')[0]}`])
    },
  )

  it('is that of Digest with its option', async () => {
    const { text } = await converted('GET http://h.test/\n[Options]\ndigest: true\nuser: ada:hush\n', { from })
    expect(text).toContain('\nAuthorization: Digest ada hush\n')
  })
})

describe('a backslash or a #', () => {
  it('is read as Hurl reads it', async () => {
    const source =
      'POST http://h.test/\nX-A: a#b\nX-B: a\\#b # c\nX-C: "a # b\n[Options]\nheader: X-D: d\\#e\nfile,a\\ b.txt;\n'
    const result = await converted(source, { from })
    const [sent] = await sentOf(result.text, { 'a b.txt': 'content' })
    expect(sent?.headers.slice(1, 5)).toEqual(['X-A: a', 'X-B: a#b', 'X-C: "a', 'X-D: d#e'])
    expect(sent?.body.toString()).toBe('content')
  })
})

describe('an option that a tag cannot hold', () => {
  it.each(['retry: -1', 'retry: {{n}}', 'max-time: {{t}}', 'connect-timeout: 1h'])(
    'is reported: %s',
    async (option) => {
      const result = await converted(`GET http://h.test/\n[Options]\n${option}\n`, { from })
      expect(lossesOf(result)).toEqual([`line 3: the option ${option}`])
    },
  )
})

describe('an option for the connection', () => {
  it.each<[string, readonly string[]]>([
    ['proxy: http://u:hush@p:1', ['line 4: the option proxy: give --proxy http://u:<password>@p:1 to "httpcli run"']],
    ['cert: a.pem:hush', ['line 4: the option cert: give --cert a.pem to "httpcli run"']],
    ['max-redirs: 2', ['line 4: the option max-redirs']],
    ['limit-rate: 1000', ['line 4: the option limit-rate']],
  ])('is reported without its password: %s', async (option, losses) => {
    const result = await converted(`GET http://h.test/\n[Options]\nlocation: true\n${option}\n`, { from })
    expect(lossesOf(result)).toEqual(losses)
    expect(result.text).not.toContain('hush')
  })

  it('is none if it limits redirects that are not followed', async () => {
    const result = await converted('GET http://h.test/\n[Options]\nmax-redirs: 2\n', { from })
    expect(lossesOf(result)).toEqual([])
  })
})

describe('a capture', () => {
  it('that Hurl redacts is reported, because its value is printed', async () => {
    const source = 'GET http://h.test/\nHTTP *\n[Captures]\ntoken: jsonpath "$.token" redact\n'
    const result = await converted(source, { from })
    expect(result.text).toContain('# @capture token = jsonpath "$.token"\n')
    expect(lossesOf(result)).toEqual(['line 4: redact: the value of token is not masked'])
  })
})

describe('a mistake', () => {
  it.each([
    ['GET http://h.test/\nHTTP 200\n[Assert]\nstatus == 200\n', 3, 'unknown section [Assert]'],
    ['GET http://h.test/\n[Querys]\na: b\n', 2, 'unknown section [Querys]'],
    ['GET http://h.test/\n[Options]\n# none\ninsecure\n', 4, 'expected "name: value"'],
    ['POST http://h.test/\n[Form]\na=b\n', 3, 'expected "name: value"'],
    ['GET http://h.test/\nHTTP *\n[Asserts]\nbody == ```\na\n', 4, 'the text is not closed: expected ```'],
  ])('is an error with its place: %j', async (text, line, message) => {
    const error = await converted(text, { from }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'convert-syntax', message, where: { line, column: 1 } })
  })
})
