/**
 * Serialises parameters of an operation by their style (OpenAPI 3.x "Style Values", Swagger 2.0 `collectionFormat`).
 *
 * Rules: a value is the example of the parameter, otherwise one that matches its schema. Required parameters are part
 * of the request, others are comments.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { anyText, isObject, type JsonObject, jsonText, objectOf, textOf } from '../draft/document.ts'
import { encodedComponent } from '../draft/request-url.ts'
import type { References } from './references.ts'
import type { Schemas } from './sample.ts'

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly value: JsonValue
  readonly style: string
  readonly isExploded: boolean
}

const styleByPlace: Readonly<Record<string, string>> = {
  query: 'form',
  cookie: 'form',
  path: 'simple',
  header: 'simple',
}

/** Styles of Swagger 2.0. */
const styleByCollectionFormat: Readonly<Record<string, string>> = {
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
}

/** Between the values of a list; a comma in all other styles. */
const separatorByStyle: Readonly<Record<string, string>> = {
  spaceDelimited: ' ',
  tabDelimited: '\t',
  pipeDelimited: '|',
}

/** @param parameter references resolved */
export function parameterOf(parameter: JsonObject, { references, sampler }: Schemas): Parameter {
  const place = textOf(parameter.in)
  const format = textOf(parameter.collectionFormat)
  const style = textOf(parameter.style) || (styleByCollectionFormat[format] ?? styleByPlace[place] ?? 'simple')
  // In Swagger 2.0 the parameter itself is the schema.
  const isOld = parameter.schema === undefined && parameter.content === undefined
  const value = exampleOf(parameter, references) ?? sampler.sample(isOld ? parameter : schemaOf(parameter))
  return {
    name: textOf(parameter.name),
    in: place,
    isRequired: parameter.required === true || place === 'path',
    // A parameter with a media type is a text of this type: JSON, since other types are not for data.
    value: parameter.content === undefined ? value : jsonText(value),
    style,
    isExploded:
      typeof parameter.explode === 'boolean' ? parameter.explode : format === 'multi' || (!isOld && style === 'form'),
  }
}

function exampleOf(parameter: JsonObject, references: References): JsonValue | undefined {
  if (parameter.example !== undefined) return parameter.example
  const [first] = Object.values(objectOf(parameter.examples))
  return isObject(first) ? references.resolve(first).value : undefined
}

function schemaOf(parameter: JsonObject): JsonValue | undefined {
  if (parameter.schema !== undefined) return parameter.schema
  const [media] = Object.values(objectOf(parameter.content))
  return objectOf(media).schema
}

/** `name=value` pairs of a query parameter, escaped. */
export function queryPairs({ name, value, style, isExploded }: Parameter): readonly string[] {
  const key = encodedComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
  if (Array.isArray(value)) {
    const texts = value.map(plain)
    if (isExploded) return texts.map((text) => `${key}=${text}`)
    const separator = separatorByStyle[style]
    return [`${key}=${texts.join(separator === undefined ? ',' : encodedComponent(separator))}`]
  }
  if (isObject(value)) {
    const entries = Object.entries(value)
    if (style === 'deepObject')
      return entries.map(([field, each]) => `${key}[${encodedComponent(field)}]=${plain(each)}`)
    if (isExploded) return entries.map(([field, each]) => `${encodedComponent(field)}=${plain(each)}`)
    return [`${key}=${entries.flatMap(([field, each]) => [encodedComponent(field), plain(each)]).join(',')}`]
  }
  return [`${key}=${plain(value)}`]
}

/** The value of a path parameter, escaped: in the styles `label` and `matrix` with its mark. */
export function pathText(parameter: Parameter): string {
  const { name, style, isExploded, value } = parameter
  const texts = valueTexts(parameter, (text) => encodedComponent(text).replaceAll('%2C', ','))
  if (style === 'label') return `.${texts.join(isExploded ? '.' : ',')}`
  const separator = separatorByStyle[style]
  if (style !== 'matrix') return texts.join(separator === undefined ? ',' : encodedComponent(separator))
  if (isExploded && isObject(value)) return `;${texts.join(';')}`
  const key = encodedComponent(name)
  return isExploded && Array.isArray(value)
    ? texts.map((text) => `;${key}=${text}`).join('')
    : `;${key}=${texts.join(',')}`
}

/** The value of a header or a cookie. */
export function simpleText(parameter: Parameter): string {
  return valueTexts(parameter, (text) => text).join(separatorByStyle[parameter.style] ?? ',')
}

/** The values of a list, or the names and values of an object, in pairs if they are exploded. */
function valueTexts({ value, isExploded }: Parameter, change: (text: string) => string): readonly string[] {
  const text = (each: JsonValue): string => change(anyText(each))
  if (Array.isArray(value)) return value.map(text)
  if (!isObject(value)) return [text(value)]
  return Object.entries(value).flatMap(([field, each]) =>
    isExploded ? [`${change(field)}=${text(each)}`] : [change(field), text(each)],
  )
}

function plain(value: JsonValue): string {
  return encodedComponent(anyText(value)).replace(/%3A/g, ':').replace(/%40/g, '@')
}
