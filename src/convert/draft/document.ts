/**
 * Reads JSON documents without assuming their shape.
 *
 * Rules: members that are missing or of another type are empty. A syntax error is reported with line and column.
 */
import { excerptAt, isJsonObject, type JsonObject, type JsonValue, parseJsonSource } from '../../http-file/index.ts'
import { ConvertSyntaxError, type SourceText } from './errors.ts'

export { isJsonObject as isObject, type JsonObject } from '../../http-file/index.ts'

/** The value of a JSON text. @throws ConvertSyntaxError */
export function readJson(source: SourceText): JsonValue {
  const root = parseJsonSource(source.text)
  if ('type' in root) return JSON.parse(source.text.replace(/^\ufeff/, ''))
  const { line, column } = root.span
  throw new ConvertSyntaxError('convert-syntax', root.message, {
    where: { file: source.path, line, column },
    excerpt: excerptAt(source.text, root.span),
  })
}

/** The object, or an empty one. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** The items, or an empty list. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** The objects of a list, or an empty list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject)
}

/** The text of a string, number or boolean; otherwise ''. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** As `textOf`, but lists and objects as JSON. */
export function anyText(value: JsonValue | undefined): string {
  return isJsonObject(value) || Array.isArray(value) ? JSON.stringify(value) : textOf(value)
}

/** A string unchanged, any other value as JSON. */
export function jsonText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value with each of its texts changed; names of members stay. */
export function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)]))
}
