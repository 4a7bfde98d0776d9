/** Values of variables in the URL of a request: none of them names another host than the one that was typed. */
import { describe, expect, it } from 'vitest'
import { prepareText, type SentRequest } from '../preparing.ts'

interface Outcome {
  readonly sent: readonly SentRequest[]
  readonly errors: readonly string[]
}

const outcome = (target: string, values: Readonly<Record<string, string>>, headers = ''): Promise<Outcome> =>
  prepareText(`GET ${target}\n${headers}`, { commandLine: new Map(Object.entries(values)) })

const hostOf = ({ prepared }: SentRequest): string | undefined => prepared.message.url?.host

describe('a value that would change the host', () => {
  const hostile = [
    'evil.test/',
    'evil.test/@x',
    'x@evil.test',
    'evil.test?',
    'evil.test#',
    'evil.test\\',
    'a\tb',
    'a\nb',
    'a\rb',
    'a b',
    '\0',
  ]
  const targets = [
    'http://{{x}}.good.test/',
    'http://a.{{x}}.good.test/',
    'http://{{x}}:80/',
    '{{x}}.good.test/',
    '{{x}}:80/a',
    'a{{x}}.good.test',
    '{{x}}://good.test/',
    'https://u:p@{{x}}.good.test/',
  ]
  it.each(targets.flatMap((target) => hostile.map((value) => [target, value] as const)))(
    'is refused in %s: %j',
    async (target, value) => {
      const { sent, errors } = await outcome(target, { x: value })
      expect(sent).toEqual([])
      expect(errors).toEqual([
        expect.stringMatching(/^1:\d+ invalid-request the value of \{\{x\}\} has ".+", which would make/),
      ])
    },
  )

  it.each(['x@evil.test', ':80@evil.test', '\\@evil.test', '.a\tb', ' x'])(
    'is refused after a host: %j',
    async (value) => {
      const { sent, errors } = await outcome('http://good.test{{x}}', { x: value })
      expect(sent).toEqual([])
      expect(errors).toEqual([expect.stringMatching(/^1:\d+ invalid-request the value of \{\{x\}\}/)])
    },
  )

  it.each(['evil.test\\.good.test', 'evil\ttest', 'evil.test\n', 'e vil', 'evil.test\\ü', 'ev\nil.ü'])(
    'is refused as the whole host: %j',
    async (value) => {
      for (const target of ['http://{{x}}/', '{{x}}/a', 'http://{{x}}']) {
        const { sent, errors } = await outcome(target, { x: value })
        expect(sent).toEqual([])
        expect(errors).toEqual([expect.stringMatching(/^1:\d+ invalid-request /)])
      }
    },
  )

  it.each(['good.test\\@evil.test', 'good\ttest', 'good.test\\ü'])('is refused in Host: %j', async (value) => {
    const { sent, errors } = await outcome('/a', { x: value }, 'Host: {{x}}\n')
    expect(sent).toEqual([])
    expect(errors).toHaveLength(1)
  })
})

describe('user and password from variables', () => {
  it.each(['p/w@evil.test', 'p@evil.test/', 'p?x', 'p#x', 'p\\x', 'p w', 'pä:w', 'p%20w'])(
    'are sent as given: %j',
    async (password) => {
      const { sent, errors } = await outcome('http://{{u}}:{{p}}@good.test/x', {
        u: password.replace('%20', ''),
        p: password,
      })
      expect(errors).toEqual([])
      expect(hostOf(sent[0] as SentRequest)).toBe('good.test')
      const [field] = (sent[0] as SentRequest).headers.filter((line) => line.startsWith('Authorization: '))
      const credentials = Buffer.from((field as string).split(' ')[2] as string, 'base64').toString()
      expect(credentials).toBe(`${password.replace('%20', '')}:${decodeURIComponent(password)}`)
    },
  )

  it('may be a single variable', async () => {
    const { sent } = await outcome('http://{{both}}@good.test/x', { both: 'ada:love/lace' })
    expect((sent[0] as SentRequest).headers).toContain(
      `Authorization: Basic ${Buffer.from('ada:love/lace').toString('base64')}`,
    )
    expect(hostOf(sent[0] as SentRequest)).toBe('good.test')
  })
})

describe('a value is used unchanged', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['{{base}}/a', { base: 'http://h.test:8080/api' }, 'http://h.test:8080/api/a'],
    ['{{base}}{{path}}', { base: 'http://h.test', path: '/a?b' }, 'http://h.test/a?b'],
    ['{{base}}a', { base: 'http://h.test/' }, 'http://h.test/a'],
    ['http://{{host}}/a', { host: 'h.test:8080' }, 'http://h.test:8080/a'],
    ['http://{{host}}/a', { host: 'h.test/api' }, 'http://h.test/api/a'],
    ['http://{{host}}/a', { host: '[::1]:81' }, 'http://[::1]:81/a'],
    ['http://{{host}}{{path}}', { host: 'h.test', path: '/a@b' }, 'http://h.test/a@b'],
    ['http://h.test{{path}}', { path: '/a\\b@c' }, 'http://h.test/a%5Cb@c'],
    ['http://h.test:{{port}}/', { port: '8080' }, 'http://h.test:8080/'],
    ['http://h.test:{{port}}{{path}}', { port: '8080', path: '/x' }, 'http://h.test:8080/x'],
    ['http://{{a}}.{{b}}/', { a: 'x', b: 'h.test' }, 'http://x.h.test/'],
    ['{{host}}:{{port}}/a', { host: 'http://h.test', port: '81' }, 'http://h.test:81/a'],
    ['{{scheme}}://{{host}}/a', { scheme: 'https', host: 'h.test' }, 'https://h.test/a'],
    ['http://h.test/{{x}}', { x: '../a?b=c' }, 'http://h.test/../a?b=c'],
    ['http://h.test/?u={{x}}', { x: 'http://u:p@x/' }, 'http://h.test/?u=http://u:p@x/'],
  ])('%s with %j', async (target, values, url) => {
    const { sent, errors } = await outcome(target, values)
    expect(errors).toEqual([])
    const [{ line, prepared }] = sent as [SentRequest]
    const { message } = prepared
    expect(`${message.url?.protocol}//${message.url?.host}${line.split(' ')[1]}`).toBe(url)
  })
})

describe('a host that is invalid in a URL', () => {
  it.each([
    ['http://192.168.1.300/', '"192.168.1.300" is not a valid IPv4 address: expected four numbers up to 255'],
    ['http://1.2.3.4.5/x', '"1.2.3.4.5" is not a valid IPv4 address: expected four numbers up to 255'],
    ['user.1', '"user.1" is not a valid IPv4 address: expected four numbers up to 255'],
    ['http://a.0x1g.1:8080/', '"a.0x1g.1" is not a valid IPv4 address: expected four numbers up to 255'],
    ['http://xn--/', '"xn--" is not a valid host name'],
    ['https://a%20b/', '"a%20b" is not a valid host name'],
  ])('is refused with its place: %s', async (target, message) => {
    expect(await outcome(target, {})).toMatchObject({ sent: [], errors: [`1:5 invalid-request ${message}`] })
  })

  it.each([
    ['http:/api.test/', '"http:/" lacks a slash before the host'],
    ['http:api.test/', '"http:" lacks two slashes before the host'],
    ['https:127.0.0.1', '"https:" lacks two slashes before the host'],
    ['http:\\\\api.test\\x', '"http:" lacks two slashes before the host'],
  ])('is refused with too few slashes: %s', async (target, message) => {
    expect(await outcome(target, {})).toMatchObject({ sent: [], errors: [`1:5 invalid-request ${message}`] })
  })

  it('is refused in a Host header', async () => {
    const message = '1:5 invalid-request "1.2.3.400" is not a valid IPv4 address: expected four numbers up to 255'
    expect(await outcome('/x', {}, 'Host: 1.2.3.400\n')).toMatchObject({ sent: [], errors: [message] })
  })
})

describe('a variable without text that should be the host', () => {
  it.each(['{{x}}/a', '{{x}}', 'http://{{x}}/a', 'https://{{x}}?a', 'http://{{x}}:8080/', '{{x}}:80'])(
    'is named: %s',
    async (target) => {
      const { errors } = await outcome(target, { x: '' })
      expect(errors).toEqual([expect.stringContaining('the variable "x" is empty, expected a host')])
    },
  )

  it('is not taken for the host before ://', async () => {
    const { errors } = await outcome('{{x}}://a.test/', { x: '' })
    expect(errors).toEqual([expect.stringContaining('the variable "x" is empty, expected a scheme')])
  })

  it('may be empty above a Host header', async () => {
    const { sent } = await outcome('{{x}}/a', { x: '' }, 'Host: a.test\n')
    expect(sent.map(hostOf)).toEqual(['a.test'])
  })
})
