import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RecordingServer, type RunResult, recordingServer, runText } from '../running.ts'

const document = {
  items: [
    { id: 7, name: 'one', tags: ['a', 'b'] },
    { id: 8, name: 'two', tags: [] },
  ],
  access_token: 'abc.def',
  count: '5',
  zero: 0,
  none: null,
  yes: true,
  long: '<long>',
  nested: { 'a b': { c: 1.5, zero: '<zero>' } },
  when: '2026-11-21T10:00:00Z',
  id: '4a3f0b62-5a3e-4b7e-9a53-0d5f7b0d6c11',
  empty: {},
  'access-token': 'hyphen',
}
const json = JSON.stringify(document).replace('"<long>"', '12345678901234567890').replace('"<zero>"', '-0.0')
const page =
  '<!doctype html><html><body><p class="x">first</p><p>second</p><a href="/next?id=42">more</a></body></html>'
const feed = '<f:feed xmlns:f="urn:f" xmlns="urn:d"><f:entry id="1">A</f:entry><entry>B</entry></f:feed>'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/json': (_request, response) => {
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      response.setHeader('X-Several', ['one', 'two', 'three'])
      response.setHeader('X-Number', '42')
      response.setHeader('Set-Cookie', [
        'sid=old',
        'sid=s3cr=et; Path=/; Secure; HttpOnly; Max-Age=60; SameSite=Lax',
        'b=2',
      ])
      response.setHeader('Location', '/users/17/edit')
      response.end(json)
    },
    '/page': (_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(page)
    },
    '/feed': (_request, response) => {
      response.setHeader('Content-Type', 'application/xml')
      response.end(feed)
    },
    '/text': (_request, response) => {
      response.setHeader('Content-Type', 'text/plain')
      response.end('order 1234: total 56.70 EUR\nsecond line')
    },
    '/nothing': (_request, response) => {
      response.statusCode = 204
      response.end()
    },
    '/missing': (_request, response) => {
      response.statusCode = 404
      response.end('{"error":"no such item"}')
    },
    '/moved': (_request, response) => {
      response.statusCode = 302
      response.setHeader('Location', '/json')
      response.end()
    },
    '/deep': (_request, response) => response.end('['.repeat(100_000) + ']'.repeat(100_000)),
    '/lines': (_request, response) => {
      response.setHeader('Content-Type', 'application/x-ndjson')
      response.end('{"n":1}\n{"n":2}\n')
    },
  })
})
afterAll(() => server.close())

async function check(tags: readonly string[], path = '/json'): Promise<RunResult> {
  const lines = tags.map((tag) => `# @${tag}`)
  return runText([...lines, `GET ${server.origin}${path}`, ''].join('\n'))
}

describe('assertions that hold', () => {
  it.each([
    'status == 200',
    'status==200',
    'status != 404',
    'status < 300',
    'status >= 200',
    'status in [200, 201]',
    'status not in [404, 500]',
    'not status == 500',
    'status matches /^2\\d\\d$/',
    'status isInteger',
    'version == HTTP/1.1',
    'reason == OK',
    'ip == 127.0.0.1',
    'ip isIpv4',
    'redirects == 0',
    'header content-type contains json',
    'header Content-Type == "application/json; charset=utf-8"',
    'header content-type startsWith application/json',
    'header x-number == 42',
    'header x-number > 41.5',
    'header x-number isNumber',
    'header x-none not exists',
    'header x-several == two',
    'header x-several[1] == two',
    'header x-several[-1] == three',
    'header x-several count == 3',
    'header x-several[*] == ["one", "two", "three"]',
    'header x-several not contains four',
    'header location /users\\/(\\d+)/ == 17',
    '$.zero == -0',
    '$.zero in [1, -0]',
    '$.nested[*].zero == [0]',
    'header x-none count == 0',
    'cookie sid == s3cr=et',
    'cookie sid[Secure] exists',
    'cookie sid[httponly] == true',
    'cookie sid[Max-Age] == 60',
    'cookie sid[SameSite] == Lax',
    'cookie sid[Domain] not exists',
    'cookie nope not exists',
    'body contains access_token',
    'body $.items[0].id > 5',
    'body $.items[0].id == 7',
    'body $.items[0].id <= 7',
    '$.items[0].name == one',
    '$.items[-1].name == "two"',
    '$.items count == 2',
    '$.items length == 2',
    '$.items[*].id == [7, 8]',
    '$.items[*].id contains 8',
    '$.items[?@.id > 7].name == two',
    '$.items[?(@.name == "one")].tags contains ["a","b"]',
    '$.items[0] contains tags',
    "$.nested['a b'].c == 1.5",
    '$["access-token"] == hyphen',
    'jsonpath "$.count" == "5"',
    '$.count not == 6',
    '$.count isString',
    '$.zero == 0',
    '$.none == null',
    '$.none isNull',
    '$.none exists',
    '$.yes == true',
    '$.yes is boolean',
    '$.yes is true',
    '$.nope not exists',
    '$..nope not exists',
    '$..nope count == 0',
    '$.items[1].tags isEmpty',
    '$.items[0].tags is not empty',
    '$.empty isEmpty',
    '$.empty == {}',
    '$.items[1] == {"tags": [], "name": "two", "id": 8}',
    '$.items is an array',
    '$.items isList',
    '$.nested isObject',
    '$.when isDate',
    '$.when > "2026-01-01"',
    '$.id isUuid',
    '$.long == 12345678901234567890',
    '$.long != 12345678901234567891',
    '$.access_token starts with abc',
    '$.access_token ends-with def',
    '$.access_token length == 7',
    '$.access_token matches /^ABC\\./i',
    '$.access_token matches "^abc\\.def$"',
    '$.access_token matches [a-z.]+',
    '$.access_token /\\.(.+)/ upper == DEF',
    '$.access_token in ["x", abc.def]',
    '$.items[0].name in [one, two]',
    'body bytes > 100',
    `bytes == ${Buffer.byteLength(json)}`,
    `size == ${json.length}`,
    'size < 1KB',
    'size > 0.1 KiB',
    'duration < 30s',
    'duration < 30000ms',
    'duration >= 0',
    `sha256 == ${createHash('sha256').update(json).digest('hex')}`,
    `body md5 == "${createHash('md5').update(json).digest('hex')}"`,
    'body isObject',
  ])('%s', async (assertion) => {
    const { results } = await check([`assert ${assertion}`])
    expect(results).toEqual([`passed ${assertion}`])
  })

  it.each([
    ['/page', 'xpath //p[1] == first'],
    ['/page', 'body xpath //p count == 2'],
    ['/page', 'body xpath count(//p) == 2'],
    ['/page', "xpath string(//p[@class='x']) == 'first'"],
    ['/page', 'xpath //p contains secon'],
    ['/page', 'xpath "//a/@href" endsWith id=42'],
    ['/page', 'xpath //b not exists'],
    ['/feed', 'xpath //f:entry == A'],
    ['/feed', 'xpath //_:entry == B'],
    ['/feed', 'xpath //f:entry/@id == 1'],
    ['/text', 'body /order (\\d+)/ == 1234'],
    ['/text', 'regex "total ([\\d.]+)" > 56'],
    ['/text', 'body matches /^second/m'],
    ['/text', 'body length == 39'],
    ['/text', 'body == "order 1234: total 56.70 EUR\\nsecond line"'],
    ['/text', 'body lower contains eur'],
    ['/nothing', 'body not exists'],
    ['/nothing', 'body isEmpty'],
    ['/nothing', 'size == 0'],
    ['/moved', 'redirects == 1'],
    ['/moved', 'locations count == 1'],
    ['/moved', 'locations first endsWith "/json"'],
    ['/moved', 'url endsWith /json'],
    ['/lines', '$[1].n == 2'],
    ['/lines', 'body contains n'],
  ])('of %s: %s', async (path, assertion) => {
    const { results } = await check([`assert ${assertion}`], path)
    expect(results).toEqual([`passed ${assertion}`])
  })
})

describe('filters', () => {
  it.each([
    '$.access_token split "." == ["abc", "def"]',
    '$.access_token split . nth 1 == def',
    '$.access_token split "." last length == 3',
    '$.access_token replace "." "-" == abc-def',
    '$.access_token replaceRegex /[a-c]+/ "x$&" == xabc.def',
    '$.access_token base64Encode == "YWJjLmRlZg=="',
    '$.access_token base64Encode base64Decode == abc.def',
    '$.access_token toHex startsWith 616263',
    '$.count toInt == 5',
    '$.nested["a b"].c toInt == 1',
    '$.count toFloat isNumber',
    '$.long toInt == 12345678901234567890',
    '$.zero toString == "0"',
    '$.items first jsonpath "$.id" == 7',
    '$.items[*].name last == two',
    'body jsonpath "$.items" count == 2',
    '$.when toDate "%Y-%m-%dT%H:%M:%SZ" format "%d.%m.%y %H:%M %b %a" == "21.11.26 10:00 Nov Sat"',
    '$.when toDate "%+" format "%+" == "2026-11-21T10:00:00+0000"',
    '$.when replace "00Z" "00.25+01:00" toDate "%+" format "%T%.f" == "09:00:00.250"',
    '$.when replace "00Z" "00.123456Z" toDate "%FT%T%.fZ" == "2026-11-21T10:00:00.123Z"',
    '$.when replaceRegex /^2026/ "0099" toDate "%Y-%m-%dT%H:%M:%SZ" == "0099-11-21T10:00:00.000Z"',
    '$.when format "%s" toInt == 1795255200',
    '$.when daysAfterNow isInteger',
    'header location urlEncode == "%2Fusers%2F17%2Fedit"',
    'url urlQueryParam "none" not exists',
    'body decode utf-8 contains tags',
    '$.long toString length == 20',
    '$.access_token htmlEscape == abc.def',
    `$.id replaceRegex /^.*$/ "&lt;b&gt; &amp;amp; &#xA9; &#65 &eacute;<i>" htmlUnescape == '<b> &amp; © A é<i>'`,
  ])('produce a value that holds: %s', async (text) => {
    const { results } = await check([`assert ${text}`])
    expect(results).toEqual([`passed ${text}`])
  })

  it('query documents', async () => {
    const tags = ['body xpath "string(//p)" == first', 'variable none xpath "//p" not exists']
    const { results } = await check(
      tags.map((tag) => `assert ${tag}`),
      '/page',
    )
    expect(results).toEqual(tags.map((tag) => `passed ${tag}`))
  })

  it.each<[string, string]>([
    ['$.access_token toInt == 1', '"abc.def" is not an integer'],
    ['$.access_token base64Decode == x', '"abc.def" is not Base64'],
    ['$.access_token toDate "%Y" exists', '"abc.def" is not a date as "%Y" says'],
    ['$.access_token format "%Y" exists', '"abc.def" is not a date: toDate'],
    ['$.when toDate "%Y-%d-%mT%H:%M:%SZ" exists', 'is not a date as'],
    ['$.when format "%Q" exists', '"%Q" is not part of a date pattern'],
    ['$.items nth 9 exists', 'the list has 2 elements, none at 9'],
    ['$.items jsonpath "$.[" exists', 'Expected'],
    ['$.access_token replaceRegex "(" "" exists', 'Invalid regular expression'],
    ['url urlQueryParam q == x', 'the URL has no parameter q'],
  ])('explain why nothing was found: %s', async (text, message) => {
    const { results } = await check([`assert ${text}`])
    expect(results).toEqual([expect.stringContaining(message)])
  })
})

describe('assertions of httpYac', () => {
  const base64 = (algorithm: string): string => createHash(algorithm).update(json).digest('base64')

  it.each([
    'status == 200',
    'status startsWith 20',
    'status exists',
    'header content-type includes json',
    'header x-none isFalse',
    'duration < 60000',
    `body == ${json}`,
    'body includes "tags"',
    'body items[0].id == 7',
    'body count == 5',
    'body items[0].tags == ["a", "b"]',
    'body md5 MD5',
    'body sha256 SHA256',
    'body sha512 SHA512',
    'js response.parsedBody.items.length == 2',
    'js response.parsedBody.nested["a b"].c == 1.5',
    'js response.parsedBody.yes isTrue',
    'js response.parsedBody.count isString',
    'js response.headers["x-number"] == 42',
    'js response.statusCode matches ^2',
  ])('hold: %s', async (text) => {
    const line = text.replace(/(?:MD5|SHA\d+)$/, (name) => base64(name.toLowerCase()))
    const { results, errors } = await runText(`GET ${server.origin}/json\n?? ${line}\n`)
    expect([results, errors]).toEqual([[`passed ${line}`], []])
  })

  it.each([
    'status == 201',
    'header x-none exists',
    'body items[0].id == 8',
    'body sha256 AAAA',
    'js response.parsedBody.zero isTrue',
    'js response.parsedBody.gone == undefined',
  ])('fail: %s', async (text) => {
    const { results } = await runText(`GET ${server.origin}/json\n?? ${text}\n`)
    expect(results).toEqual([expect.stringContaining(`failed ${text}: `)])
  })
})

describe('assertions that fail', () => {
  it.each([
    ['status == 201', 'expected: 201\nactual:   200'],
    [
      'status == "200"',
      'expected: "200"\nactual:   200\nthe number 200 is not the string "200": write it without quotes for the number',
    ],
    ['not status < 300', 'expected: not less than 300\nactual:   200'],
    ['header content-type contains html', 'expected: containing "html"\nactual:   "application/json; charset=utf-8"'],
    ['$.count == 5', 'expected: 5\nactual:   "5"\nthe string "5" is not the number 5: write "5" for the string'],
    [
      '$.count > 3',
      'expected: more than 3\nactual:   "5"\nthe string "5" is not the number 3: write "3" for the string',
    ],
    ['$.items contains 3', undefined],
    ['$.items > 3', undefined],
    ['$.items not > 3', undefined],
    [
      '$.nope == 1',
      'expected: 1\nactual:   nothing at $.nope: $ has items, access_token, count, zero, none, yes, long, nested, when, id, empty, access-token',
    ],
    ['$.nope != 1', undefined],
    ['$.nested.x.y exists', 'expected: to exist\nactual:   nothing at $.nested.x.y: $.nested has a b'],
    ['$.items[5] exists', 'expected: to exist\nactual:   nothing at $.items[5]: $.items is an array of 2'],
    ['$.none != null', 'expected: not null\nactual:   null'],
    ['$.yes isString', 'expected: a string\nactual:   true'],
    ['header x-nope exists', undefined],
    ['cookie nope == 1', 'expected: 1\nactual:   the response sets no cookie nope: it sets sid, sid, b'],
    ['duration < 0ms', undefined],
    ['size < 1B', `expected: less than 1 B\nactual:   ${json.length} B`],
    [
      'certificate days > 5',
      'expected: more than 5\nactual:   the response came without TLS, so it has no certificate',
    ],
    ['body /zebra(.)/ == x', undefined],
    ['xpath //p == 1', 'the body is not a document: missing root element'],
    ['$.count contains 3', 'expected: containing 3\nactual:   "5"'],
    ['$.count startsWith 3', 'expected: beginning with 3\nactual:   "5"'],
    [
      '$.items startsWith x',
      'expected: beginning with "x"\nactual:   [{"id":7,"name":"one","tags":["a","b"]},{"id":8,"name":"two","tags":[]}]\nan array cannot be compared with a string',
    ],
  ])('%s', async (assertion, message) => {
    const { results, summary } = await check([`assert ${assertion}`])
    expect(results).toHaveLength(1)
    if (message === undefined) expect(results[0]).toContain(`failed ${assertion}: `)
    else expect(results).toEqual([`failed ${assertion}: ${message}`])
    expect(summary).toMatchObject({ testsFailed: 1, testsPassed: 0, failed: 0, answered: 1 })
  })

  it('have the place of the assertion, and both sides as fields', async () => {
    const { events } = await check(['name x', 'assert status == 201'])
    const failed = events.find((event) => event.type === 'test-failed')
    expect(failed).toMatchObject({ kind: 'assertion', name: 'status == 201', expected: '201', actual: '200' })
    expect(failed?.error).toMatchObject({
      code: 'assertion-failed',
      where: { line: 2, column: 11 },
      excerpt: '# @assert status == 201\n          ^^^^^^^^^^^^^',
    })
  })

  it('do not prevent the others from being checked', async () => {
    const { results } = await check(['assert status == 1', 'assert status == 200', 'assert reason == No'])
    expect(results.map((line) => line.split(':')[0])).toEqual([
      'failed status == 1',
      'passed status == 200',
      'failed reason == No',
    ])
  })

  it('shorten long values', async () => {
    const { results } = await check(['assert body == x'])
    expect(results[0]?.length).toBeLessThan(500)
    expect(results[0]).toMatch(/… \(\d+ characters\)$/)
  })

  it('include a regular expression that would backtrack endlessly, which is stopped', async () => {
    const evil = await recordingServer({ '/': (_request, response) => response.end(`${'a'.repeat(40)}!`) })
    const { results } = await runText(`# @assert body matches /^(a+)+$/\nGET ${evil.origin}/\n`)
    await evil.close()
    expect(results).toEqual(['failed body matches /^(a+)+$/: stopped after 5 s, the time limit of a check'])
  })
})

describe('large and odd bodies', () => {
  it.each(['$ not exists', '$.a not exists', '$..a count == 0', '$ count == 0'])(
    'JSON that is too deep to be searched fails %s',
    async (assertion) => {
      const { results } = await check([`assert ${assertion}`], '/deep')
      expect(results).toEqual([
        expect.stringMatching(/^failed .*actual: +the JSON is nested more than 1000 levels deep$/s),
      ])
    },
  )

  it.each<[string, string, string, string]>([
    [
      'a text of many megabytes beside a long integer',
      `{"s":"${'x\\n'.repeat(3_000_000)}","n":12345678901234567890}`,
      '$.n == 12345678901234567890',
      'passed',
    ],
    [
      'long integers in texts',
      '{"a":"12345678901234567890","b":-98765432109876543210}',
      '$.b == -98765432109876543210',
      'passed',
    ],
    ['long integers in lines of JSON', '{"a":12345678901234567890}\n{}', '$[0].a == 12345678901234567890', 'passed'],
    [
      'long integers in JSON within a text',
      '{"a":"{\\"b\\":12345678901234567890}"}',
      '$.a jsonpath "$.b" == 12345678901234567890',
      'passed',
    ],
    ['long fractions', '{"a":0.12345678901234567890}', '$.a < 0.2', 'passed'],
    ['an expression that needs too much stack', 'ab'.repeat(7_000_000), 'body matches /^(a|b)*c/', 'failed'],
    ['nesting of any depth', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, '$[0] == [[]]', 'failed'],
    ['a byte order mark', '\ufeff{"a":1}', '$.a == 1', 'passed'],
  ])('with %s are checked', async (_what, body, assertion, result) => {
    const own = await recordingServer({ '/': (_request, response) => response.end(body) })
    const { results } = await runText(`# @assert ${assertion}\nGET ${own.origin}/\n`)
    await own.close()
    expect(results).toHaveLength(1)
    expect(results[0]?.split(' ')[0]).toBe(result)
  })
})

describe('variables in assertions', () => {
  it.each([
    ['body $.items[0].id == {{id}}', new Map([['id', '7']])],
    ['$.count == {{five}}', new Map([['five', '5']])],
    [
      '$.items[{{index}}].name == "{{name}}"',
      new Map([
        ['index', '0'],
        ['name', 'one'],
      ]),
    ],
    [
      'header {{header}} contains {{kind}}',
      new Map([
        ['header', 'content-type'],
        ['kind', 'json'],
      ]),
    ],
    ['$.items[0] == {"id": {{id}}, "name": "one", "tags": ["a", "b"]}', new Map([['id', '7']])],
    ['status in [{{one}}, 200]', new Map([['one', '1']])],
    ['body matches /"id":{{id}}/', new Map([['id', '7']])],
    ['{{name}} == one', new Map([['name', 'one']])],
    ['variable name == one', new Map([['name', 'one']])],
  ])('%s', async (assertion, variables) => {
    const { results } = await runText(`# @assert ${assertion}\nGET ${server.origin}/json\n`, { variables })
    expect(results).toEqual([`passed ${assertion}`])
  })

  it('are those of the iteration that was sent', async () => {
    const echo = await recordingServer({ '/echo': (request, response) => response.end(request.url?.split('=')[1]) })
    const text = `< {% request.variables.set("n", [1, 2, 3]) %}
# @assert body == {{n}}
GET ${echo.origin}/echo?n={{n}}
`
    const { results } = await runText(text)
    await echo.close()
    expect(results).toEqual(Array(3).fill('passed body == {{n}}'))
  })

  it('that are unknown fail the assertion at their place', async () => {
    const { events } = await check(['assert status == {{nope}}'])
    const failed = events.find((event) => event.type === 'test-failed')
    expect(failed?.error).toMatchObject({ code: 'unknown-variable', where: { line: 1, column: 21 } })
  })
})

describe('captures', () => {
  it.each([
    ['token = $.access_token', 'abc.def'],
    ['token = body $.items[0].id', '7'],
    ['token = $.long', '12345678901234567890'],
    ['token = header location /users\\/(\\d+)/', '17'],
    ['token = cookie sid', 's3cr=et'],
    ['token = status', '200'],
    ['token = header x-several[1]', 'two'],
    ['token: $.access_token', 'abc.def'],
  ])('%s is available to later requests', async (capture, value) => {
    const before = server.requests.length
    const { events, errors } = await runText(
      `# @capture ${capture}\nGET ${server.origin}/json\n\n###\nGET ${server.origin}/next/{{token}}\n`,
    )
    expect(errors).toEqual([])
    expect(events.filter(({ type }) => type === 'captured')).toMatchObject([{ name: 'token' }])
    expect(server.requests.at(before + 1)?.line).toBe(`GET /next/${value} HTTP/1.1`)
  })

  it('are available to assertions and handlers of the same request', async () => {
    const { results } = await runText(`# @assert $.access_token == {{token}}
# @capture token = $.access_token
GET ${server.origin}/json

> {%
  client.log(client.global.get("token"))
%}
`)
    expect(results).toEqual(['passed $.access_token == {{token}}', 'log abc.def'])
  })

  it('that find nothing fail and say what was found', async () => {
    const { results, summary, events } = await check(['capture token = $.access_token'], '/missing')
    expect(results).toEqual(['failed capture token = $.access_token: nothing at $.access_token: $ has error'])
    expect(summary.testsFailed).toBe(1)
    expect(events.some(({ type }) => type === 'captured')).toBe(false)
  })

  it('fail for a value that is too deep to be written', async () => {
    const text = `# @capture all = $\nGET ${server.origin}/deep\n\n###\nGET ${server.origin}/next/{{all}}\n`
    const { results, errors } = await runText(text)
    expect(results).toEqual(['failed capture all = $: the JSON is nested more than 1000 levels deep'])
    expect(errors).toEqual([expect.stringContaining('the variable "all" is not defined')])
  })

  it('are reported without their values', async () => {
    const { events } = await check(['capture token = $.access_token'])
    const reported = events.filter(({ type }) => type === 'captured')
    expect(JSON.stringify(reported)).not.toContain('abc.def')
  })

  it('run before the tests of handlers, after the response', async () => {
    const { events } = await runText(`GET ${server.origin}/json

> {% client.test("t", () => {}) %}
# @assert status == 200
`)
    const order = events.map((event) => ('kind' in event ? `${event.type} ${event.name}` : event.type))
    expect(order.slice(order.indexOf('response-done'))).toEqual([
      'response-done',
      'test-passed status == 200',
      'test-passed t',
      'request-finished',
      'run-finished',
    ])
  })
})

describe('invalid paths', () => {
  it.each([
    ['$.items[', 'bracket'],
    ['$.items[?(@.id >)] == 1', 'is not a JSONPath'],
    ['xpath //p[ == 1', 'bracket'],
    ['xpath "//p[@" == 1', 'is not an XPath'],
  ])('%s is an error of the file, and nothing is sent', async (assertion, message) => {
    const before = server.requests.length
    await expect(check([`assert ${assertion}`])).rejects.toMatchObject({
      code: 'invalid-http-file',
      errors: [{ message: expect.stringContaining(message) as string }],
    })
    expect(server.requests).toHaveLength(before)
  })
})
