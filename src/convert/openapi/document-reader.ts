/**
 * The text of an OpenAPI document to its value: JSON, or YAML by a library that is loaded when it is needed.
 *
 * Rules: a syntax error is told with line and column. YAML is read as version 1.2, where `no` is a text.
 */
import { isObject, type JsonObject, readJson } from '../document.ts'
import { ConvertSyntaxError, type SourceText } from '../errors.ts'

/** @throws ConvertSyntaxError */
export async function readDocument(source: SourceText): Promise<JsonObject> {
  const value = /^\ufeff?\s*\{/.test(source.text) ? readJson(source) : await readYaml(source)
  if (isObject(value)) return value
  throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, 'expected an OpenAPI document, an object with "paths"')
}

async function readYaml(source: SourceText): Promise<unknown> {
  const { LineCounter, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  const text = source.text.replace(/^\ufeff/, '')
  const document = parseDocument(text, { lineCounter, prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    throw ConvertSyntaxError.at(source, { line, column: col }, error.message)
  }
  // Through JSON, so that dates and the like are texts as they are in JSON.
  return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 1000 }) ?? null))
}
