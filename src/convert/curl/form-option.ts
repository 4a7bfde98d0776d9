/**
 * Converts curl's `-F` and `--form-string` to parts of a multipart body.
 *
 * Rules (curl manual): `name=value`, `name=@file` (a file to upload), `name=<file` (its content as a text); followed by
 * `;type=`, `;filename=`, values optionally in double quotes with backslashes. Parameters that curl does not know
 * belong to the type before them; without one, curl skips them. `--form-string` takes the value literally.
 */
import { endOfQuoted } from '../../http-file/index.ts'
import type { MultipartEntry, PartContent } from '../draft/draft.ts'
import { fileType, knownType } from '../draft/known-types.ts'
import type { GivenOption } from './option-reader.ts'

export interface FormSettings {
  /** Standard input, if the command has any. */
  readonly input: PartContent | undefined
  readonly lose: (place: { readonly line: number }, message: string) => void
}

/** One part, except for an option that names several files; a form without `=` is a part without a value. */
export function formParts(given: GivenOption, { input, lose }: FormSettings): readonly MultipartEntry[] {
  const { option, value } = given
  const equals = value.indexOf('=')
  const name = equals === -1 ? value : value.slice(0, equals)
  const content = equals === -1 ? '' : value.slice(equals + 1)
  if (option.use === 'form-string') return [{ name, content: { text: content } }]
  if (name === '' && content === ')') return []
  if (content.startsWith('(')) {
    lose(given, `the multipart body ${name === '' ? '' : `${name} `}in the form: its parts become parts of the form`)
    return []
  }
  const mark = /^[@<]/.exec(content)?.[0] ?? ''
  const parts = partsOf(content.slice(mark.length), mark === '@' ? /[;,]/g : /;/g)
  if (parts.length > 1) lose(given, `several files in the part ${name}: each is a separate part`)
  return parts.map(({ text, type, filename, lost }) => {
    for (const parameter of lost) lose(given, `${parameter} of the part ${name}`)
    const isInput = mark !== '' && text === '-'
    const source: PartContent = isInput ? (input ?? { text: '' }) : mark === '' ? { text } : { path: text }
    if (isInput && input === undefined) lose(given, 'the standard input')
    const fileName = mark === '<' ? '' : (filename ?? (mark === '' ? undefined : (text.split('/').at(-1) as string)))
    const contentType = type ?? derivedType(isInput ? { text } : source, fileName)
    return {
      name,
      content: source,
      ...(contentType === undefined ? {} : { contentType }),
      ...(fileName === undefined ? {} : { fileName }),
    }
  })
}

/** The type that curl sends without `;type=`. */
function derivedType(content: PartContent, fileName: string | undefined): string | undefined {
  if (!('path' in content)) return fileName === undefined ? undefined : knownType(fileName)
  if (fileName !== '') return knownType(fileName as string) ?? fileType(content.path)
  const type = knownType(content.path)
  return type === 'text/plain' ? undefined : type
}

interface Part {
  readonly text: string
  readonly type: string | undefined
  readonly filename: string | undefined
  /** Names of parameters without an equivalent. */
  readonly lost: readonly string[]
}

/** @param ends matches the characters that end a word */
function partsOf(content: string, ends: RegExp): readonly Part[] {
  const parts: Part[] = []
  let next = 0
  do {
    const { end, ...part } = partAt(content, next, ends)
    parts.push(part)
    next = end + 1
  } while (next <= content.length)
  return parts
}

function partAt(content: string, start: number, ends: RegExp): Part & { readonly end: number } {
  const { text, end: textEnd } = wordAt(content, start, ends)
  const lost: string[] = []
  let end = textEnd
  let filename: string | undefined
  let type: { readonly start: number; readonly end: number } | undefined
  let isTypeOpen = false
  while (content[end] === ';') {
    const pattern = /\s*(?:(type|filename|headers|encoder)=)?\s*/giy
    pattern.lastIndex = end + 1
    const name = (pattern.exec(content) as RegExpExecArray)[1]?.toLowerCase()
    const valueStart = pattern.lastIndex
    if (name === undefined || (name === 'type' && isTypeOpen)) {
      end = endOf(content, valueStart, ends)
      if (type !== undefined && isTypeOpen) type = { ...type, end }
    } else if (name === 'type') {
      end = endOf(content, valueStart, ends)
      type = { start: valueStart, end }
      isTypeOpen = true
    } else {
      const value = wordAt(content, valueStart, ends)
      end = value.end
      isTypeOpen = false
      if (name === 'filename') filename = value.text
      else lost.push(name)
    }
  }
  return { text, type: type && trimmed(content.slice(type.start, type.end)), filename, lost, end }
}

/** A quoted word may contain anything; text after its quotes is skipped. */
function wordAt(content: string, start: number, ends: RegExp): { readonly text: string; readonly end: number } {
  const blanks = /\s*/y
  blanks.lastIndex = start
  blanks.test(content)
  const quoted = blanks.lastIndex
  const close = content[quoted] === '"' ? endOfQuoted(content, quoted) : -1
  if (close === -1) {
    const end = endOf(content, quoted, ends)
    return { text: trimmed(content.slice(start, end)), end }
  }
  const text = content.slice(quoted + 1, close - 1).replace(/\\(["\\])/g, '$1')
  return { text, end: endOf(content, close, ends) }
}

function endOf(content: string, start: number, ends: RegExp): number {
  ends.lastIndex = start
  return ends.exec(content)?.index ?? content.length
}

/** Only quotes preserve leading and trailing white space and line breaks. */
function trimmed(text: string): string {
  return text.replace(/^[ \t\n\v\f\r]+|(?<![ \t\n\v\f\r])[ \t\n\v\f\r]+$/g, '')
}
