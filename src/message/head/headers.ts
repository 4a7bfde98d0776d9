/**
 * The header list: field lines in order, with their spelling and repetitions (RFC 9110 section 5).
 *
 * Rules: immutable, each change returns a new list; names are compared without regard to the case of A to Z; a value is
 * a binary string without white space at its ends. A value set by a caller is checked, so that it cannot smuggle a line
 * break into a message; values from a parser have already been checked.
 */
import { checkInstance, checkType, typeName } from '../syntax/checked-input.ts'
import { visible } from '../syntax/excerpt.ts'
import { FIELD_VALUE, indexOfOther, isToken, TOKEN } from '../syntax/grammar.ts'
import { inputError } from '../syntax/input-error.ts'
import { equalsIgnoringCase, trimWhitespace } from '../syntax/octets.ts'
import { INSPECT, type Inspect, inspected } from './description.ts'
import { type FieldLines, ListedFields } from './field-lines.ts'
import type { HeadOctets } from './head-octets.ts'

/** Pairs in order, a plain object (an array makes one line for each value), or fetch `Headers`. */
export type HeaderInit =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[]>>
  | Headers

/** Fields that replace those of the same names, or a function that returns a new list for the current one. */
export type HeaderChange = HeaderInit | ((headers: HeaderList) => HeaderInit)

/** @internal */
export function changedHeaders(headers: HeaderList, change: HeaderChange): HeaderList {
  return typeof change === 'function' ? HeaderList.of(change(headers)) : headers.merge(change)
}

/**
 * Field lines, in order. Iterating gives [name, value] of each line.
 *
 *   const list = HeaderList.of({ Accept: ['text/html', 'text/plain;q=0.5'] }).append('Via', '1.1 proxy')
 *   list.get('accept') // 'text/html, text/plain;q=0.5'
 */
export class HeaderList implements Iterable<readonly [name: string, value: string]> {
  static readonly EMPTY: HeaderList = HeaderList.of()

  readonly #fields: FieldLines

  private constructor(fields: FieldLines) {
    this.#fields = fields
  }

  /**
   * A list of the given fields, in their order.
   * @throws HttpBuildError `HEADER_NAME` if a name is not a token, `HEADER_VALUE` if a value contains a control
   *   character other than HTAB, or a character above U+00FF.
   */
  static of(init: HeaderInit = []): HeaderList {
    if (init instanceof HeaderList) return init
    const names: string[] = []
    const values: string[] = []
    for (const [name, value] of pairsOf(init)) {
      names.push(checkName(name))
      values.push(checkValue(name, value))
    }
    return HeaderList.fromParser(names, values)
  }

  /** A list of fields that a parser has already checked. Arrays are kept, not copied. @internal */
  static fromParser(names: readonly string[], values: readonly string[], lines?: readonly number[]): HeaderList {
    return new HeaderList(new ListedFields(names, values, lines))
  }

  /** The field lines of a canonical head. @internal */
  static fromHead(head: HeadOctets): HeaderList {
    return new HeaderList(head)
  }

  /** Number of field lines. */
  get size(): number {
    return this.#fields.fieldCount
  }

  /**
   * All values of a name joined with ", " (RFC 9110 section 5.3); for Set-Cookie, which cannot be joined, the first
   * value.
   */
  get(name: string): string | undefined {
    const fields = this.#fields
    const first = fields.indexOf(nameOf(name), 0)
    if (first === -1) return undefined
    if (fields.indexOf(name, first + 1) === -1 || equalsIgnoringCase(name, 'set-cookie')) return fields.value(first)
    return this.all(name).join(', ')
  }

  /** The value of the first field line of that name. */
  first(name: string): string | undefined {
    const index = this.#fields.indexOf(nameOf(name), 0)
    return index === -1 ? undefined : this.#fields.value(index)
  }

  /** The value of each field line of that name, in order. */
  all(name: string): readonly string[] {
    const fields = this.#fields
    const values: string[] = []
    for (let i = fields.indexOf(nameOf(name), 0); i !== -1; i = fields.indexOf(name, i + 1))
      values.push(fields.value(i))
    return values
  }

  /** The elements of a comma-separated field over all its lines, without empty ones (RFC 9110 section 5.6.1). */
  list(name: string): readonly string[] {
    const values = this.all(name)
    return values.length === 0 ? values : values.flatMap(splitList)
  }

  /** Whether there is a field of that name; with a token, whether its list contains that element, ignoring case. */
  has(name: string, token?: string): boolean {
    if (this.#fields.indexOf(nameOf(name), 0) === -1) return false
    return token === undefined || this.list(name).some((element) => equalsIgnoringCase(element, nameOf(token)))
  }

  /** The names as they were written, in order, with repeats. */
  names(): readonly string[] {
    return Array.from({ length: this.size }, (_, index) => this.#fields.name(index))
  }

  /**
   * Line number, from 1, of the `index`-th field line of that name (from 0) in the parsed message; 0 for a line that
   * was set later. Undefined if the line does not exist or the list was not parsed.
   */
  lineOf(name: string, index = 0): number | undefined {
    const fields = this.#fields
    let field = fields.indexOf(nameOf(name), 0)
    for (let left = index; left > 0 && field !== -1; left--) field = fields.indexOf(name, field + 1)
    return field === -1 ? undefined : fields.lineNumber(field)
  }

  /**
   * Replaces all lines of the name by this one, at the position (and with the spelling) of the first; without one,
   * appends it.
   * @throws HttpBuildError `HEADER_NAME` or `HEADER_VALUE`, as `of` does.
   */
  with(name: string, value: string): HeaderList {
    return this.#replace(checkName(name), [checkValue(name, value)])
  }

  /** With one more line at the end. @throws as `with` does. */
  append(name: string, value: string): HeaderList {
    return this.#of([...this.#rows(), newRow(name, value)])
  }

  /** With one more line at the beginning. @throws as `with` does. */
  prepend(name: string, value: string): HeaderList {
    return this.#of([newRow(name, value), ...this.#rows()])
  }

  /** Without all lines of these names. */
  without(...names: string[]): HeaderList {
    if (!names.some((name) => this.has(name))) return this
    return this.#of(this.#rows().filter(({ name }) => !names.some((other) => equalsIgnoringCase(name, other))))
  }

  /** With each field of the other list replacing the fields of the same name. @throws as `of` does. */
  merge(other: HeaderInit): HeaderList {
    const theirs = HeaderList.of(other)
    let merged: HeaderList = this
    const done: string[] = []
    for (const name of theirs.names()) {
      if (done.some((earlier) => equalsIgnoringCase(earlier, name))) continue
      done.push(name)
      merged = merged.#replace(name, theirs.all(name))
    }
    return merged
  }

  /** Appends the lines of the other list whose names this list does not have. @throws as `of` does. */
  withMissing(other: HeaderInit): HeaderList {
    const missing = HeaderList.of(other)
      .#rows()
      .filter(({ name }) => !this.has(name))
    return missing.length === 0 ? this : this.#of([...this.#rows(), ...missing.map((row) => ({ ...row, line: 0 }))])
  }

  /** Fetch `Headers`: order, spelling and separate lines (except those of Set-Cookie) are lost. */
  toFetch(): Headers {
    const headers = new Headers()
    for (const [name, value] of this) headers.append(name, value)
    return headers
  }

  /**
   * The field lines as written to the wire, each with CRLF. A control character in a value that a server sent is
   * written as SP (RFC 9110 section 5.5).
   */
  toString(): string {
    const fields = this.#fields
    let text = ''
    for (let i = 0; i < fields.fieldCount; i++) text += `${fields.name(i)}: ${written(fields.value(i))}\r\n`
    return text
  }

  /** Pairs in order. */
  toJSON(): (readonly [name: string, value: string])[] {
    return [...this]
  }

  /** The form that Node.js prints. @internal */
  [INSPECT](_depth: number, options: unknown, inspect: Inspect): string {
    return inspected('HeaderList', this.toJSON(), options, inspect)
  }

  [Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    return this.#fields.pairs()
  }

  #replace(name: string, values: readonly string[]): HeaderList {
    const first = this.#fields.indexOf(name, 0)
    const added = (spelling: string): FieldRow[] => values.map((value) => ({ name: spelling, value, line: 0 }))
    const rows = this.#rows().flatMap((row, index) => {
      if (index === first) return added(row.name)
      return equalsIgnoringCase(row.name, name) ? [] : [row]
    })
    return this.#of(first === -1 ? [...rows, ...added(name)] : rows)
  }

  /** The field lines one by one. */
  #rows(): FieldRow[] {
    const fields = this.#fields
    return Array.from({ length: fields.fieldCount }, (_, index) => ({
      name: fields.name(index),
      value: fields.value(index),
      line: fields.lineNumber(index) ?? 0,
    }))
  }

  /** A new list with changed lines of this one. If none of them was parsed, none has a line number. */
  #of(rows: readonly FieldRow[]): HeaderList {
    const isParsed = !(this.#fields instanceof ListedFields) || this.#fields.lines !== undefined
    return HeaderList.fromParser(
      rows.map(({ name }) => name),
      rows.map(({ value }) => value),
      isParsed ? rows.map(({ line }) => line) : undefined,
    )
  }
}

function nameOf(name: string): string {
  return typeof name === 'string' ? name : checkType(name, 'string', 'a field name')
}

/** One field line; `line` is 0 if it was set after the message was parsed. */
interface FieldRow {
  readonly name: string
  readonly value: string
  readonly line: number
}

function newRow(name: string, value: string): FieldRow {
  return { name: checkName(name), value: checkValue(name, value), line: 0 }
}

function* pairsOf(init: HeaderInit): Generator<readonly [string, string]> {
  if (Symbol.iterator in checkType(init, 'object', 'the list of fields')) {
    for (const pair of init as Iterable<readonly [string, string]>)
      yield checkInstance(pair, Array, 'a field of the list')
    return
  }
  for (const [name, value] of Object.entries(init as Readonly<Record<string, string | readonly string[]>>)) {
    if (Array.isArray(value)) for (const single of value) yield [name, single]
    else yield [name, value as string]
  }
}

function checkName(name: string): string {
  if (typeof name !== 'string') throw inputError('HEADER_NAME', `a field name is ${typeName(name)}`, '', 0)
  if (isToken(name)) return name
  throw inputError(
    'HEADER_NAME',
    `"${visible(name)}" is not a field name: expected letters, digits and !#$%&'*+-.^_\`|~`,
    name,
    Math.max(0, indexOfOther(name, TOKEN)),
  )
}

/** RFC 9110 section 5.5: field-vchar, SP, HTAB and obs-text. */
function checkValue(name: string, value: string): string {
  if (typeof value !== 'string') {
    throw inputError('HEADER_VALUE', `the value of ${name} is ${typeName(value)}, expected a string`, '', 0)
  }
  const index = indexOfOther(value, FIELD_VALUE)
  if (index === -1) return trimWhitespace(value)
  const isOctet = value.charCodeAt(index) <= 0xff
  const found = isOctet ? visible(value.charAt(index)) : `the character "${value[index]}", which is not a byte`
  throw inputError(
    'HEADER_VALUE',
    `the value of ${name} holds ${found} at position ${index + 1}`,
    value,
    index,
    isOctet ? 'Write one line without control characters' : 'Encode the value, for example with encodeURIComponent',
  )
}

function written(value: string): string {
  return trimWhitespace(value.replace(/[\0-\x08\n-\x1f\x7f]/g, ' '))
}

const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Splits at commas outside quoted strings (RFC 9110 section 5.6.1); elements keep their quotes. */
function splitList(value: string): string[] {
  const elements: string[] = []
  let start = 0
  let isQuoted = false
  for (let i = 0; i <= value.length; i++) {
    const code = i < value.length ? value.charCodeAt(i) : COMMA
    if (isQuoted && i < value.length) {
      if (code === BACKSLASH && i + 1 < value.length) i++
      else if (code === QUOTE) isQuoted = false
    } else if (code === QUOTE) {
      isQuoted = true
    } else if (code === COMMA) {
      const element = trimWhitespace(value.slice(start, i))
      if (element !== '') elements.push(element)
      start = i + 1
    }
  }
  return elements
}
