/**
 * Converts JSON text to a message, by the canonical mapping of Protocol Buffers.
 *
 * Rules: fields have their JSON names or the names in the `.proto` file. An error contains the path of the value and
 * what is expected there; for an unknown name, also the most similar one. A time that does not exist, such as February
 * 30, is an error, although the library sends it as a later day.
 */
import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  type Registry,
  ScalarType,
} from '@bufbuild/protobuf'
import { nearestNames } from '../../http-file/index.ts'
import { RunError } from '../base/errors.ts'
import { parseMessageJson } from './long-integers.ts'

/** @throws HttpcliError `invalid-request` */
export function messageOfJson(type: DescMessage, text: string, registry: Registry): Message {
  if (text.trim() === '') return fromJson(type, {})
  const json = parsed(type, text, registry)
  // Few messages contain a time: the others need not be walked.
  const strict = DATE_AND_HOUR.test(text) ? withoutImpossibleTimes(json) : json
  try {
    const message = fromJson(type, strict, { registry })
    return strict === json ? message : fromJson(type, json, { registry })
  } catch (cause) {
    const { path, problem, hint } = new ProblemSearch(registry).inMessage(type, strict, '$') ?? {
      path: '$',
      problem: (cause as Error).message,
    }
    throw new RunError('invalid-request', `the message does not match ${type.typeName}: ${path}: ${problem}`, {
      hint,
      cause,
    })
  }
}

function parsed(type: DescMessage, text: string, registry: Registry): JsonValue {
  try {
    return parseMessageJson(type, text, registry)
  } catch (cause) {
    throw new RunError('invalid-request', `the message is not JSON: ${(cause as Error).message}`, {
      hint: 'Write the message as JSON.',
      cause,
    })
  }
}

/**
 * Changes times that do not exist so that a Timestamp refuses them; a string field accepts any text. Returns the value
 * itself if it contains none.
 */
function withoutImpossibleTimes(json: JsonValue): JsonValue {
  let isChanged = false
  const changed = JSON.parse(JSON.stringify(json), (_key, value: JsonValue) => {
    if (typeof value !== 'string' || !isImpossibleTime(value)) return value
    isChanged = true
    return `${value} (no such time)`
  }) as JsonValue
  return isChanged ? changed : json
}

const DATE_AND_HOUR = /\d{4}-\d\d-\d\dT\d\d/

function isImpossibleTime(text: string): boolean {
  const [written] = DATE_AND_HOUR.exec(text) ?? []
  if (written === undefined || !text.startsWith(written)) return false
  const timeMs = Date.parse(`${written}:00:00Z`)
  return Number.isFinite(timeMs) && !new Date(timeMs).toISOString().startsWith(written)
}

interface JsonProblem {
  readonly path: string
  readonly problem: string
  readonly hint?: string
}

/** Finds the invalid value: the library names its field, but not its path. */
class ProblemSearch {
  readonly #registry: Registry

  constructor(registry: Registry) {
    this.#registry = registry
  }

  /** Undefined if each part of the value is valid on its own. */
  inMessage(type: DescMessage, json: JsonValue, path: string): JsonProblem | undefined {
    if (type.typeName.startsWith('google.protobuf.')) return this.#whole(type, json, path)
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return this.#whole(type, json, path)
    for (const [key, value] of Object.entries(json)) {
      if (key.startsWith('[') || this.#fits(type, { [key]: value })) continue
      const field = type.fields.find(({ name, jsonName }) => name === key || jsonName === key)
      if (field === undefined) return unknownField(type, key, `${path}.${key}`)
      return this.#inField(type, field, key, value as JsonValue, `${path}.${key}`)
    }
    // Each part is valid on its own, so a oneof or a field is set twice.
    return this.#whole(type, json, path)
  }

  #inField(type: DescMessage, field: DescField, key: string, value: JsonValue, path: string): JsonProblem | undefined {
    if (field.fieldKind === 'list' && Array.isArray(value)) {
      const index = value.findIndex((item) => !this.#fits(type, { [key]: [item] }))
      return this.#inValue(field, value[index] as JsonValue, `${path}[${index}]`)
    }
    if (field.fieldKind === 'map' && typeof value === 'object' && value !== null) {
      const entry = Object.entries(value).find(([name, item]) => !this.#fits(type, { [key]: { [name]: item } }))
      if (entry === undefined) return this.#whole(type, { [key]: value }, path)
      const [name, item] = entry
      const itemPath = `${path}[${JSON.stringify(name)}]`
      const validKey = field.mapKey === ScalarType.BOOL ? 'true' : '0'
      if (!this.#fits(type, { [key]: { [validKey]: item } })) return this.#inValue(field, item, itemPath)
      return { path: itemPath, problem: `expected ${scalarName(field.mapKey)} as a key of a map` }
    }
    return this.#inValue(field, value, path)
  }

  #inValue(field: DescField, value: JsonValue, path: string): JsonProblem {
    const inner = field.message === undefined ? undefined : this.inMessage(field.message, value, path)
    if (inner !== undefined) return inner
    const names = field.enum?.values.map(({ name }) => name) ?? []
    const [nearest] = typeof value === 'string' ? nearestNames(value, names) : []
    const found = JSON.stringify(value) ?? 'nothing'
    return {
      path,
      problem: `expected ${expected(field)}, found ${found.length > MAX_SHOWN ? `${found.slice(0, MAX_SHOWN)}…` : found}`,
      ...(nearest === undefined ? {} : { hint: `Did you mean ${nearest}?` }),
    }
  }

  #whole(type: DescMessage, json: JsonValue, path: string): JsonProblem | undefined {
    try {
      fromJson(type, json, { registry: this.#registry })
      return undefined
    } catch (error) {
      return { path, problem: `expected ${type.typeName}: ${(error as Error).message}` }
    }
  }

  #fits(type: DescMessage, json: JsonValue): boolean {
    try {
      fromJson(type, json, { registry: this.#registry })
      return true
    } catch {
      return false
    }
  }
}

const MAX_SHOWN = 60
const MAX_NAMES = 8

function unknownField({ typeName, fields }: DescMessage, key: string, path: string): JsonProblem {
  const names = fields.map(({ jsonName }) => jsonName)
  const [nearest] = nearestNames(key, names)
  const known = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(', ')}, …` : names.join(', ')
  const listed = known === '' ? `${typeName} has no fields.` : `The fields are: ${known}.`
  return {
    path,
    problem: `no field ${JSON.stringify(key)} in ${typeName}`,
    hint: nearest === undefined ? listed : `Did you mean ${nearest}?`,
  }
}

function expected(field: DescField): string {
  if (field.enum !== undefined) {
    const names = field.enum.values.map(({ name }) => name)
    return names.length > MAX_NAMES ? field.enum.typeName : `one of ${names.join(', ')}`
  }
  if (field.message !== undefined) return field.message.typeName
  const scalar = field.scalar === undefined ? 'a value' : scalarName(field.scalar)
  if (field.fieldKind === 'list') return `${scalar} in a list`
  return field.fieldKind === 'map' ? `${scalar} as a value of a map` : scalar
}

/** `int32` */
function scalarName(scalar: ScalarType): string {
  return ScalarType[scalar].toLowerCase()
}
