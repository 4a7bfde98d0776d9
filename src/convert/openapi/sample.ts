/**
 * Creates a value that matches a schema (JSON Schema 2020-12, OpenAPI 3.0 Schema Object).
 *
 * Rules: values in the document come first: example, examples, default, const, the first of enum. The first schema of
 * oneOf and anyOf is used, allOf is merged. Properties that only the server writes (readOnly) are left out. A recursive
 * schema ends where it repeats, and a sample is limited in depth and size.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../draft/document.ts'
import type { References } from './references.ts'

const textsByFormat: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  'idn-email': 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/path',
  url: 'https://example.com/',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  byte: 'dGV4dA==',
  binary: '',
  password: 'password',
}

/** Sufficient for any message, and a limit for schemas that grow. */
const MAX_DEPTH = 12

/** The maximum number of schemas for one sample. Each may refer to several others, which multiply. */
const MAX_SCHEMAS = 10_000

const MAX_TEXT_LENGTH = 10_000

const MAX_ITEMS = 10

export class Sampler {
  readonly #references: References
  #schemas = 0

  constructor(references: References) {
    this.#references = references
  }

  sample(schema: JsonValue | undefined): JsonValue {
    this.#schemas = 0
    return this.#sample(schema, []) ?? null
  }

  /** The schema merged with `allOf`, and the first of `oneOf` and `anyOf`. */
  merged(schema: JsonValue | undefined): JsonObject {
    this.#schemas = 0
    return this.#merged(schema, 0)
  }

  #merged(schema: JsonValue | undefined, depth: number): JsonObject {
    const own = this.#references.resolve(schema)
    if (depth > MAX_DEPTH || ++this.#schemas > MAX_SCHEMAS) return own
    const parts = [...listOf(own.allOf), ...listOf(own.oneOf).slice(0, 1), ...listOf(own.anyOf).slice(0, 1)]
    return parts
      .map((part) => this.#merged(part, depth + 1))
      .reduceRight<JsonObject>((result, part) => mergedWith(part, result), own)
  }

  /** Undefined if the schema repeats inside itself. */
  #sample(given: JsonValue | undefined, above: readonly JsonValue[]): JsonValue | undefined {
    const identity = isObject(given) && typeof given.$ref === 'string' ? given.$ref : (given ?? null)
    if (
      above.length > MAX_DEPTH ||
      ++this.#schemas > MAX_SCHEMAS ||
      (typeof identity === 'string' && above.includes(identity))
    )
      return undefined
    const path = [...above, identity]
    const own = this.#references.resolve(given)
    const written = writtenValue(own)
    if (written !== undefined) return written
    const schema = this.#mergedOnce(own, path)
    const merged = writtenValue(schema)
    return merged ?? this.#made(schema, path)
  }

  /** As `merged`, but stops at a schema that repeats. */
  #mergedOnce(own: JsonObject, path: readonly JsonValue[]): JsonObject {
    const parts = [...listOf(own.allOf), ...listOf(own.oneOf).slice(0, 1), ...listOf(own.anyOf).slice(0, 1)]
    let result = own
    for (const part of parts) {
      const identity = isObject(part) && typeof part.$ref === 'string' ? part.$ref : null
      if ((identity !== null && path.includes(identity)) || ++this.#schemas > MAX_SCHEMAS) continue
      result = mergedWith(this.#mergedOnce(this.#references.resolve(part), [...path, identity]), result)
    }
    return result
  }

  #made(schema: JsonObject, path: readonly JsonValue[]): JsonValue {
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, path)
      case 'array':
        return this.#array(schema, path)
      case 'integer':
      case 'number':
        return numberFor(schema)
      case 'boolean':
        return true
      case 'null':
        return null
      default:
        return textFor(schema)
    }
  }

  #object(schema: JsonObject, path: readonly JsonValue[]): JsonValue {
    const result: Record<string, JsonValue> = {}
    for (const [name, property] of Object.entries(objectOf(schema.properties))) {
      if (this.#references.resolve(property).readOnly === true) continue
      const value = this.#sample(property, path)
      if (value !== undefined) result[name] = value
    }
    const isOpen = Object.keys(result).length === 0 && isObject(schema.additionalProperties)
    const value = isOpen ? this.#sample(schema.additionalProperties, path) : undefined
    return value === undefined ? result : { key: value }
  }

  #array(schema: JsonObject, path: readonly JsonValue[]): JsonValue {
    const first = listOf(schema.prefixItems)
    if (first.length > 0) return first.map((item) => this.#sample(item, path) ?? null)
    const item = schema.items === undefined ? undefined : this.#sample(schema.items, path)
    const least = typeof schema.minItems === 'number' ? schema.minItems : 1
    return item === undefined ? [] : Array<JsonValue>(Math.max(1, Math.min(least, MAX_ITEMS))).fill(item)
  }
}

/** Properties of both; for other members the second wins. */
function mergedWith(part: JsonObject, result: JsonObject): JsonObject {
  const properties = { ...objectOf(part.properties), ...objectOf(result.properties) }
  const hasProperties = Object.keys(properties).length > 0
  return { ...part, ...result, ...(hasProperties ? { properties } : {}) }
}

/** The value that the document itself gives. */
function writtenValue(schema: JsonObject): JsonValue | undefined {
  if (schema.example !== undefined) return schema.example
  const [example] = listOf(schema.examples)
  if (example !== undefined) return example
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  return listOf(schema.enum)[0]
}

function typeOf(schema: JsonObject): string {
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  if (typeof type === 'string') return type
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return 'object'
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array'
  return 'string'
}

function numberFor(schema: JsonObject): number {
  const isWhole = typeOf(schema) === 'integer'
  const step = typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : isWhole ? 1 : 0.5
  const exclusive = schema.exclusiveMinimum
  const least = typeof exclusive === 'number' ? exclusive + step : Number(schema.minimum ?? Number.NaN)
  if (!Number.isNaN(least)) return exclusive === true ? least + step : Math.ceil(least / step) * step
  const most =
    typeof schema.exclusiveMaximum === 'number'
      ? schema.exclusiveMaximum - step
      : Number(schema.maximum ?? Number.POSITIVE_INFINITY)
  return Math.min(isWhole ? Math.max(1, step) : 1.5, most)
}

function textFor(schema: JsonObject): string {
  const format = textOf(schema.format)
  const text = Object.hasOwn(textsByFormat, format) ? (textsByFormat[format] as string) : 'string'
  const least = typeof schema.minLength === 'number' ? Math.min(schema.minLength, MAX_TEXT_LENGTH) : 0
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : Number.POSITIVE_INFINITY
  return text.length < least ? text.padEnd(least, 'x') : text.slice(0, most)
}

export interface Schemas {
  readonly references: References
  readonly sampler: Sampler
}
