/** One request for each element of an array. */
import { describe, expect, it } from 'vitest'
import { type PreparationSettings, prepareText } from '../preparing.ts'
import { recordingServer, runText } from '../running.ts'

const values = {
  ids: [1, 2, 3],
  pair: ['a', 'b'],
  users: [
    { name: 'ada', age: 36, tags: ['x', 'y'] },
    { name: 'alan', age: 41, tags: [] },
  ],
  none: [],
  mixed: [null, true, 1.5, 'text', { a: 1 }, [1, 2]],
  base: 'http://{{host}}',
}

const settings: PreparationSettings = {
  environmentName: 'dev',
  files: { 'http-client.env.json': JSON.stringify({ dev: { ...values, host: 'h.test' } }) },
}

async function sent(text: string, more: PreparationSettings = {}): Promise<readonly string[]> {
  const { errors, sent } = await prepareText(text, { ...settings, ...more })
  expect(errors).toEqual([])
  return sent.map(({ line, body }) => `${(line.split(' ')[1] as string).slice(1)}${body.toString()}`)
}

describe('an array', () => {
  it.each<[string, string, readonly string[]]>([
    ['in the URL', 'GET {{base}}/{{ids}}', ['1', '2', '3']],
    ['in the body', 'POST {{base}}/\n\n<{{ids}}>', ['<1>', '<2>', '<3>']],
    ['twice: both advance together', 'GET {{base}}/{{ids}}-{{ids}}', ['1-1', '2-2', '3-3']],
    ['beside a shorter one, which begins anew', 'GET {{base}}/{{ids}}{{pair}}', ['1a', '2b', '3a']],
    ['of objects by a path', 'GET {{base}}/{{users[*].name}}{{users[*].age}}', ['ada36', 'alan41']],
    ['of objects by descent', 'GET {{base}}/{{$.users..name}}', ['ada', 'alan']],
    ['inside an in-place variable', '@item = item{{ids}}\nGET {{base}}/{{item}}', ['item1', 'item2', 'item3']],
    ['passed on by an in-place variable', '@all = {{ids}}\nGET {{base}}/{{all}}', ['1', '2', '3']],
    ['beside other variables', '@x = x\nGET {{base}}/{{x}}{{pair}}', ['xa', 'xb']],
    [
      'of all types',
      'POST {{base}}/\nContent-Type: application/json\n\n{{mixed}}',
      ['null', 'true', '1.5', 'text', '{"a":1}', '[1,2]'],
    ],
    ['of one element', 'GET {{base}}/{{$.users[?@.age > 40].name}}', ['alan']],
  ])('%s', async (_, text, expected) => {
    expect(await sent(text)).toEqual(expected)
  })

  it('in a header', async () => {
    const { sent } = await prepareText('GET {{base}}/\nX: {{pair}}', settings)
    expect(sent.map(({ headers }) => headers.find((line) => line.startsWith('X')))).toEqual(['X: a', 'X: b'])
  })

  it('that is empty sends nothing and is an error; the run continues', async () => {
    const { errors, sent } = await prepareText('GET {{base}}/{{none}}\n###\nGET {{base}}/next', settings)
    expect(errors).toEqual(['1:14 empty-array the array "none" is empty: no request to send'])
    expect(sent.map(({ line }) => line)).toEqual(['GET /next HTTP/1.1'])
  })

  it('set by a script applies to later requests', async () => {
    const onSent: PreparationSettings['onSent'] = ({ globals }) => void globals.set('list', [7, 8])
    expect(await sent('GET {{base}}/\n###\nGET {{base}}/{{list}}', { onSent })).toEqual(['', '7', '8'])
  })

  it('has fresh dynamic values in each iteration', async () => {
    const targets = await sent('GET {{base}}/{{pair}}{{$uuid}}')
    expect(new Set(targets.map((target) => target.slice(1))).size).toBe(2)
  })

  it('finishes each iteration before the next is built', async () => {
    const onSent: PreparationSettings['onSent'] = ({ globals }, count) => void globals.set('count', count)
    expect(await sent('@count = 0\nGET {{base}}/{{ids}}?{{count}}', { onSent })).toEqual(['1?0', '2?1', '3?2'])
  })

  it('gives scripts the iteration and the values of the expressions, in request order', async () => {
    const { sent } = await prepareText('POST {{base}}/{{ids}}\nX: {{pair}}\n\n{{users[*].age}}', settings)
    expect(sent.map(({ prepared }) => [prepared.iteration, prepared.iterations, ...prepared.templateValues])).toEqual([
      [0, 3, 'http://h.test', 1, 'a', 36],
      [1, 3, 'http://h.test', 2, 'b', 41],
      [2, 3, 'http://h.test', 3, 'a', 36],
    ])
  })
})

describe('an iteration that cannot be built', () => {
  const run = {
    variables: new Map([['file', ['a', 'none', 'b', 'nothing']]]),
    files: { a: 'A', b: 'B' },
  }

  it.each([false, true])('is an error, and the others are sent; in a dry run: %s', async (isDryRun) => {
    const server = await recordingServer()
    try {
      const text = `POST ${server.origin}/{{file}}\n\n< ./{{file}}\n`
      const { events, errors, summary } = await runText(text, { ...run, isDryRun })
      expect(errors).toEqual([
        expect.stringContaining('unreadable-file'),
        expect.stringMatching(/^3:3 unreadable-file .*nothing does not exist$/),
      ])
      const outcomes = events.flatMap((event) => (event.type === 'request-finished' ? [event] : []))
      expect(outcomes.map(({ request: { iteration }, outcome }) => [iteration, outcome])).toEqual([
        [0, 'passed'],
        [1, 'error'],
        [2, 'passed'],
        [3, 'error'],
      ])
      expect(summary).toMatchObject({ requests: 4, failed: 2 })
      expect(server.requests.map(({ line }) => line.split(' ')[1])).toEqual(isDryRun ? [] : ['/a', '/b'])
    } finally {
      await server.close()
    }
  })

  it('may be the first', async () => {
    const server = await recordingServer()
    try {
      const variables = new Map([['file', ['none', 'a']]])
      const { summary } = await runText(`POST ${server.origin}/{{file}}\n\n< ./{{file}}\n`, { ...run, variables })
      expect(summary).toMatchObject({ requests: 2, answered: 1, failed: 1 })
    } finally {
      await server.close()
    }
  })
})
