/**
 * Parses a word that adds to a request: `name=value`, `name:=json`, `name==value`, `Name:value`, `name@file`, `@file`.
 *
 * Rules: the first separator decides, the longest if several begin at the same place. A backslash before a character of
 * a separator makes it part of the name. An ambiguous word is an error that says so.
 */
import { UsageError } from '../../frame/usage-error.ts'

export type ItemKind =
  | 'text'
  | 'json'
  | 'query'
  | 'header'
  | 'no-type'
  | 'file'
  | 'text-file'
  | 'json-file'
  | 'body-file'

export interface Item {
  readonly kind: ItemKind
  readonly name: string
  readonly value: string
  /** As typed, for errors. */
  readonly word: string
}

/** In the order in which they are tried at each position. */
const separators: readonly (readonly [text: string, kind: ItemKind])[] = [
  [':=@', 'json-file'],
  [':=', 'json'],
  ['=@', 'text-file'],
  ['==', 'query'],
  ['=', 'text'],
  ['@', 'file'],
  [':', 'header'],
]

const FORMS =
  'name=value (text), name:=json, name==value (query), Name:value (header), name@file, name=@file (text of a file), @file (whole body)'

/** @throws UsageError */
export function parseItem(word: string): Item {
  if (isJsonText(word)) {
    throw new UsageError(`${word} is JSON, not an item`, {
      hint: `Write -b '${word}' Content-Type:application/json, or name=value and name:=json for its members`,
    })
  }
  let name = ''
  for (let at = 0; at < word.length; at++) {
    const next = word[at + 1]
    if (word[at] === '\\' && next !== undefined && /[\\:=@;]/.test(next)) {
      name += next
      at++
      continue
    }
    const separator = separators.find(([text]) => word.startsWith(text, at))
    if (separator === undefined) {
      name += word[at]
      continue
    }
    return checked({ kind: separator[1], name, value: word.slice(at + separator[0].length), word })
  }
  if (/^[^\s;]+;$/.test(word)) return { kind: 'header', name: word.slice(0, -1), value: '', word }
  throw new UsageError(`"${word}" is not part of a request`, { hint: `Write ${FORMS}` })
}

/** Whether a word is an object or an array; a colon in it would otherwise make it a header. */
function isJsonText(word: string): boolean {
  if (!/^\s*[[{]/.test(word)) return false
  try {
    JSON.parse(word)
    return true
  } catch {
    return false
  }
}

function checked(item: Item): Item {
  const { kind, name, value, word } = item
  if (name === '' && kind === 'file' && value !== '') return { ...item, kind: 'body-file' }
  if (name === '') throw new UsageError(`"${word}" has no name before its separator`, { hint: `Write ${FORMS}` })
  if (kind === 'header' && /^https?$/i.test(name) && value.startsWith('//')) {
    throw new UsageError(`"${word}" is a second URL`, { hint: 'Send one request at a time' })
  }
  // The only header that items add; the value of another header may have been forgotten, or may be an empty shell
  // variable.
  if (kind === 'header' && value === '' && /^content-type$/i.test(name)) return { ...item, kind: 'no-type' }
  if (kind === 'header' && value === '') {
    throw new UsageError(`"${word}" is a header without a value`, {
      hint: `Write ${name}: with a value, or "${name};" to send it empty`,
    })
  }
  if ((kind === 'file' || kind.endsWith('-file')) && value === '') {
    throw new UsageError(`"${word}" has no file name after the @`, { hint: `Write ${word}<file>` })
  }
  return item
}
