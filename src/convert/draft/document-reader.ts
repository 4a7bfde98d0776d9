/**
 * Parses a document in JSON, or in YAML with a library that is loaded when needed.
 *
 * Rules: a syntax error is reported with line and column. YAML is read as version 1.2, where `no` is a text.
 */
import type { Alias, Scalar, YAMLMap, YAMLParseError, YAMLSeq } from 'yaml'
import { isObject, type JsonObject, readJson } from './document.ts'
import { ConvertSyntaxError, type SourceText } from './errors.ts'

/**
 * @param expected what the document's object should be, for the error message
 * @throws ConvertSyntaxError
 */
export async function readDocument(source: SourceText, expected: string): Promise<JsonObject> {
  const value = /^\ufeff?\s*\{\s*["}]/.test(source.text) ? readJson(source) : await readYaml(source)
  if (isObject(value)) return value
  throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, `expected ${expected}`)
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

/** The library gives up on aliases that multiply and recurses into nested values; JSON has no cycles. */
function unreadableReason(error: unknown): string {
  if (error instanceof RangeError) return TOO_DEEP
  if (error instanceof ReferenceError)
    return 'the aliases (*name) of the YAML expand to too much text: each one repeats the node that it names'
  if (error instanceof TypeError) return 'an alias (*name) of the YAML is inside the node that it names'
  throw error
}

function yamlValue(source: SourceText, yaml: typeof import('yaml')): unknown {
  const lineCounter = new yaml.LineCounter()
  const text = source.text.replace(/^\ufeff/, '')
  // The library compares each key with all previous keys.
  const document = yaml.parseDocument(text, { lineCounter, prettyErrors: false, merge: true, uniqueKeys: false })
  const error = firstError(document.errors, linkAliases(document.contents, yaml))
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.start)
    // The library reports the end of its stack as an error of the text.
    const message = /call stack|recursion/i.test(error.message) ? TOO_DEEP : error.message
    throw ConvertSyntaxError.at(source, { line, column: col }, message)
  }
  // Through JSON, so that dates and similar values become the texts that they are in JSON.
  return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 1000 }) ?? null))
}

interface YamlFault {
  readonly start: number
  readonly message: string
}

function firstError([error]: readonly YAMLParseError[], duplicateStart: number): YamlFault | undefined {
  if (error !== undefined && error.pos[0] <= duplicateStart) return { start: error.pos[0], message: error.message }
  return duplicateStart === Number.POSITIVE_INFINITY
    ? undefined
    : { start: duplicateStart, message: 'Map keys must be unique' }
}

/**
 * Walks the nodes in text order and links each alias to its anchor, for which the library would search all anchors.
 * Returns the start of the first duplicate key of a map; infinity if none is found.
 */
function linkAliases(contents: unknown, { isAlias, isMap, isScalar, isSeq }: typeof import('yaml')): number {
  let duplicateStart = Number.POSITIVE_INFINITY
  const anchors = new Map<string, Scalar | YAMLMap | YAMLSeq>()
  const pending: unknown[] = [contents]
  while (pending.length > 0) {
    const node = pending.pop()
    if (isAlias(node)) link(node, anchors.get(node.source))
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) continue
    if (node.anchor !== undefined) anchors.set(node.anchor, node)
    if (isSeq(node)) for (const item of node.items.toReversed()) pending.push(item)
    if (!isMap(node)) continue
    for (const { key, value } of node.items.toReversed()) pending.push(value, key)
    const seen = new Set<unknown>()
    for (const { key } of node.items) {
      if (!isScalar(key) || Number.isNaN(key.value)) continue
      if (seen.has(key.value)) duplicateStart = Math.min(duplicateStart, key.range?.[0] ?? 0)
      seen.add(key.value)
    }
  }
  return duplicateStart
}

/** The library still counts the expansion of the alias. */
function link(alias: Alias, named: Scalar | YAMLMap | YAMLSeq | undefined): void {
  const { resolve } = alias
  const candidates = named === undefined ? [] : [named]
  alias.resolve = (document, context) =>
    context === undefined
      ? named
      : resolve.call(alias, document, Object.assign(context, { aliasResolveCache: candidates }))
}
