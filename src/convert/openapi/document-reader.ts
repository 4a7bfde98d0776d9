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
  const yaml = await import('yaml')
  try {
    return yamlValue(source, yaml)
  } catch (error) {
    if (error instanceof ConvertSyntaxError) throw error
    throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, unreadableReason(error))
  }
}

const TOO_DEEP = 'the YAML is nested too deeply'

/** The library gives up on aliases that multiply and calls itself for what is nested; JSON has no circles. */
function unreadableReason(error: unknown): string {
  if (error instanceof RangeError) return TOO_DEEP
  if (error instanceof ReferenceError)
    return 'the aliases (*name) of the YAML stand for too much: each multiplies what it names'
  if (error instanceof TypeError) return 'an alias (*name) of the YAML is inside of what it names'
  throw error
}

function yamlValue(source: SourceText, { LineCounter, parseDocument }: typeof import('yaml')): unknown {
  const lineCounter = new LineCounter()
  const text = source.text.replace(/^\ufeff/, '')
  const document = parseDocument(text, { lineCounter, prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    // The library reports the end of its stack as an error of the text.
    const message = /call stack|recursion/i.test(error.message) ? TOO_DEEP : error.message
    throw ConvertSyntaxError.at(source, { line, column: col }, message)
  }
  // Through JSON, so that dates and the like are texts as they are in JSON.
  return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 1000 }) ?? null))
}
