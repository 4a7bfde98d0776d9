/** Dynamic variables: their forms, ranges and arguments, and that fixed sources fix them. */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  dynamicNames,
  dynamicValue,
  librariesOf,
  loadFakes,
  namesLike,
} from '../../../../src/runner/variables/dynamic/dynamic-variables.ts'
import { fakes } from '../../../../src/runner/variables/dynamic/fake-table.ts'
import type { ValueSources } from '../../../../src/runner/variables/dynamic/value-sources.ts'

/** Bytes that look random and are the same each time. */
function fixedSources(seed = 1): ValueSources {
  let state = seed
  return {
    now: () => 1_700_000_000_123,
    randomBytes: (count) =>
      Uint8Array.from({ length: count }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return state >>> 24
      }),
  }
}

async function drawn(expression: string, sources = fixedSources()): Promise<string | undefined> {
  for (const load of librariesOf(expression)) await load()
  return dynamicValue(expression, sources)?.text
}

beforeAll(() => loadFakes())

it('fake data is offered for names that load it, whatever was loaded before', () => {
  expect(namesLike('$random.internet.macAdress')).toContain('$random.internet.macAddress')
  for (const name of ['$randomDomainName', '$random.integer -5 5', 'host']) {
    expect(namesLike(name)).not.toContain('$random.internet.macAddress')
    expect(namesLike(name)).toContain('$random.integer')
  }
})

describe('a dynamic variable', () => {
  it.each<[string, RegExp]>([
    ['$uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['$random.uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['$timestamp', /^1700000000$/],
    ['$isoTimestamp', /^2023-11-14T22:13:20\.123Z$/],
    ['$randomInt', /^(?:\d{1,3}|1000)$/],
    ['$random.integer', /^(?:\d{1,3}|1000)$/],
    ['$random.integer()', /^(?:\d{1,3}|1000)$/],
    ['$random.integer(5)', /^[0-4]$/],
    ['$random.integer( 10 , 12 )', /^1[01]$/],
    ['$random.integer(-3, -1)', /^-[23]$/],
    ['$random.integer(1)', /^0$/],
    ['$random.integer(9007199254740990, 9007199254740991)', /^9007199254740990$/],
    ['$random.float()', /^\d{1,3}(?:\.\d+)?$/],
    ['$random.float(1)', /^0\.\d+$/],
    ['$random.float(1.5, 1.75)', /^1\.[567]\d*$/],
    ['$random.alphabetic(12)', /^[A-Za-z]{12}$/],
    ['$random.alphabetic(0)', /^$/],
    ['$random.alphanumeric(40)', /^\w{40}$/],
    ['$random.hexadecimal(32)', /^[0-9a-f]{32}$/],
    ['$random.email', /^[a-z.]+@[a-z]+\.example\.com$/],
    ['$random.locale.name.firstName("de")', /^\S/],
    ['$random.locale.name.fullName("zh_CN")', /^[\u4e00-\u9fff·]+$/],
    ["$random.locale.address.city('ja')", /[\u3040-\u30ff\u4e00-\u9fff]/],
    ['$random.locale.name.firstName("zh-cn", 42)', /^[\u4e00-\u9fff]+$/],
    ['$random.name.firstName()', /^[A-Z]/],
    ['$random.chuckNorris.fact', /Chuck Norris/],
    ['$random.internet.password(20, 20)', /^.{20}$/],
    ['$random.number.numberBetween(5, 6)', /^5$/],
    ['$random.number.randomDouble(400, 0, 1)', /^(?:0|1|0\.\d+)$/],
    ['$random.lorem.words(4)', /^\S+ \S+ \S+ \S+$/],
    ['$random.code.ean13', /^\d{13}$/],
  ])('%s has its form', async (expression, form) => {
    for (let seed = 1; seed <= 20; seed++) expect(await drawn(expression, fixedSources(seed))).toMatch(form)
  })

  it.each(['$random.integer(0, 3)', '$random.hexadecimal(1)', '$random.alphanumeric(1)'])(
    '%s takes every value in its range',
    async (expression) => {
      const sources = fixedSources()
      const seen = new Set<string | undefined>()
      for (let count = 0; count < 2000; count++) seen.add(await drawn(expression, sources))
      expect(seen.size).toBe(expression.includes('integer') ? 3 : expression.includes('hexa') ? 16 : 63)
    },
  )

  it.each<[string, string]>([
    ['$random.integer("a")', 'takes whole numbers, found "a"'],
    ['$random.integer(1.5)', 'takes whole numbers, found 1.5'],
    ['$random.integer(5, 5)', 'the range from 5 up to, not including, 5 is empty'],
    [
      '$random.integer(-9007199254740991, 9007199254740991)',
      'the range from -9007199254740991 to 9007199254740991 is too large',
    ],
    ['$random.integer(0)', 'the range from 0 up to, not including, 0 is empty'],
    ['$random.integer(1, 2, 3)', 'takes at most two numbers, found 3'],
    ['$random.integer(1,)', '"1," is not a list of arguments'],
    ['$random.integer(x)', '"x" is not a list of arguments'],
    ['$random.alphabetic', 'takes a length from 0 to 1000000, found 0 arguments'],
    ['$random.alphabetic(-1)', 'takes a length from 0 to 1000000, found -1'],
    ['$random.hexadecimal(10000000)', 'takes a length from 0 to 1000000, found 10000000'],
    ['$uuid(1)', 'takes no arguments, found 1'],
    ['$random.name.firstName(1)', 'takes no arguments, found 1'],
    ['$random.lorem.words("a")', 'takes numbers from 0 to 1000000, found "a"'],
    ['$random.locale.name.firstName', 'needs a locale, such as "de" or "zh_CN"'],
    ['$random.locale.name.firstName("xx")', 'unknown locale "xx"'],
    ['$random.locale.name.firstName("de", "x")', 'the seed must be a whole number, found "x"'],
  ])('%s is refused', async (expression, problem) => {
    await expect(drawn(expression)).rejects.toMatchObject({
      code: 'bad-argument',
      message: `${expression.replace(/\(.*/, '')}: ${problem}`,
    })
  })

  it.each(['$nope', '$random.nope', '$random.name.nope', '$random.', 'uuid', '$random.locale.nope.x("de")', ''])(
    'is not recognised in %j',
    async (expression) => {
      expect(await drawn(expression)).toBeUndefined()
    },
  )

  it('is the same for the same sources, and different for others', async () => {
    for (const name of ['$uuid', '$random.float', '$random.name.fullName', '$random.date.past']) {
      const first = await drawn(name, fixedSources(1))
      expect(await drawn(name, fixedSources(1)), name).toBe(first)
      expect(await drawn(name, fixedSources(2)), name).not.toBe(first)
    }
  })

  it('with a seed is the same for all sources', async () => {
    const name = '$random.locale.name.fullName("fr", 7)'
    expect(await drawn(name, fixedSources(1))).toBe(await drawn(name, fixedSources(2)))
  })

  it.each(Object.keys(fakes))('$random.%s has a value', async (name) => {
    const value = await drawn(`$random.${name}`)
    expect(value).toMatch(/\S/)
    expect(value).not.toMatch(/undefined|\[object|NaN|\{\{/)
  })

  it.each([
    ...['address.city', 'address.country', 'address.streetAddress', 'address.zipCode', 'beer.name', 'bool.bool'],
    ...[
      'business.creditCardNumber',
      'code.isbn13',
      'color.name',
      'commerce.productName',
      'company.name',
      'crypto.sha256',
    ],
    ...['educator.university', 'finance.iban', 'hacker.verb', 'idNumber.valid', 'internet.domainName', 'internet.url'],
    ...['internet.ipV4Address', 'lorem.sentence', 'name.lastName', 'name.username', 'number.randomDigit'],
    ...['phoneNumber.cellPhone', 'shakespeare.hamletQuote', 'superhero.power', 'team.sport', 'university.name'],
  ])('%s is among the names', (name) => {
    expect(dynamicNames()).toContain(`$random.${name}`)
  })
})
