/**
 * Converts a received message to JSON, by the canonical mapping of Protocol Buffers.
 *
 * Rules: a `float` is written with the fewest digits that identify it. The `value` of an Any of unknown type is its
 * bytes in base64: a server may send types that the files of its services do not import.
 */
import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  type JsonValue,
  type Message,
  type Registry,
  ScalarType,
  toBinary,
  toJson,
} from '@bufbuild/protobuf'
import {
  type Any,
  AnySchema,
  BytesValueSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
  FloatValueSchema,
  StructSchema,
} from '@bufbuild/protobuf/wkt'
import { isJsonObject } from '../../http-file/index.ts'

/** @throws Error if the bytes are not such a message */
export function jsonOfBytes(type: DescMessage, bytes: Uint8Array, registry: Registry): JsonValue {
  const message = fromBinary(type, bytes)
  const preparation = new Preparation(registry)
  preparation.prepare(type, message)
  return toJson(type, message, { registry: preparation.registry })
}

/** Like JSON.stringify, which writes -0 as 0. */
export function jsonText(value: JsonValue): string {
  if (Object.is(value, -0)) return '-0'
  if (Array.isArray(value)) return `[${value.map(jsonText).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
    .join()}}`
}

type Values = Record<string, unknown>

/** Changes a message in place so that the library, which implements neither rule, writes it by these rules. */
class Preparation {
  readonly #known: Registry
  readonly #unknown: Map<string, DescMessage> = new Map()

  constructor(known: Registry) {
    this.#known = known
  }

  /** Substitutes a type for each unknown one. */
  get registry(): Registry {
    if (this.#unknown.size === 0) return this.#known
    return { ...this.#known, getMessage: (name) => this.#unknown.get(name) ?? this.#known.getMessage(name) }
  }

  prepare(type: DescMessage, message: Message): void {
    if (type.typeName === AnySchema.typeName) {
      this.#prepareAny(message as Any)
      return
    }
    for (const field of type.fields) {
      if (field.message !== undefined || field.scalar === ScalarType.FLOAT) {
        this.#prepareField(field, message as unknown as Values)
      }
    }
  }

  #prepareField(field: DescField, message: Values): void {
    const { fieldKind, localName, oneof } = field
    if (oneof !== undefined) {
      const chosen = message[oneof.localName] as Values
      if (chosen.case === localName) this.#prepareValue(field, chosen, 'value')
    } else if (fieldKind === 'list' || fieldKind === 'map') {
      const items = message[localName] as Values
      for (const key of Object.keys(items)) this.#prepareValue(field, items, key)
    } else if (Object.hasOwn(message, localName)) {
      // A default value is in the prototype.
      this.#prepareValue(field, message, localName)
    }
  }

  #prepareValue({ message: type, scalar }: DescField, holder: Values, name: string): void {
    const value = holder[name]
    if (typeof value === 'number') {
      // The library represents the wrapper of a scalar as the scalar itself.
      if (scalar === ScalarType.FLOAT || type?.typeName === FloatValueSchema.typeName) holder[name] = shortest(value)
    } else if (type !== undefined && type.typeName !== StructSchema.typeName && typeof value === 'object') {
      this.prepare(type, value as Message)
    }
  }

  #prepareAny(any: Any): void {
    const name = any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1)
    if (name === '') return
    const type = this.#known.getMessage(name)
    if (type === undefined) {
      this.#unknown.set(name, this.#unknown.get(name) ?? typeOfBytes(name))
      any.value = toBinary(BytesValueSchema, create(BytesValueSchema, { value: any.value }))
    } else {
      const message = fromBinary(type, any.value)
      this.prepare(type, message)
      any.value = toBinary(type, message)
    }
  }
}

/** A type like BytesValue, but with the JSON of an ordinary message. @throws Error if the name is not valid */
function typeOfBytes(fullName: string): DescMessage {
  const dot = fullName.lastIndexOf('.')
  const value = {
    name: 'value',
    number: 1,
    label: FieldDescriptorProto_Label.OPTIONAL,
    type: FieldDescriptorProto_Type.BYTES,
    jsonName: 'value',
  }
  const file = {
    name: `${fullName}.proto`,
    syntax: 'proto3',
    package: fullName.slice(0, Math.max(0, dot)),
    messageType: [{ name: fullName.slice(dot + 1), field: [value] }],
  }
  const set = create(FileDescriptorSetSchema, { file: [file] })
  return createFileRegistry(set).getMessage(fullName) as DescMessage
}

/** The maximum number of digits that a `float` needs. */
const FLOAT_DIGITS = 9

/** The number with the fewest digits that converts to the same `float`. */
function shortest(float: number): number {
  // A rounded -0 would be 0, which is a default value.
  if (float === 0) return float
  for (let digits = 1; digits < FLOAT_DIGITS; digits++) {
    const rounded = Number(float.toPrecision(digits))
    if (Math.fround(rounded) === float) return rounded
  }
  return float
}
