/** Environments added to the text of a file that exists. */
import { describe, expect, it } from 'vitest'
import { environmentText } from '../../src/convert/index.ts'

const name = 'http-client.env.json'
const dev = { name, environments: { dev: { a: '1' } } } as const

describe('environments added to a file', () => {
  it.each<[string, string, string]>([
    [
      'comments, a last comma and the digits of numbers',
      '{\n  // Staging\n  "test": {\n    "id": 12345678901234567890, // Its owner\n    "price": 1.50,\n  },\n}\n',
      '{\n  "dev": {\n    "a": "1"\n  },\n  // Staging\n  "test": {\n    "id": 12345678901234567890, // Its owner\n    "price": 1.50,\n  },\n}\n',
    ],
    ['a line', '{"test": {"b": "2"}}', '{"dev": {"a":"1"}, "test": {"b": "2"}}'],
    ['CR LF', '{\r\n\t"test": {}\r\n}', '{\r\n\t"dev": {\r\n\t  "a": "1"\r\n\t},\r\n\t"test": {}\r\n}'],
    ['an empty object', '{}', '{\n  "dev": {\n    "a": "1"\n  }\n}'],
    ['nothing', '', '{\n  "dev": {\n    "a": "1"\n  }\n}\n'],
    ['an environment', '{"dev": {"b": 1.0}}', '{"dev": {"a": "1", "b": 1.0}}'],
    ['an environment without variables', '{"dev": {}}', '{"dev": {\n  "a": "1"\n}}'],
    ['the same value', '{"dev": {"a": "1"} /* x */}', '{"dev": {"a": "1"} /* x */}'],
    ['a byte order mark', '\ufeff{"b": {}}', '\ufeff{"dev": {"a":"1"}, "b": {}}'],
  ])('keep %s', (_, existing, expected) => {
    expect(environmentText(dev, existing, false)).toBe(expected)
  })

  it('replace a value in a file with comments if they may', () => {
    const existing = '{"dev": {"a": "2", "b": "3"} /* x */}'
    expect(() => environmentText(dev, existing, false)).toThrow(
      'http-client.env.json already has another value of dev.a',
    )
    expect(JSON.parse(environmentText(dev, existing, true))).toEqual({ dev: { a: '1', b: '3' } })
  })
})
