/** Variables that would fill the memory or never come to an end. */
import { describe, expect, it } from 'vitest'
import { lineTap, StreamQueue } from '../../../src/runner/exchange/stream-queue.ts'
import { prepareText } from '../preparing.ts'

const chain = (count: number, factor: number, first: string): string =>
  `@v0 = ${first}\n${Array.from({ length: count }, (_, i) => `@v${i + 1} = ${`{{v${i}}}`.repeat(factor)}\n`).join('')}`

async function errorsOf(text: string, values: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { sent, errors } = await prepareText(text, { commandLine: new Map(Object.entries(values)) })
  expect(sent).toEqual([])
  return errors
}

describe('the variables of a request', () => {
  it('add up to at most 64 MiB; the error has the path to the one that is too large', async () => {
    const errors = await errorsOf(`${chain(15, 4, 'x'.repeat(1000))}GET http://h.test/{{v15}}\n`)
    expect(errors).toEqual([
      expect.stringMatching(/^\d+:\d+ variable-too-large .*64 MiB of text: v15 → v14 → v13 → v12 → …/),
    ])
  })

  it('are looked up a limited number of times, even if they are empty', async () => {
    const errors = await errorsOf(`${chain(15, 4, '')}GET http://h.test/{{v15}}\n`)
    expect(errors).toEqual([expect.stringMatching(/variable-too-large .* 200000 other variables: v15 → /)])
  })

  it.each([
    ['a body', (uses: string) => `POST http://h.test/\nContent-Type: text/plain\n\n${uses}\n`],
    ['JSON', (uses: string) => `POST http://h.test/\nContent-Type: application/json\n\n${uses}\n`],
    ['a form', (uses: string) => `POST http://h.test/\nContent-Type: application/x-www-form-urlencoded\n\na=${uses}\n`],
    [
      'a multipart body',
      (uses: string) => `POST http://h.test/\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n${uses}\n--b--\n`,
    ],
    ['a header', (uses: string) => `GET http://h.test/\nX: ${uses}\n`],
    ['a URL', (uses: string) => `GET http://h.test/${uses}\n`],
  ])('are counted together in %s', async (_, request) => {
    const errors = await errorsOf(request('{{v}}'.repeat(700)), { v: 'x'.repeat(100_000) })
    expect(errors).toEqual([expect.stringMatching(/variable-too-large /)])
  })

  it('are counted separately for each request', async () => {
    const text = Array.from({ length: 3 }, () => 'POST http://h.test/\nContent-Type: text/plain\n\n{{v}}{{v}}\n').join(
      '\n###\n',
    )
    const { sent, errors } = await prepareText(text, { commandLine: new Map([['v', 'x'.repeat(12_000_000)]]) })
    expect(errors).toEqual([])
    expect(sent.map(({ body }) => body.length)).toEqual([24_000_000, 24_000_000, 24_000_000])
  })

  it('are counted in environment values, and in the members of objects', async () => {
    const members = Object.fromEntries(
      Array.from({ length: 15 }, (_, i) => [`v${i + 1}`, { a: [`{{v${i}}}`, `{{v${i}}}`, `{{v${i}}}`, `{{v${i}}}`] }]),
    )
    const { errors } = await prepareText('GET http://h.test/{{v15}}\n', {
      environmentName: 'dev',
      files: { 'http-client.env.json': JSON.stringify({ dev: { v0: 'x', ...members } }) },
    })
    expect(errors).toEqual([expect.stringMatching(/variable-too-large /)])
  })
})

describe('lines of a stream', () => {
  const piece = Buffer.from('x'.repeat(64 * 1024))

  it('are refused where one has more than 1 MiB', async () => {
    const tap = lineTap(new StreamQueue(() => undefined), '')
    const write = async (): Promise<void> => {
      for (let count = 0; count < 17; count++) await tap.write(piece)
    }
    await expect(write()).rejects.toMatchObject({ code: 'line-too-long' })
  })

  it('are queued for a script up to 16 MiB, in any number', async () => {
    const queue = new StreamQueue(() => undefined)
    const first = queue.next()
    let given = 0
    const giving = (async () => {
      for (; given < 100; given++) await queue.give('x'.repeat(1024 * 1024))
    })()
    await first
    // Work that does not need the taker is done when this turn of the event loop ends.
    await new Promise((resolve) => setImmediate(resolve))
    expect(given).toBeLessThan(20)
    queue.close()
    await giving
  })
})
