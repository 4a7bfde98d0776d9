/**
 * Dynamic variables of VS Code REST Client and Visual Studio: their values, offsets, formats, and what is wrong with
 * them.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { dateText, movedMs } from '../../../../src/runner/variables/dynamic/editor-dates.ts'
import { recordingServer, runText } from '../../running.ts'

const now = Date.UTC(2026, 0, 31, 13, 5, 9, 7)
let closing: (() => Promise<void>) | undefined

afterEach(async () => {
  await closing?.()
  closing = undefined
})

async function sentFor(expression: string, settings: Parameters<typeof runText>[1] = {}): Promise<string> {
  const server = await recordingServer()
  closing = server.close
  const sources = { now: () => now, randomBytes: (count: number) => new Uint8Array(count).fill(7) }
  const text = `POST ${server.origin}/\nContent-Type: text/plain\n\n{{${expression}}}\n`
  const { errors } = await runText(text, { sources, ...settings })
  return errors[0] ?? String(server.requests[0]?.body)
}

describe('a dynamic variable of another editor', () => {
  it.each<[string, string | RegExp]>([
    ['$guid', '07070707-0707-4707-8707-070707070707'],
    ['$randomInt 5 6', '5'],
    ['$randomInt -3 -2', '-3'],
    ['$randomInt 5 20', /^(?:[5-9]|1\d)$/],
    ['$timestamp', '1769864709'],
    ['$timestamp -3 h', '1769853909'],
    ['$timestamp 2 d', '1770037509'],
    ['$timestamp +2 d', '1770037509'],
    ['$timestamp 1 M', String(Date.UTC(2026, 1, 28, 13, 5, 9) / 1000)],
    ['$timestamp 1 Q', String(Date.UTC(2026, 3, 30, 13, 5, 9) / 1000)],
    ['$timestamp -1 y', String(Date.UTC(2025, 0, 31, 13, 5, 9) / 1000)],
    ['$datetime iso8601', '2026-01-31T13:05:09.007Z'],
    ['$datetime rfc1123', 'Sat, 31 Jan 2026 13:05:09 GMT'],
    ['$datetime iso8601 1 w', '2026-02-07T13:05:09.007Z'],
    ['$datetime "YYYY-MM-DD"', '2026-01-31'],
    ["$datetime 'DD.MM.YY' -1 d", '30.01.26'],
    ['$datetime "dddd, D MMMM YYYY [at] h:mm A Z"', 'Saturday, 31 January 2026 at 1:05 PM +00:00'],
    ['$datetime "yyyy-MM-ddTHH:mm:ss.fffK"', '2026-01-31T13:05:09.007Z'],
    ['$datetime "dd-MM-yyyy" 1 d', '01-02-2026'],
    ['$datetime "d \'of\' MMM, hh tt"', '31 of Jan, 01 PM'],
    ['$localDatetime "YYYY-MM-DDTHH"', /^2026-0[12]-\d\dT\d\d$/],
    ['$processEnv HOME_PAGE', 'http://ada.test/'],
    ['$processEnv %which', 'http://ada.test/'],
    ['$shared page', 'shared'],
  ])('%s', async (expression, wanted) => {
    const sent = await sentFor(expression, {
      processEnvironment: { HOME_PAGE: 'http://ada.test/' },
      environmentName: 'dev',
      files: { 'http-client.env.json': '{"$shared": {"page": "shared"}, "dev": {"which": "HOME_PAGE"}}' },
    })
    expect(sent).toEqual(typeof wanted === 'string' ? wanted : expect.stringMatching(wanted))
  })

  it.each<[string, string]>([
    ['$randomInt 5', 'bad-argument $randomInt: takes two whole numbers, found "5"'],
    [
      '$randomInt -9007199254740991 9007199254740991',
      'bad-argument $randomInt: the range from -9007199254740991 to 9007199254740991 is too large',
    ],
    ['$randomInt 9 5', 'bad-argument $randomInt: the range from 9 up to, not including, 5 is empty'],
    ['$timestamp 3 years', 'bad-argument $timestamp: takes a whole number and a unit (y, Q, M, w, d, h, m, s, ms)'],
    ['$timestamp 999999999999 y', 'bad-argument $timestamp: no date exists at 999999999999 y'],
    ['$datetime', 'bad-argument $datetime: takes a format first, found nothing'],
    ['$datetime YYYY', 'bad-argument $datetime: takes a format first, found "YYYY"'],
    ['$processEnv', 'bad-argument $processEnv: takes one name, found ""'],
    ['$processEnv GONE', 'unknown-variable the environment variable "GONE" is not set'],
    ['$dotenv GONE', 'unknown-variable .env not found in the directory of the request file or above it'],
    ['$shared gone', 'unknown-variable "$shared" of the environment file has no "gone"'],
    ['$aadToken new', 'not-supported $aadToken is a variable of VS Code REST Client, which is not supported'],
    ['$input Your name?', 'not-supported $input is a variable of httpYac, which is not supported'],
    ['$timestmp -1 d', 'unknown-variable the variable "$timestmp -1 d" is not defined'],
  ])('%s is an error', async (expression, wanted) => {
    expect(await sentFor(expression)).toContain(wanted)
  })
})

describe('$dotenv', () => {
  it('reads the .env next to the file', async () => {
    expect(await sentFor('$dotenv API_KEY', { files: { '.env': 'API_KEY="a b"\n' } })).toBe('a b')
  })

  it('prefers the .env of the environment', async () => {
    const files = { '.env': 'KEY=no', '.env.dev': 'KEY=yes', 'http-client.env.json': '{"dev": {}}' }
    expect(await sentFor('$dotenv KEY', { files, environmentName: 'dev' })).toBe('yes')
  })

  it('reports which file lacks the name', async () => {
    expect(await sentFor('$dotenv KEY', { files: { '.env': 'OTHER=1' } })).toMatch(
      /^4:1 unknown-variable .*\.env has no "KEY"$/,
    )
  })

  it('is secret', async () => {
    const reported: string[] = []
    await sentFor('$dotenv KEY', { files: { '.env': 'KEY=hush' }, secrets: { add: (text) => reported.push(text) } })
    expect(reported).toContain('hush')
  })
})

describe('a local date', () => {
  it('counts days by the calendar, and has the time zone of the process', () => {
    const before = process.env.TZ
    process.env.TZ = 'Europe/Berlin'
    try {
      const noon = Date.UTC(2026, 2, 28, 11)
      expect(dateText(noon, 'iso8601', true)).toBe('2026-03-28T12:00:00+01:00')
      expect(dateText(movedMs(noon, { amount: 1, unit: 'd' }, true), 'iso8601', true)).toBe('2026-03-29T12:00:00+02:00')
      expect(dateText(noon, 'rfc1123', true)).toBe('Sat, 28 Mar 2026 12:00:00 +0100')
      expect(dateText(noon, 'yyyy-MM-dd HH:mm zzz', true)).toBe('2026-03-28 12:00 +01:00')
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })
})
