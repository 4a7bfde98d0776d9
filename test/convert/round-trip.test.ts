/** Any request, through curl and back: what is sent stays the same. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { converted, sentOf } from './converting.ts'

const awkward = fc.constantFrom(
  ...[
    'a',
    'b c',
    "it's",
    '"q"',
    '$x',
    '`c`',
    '\\',
    '\\n',
    '{{y}}',
    '{',
    '}}',
    '#',
    '//',
    '###',
    '<',
    '> {% z %}',
    '>> f',
    '&',
    '=',
    '%',
    '%20',
  ],
  ...['+', 'é', '日本', '*', '?', '!', ';', '|', '(', ')', '~', '\t', '@f', '-d', "'", '^', '%%', '  '],
  ...['@a=b', '?? status == 404', 'GET http://h.test/', 'HTTP/1.1 200 OK'],
)
const words = fc.array(awkward, { maxLength: 5 }).map((parts) => parts.join(''))
const lines = fc.array(words, { maxLength: 4 }).map((all) => all.join('\n'))
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const header = fc
  .tuple(fc.constantFrom('X-A', 'Accept', 'Cookie', 'Referer'), words)
  .map(([name, value]) => `${name}: ${value.trim()}`)
const command = fc
  .record({
    method: fc.constantFrom('', '-X PUT', '-X DELETE', '-X POST'),
    path: fc
      .array(fc.constantFrom('a', '/', '%20', '?', 'x=1', '&', '.', '~'), { maxLength: 5 })
      .map((parts) => parts.join('')),
    headers: fc.uniqueArray(header, { maxLength: 3, selector: (line) => line.split(':')[0] }),
    type: fc.constantFrom('text/plain', 'application/json', 'application/x-www-form-urlencoded', ''),
    body: fc.option(lines, { nil: undefined }),
    follows: fc.boolean(),
  })
  .map(({ method, path, headers, type, body, follows }) =>
    [
      `curl ${follows ? '-L ' : ''}-g ${method} ${quoted(`http://h.test/${path}`)}`,
      ...headers.filter((line) => !line.endsWith(': ')).map((line) => `-H ${quoted(line)}`),
      ...(type === '' ? [] : [`-H ${quoted(`Content-Type: ${type}`)}`]),
      ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
    ].join(' \\\n'),
  )

const outline = async (file: string): Promise<unknown> =>
  (await sentOf(file)).map(({ line, headers, body, prepared }) => ({
    line,
    headers: [...headers].sort(),
    body: body.toString(),
    follows: prepared.shouldFollowRedirects,
  }))

describe('any curl command', () => {
  it('sends the same after conversion to a request file, back to curl, and once more', async () => {
    await fc.assert(
      fc.asyncProperty(command, async (source) => {
        const first = (await converted(source, { from: 'curl' })).text
        const back = await converted(first, { from: 'http', to: 'curl' })
        const second = (await converted(back.text, { from: 'curl' })).text
        expect(await outline(second)).toEqual(await outline(first))
      }),
      { numRuns: 150 },
    )
  })

  it('is sent with its body and headers byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(words, lines, async (value, body) => {
        const text = value.trim()
        fc.pre(text !== '' && body !== '')
        const source = `curl http://h.test/ -H ${quoted(`X: ${text}`)} -H 'Content-Type: text/plain' --data-raw ${quoted(body)}`
        const [request] = await sentOf((await converted(source, { from: 'curl' })).text)
        expect(request?.body.toString()).toBe(body)
        expect(request?.headers.map((line) => Buffer.from(line, 'latin1').toString())).toContain(`X: ${text}`)
      }),
      { numRuns: 200 },
    )
  })
})
