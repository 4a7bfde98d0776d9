/** The shape check of environment files, and JSON with positions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEnvironmentFile } from '../../src/http-file/index.ts'
import { jsonValueOf, parseJsonSource } from '../../src/http-file/syntax/json-source.ts'

describe('an environment file', () => {
  it('separates environments, shared values and settings from variables', () => {
    const { file, errors } = parseEnvironmentFile(
      '{"dev": {"a-b": "x", "n": 1, "t": true, "l": [1], "o": {"p": null}, "Security": {}}, "$shared": {"s": "y"}}',
    )
    expect(errors).toEqual([])
    expect([...file.environments.keys()]).toEqual(['dev'])
    expect([...(file.environments.get('dev')?.variables ?? [])]).toEqual([
      ['a-b', 'x'],
      ['n', 1],
      ['t', true],
      ['l', [1]],
      ['o', { p: null }],
    ])
    expect(file.environments.get('dev')?.settings.map(({ name }) => name)).toEqual(['Security'])
    expect([...file.shared.variables]).toEqual([['s', 'y']])
  })

  it('may name its schema, which is not an environment', () => {
    const { file, errors } = parseEnvironmentFile('{"$schema": "environment.schema.json", "dev": {"a": 1}}')
    expect(errors).toEqual([])
    expect([...file.environments.keys()]).toEqual(['dev'])
  })

  it.each<[string, string, string[]]>([
    ['an array instead of the object', '[]', ['1:1 bad-environment']],
    [
      'environments that are not objects, all of them',
      '{\n "a": 1,\n "b": []\n}',
      ['2:7 bad-environment', '3:7 bad-environment'],
    ],
    ['a missing comma', '{\n  "a": {}\n  "b": {}\n}', ['3:3 bad-json']],
    ['a comment of another language', '{\n  # no\n}', ['2:3 bad-json']],
    ['a comment that is not closed', '{} /* no', ['1:4 bad-json']],
    ['two commas', '{"a": {"x": 1,,}}', ['1:15 bad-json']],
    ['single quotes', "{'a': {}}", ['1:2 bad-json']],
    ['an end too early', '{"a": {', ['1:8 bad-json']],
    ['an empty file', '', ['1:1 bad-json']],
    ['text after the object', '{} {}', ['1:4 bad-json']],
    ['nesting without end', '['.repeat(5000), ['1:202 bad-json']],
  ])('with %s is refused with the place', (_, source, expected) => {
    const { file, errors } = parseEnvironmentFile(source)
    expect(errors.map(({ code, span }) => `${span.line}:${span.column} ${code}`)).toEqual(expected)
    expect(file.environments.size).toBe(0)
  })

  it('may have comments, trailing commas, and variables without a value', () => {
    const { file, errors } = parseEnvironmentFile(
      '// first\n{ /* of\r\n several lines */ "dev": { "a": 1, // "b": 2\n "none": null, "url": "http://x//y", }, }\n//',
    )
    expect(errors).toEqual([])
    expect([...(file.environments.get('dev')?.variables ?? [])]).toEqual([
      ['a', 1],
      ['url', 'http://x//y'],
    ])
  })

  it('reports repeated keys with both places, and keeps the last value', () => {
    const source = '{"dev": {"a": 1, "b": {"c": 1, "c": 2},\n  "\\u0061": 2, "a": 3}, "x": {"y": 1}, "x": {"z": 1}}'
    const { file, errors, warnings } = parseEnvironmentFile(source)
    expect(errors).toEqual([])
    expect(file.environments.get('dev')?.variables.get('a')).toBe(3)
    expect([...(file.environments.get('x')?.variables.keys() ?? [])]).toEqual(['z'])
    expect(warnings.map(({ span, message }) => `${span.line}:${span.column} ${message}`)).toEqual([
      '1:32 the key "c" is repeated: its value at 1:24 is not used',
      '2:3 the key "a" is repeated: its value at 1:10 is not used',
      '2:16 the key "a" is repeated: its value at 2:3 is not used',
      '2:40 the key "x" is repeated: its value at 2:25 is not used',
    ])
  })

  it('cannot reach a prototype through a key', () => {
    const { file } = parseEnvironmentFile('{"__proto__": {"__proto__": "x"}}')
    expect(file.environments.get('__proto__')?.variables.get('__proto__')).toBe('x')
    expect(file.environments.get('constructor')).toBeUndefined()
  })
})

describe('JSON with positions', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const source = JSON.stringify(value, undefined, indent)
        const node = parseJsonSource(source)
        expect('type' in node && JSON.stringify(jsonValueOf(node))).toBe(JSON.stringify(JSON.parse(source)))
      }),
    )
  })

  it('refuses what JSON.parse refuses', () => {
    const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '\\', '0', ' ', '\n', '-', 'e'))
    fc.assert(
      fc.property(broken, ([json, at, piece]) => {
        const index = at % (json.length + 1)
        const source = json.slice(0, index) + piece + json.slice(index + 1)
        let accepts = true
        try {
          JSON.parse(source)
        } catch {
          accepts = false
        }
        expect('type' in parseJsonSource(source)).toBe(accepts)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('a number', () => {
  it.each<[string, string | number]>([
    ['5', 5],
    ['-1.5', -1.5],
    ['12345678901234567890', '12345678901234567890'],
    ['0.10', '0.10'],
    ['1e400', '1e400'],
  ])('%s is kept as written if arithmetic would change it', (written, expected) => {
    const { file, errors } = parseEnvironmentFile(`{"dev": {"n":  ${written} }}`)
    expect(errors).toEqual([])
    expect(file.environments.get('dev')?.variables.get('n')).toBe(expected)
  })
})
