/**
 * Reads JSON (RFC 8259) with the place of every value, so that errors can point at a value in its file.
 *
 * Rules: accepts exactly what JSON.parse accepts, plus a byte order mark and, on request, comments and a trailing
 * comma, as editors do in settings; JSON.parse itself decodes strings and numbers. The last value of a repeated key
 * wins, as with JSON.parse. Only the first error is reported: after a syntax error, further errors are meaningless.
 */
import { type Diagnostic, excerptAt } from './diagnostic.ts'
import type { Span } from './span.ts'

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

export type JsonObject = { readonly [key: string]: JsonValue }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined if the value is not an object or lacks the member. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export type JsonNode =
  | { readonly type: 'scalar'; readonly span: Span; readonly value: string | number | boolean | null }
  | { readonly type: 'array'; readonly span: Span; readonly items: readonly JsonNode[] }
  | { readonly type: 'object'; readonly span: Span; readonly members: readonly JsonMember[] }

export interface JsonMember {
  readonly key: string
  readonly keySpan: Span
  readonly value: JsonNode
}

/** The maximum depth. V8 is limited by its stack; no environment needs more. */
const MAX_DEPTH = 200

/** A key that its object already has. */
export interface RepeatedKey {
  readonly key: string
  readonly span: Span
  readonly earlierSpan: Span
}

export interface JsonSourceOptions {
  /** Allows comments of both kinds and a trailing comma. Default false. */
  readonly isRelaxed?: boolean
  /** Called for each repeated key, in the order of the text. */
  readonly onRepeatedKey?: ((repeated: RepeatedKey) => void) | undefined
}

/** Reads JSON text. Never throws. */
export function parseJsonSource(source: string, options: JsonSourceOptions = {}): JsonNode | Diagnostic {
  try {
    return new JsonReader(source, options).readDocument()
  } catch (error) {
    if (error instanceof Problem) return error.diagnostic
    throw error
  }
}

/** The plain value of a node. Objects have no prototype, so that `__proto__` is an ordinary key. */
export function jsonValueOf(node: JsonNode): JsonValue {
  if (node.type === 'scalar') return node.value
  if (node.type === 'array') return node.items.map(jsonValueOf)
  const object: Record<string, JsonValue> = Object.create(null)
  for (const { key, value } of node.members) object[key] = jsonValueOf(value)
  return object
}

/** The digits of a number that JavaScript would write differently: an identifier of twenty digits, `1.50`. */
export function exactNumber(node: JsonNode, source: string): string | undefined {
  if (node.type !== 'scalar' || typeof node.value !== 'number') return undefined
  const written = source.slice(node.span.offset, node.span.offset + node.span.length)
  return String(node.value) === written ? undefined : written
}

/** Carries the first problem out of the recursion; never leaves this file. */
class Problem extends Error {
  readonly diagnostic: Diagnostic
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message)
    this.diagnostic = diagnostic
  }
}

const tokenPattern = /([{}[\]:,])|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|(?:true|false|null)\b/y
/** A piece of a string. One expression for the whole string would use stack for each escape. */
const textPiece = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const blanks = /[ \t\r\n]*/y
const blanksAndComments = /(?:[ \t\r\n]+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y

class JsonReader {
  readonly #source: string
  readonly #isRelaxed: boolean
  readonly #onRepeatedKey: JsonSourceOptions['onRepeatedKey']
  #offset: number
  #line = 1
  #lineStart = 0
  /** The last token: punctuation as itself, `"` for a string, `0` for a number or a word, empty at the end. */
  #kind = ''
  #token = ''
  #span: Span = { offset: 0, line: 1, column: 1, length: 0 }

  constructor(source: string, { isRelaxed = false, onRepeatedKey }: JsonSourceOptions) {
    this.#source = source
    this.#isRelaxed = isRelaxed
    this.#onRepeatedKey = onRepeatedKey
    this.#offset = source.startsWith('\ufeff') ? 1 : 0
    this.#lineStart = this.#offset
  }

  readDocument(): JsonNode {
    this.#next()
    const node = this.#readValue(0)
    this.#next()
    if (!this.#is('')) this.#fail('expected the end of the file after the JSON value')
    return node
  }

  #readValue(depth: number): JsonNode {
    if (depth > MAX_DEPTH) this.#fail(`nested deeper than ${MAX_DEPTH} levels`)
    if (this.#is('{')) return this.#readObject(depth)
    if (this.#is('[')) return this.#readArray(depth)
    if (this.#is('"') || this.#is('0')) {
      return { type: 'scalar', span: this.#span, value: JSON.parse(this.#token) }
    }
    return this.#fail('expected a JSON value')
  }

  #readObject(depth: number): JsonNode {
    const span = this.#span
    const members = new Map<string, JsonMember>()
    this.#next()
    while (!this.#is('}')) {
      if (!this.#is('"'))
        this.#fail(members.size === 0 ? 'expected a key in quotes or "}"' : 'expected a key in quotes')
      const key = JSON.parse(this.#token) as string
      const keySpan = this.#span
      const earlierSpan = members.get(key)?.keySpan
      if (earlierSpan !== undefined) this.#onRepeatedKey?.({ key, span: keySpan, earlierSpan })
      this.#next()
      if (!this.#is(':')) this.#fail('expected ":" after the key')
      this.#next()
      members.set(key, { key, keySpan, value: this.#readValue(depth + 1) })
      this.#nextInList('}')
    }
    return { type: 'object', span, members: [...members.values()] }
  }

  #readArray(depth: number): JsonNode {
    const span = this.#span
    const items: JsonNode[] = []
    this.#next()
    while (!this.#is(']')) {
      items.push(this.#readValue(depth + 1))
      this.#nextInList(']')
    }
    return { type: 'array', span, items }
  }

  /** After an element: a comma and the next token, or the closing bracket. */
  #nextInList(close: '}' | ']'): void {
    this.#next()
    if (this.#is(close)) return
    if (!this.#is(',')) this.#fail(`expected "," or "${close}"`)
    this.#next()
    if (this.#is(close) && !this.#isRelaxed) this.#fail(`a comma before "${close}": JSON does not allow it`)
  }

  #next(): void {
    const start = this.#skipBlanks()
    const text = this.#textAt(start)
    tokenPattern.lastIndex = start
    const match = text === undefined ? tokenPattern.exec(this.#source) : null
    const token = text ?? match?.[0] ?? ''
    this.#countLines(start)
    this.#offset = start + token.length
    this.#token = token
    this.#span = {
      offset: start,
      line: this.#line,
      column: start - this.#lineStart + 1,
      length: Math.max(1, token.length),
    }
    this.#kind = match?.[1] ?? (text === undefined ? '0' : '"')
    if (token !== '') return
    this.#kind = ''
    if (start < this.#source.length) this.#fail(this.#describeUnknown(start))
  }

  /** The string that begins here, with its quotes; undefined if none begins here or it is unclosed. */
  #textAt(start: number): string | undefined {
    if (this.#source[start] !== '"') return undefined
    let end = start + 1
    textPiece.lastIndex = end
    while (textPiece.test(this.#source)) end = textPiece.lastIndex
    return this.#source[end] === '"' ? this.#source.slice(start, end + 1) : undefined
  }

  /** A method, because the compiler would assume that calling `#next` leaves the field unchanged. */
  #is(kind: string): boolean {
    return this.#kind === kind
  }

  #skipBlanks(): number {
    const pattern = this.#isRelaxed ? blanksAndComments : blanks
    pattern.lastIndex = this.#offset
    return this.#offset + (pattern.exec(this.#source)?.[0].length ?? 0)
  }

  #countLines(to: number): void {
    for (let at = this.#offset; at < to; at++) {
      const code = this.#source.charCodeAt(at)
      if (code !== 0x0a && (code !== 0x0d || this.#source.charCodeAt(at + 1) === 0x0a)) continue
      this.#line++
      this.#lineStart = at + 1
    }
  }

  #describeUnknown(at: number): string {
    const character = String.fromCodePoint(this.#source.codePointAt(at) as number)
    if (character === '"') return 'a string that is not closed on its line, or has an invalid escape'
    if (character === '/' && this.#isRelaxed) return 'a comment that is not closed'
    if (character === '#' && this.#isRelaxed) return 'comments begin with "//" or "/*"'
    if (character === '/' || character === '#') return 'JSON has no comments'
    if (character === "'") return 'JSON strings are in double quotes'
    return `unexpected ${JSON.stringify(character)}`
  }

  #fail(problem: string): never {
    const message =
      this.#kind === '' && this.#offset >= this.#source.length ? `${problem}, found the end of the file` : problem
    throw new Problem({
      code: 'bad-json',
      message,
      span: this.#span,
      excerpt: excerptAt(this.#source, this.#span),
    })
  }
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
