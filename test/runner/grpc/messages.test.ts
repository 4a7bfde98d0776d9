/** Messages from JSON and to JSON, by types that the fixtures of the servers do not have. */
import { create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { AnySchema, FloatValueSchema, StringValueSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { ConfinedFiles } from '../../../src/runner/files/confined-files.ts'
import { messageOfJson } from '../../../src/runner/grpc/json-message.ts'
import { jsonOfBytes, jsonText } from '../../../src/runner/grpc/message-json.ts'
import { typesOfFiles } from '../../../src/runner/grpc/named-types.ts'
import type { RegistryTypes } from '../../../src/runner/grpc/types.ts'
import { protoFile } from '../../helpers/grpc-server.ts'

const named = { protoFiles: [protoFile('values.proto')], importPaths: [], descriptorSets: [] }
const { registry } = typesOfFiles(named, new ConfinedFiles({ directory: '/', warnings: [] } as never)) as RegistryTypes
const values = registry.getMessage('shop.values.Values') as DescMessage

/** The JSON that comes back. */
function echoed(json: string): string {
  return jsonText(jsonOfBytes(values, toBinary(values, messageOfJson(values, json, registry)), registry))
}

const any = 'type.googleapis.com/shop.values.Values'

describe('a message is read back as sent:', () => {
  it.each<[string, string]>([
    ['floats', '{"ratio":0.1,"ratios":[1.1,16777216,1e-45,"NaN","-Infinity",3.4028235e+38],"byName":{"a":0.2}}'],
    ['floats in a oneof, a wrapper, a message', '{"part":{"chosen":0.3},"parts":[{"ratio":0.9}],"wrapped":0.7}'],
    ['doubles', '{"exact":0.10000000149011612,"wrappedExact":0.10000000149011612}'],
    ['negative zeros', '{"ratio":-0,"ratios":[-0,0],"byName":{"a":-0},"exact":-0,"data":{"a \\"":[-0,null]}}'],
    ['long integers', '{"large":"9223372036854775807","wrappedLarge":"-9223372036854775808"}'],
    ['a Struct', '{"data":{"$typeName":"google.protobuf.Struct","ratio":0.10000000149011612}}'],
    [
      'an Any',
      `{"extra":{"large":"5","extra":{"value":"1.500s","@type":"type.googleapis.com/google.protobuf.Duration"},"@type":"${any}"}}`,
    ],
    ['an empty Any', '{"extra":{}}'],
  ])('%s', (_, json) => {
    expect(echoed(json)).toBe(json)
  })

  it.each<[string, string, string]>([
    ['in fields', '{"large": 9007199254740993}', '{"large":"9007199254740993"}'],
    ['in lists', '{"larges": [1, 9007199254740993]}', '{"larges":["1","9007199254740993"]}'],
    ['in maps', '{"largeByName": {"a": 18446744073709551615}}', '{"largeByName":{"a":"18446744073709551615"}}'],
    ['in wrappers', '{"wrapped_large": 9007199254740993}', '{"wrappedLarge":"9007199254740993"}'],
    ['in messages', '{"parts": [{"large": 9007199254740993}]}', '{"parts":[{"large":"9007199254740993"}]}'],
    [
      'in an Any',
      `{"extra": {"@type": "${any}", "large": 9007199254740993, "any": 9007199254740993}}`,
      `{"extra":{"large":"9007199254740993","any":9007199254740992,"@type":"${any}"}}`,
    ],
    [
      'in a wrapper in an Any',
      '{"extra": {"@type": "x/google.protobuf.Int64Value", "value": 9007199254740993}}',
      '{"extra":{"value":"9007199254740993","@type":"type.googleapis.com/google.protobuf.Int64Value"}}',
    ],
  ])('long integers %s are not rounded', (_, json, echo) => {
    expect(echoed(json)).toBe(echo)
  })
})

describe('a duplicate is an error with its path:', () => {
  it.each<[string, string, string]>([
    [
      'two of a oneof',
      '{"part": {"chosen": 1, "other": "a"}}',
      '$.part: expected shop.values.Part: cannot decode oneof',
    ],
    ['two names of a field', '{"parts": [{"byName": {}, "by_name": {}}]}', '$.parts[0]: expected shop.values.Part'],
    ['two spellings of a key', '{"byNumber": {"1": {}, "01": {}}}', '$.byNumber: expected shop.values.Values: '],
  ])('%s', (_, json, message) => {
    expect(() => messageOfJson(values, json, registry)).toThrow(message)
  })

  it('a map key of the wrong type is an error that names the key', () => {
    const wrong = '$.byNumber["x"]: expected int64 as a key of a map'
    expect(() => messageOfJson(values, '{"byNumber": {"1": {}, "x": {}}}', registry)).toThrow(wrong)
  })
})

describe('a time that does not exist is an error with its path:', () => {
  it.each<[string, string, string]>([
    ['a day', '{"at": "2024-02-30T00:00:00Z"}', '$.at: '],
    [
      'a day of a leap year, with an offset',
      '{"times": ["2024-02-29T00:00:00Z", "2023-02-29T00:00:00+02:00"]}',
      '$.times[1]: ',
    ],
    ['an hour', '{"at": "2024-01-01T24:00:00Z"}', '$.at: '],
    [
      'one in an Any',
      '{"extra": {"@type": "x/google.protobuf.Timestamp", "value": "2024-04-31T00:00:00Z"}}',
      '$.extra: ',
    ],
  ])('%s', (_, json, path) => {
    expect(() => messageOfJson(values, json, registry)).toThrow(
      `the message does not match shop.values.Values: ${path}expected google.protobuf.`,
    )
  })

  it('but not in a text', () => {
    const json = '{"id":"2024-02-30T00:00:00Z","any":"2024-02-30T00:00:00Z","at":"2024-02-29T23:59:59Z"}'
    expect(echoed(json)).toBe(json)
  })
})

describe('an Any of an unknown type', () => {
  const unknown = (typeUrl: string, value: Uint8Array) => create(AnySchema, { typeUrl, value })
  const shown = (extra: ReturnType<typeof unknown>): unknown => {
    const bytes = toBinary(AnySchema, extra)
    return jsonOfBytes(AnySchema, bytes, registry)
  }

  it('has its bytes in base64', () => {
    expect(shown(unknown('t.test/other.Type', Buffer.from([8, 7])))).toEqual({
      '@type': 't.test/other.Type',
      value: 'CAc=',
    })
    expect(shown(unknown('t.test/NoPackage', Buffer.of()))).toEqual({ '@type': 't.test/NoPackage' })
  })

  it('may be in a message and in an Any of a known type', () => {
    const inner = unknown('t.test/other.Type', Buffer.from([1]))
    const message = messageOfJson(values, '{"id": "x"}', registry)
    Object.assign(message, { extra: inner, extras: [inner, inner] })
    const outer = unknown(any, toBinary(values, message))
    const json = { '@type': 't.test/other.Type', value: 'AQ==' }
    expect(shown(outer)).toEqual({ '@type': any, id: 'x', extra: json, extras: [json, json] })
  })

  it('does not affect the well-known ones', () => {
    const text = toBinary(StringValueSchema, create(StringValueSchema, { value: 'a' }))
    expect(shown(unknown('x/google.protobuf.StringValue', text))).toMatchObject({ value: 'a' })
    const float = toBinary(FloatValueSchema, create(FloatValueSchema, { value: 0.5 }))
    expect(fromBinary(FloatValueSchema, float).value).toBe(0.5)
  })
})
