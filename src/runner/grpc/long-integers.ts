/**
 * Handles integers in the JSON of a message that JavaScript would round.
 *
 * Rules: a 64-bit field takes all digits as a string, which the JSON mapping of Protocol Buffers allows. Elsewhere a
 * number stays a number: a string would be a different value in a `google.protobuf.Value`, and a valid one in a string
 * field.
 */
import { type DescField, type DescMessage, type JsonValue, type Registry, ScalarType } from '@bufbuild/protobuf'
import { isJsonObject } from '../../http-file/index.ts'
import { withExactIntegers } from '../base/exact-integers.ts'

/** @throws SyntaxError */
export function parseMessageJson(type: DescMessage, text: string, registry: Registry): JsonValue {
  const json = JSON.parse(text) as JsonValue
  const exact = withExactIntegers(text)
  return exact === text ? json : new LongIntegers(registry).inMessage(type, json, JSON.parse(exact) as JsonValue)
}

const longTypes: ReadonlySet<ScalarType | undefined> = new Set([
  ...[ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64],
])

const longWrappers: ReadonlySet<string> = new Set(['google.protobuf.Int64Value', 'google.protobuf.UInt64Value'])

type JsonObject = Readonly<Record<string, JsonValue>>

/** Chooses between two readings of the same text: with numbers, and with strings in place of long integers. */
class LongIntegers {
  readonly #registry: Registry

  constructor(registry: Registry) {
    this.#registry = registry
  }

  inMessage(type: DescMessage, json: JsonValue, exact: JsonValue): JsonValue {
    if (longWrappers.has(type.typeName)) return exact
    if (!isJsonObject(json)) return json
    if (type.typeName === 'google.protobuf.Any') return this.#inAny(json, exact as JsonObject)
    return mapped(json, exact, (value, exactValue, key) => {
      const field = this.#fieldOf(type, key)
      return field === undefined ? value : this.#inField(field, value, exactValue)
    })
  }

  #inAny(json: JsonObject, exact: JsonObject): JsonValue {
    const url = json['@type']
    const type = typeof url === 'string' ? this.#registry.getMessage(url.slice(url.lastIndexOf('/') + 1)) : undefined
    if (type === undefined) return json
    if (longWrappers.has(type.typeName)) return exact
    return this.inMessage(type, json, exact)
  }

  #fieldOf(type: DescMessage, key: string): DescField | undefined {
    if (key.startsWith('[')) return this.#registry.getExtension(key.slice(1, -1)) as DescField | undefined
    return type.fields.find(({ name, jsonName }) => name === key || jsonName === key)
  }

  #inField(field: DescField, json: JsonValue, exact: JsonValue): JsonValue {
    const inValue = (value: JsonValue, exactValue: JsonValue): JsonValue => {
      if (field.message !== undefined) return this.inMessage(field.message, value, exactValue)
      return longTypes.has(field.scalar) ? exactValue : value
    }
    if (field.fieldKind === 'list' && Array.isArray(json)) {
      return json.map((value, index) => inValue(value, (exact as JsonValue[])[index] as JsonValue))
    }
    return field.fieldKind === 'map' && isJsonObject(json) ? mapped(json, exact, inValue) : inValue(json, exact)
  }
}

function mapped(
  json: JsonObject,
  exact: JsonValue,
  choose: (value: JsonValue, exact: JsonValue, key: string) => JsonValue,
): JsonObject {
  const entries = Object.entries(json)
  return Object.fromEntries(
    entries.map(([key, value]) => [key, choose(value, (exact as JsonObject)[key] as JsonValue, key)]),
  )
}
