/**
 * Rows of a data file, each with the variables of one run: CSV with a header line, a JSON array of objects, or JSON
 * Lines.
 *
 * Rules: every row is read before any is used, and every invalid one is reported with its line. Values of CSV are text,
 * exactly as written; those of JSON are parsed, except that numbers keep all their digits. The file extension decides
 * the format, otherwise the first character. A file without rows is an error: nothing would be sent. So is a repeated
 * name, of a column or a key: one of its values would be lost.
 */
import { extname, resolve } from 'node:path'
import {
  exactNumber,
  excerptAt,
  type JsonNode,
  type JsonValue,
  jsonValueOf,
  parseJsonSource,
  type RepeatedKey,
  type Span,
} from '../../http-file/index.ts'
import type { FileDiagnostic } from '../base/error-codes.ts'
import { InvalidFileError, type SourceText } from '../base/errors.ts'
import { type ReadFile, readTextFile, type TextFileKind } from '../files/text-file.ts'
import { parseCsv } from './csv-source.ts'

export type DataRow = ReadonlyMap<string, JsonValue>

interface ParsedRows {
  readonly rows: readonly DataRow[]
  readonly errors: readonly FileDiagnostic[]
}

const dataFile: TextFileKind = { name: 'data file', code: 'invalid-data-file' }

const formats: Readonly<Record<string, (source: string) => ParsedRows>> = {
  '.csv': csvRows,
  '.json': jsonRows,
  '.jsonl': jsonLineRows,
  '.ndjson': jsonLineRows,
}

/**
 * @param directory base of a relative path
 * @param read reads the file, if it is not a regular one
 * @throws InvalidFileError with all errors of the file; HttpcliError `unreadable-file`.
 */
export function readDataRows(path: string, directory: string, read?: ReadFile): readonly DataRow[] {
  return readRows({ path, text: readTextFile(resolve(directory, path), path, dataFile, read) })
}

/** Reads the rows from a text. @throws InvalidFileError with all errors. */
export function readRows(source: SourceText): readonly DataRow[] {
  const { rows, errors } = (formats[extname(source.path).toLowerCase()] ?? guessedFormat(source.text))(source.text)
  if (errors.length > 0) throw new InvalidFileError('invalid-data-file', source, errors)
  if (rows.length === 0) throw new InvalidFileError('invalid-data-file', source, [noRows(source)])
  return rows
}

function guessedFormat(text: string): (source: string) => ParsedRows {
  return /^[\ufeff\s]*[[{]/.test(text) ? jsonRows : csvRows
}

function csvRows(source: string): ParsedRows {
  const { records, errors: syntaxErrors } = parseCsv(source)
  const [header, ...others] = records
  // Without the first line, the others cannot be checked.
  if (header === undefined || (syntaxErrors[0]?.span.line ?? Number.POSITIVE_INFINITY) < header.span.line) {
    return { rows: [], errors: syntaxErrors }
  }
  const names = header.fields.map((name) => name.trim())
  const headerErrors = namesProblems(names, header.span, source)
  if (headerErrors.length > 0) return { rows: [], errors: headerErrors }
  const errors = [...syntaxErrors]
  const rows: DataRow[] = []
  for (const { fields, span } of others) {
    if (fields.length === names.length) rows.push(new Map(names.map((name, index) => [name, fields[index] as string])))
    else errors.push(wrongCount(fields.length, names.length, span, source))
  }
  return { rows, errors: errors.sort((a, b) => a.span.offset - b.span.offset) }
}

function namesProblems(names: readonly string[], span: Span, source: string): readonly FileDiagnostic[] {
  const [first = ''] = names
  if (names.length === 1 && /[;\t]/.test(first)) {
    return [problem('the columns are not separated by commas', span, source, 'Write the file with commas: name,age.')]
  }
  const empty = names.indexOf('')
  if (empty !== -1) return [problem(`column ${empty + 1} has no name`, span, source, FIRST_LINE)]
  const seen = new Set<string>()
  const double = names.find((name) => seen.size === seen.add(name).size)
  if (double === undefined) return []
  return [problem(`two columns have the name ${JSON.stringify(double)}`, span, source, FIRST_LINE)]
}

const FIRST_LINE = 'The first line names the columns: each is a variable.'

function wrongCount(found: number, expected: number, span: Span, source: string): FileDiagnostic {
  const message = `the row has ${found} field${found === 1 ? '' : 's'}, but there are ${expected} columns`
  return problem(message, span, source, 'Put a field that contains a comma or a line break in quotes.')
}

function jsonRows(source: string): ParsedRows {
  const repetitions: FileDiagnostic[] = []
  const root = parseJsonSource(source, { onRepeatedKey: (repeated) => repetitions.push(repetition(repeated, source)) })
  if (!('type' in root)) {
    const lines = jsonLineRows(source)
    return lines.errors.length === 0 ? lines : { rows: [], errors: [root] }
  }
  if (repetitions.length > 0) return { rows: [], errors: repetitions }
  const items = root.type === 'array' ? root.items : [root]
  return collected(items.map((item, index) => rowOf(item, source, root.type === 'array' ? index + 1 : undefined)))
}

function jsonLineRows(source: string): ParsedRows {
  const found: (DataRow | FileDiagnostic)[] = []
  let line = 0
  for (const { 1: text = '', index } of source.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g)) {
    line++
    const json = index === 0 ? text.replace(/^\ufeff/, '') : text
    if (json.trim() !== '') found.push(lineRow(json, index, line))
  }
  return collected(found)
}

/** A value that is complete on its line. */
function lineRow(text: string, offset: number, line: number): DataRow | FileDiagnostic {
  const repetitions: FileDiagnostic[] = []
  const node = parseJsonSource(text, { onRepeatedKey: (repeated) => repetitions.push(repetition(repeated, text)) })
  const row = 'type' in node ? (repetitions[0] ?? rowOf(node, text, undefined)) : node
  if (row instanceof Map) return row
  const { span, ...rest } = row as FileDiagnostic
  return { ...rest, span: { ...span, line, offset: offset + span.offset } }
}

/** @param number of the row, if the line alone does not identify it */
function rowOf(node: JsonNode, source: string, number: number | undefined): DataRow | FileDiagnostic {
  if (node.type === 'object') {
    return new Map(node.members.map(({ key, value }) => [key, exactNumber(value, source) ?? jsonValueOf(value)]))
  }
  const found = node.type === 'array' ? 'an array' : JSON.stringify(node.value)
  const row = number === undefined ? 'the row' : `row ${number}`
  return problem(
    `${row} is not an object, found ${found}`,
    node.span,
    source,
    'Each row is an object: { "name": "value" }.',
  )
}

function repetition({ key, span, earlierSpan }: RepeatedKey, source: string): FileDiagnostic {
  const message = `the key ${JSON.stringify(key)} is repeated: column ${earlierSpan.column} of ${
    earlierSpan.line === span.line ? 'this line' : `line ${earlierSpan.line}`
  } has it too`
  return problem(message, span, source, 'Remove one of them.')
}

function collected(found: readonly (DataRow | FileDiagnostic)[]): ParsedRows {
  const rows: DataRow[] = []
  const errors: FileDiagnostic[] = []
  for (const each of found) {
    if (each instanceof Map) rows.push(each)
    else errors.push(each as FileDiagnostic)
  }
  return { rows, errors }
}

function noRows({ text }: SourceText): FileDiagnostic {
  const message = text.trim() === '' ? 'the data file is empty' : 'the data file has no rows'
  return problem(
    message,
    { offset: 0, line: 1, column: 1, length: 1 },
    text,
    'Every row is a pass over the request file.',
  )
}

function problem(message: string, span: Span, source: string, hint: string): FileDiagnostic {
  return { code: 'bad-data', message, hint, span, excerpt: excerptAt(source, span) }
}
