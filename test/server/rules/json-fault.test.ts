import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonFault } from '../../../src/server/rules/json-fault.ts'

it.each([
  ['', 0, 'expected a value'],
  ['  {"a": 1,, "b": 2}', 10, 'expected a name in double quotes'],
  ['{a: 1}', 1, 'expected a name in double quotes or "}"'],
  ['{"a" 1}', 5, 'expected ":" after the name'],
  ['{"a": 1 "b": 2}', 8, 'expected "," or "}"'],
  ['{"a": 1]', 7, 'expected "," or "}"'],
  ['[1 2]', 3, 'expected "," or "]"'],
  ['[1, ]', 4, 'expected a value'],
  ['["a\tb"]', 3, 'expected the rest of a string, in double quotes'],
  ['["a', 3, 'expected the rest of a string, in double quotes'],
  ['["\\x"]', 2, 'expected the rest of a string, in double quotes'],
  ['01', 0, 'expected a value'],
  ['{} // end', 3, 'expected the end of the file'],
])('%j: %i, %s', (text, offset, message) => {
  expect(jsonFault(text)).toEqual({ offset, message })
})

it('finds an error in exactly the texts that JSON.parse rejects', () => {
  const damaged = fc
    .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', '"', '\\', ',', ':', '[', ']', '{', '}', '0', 'x', ' '))
    .map(([text, at, count, inserted]) => {
      const index = at % (text.length + 1)
      return text.slice(0, index) + inserted + text.slice(index + count)
    })
  fc.assert(
    fc.property(damaged, (text) => {
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      expect(jsonFault(text) === undefined).toBe(isJson)
    }),
    { numRuns: 2000 },
  )
})

it('finds the end of a deep or long text without recursion', () => {
  expect(jsonFault('['.repeat(200_000))).toEqual({ offset: 200_000, message: 'expected a value or "]"' })
  expect(jsonFault(`["${'\\n'.repeat(200_000)}`)?.offset).toBe(400_002)
})
