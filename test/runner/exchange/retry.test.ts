/** Requests that are tried again, what is waited for, and what is skipped. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Attempt } from '../../../src/runner/exchange/attempt.ts'
import type { RunEvent } from '../../../src/runner/index.ts'
import { type RecordingServer, type RunSettings, recordingServer, runText } from '../running.ts'

let server: RecordingServer
let count = 0

beforeAll(async () => {
  server = await recordingServer({
    '/third': (_request, response) => response.writeHead(++count < 3 ? 503 : 200).end(String(count)),
    '/cut': (request) => request.socket.destroy(),
    '/cut-once': (request, response) => (++count === 1 ? request.socket.destroy() : response.end('there')),
  })
})
afterAll(() => server.close())
beforeEach(() => {
  count = 0
  server.requests.length = 0
})

const isUp = `> {% client.test('up', () => client.assert(response.status === 200)) %}`

function reported(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === 'request-retried') return [`retried ${event.attempt}/${event.of}: ${event.reason}`]
    if (event.type === 'request-finished') return [`finished ${event.outcome}`]
    if (event.type === 'test-passed' || event.type === 'test-failed') return [`${event.type} ${event.name}`]
    if (event.type === 'error') return [`error ${event.error}`.replace(/:\d+|port \d+/, '')]
    if (event.type === 'request-skipped') return [`skipped ${event.request.number}: ${event.reason}`]
    if (event.type === 'script-log') return [`log ${event.text}`]
    return []
  })
}

describe('a request is retried', () => {
  it('until its tests pass, and only the last attempt counts', async () => {
    const { events, summary } = await runText(`# @retry 5 1ms\nGET ${server.origin}/third\n\n${isUp}`)
    expect(reported(events)).toEqual([
      'retried 1/6: the test "up" failed',
      'retried 2/6: the test "up" failed',
      'test-passed up',
      'finished passed',
    ])
    expect(summary).toMatchObject({ requests: 1, answered: 1, testsPassed: 1, testsFailed: 0, retries: 2 })
  })

  it('as often as requested, then fails', async () => {
    const { events, summary } = await runText(`# @retry 1, 1 ms\nGET ${server.origin}/third\n\n${isUp}`)
    expect(reported(events)).toEqual(['retried 1/2: the test "up" failed', 'test-failed up', 'finished failed'])
    expect(summary).toMatchObject({ testsFailed: 1, retries: 1, failed: 0 })
    expect(server.requests).toHaveLength(2)
  })

  it('when it is not answered, for any method', async () => {
    const { events, summary } = await runText(`POST ${server.origin}/cut-once\n\nbody`, {
      retry: { count: 2, intervalMs: 1 },
    })
    expect(reported(events)).toEqual([
      expect.stringMatching(/^retried 1\/3: .*closed the connection/),
      'finished passed',
    ])
    expect(events.find(({ type }) => type === 'request-retried')).toMatchObject({
      error: { code: expect.any(String) },
    })
    expect(summary).toMatchObject({ failed: 0, answered: 1, retries: 1 })
    expect(server.requests.map(({ body }) => String(body))).toEqual(['body', 'body'])
  })

  it('when it is never answered, and the error is reported once', async () => {
    const { events, summary } = await runText(`GET ${server.origin}/cut`, { retry: { count: 2, intervalMs: 1 } })
    expect(reported(events).map((text) => text.split(' ')[0])).toEqual(['retried', 'retried', 'error', 'finished'])
    expect(summary).toMatchObject({ failed: 1, retries: 2, requests: 1 })
  })

  it('for its status if that counts as a failure', async () => {
    const { events, summary } = await runText(`GET ${server.origin}/third`, {
      shouldFailOnStatus: true,
      retry: { count: 2, intervalMs: 1 },
    })
    expect(reported(events)).toEqual([
      'retried 1/3: the status is 503',
      'retried 2/3: the status is 503',
      'finished passed',
    ])
    expect(summary).toMatchObject({ badStatuses: 0, answered: 1 })
  })

  it('for a script that fails; its logs are still reported', async () => {
    const script = `> {% client.log('try'); if (response.status !== 200) throw new Error('not yet') %}`
    const { events, summary } = await runText(`# @retry 3 1ms\nGET ${server.origin}/third\n\n${script}`)
    expect(reported(events)).toEqual([
      'log try',
      expect.stringMatching(/^retried 1\/4: a script failed: .*not yet/),
      'log try',
      expect.stringContaining('retried 2/4'),
      'log try',
      'finished passed',
    ])
    expect(summary).toMatchObject({ scriptsFailed: 0 })
  })

  it('with the same bytes: random values are drawn once', async () => {
    await runText(`# @retry 2 1ms\nGET ${server.origin}/third?{{$uuid}}\n\n${isUp}`)
    const [first, ...others] = server.requests.map(({ line }) => line.replace(/^.*\?/, ''))
    expect(others).toEqual([first, first])
  })

  it('separately for each iteration of an array', async () => {
    const { summary } = await runText(`# @retry 2 1ms\nGET ${server.origin}/third?{{n}}\n\n${isUp}`, {
      variables: new Map([['n', [1, 2]]]),
    })
    expect(summary).toMatchObject({ requests: 2, testsPassed: 2, retries: 2 })
  })
})

it('an attempt keeps the events that count, and no uploaded bytes', async () => {
  const attempt = new Attempt()
  await runText(`POST ${server.origin}/\n\nbody`, { listener: (event) => void attempt.take(event) })
  const types = attempt.uncounted.map(({ type }) => type)
  expect(types).toEqual(['request-started', 'response', 'response-done'])
})

describe('a request is not retried', () => {
  it.each<[string, string, Partial<RunSettings>]>([
    ['without being asked to', `GET $O/third\n\n${isUp}`, {}],
    ['where its tag says 0', `# @retry 0\nGET $O/third\n\n${isUp}`, { retry: { count: 3, intervalMs: 1 } }],
    ['when it passes', 'GET $O/', { retry: { count: 3, intervalMs: 1 } }],
    ['for a status that is not a failure', 'GET $O/third', { retry: { count: 3, intervalMs: 1 } }],
    ['when it cannot be put together', 'GET $O/{{no}}', { retry: { count: 3, intervalMs: 1 } }],
    ['when a script before it fails', '< {% throw new Error() %}\nGET $O/', { retry: { count: 3, intervalMs: 1 } }],
  ])('%s', async (_title, text, settings) => {
    const { summary } = await runText(text.replaceAll('$O', server.origin), settings)
    expect(summary.retries).toBe(0)
    expect(server.requests.length).toBeLessThanOrEqual(1)
  })

  it.each(['x', '-1', '3 fast', '1.5'])('if the count is invalid: @retry %s', async (value) => {
    const { errors } = await runText(`# @retry ${value}\nGET ${server.origin}/`)
    expect(errors).toEqual([expect.stringContaining('1:1 invalid-request @retry needs a number of retries')])
  })

  it('once the run is interrupted', async () => {
    const controller = new AbortController()
    const { events, summary } = await runText(`# @retry 9 60s\nGET ${server.origin}/cut\n###\nGET ${server.origin}/`, {
      wire: { signal: controller.signal },
      listener: (event) => {
        if (event.type === 'request-retried') controller.abort()
        collected.push(event)
      },
    })
    expect(events).toEqual([])
    expect(reported(collected)).toEqual([
      expect.stringContaining('retried 1/10'),
      'finished error',
      'skipped 2: interrupted',
    ])
    expect(summary).toMatchObject({ isInterrupted: true, skipped: 1 })
  })
  const collected: RunEvent[] = []
})

describe('a request after a failure', () => {
  it('is skipped with bail, and each one is reported', async () => {
    const { events, summary } = await runText(
      `GET ${server.origin}/cut\n### b\nGET ${server.origin}/b\n###\nrun #b\nGET ${server.origin}/c`,
      { isFailFast: true },
    )
    expect(reported(events).slice(1)).toEqual([
      'finished error',
      'skipped 2: bail',
      'skipped 3: bail',
      'skipped 4: bail',
    ])
    expect(summary).toMatchObject({ requests: 1, skipped: 3, failed: 1 })
    expect(server.requests).toHaveLength(1)
  })

  it('is skipped with bail, including the remaining iterations of an array', async () => {
    const { events } = await runText(`GET ${server.origin}/cut?{{n}}\n###\nGET ${server.origin}/`, {
      isFailFast: true,
      variables: new Map([['n', [1, 2, 3]]]),
    })
    expect(reported(events).slice(1)).toEqual([
      'finished error',
      'skipped 2: bail',
      'skipped 3: bail',
      'skipped 4: bail',
    ])
  })

  it('is skipped if another run has stopped this one', async () => {
    const { events, summary } = await runText(`GET ${server.origin}/\n###\nGET ${server.origin}/2`, {
      isSkipped: true,
    })
    expect(events.map(({ type }) => type)).toEqual([
      'run-started',
      'request-skipped',
      'request-skipped',
      'run-finished',
    ])
    expect(summary).toMatchObject({ requests: 0, skipped: 2 })
    expect(server.requests).toEqual([])
  })

  it('is sent without bail', async () => {
    const { summary } = await runText(`GET ${server.origin}/cut\n###\nGET ${server.origin}/`)
    expect(summary).toMatchObject({ requests: 2, failed: 1, answered: 1, skipped: 0 })
  })
})

describe('the delay', () => {
  /** How often a request began later than `delayMs` after the end of the one before. */
  async function gaps(settings: Partial<RunSettings>, text: string): Promise<readonly boolean[]> {
    const found: boolean[] = []
    let lastMs: number | undefined
    const began = performance.now()
    await runText(text, {
      delayMs: 40,
      listener: (event) => {
        if (event.type === 'request-started') found.push(performance.now() - (lastMs ?? began) >= 39)
        if (event.type === 'request-finished') lastMs = performance.now()
      },
      ...settings,
    })
    return found
  }

  it('applies before each request except the first, including iterations', async () => {
    const text = `GET ${server.origin}/a\n###\nGET ${server.origin}/{{n}}`
    const variables = new Map([['n', [1, 2]]])
    expect((await gaps({ variables }, text)).slice(1)).toEqual([true, true])
  })

  it('applies before the first one, too, if others were sent before', async () => {
    expect(await gaps({ delaysFirst: true }, `GET ${server.origin}/a`)).toEqual([true])
  })

  it('is cut short by an interruption', async () => {
    const controller = new AbortController()
    const { summary } = await runText(`GET ${server.origin}/a\n###\nGET ${server.origin}/b`, {
      delayMs: 60_000,
      wire: { signal: controller.signal },
      listener: (event) => {
        if (event.type === 'request-finished') setImmediate(() => controller.abort())
      },
    })
    expect(summary).toMatchObject({ requests: 1, skipped: 1, isInterrupted: true })
  })
})

describe('a finished request', () => {
  it.each<[string, string, Partial<RunSettings>]>([
    ['passed', 'GET $O/', {}],
    ['passed', "GET $O/\n\n> {% client.test('a', () => {}) %}", {}],
    ['failed', "GET $O/\n\n> {% client.test('a', () => client.assert(false)) %}", {}],
    ['failed', 'GET $O/\n\n> {% throw 1 %}', {}],
    ['failed', '< {% throw 1 %}\nGET $O/', {}],
    ['failed', 'GET $O/third', { shouldFailOnStatus: true }],
    ['passed', 'GET $O/third', {}],
    ['error', 'GET $O/cut', {}],
    ['error', 'GET $O/{{no}}', {}],
  ])('has %s: %s', async (outcome, text, settings) => {
    const { events } = await runText(text.replaceAll('$O', server.origin), settings)
    expect(events.at(-2)).toMatchObject({ type: 'request-finished', outcome, durationMs: expect.any(Number) })
  })
})
