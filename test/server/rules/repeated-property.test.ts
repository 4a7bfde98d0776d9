import { describe, expect, it } from 'vitest'
import { repeatedProperties } from '../../../src/server/rules/repeated-property.ts'

const found = (json: string): readonly string[] =>
  repeatedProperties(json).map(
    ({ name, offset, earlier }) => `${name} ${offset} after ${earlier.line}:${earlier.column}`,
  )

describe('a repeated property', () => {
  it.each([
    ['with escapes', '{"a": 1, "\\u0061": 2}', ['a 9 after 1:2']],
    ['with a quote in its name', '{"a\\"": 1, "a\\"": 2}', ['a" 11 after 1:2']],
    ['three times, on several lines', '{\n"a": 1,\r\n "a": 2, "a" : 3}', ['a 12 after 2:1', 'a 20 after 3:2']],
    ['in an array', '[{"a": 1}, {"b": {"c": 1, "c": 2}}]', ['c 26 after 1:19']],
    ['that has the name of a member of every object', '{"__proto__": 1, "__proto__": 2}', ['__proto__ 17 after 1:2']],
  ])('is found: %s', (_, json, expected) => expect(found(json)).toEqual(expected))

  it.each([
    '{"a": {"a": {"a": "a"}}}',
    '[{"a": 1}, {"a": 2}]',
    '{"a": ["a", "a"]}',
    '{"a": "{\\"b\\": 1, \\"a\\": 2}"}',
    '"a"',
  ])('is not reported: %s', (json) => expect(found(json)).toEqual([]))
})
