/**
 * Creates the body of an operation: its example, or a value that matches the schema, in one of its media types.
 *
 * Rules: JSON is preferred, then forms, multipart, XML and text; any other type is a file. Swagger 2.0 has the body
 * among the parameters (`in: body`, `in: formData`) and the media types in `consumes`.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { anyText, isObject, type JsonObject, listOf, objectOf, textOf } from '../draft/document.ts'
import type { BodyDraft, MultipartEntry } from '../draft/draft.ts'
import { literal } from '../draft/literal-text.ts'
import type { Schemas } from './sample.ts'
import { xmlText } from './xml.ts'

export interface OperationBody {
  readonly body: BodyDraft
  readonly contentType: string | undefined
}

const preferred: readonly RegExp[] = [
  /^application\/json\b/i,
  /[/+]json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /[/+]xml\b/i,
  /^text\//i,
]

function preferredOf(types: readonly string[]): string | undefined {
  const found = preferred.map((pattern) => types.find((type) => pattern.test(type)))
  return found.find((type) => type !== undefined) ?? types[0]
}

/** The body in OpenAPI 3.x. @param requestBody references resolved */
export function bodyOf(requestBody: JsonObject, schemas: Schemas): OperationBody | undefined {
  const content = objectOf(requestBody.content)
  const types = Object.keys(content)
  const type = preferredOf(types)
  if (type === undefined) return undefined
  const media = objectOf(content[type])
  return writtenBody(type.includes('*') ? 'application/json' : type, exampleOf(media, schemas), media.schema, schemas)
}

/** The body in Swagger 2.0. @param parameters references resolved */
export function oldBodyOf(
  parameters: readonly JsonObject[],
  consumes: readonly string[],
  schemas: Schemas,
): OperationBody | undefined {
  const body = parameters.find((parameter) => parameter.in === 'body')
  if (body !== undefined) {
    return writtenBody(preferredOf(consumes) ?? 'application/json', undefined, body.schema, schemas)
  }
  const fields = parameters.filter((parameter) => parameter.in === 'formData')
  if (fields.length === 0) return undefined
  const isMultipart = fields.some(({ type }) => type === 'file') || consumes.includes('multipart/form-data')
  const properties = Object.fromEntries(
    fields.map((field) => [textOf(field.name), field.type === 'file' ? { type: 'string', format: 'binary' } : field]),
  )
  const type = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return writtenBody(type, undefined, { type: 'object', properties }, schemas)
}

function exampleOf(media: JsonObject, { references }: Schemas): JsonValue | undefined {
  if (media.example !== undefined) return media.example
  const [first] = Object.values(objectOf(media.examples))
  return first === undefined ? undefined : references.resolve(first).value
}

function writtenBody(
  type: string,
  example: JsonValue | undefined,
  schema: JsonValue | undefined,
  schemas: Schemas,
): OperationBody {
  const value = example ?? schemas.sampler.sample(schema)
  if (/^application\/x-www-form-urlencoded\b/i.test(type) && isObject(value)) {
    return { body: { type: 'form', entries: formEntries(value) }, contentType: type }
  }
  if (/^multipart\/form-data\b/i.test(type)) {
    return { body: { type: 'multipart', parts: multipartEntries(value, schema, schemas) }, contentType: undefined }
  }
  if (/^(?:application\/octet-stream|image\/|audio\/|video\/)/i.test(type)) {
    return { body: { type: 'file', path: './body.bin' }, contentType: type }
  }
  if (typeof value === 'string' && !/[/+]json\b/i.test(type))
    return { body: { type: 'text', text: literal(value) }, contentType: type }
  // A JSON example may be written as a string.
  const isJsonText = typeof example === 'string' && /^\s*[[{]/.test(example)
  if (/[/+]xml\b/i.test(type))
    return { body: { type: 'text', text: literal(xmlText(value, schema, schemas)) }, contentType: type }
  const text = isJsonText ? (example as string) : JSON.stringify(value, undefined, 2)
  return { body: { type: 'text', text: literal(text) }, contentType: type }
}

function formEntries(value: JsonObject): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(value).flatMap(([name, field]) =>
    (Array.isArray(field) ? field : [field]).map((each) => ({ name: literal(name), value: literal(anyText(each)) })),
  )
}

function multipartEntries(
  value: JsonValue,
  schema: JsonValue | undefined,
  { references, sampler }: Schemas,
): readonly MultipartEntry[] {
  const { properties } = sampler.merged(schema)
  return Object.entries(objectOf(value)).flatMap(([name, field]): readonly MultipartEntry[] => {
    const property = references.resolve(objectOf(properties)[name])
    const item = property.items === undefined ? property : references.resolve(property.items)
    const isFile =
      item.format === 'binary' ||
      item.contentMediaType === 'application/octet-stream' ||
      item.contentEncoding === 'binary'
    if (isFile) {
      const path = literal(`./${name}.bin`)
      return [{ name: literal(name), content: { path }, contentType: 'application/octet-stream' }]
    }
    const isJson = isObject(field) || (Array.isArray(field) && listOf(field).some(isObject))
    return [
      {
        name: literal(name),
        content: { text: literal(anyText(Array.isArray(field) && !isJson ? (field[0] ?? '') : field)) },
        ...(isJson ? { contentType: 'application/json' } : {}),
      },
    ]
  })
}
