/**
 * Encodes a typed body of type application/x-www-form-urlencoded.
 *
 * Rules: `key = value &` over several lines: white space and line breaks around `&`, and white space around the first
 * `=`, are not sent. A space inside a value becomes `+`, other characters are percent-encoded; existing escapes and `+`
 * are unchanged. `%+`, `%&`, `%=` and `%%` mean the character itself. A variable's value is data: all of it is escaped.
 */
import { percentEscapes } from './url-encoding.ts'

/** A piece of the typed text, or the value of a variable in it. */
export interface FormPiece {
  readonly text: string
  readonly isValue: boolean
}

/** A piece of the output, already encoded; `mark` for `&`, `=` and blanks whose meaning is not known yet. */
interface Unit {
  readonly sent: string
  readonly mark: '&' | '=' | 'blank' | undefined
}

/** The text to send. ASCII only. */
export function encodeForm(pieces: readonly FormPiece[]): string {
  const pairs: Unit[][] = [[]]
  for (const unit of pieces.flatMap(({ text, isValue }) => (isValue ? valueUnits(text) : typedUnits(text)))) {
    if (unit.mark === '&') pairs.push([])
    else (pairs.at(-1) as Unit[]).push(unit)
  }
  return pairs.map(encodePair).join('&')
}

function encodePair(units: readonly Unit[]): string {
  const equals = units.findIndex(({ mark }) => mark === '=')
  if (equals === -1) return trimmed(units)
  return `${trimmed(units.slice(0, equals))}=${trimmed(units.slice(equals + 1))}`
}

function trimmed(units: readonly Unit[]): string {
  const isText = ({ mark }: Unit): boolean => mark !== 'blank'
  return units
    .slice(Math.max(0, units.findIndex(isText)), units.findLastIndex(isText) + 1)
    .map(({ sent }) => sent)
    .join('')
}

/** Characters that must be escaped in a form. */
const reserved = /[^A-Za-z0-9\-._*]+/g

function valueUnits(text: string): Unit[] {
  return [{ sent: encoded(text), mark: undefined }]
}

const typedPattern = /%[0-9A-Fa-f]{2}|%[+&=%]|[&=]|[ \t\f]+|\n|[^%&= \t\f\n]+|%/g

function typedUnits(text: string): Unit[] {
  return [...text.matchAll(typedPattern)].map(([token]): Unit => {
    if (/^%[0-9A-Fa-f]{2}$/.test(token)) return { sent: token, mark: undefined }
    if (/^%[+&=%]$/.test(token)) return { sent: encoded(token.slice(1)), mark: undefined }
    if (token === '&' || token === '=') return { sent: token, mark: token }
    // Line breaks are layout only.
    if (token === '\n') return { sent: '', mark: 'blank' }
    if (/^[ \t\f]/.test(token)) return { sent: encoded(token), mark: 'blank' }
    return { sent: token.split('+').map(encoded).join('+'), mark: undefined }
  })
}

function encoded(text: string): string {
  return text.replace(reserved, (found) => found.split(' ').map(percentEscapes).join('+'))
}
