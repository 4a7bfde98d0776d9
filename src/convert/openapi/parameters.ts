/**
 * Serialises parameters of an operation by their style (OpenAPI 3.x "Style Values", Swagger 2.0 `collectionFormat`).
 *
 * Rules: a value is the example of the parameter, otherwise one that matches its schema. Required parameters are part
 * of the request, others are comments.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { isObject, type JsonObject, jsonText, objectOf, textOf } from '../draft/document.ts'
import type { Sampler } from './sample.ts'

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly value: JsonValue
  readonly style: string
  readonly explodes: boolean
}

const styleByPlace: Readonly<Record<string, string>> = {
  query: 'form',
  cookie: 'form',
  path: 'simple',
  header: 'simple',
}

/** Styles of Swagger 2.0. */
const styleByCollectionFormat: Readonly<Record<string, string>> = {
  csv: 'form',
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  multi: 'form',
}

/** @param parameter references resolved */
export function parameterOf(parameter: JsonObject, sampler: Sampler): Parameter {
  const place = textOf(parameter.in)
  const format = textOf(parameter.collectionFormat)
  const style = textOf(parameter.style) || (styleByCollectionFormat[format] ?? styleByPlace[place] ?? 'simple')
  // In Swagger 2.0 the parameter itself is the schema.
  const isOld = parameter.schema === undefined && parameter.content === undefined
  const value = exampleOf(parameter) ?? sampler.sample(isOld ? parameter : schemaOf(parameter))
  return {
    name: textOf(parameter.name),
    in: place,
    isRequired: parameter.required === true || place === 'path',
    // A parameter with a media type is a text of this type: JSON, since other types are not for data.
    value: parameter.content === undefined ? value : jsonText(value),
    style,
    explodes:
      typeof parameter.explode === 'boolean' ? parameter.explode : format === 'multi' || (!isOld && style === 'form'),
  }
}

function exampleOf(parameter: JsonObject): JsonValue | undefined {
  if (parameter.example !== undefined) return parameter.example
  const [first] = Object.values(objectOf(parameter.examples))
  return isObject(first) ? first.value : undefined
}

function schemaOf(parameter: JsonObject): JsonValue | undefined {
  if (parameter.schema !== undefined) return parameter.schema
  const [media] = Object.values(objectOf(parameter.content))
  return objectOf(media).schema
}

/** `name=value` pairs of a query parameter, escaped. */
export function queryPairs({ name, value, style, explodes }: Parameter): readonly string[] {
  const key = encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
  if (Array.isArray(value)) {
    const texts = value.map(plain)
    if (explodes) return texts.map((text) => `${key}=${text}`)
    const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
    return [`${key}=${texts.join(separator)}`]
  }
  if (isObject(value)) {
    const entries = Object.entries(value)
    if (style === 'deepObject')
      return entries.map(([field, each]) => `${key}[${encodeURIComponent(field)}]=${plain(each)}`)
    if (explodes) return entries.map(([field, each]) => `${encodeURIComponent(field)}=${plain(each)}`)
    return [`${key}=${entries.flatMap(([field, each]) => [encodeURIComponent(field), plain(each)]).join(',')}`]
  }
  return [`${key}=${plain(value)}`]
}

/** The value of a path parameter, a header or a cookie; the caller escapes it if needed. */
export function simpleText({ value, explodes }: Parameter): string {
  if (Array.isArray(value)) return value.map(shown).join(',')
  if (!isObject(value)) return shown(value)
  const entries = Object.entries(value)
  return entries.map(([field, each]) => (explodes ? `${field}=${shown(each)}` : `${field},${shown(each)}`)).join(',')
}

function plain(value: JsonValue): string {
  return encodeURIComponent(shown(value)).replace(/%3A/g, ':').replace(/%40/g, '@')
}

export function shown(value: JsonValue): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : textOf(value)
}
