/**
 * Reads the values that assertions compare with.
 *
 * Rules: words without quotes are JSON if they parse as JSON, otherwise a text. Times and sizes may have a unit;
 * milliseconds and bytes are the defaults. Values that contain variables are read once the variables are known.
 */
import type { ExpectedValue, SubjectKind } from '../syntax/assertion-tree.ts'
import { type JsonValue, parseJsonSource } from '../syntax/json-source.ts'
import { endOfQuoted } from '../syntax/quoted-text.ts'
import type { Template } from '../syntax/span.ts'
import { type TagCursor, TagProblem } from '../syntax/tag-cursor.ts'
import { isLiteral, joinTemplates } from '../syntax/template.ts'

type Units = Readonly<Record<string, number>>

const timeUnits: Units = { '': 1, ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }
const sizeUnits: Units = {
  '': 1,
  b: 1,
  byte: 1,
  bytes: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
}

const unitsOf: Partial<Record<SubjectKind, Units>> = { duration: timeUnits, size: sizeUnits }

/** Milliseconds or bytes; undefined if the text is neither, or the subject has no unit. */
export function quantityOf(text: string, subject: SubjectKind): number | undefined {
  const units = unitsOf[subject]
  const match = /^(-?\d+(?:\.\d+)?)[ \t]*([a-z]*)$/i.exec(text)
  const unit = match?.[2]?.toLowerCase() ?? ''
  if (units === undefined || match === null || !Object.hasOwn(units, unit)) return undefined
  return Number(match[1]) * (units[unit] as number)
}

/** The value of words without quotes. An integer that JavaScript would round stays text. */
export function bareValue(text: string): JsonValue {
  if (!/^(?:-?\d|true$|false$|null$)/.test(text)) return text
  try {
    const value = JSON.parse(text) as JsonValue
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
  } catch {
    return text
  }
}

/** The text of a template without variables. */
export function plainText({ parts }: Template): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The rest of the line as one value. @throws TagProblem */
export function readValue(cursor: TagCursor): ExpectedValue {
  const range = [cursor.at, cursor.end] as const
  const value = readPiece(cursor, range)
  cursor.at = cursor.end
  return value
}

/** Values between `[` and `]`. @throws TagProblem */
export function readList(cursor: TagCursor): readonly ExpectedValue[] {
  const { rest } = cursor
  const range = [cursor.at, cursor.end] as const
  if (!/^\[.*\]$/.test(rest)) {
    throw new TagProblem('expected a list after in', range, 'Write the values in brackets: in [200, 201].')
  }
  const items = piecesOf(rest.slice(1, -1), cursor.at + 1).map((piece) => readPiece(cursor, piece))
  cursor.at = cursor.end
  return items
}

/** The ranges between commas outside quotes, brackets and braces. None for empty brackets. */
function piecesOf(text: string, offset: number): readonly (readonly [start: number, end: number])[] {
  const pieces: (readonly [number, number])[] = []
  let depth = 0
  let quote = ''
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string
    if (quote !== '') {
      if (character === '\\') index++
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if ('[{('.includes(character)) depth++
    else if (']})'.includes(character)) depth--
    else if (character === ',' && depth === 0) {
      pieces.push(trimmed(text, start, index, offset))
      start = index + 1
    }
  }
  // An open quote or bracket reaches to the end.
  return text.trim() === '' ? [] : [...pieces, trimmed(text, start, text.length, offset)]
}

function trimmed(text: string, start: number, end: number, offset: number): readonly [number, number] {
  const piece = text.slice(start, end)
  const from = start + piece.length - piece.trimStart().length
  return [offset + from, offset + from + piece.trim().length]
}

function readPiece(cursor: TagCursor, range: readonly [start: number, end: number]): ExpectedValue {
  const text = cursor.line.text.slice(...range)
  const { template } = cursor.piece(range)
  if (text.startsWith('"') || text.startsWith("'")) return quotedValue(cursor, text, range)
  if (!/^(?:\[|\{(?!\{))/.test(text)) return { form: 'bare', template }
  if (isLiteral(template)) checkJson(text, range)
  return { form: 'json', template }
}

function checkJson(text: string, range: readonly [start: number, end: number]): void {
  const read = parseJsonSource(text)
  if ('type' in read) return
  const start = range[0] + read.span.offset
  const hint = 'Put text that begins with a bracket in quotes.'
  throw new TagProblem(`this is not JSON: ${read.message}`, [start, start + read.span.length], hint)
}

/** Double quotes allow the escapes of JSON, single quotes none. */
function quotedValue(cursor: TagCursor, text: string, [start, end]: readonly [number, number]): ExpectedValue {
  const quote = text[0] as string
  const length = quote === '"' ? endOfQuoted(text, 0) : text.indexOf(quote, 1) + 1
  if (length <= 0) throw new TagProblem(`the text is not closed: expected ${quote}`, [start, end])
  const close = start + length
  if (close < end) throw new TagProblem('text after the value: expected the end of the line', [close, end])
  const { template } = cursor.piece([start + 1, close - 1])
  if (quote === "'") return { form: 'quoted', template }
  const unescaped = template.parts.map((part) =>
    part.type === 'text' ? { ...part, text: withoutEscapes(part.text, [start, end]) } : part,
  )
  return { form: 'quoted', template: joinTemplates([{ parts: unescaped }], '') }
}

function withoutEscapes(text: string, range: readonly [start: number, end: number]): string {
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text.replaceAll('\t', '\\t')}"`) as string
  } catch {
    const hint = 'Use single quotes for text with backslashes.'
    throw new TagProblem('the text has an escape that JSON does not have', range, hint)
  }
}
