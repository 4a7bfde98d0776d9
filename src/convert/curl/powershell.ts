/**
 * Splits command lines of PowerShell into commands and words.
 *
 * Rules (about_Quoting_Rules, about_Special_Characters): single quotes preserve everything, a doubled one is a quote;
 * in double quotes and outside quotes a backtick escapes, and before a newline it continues the line; `$name` is a
 * variable, and `$([char]233)` a character. A here-string `@"…"@` contains lines in which quotes are text. A hash table
 * `@{…}` and a group `(…)` are one word, as written. `\"`, which PowerShell before 7.3 needs for curl, is a quote,
 * except in a script with commands of PowerShell that send requests: they get the backslash.
 */
import { pieceText, type TextPiece } from '../draft/literal-text.ts'
import { PlaceCounter, placeAt, type ShellCommand, ShellSyntaxError, type ShellWord } from './shell-word.ts'

const escapes: Readonly<Record<string, string>> = {
  ...{ n: '\n', r: '\r', t: '\t', '0': '\0', a: '\x07', b: '\b', f: '\f', v: '\v', e: '\x1b' },
}

/** Whether this is PowerShell: `curl.exe`, a backtick at the end of the command's line, or a PowerShell command. */
export function isPowerShellCommand(source: string): boolean {
  if (/\\[ \t]*\r?$/m.test(source)) return false
  return /^[ \t]*(?:curl\.exe\b|curl\b.*[ \t]`[ \t]*\r?$)/im.test(source) || webRequestLine.test(source)
}

/** At the start of a line, possibly after a variable that receives the answer. */
const webRequestLine = /^[ \t]*(?:\$\w+\s*=\s*)?(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b/im

/** PowerShell commands that send a request. */
export const webRequest: RegExp = /\b(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b/i

/** A subexpression in a text, except for a character. */
const computed = /(?<!`)\$\((?!\[char\])[^()"'\n]*\)?/i

/** @throws ShellSyntaxError */
export function powerShellCommands(source: string): readonly ShellCommand[] {
  const text = source.replace(/\r\n/g, '\n')
  const commands: ShellCommand[] = []
  let words: ShellWord[] = []
  let notes: { readonly line: number; readonly message: string }[] = []
  const places = new PlaceCounter(text)
  const hasEscapedQuotes = !webRequestLine.test(text)
  const end = (): void => {
    if (words.length > 0)
      commands.push({ words, assignments: [], comments: [], input: undefined, notes, isPiped: false })
    words = []
    notes = []
  }
  let index = 0
  while (index < text.length) {
    const character = text[index] as string
    const continuation = /^`[ \t]*\n/.exec(text.slice(index))
    if (continuation !== null) index += continuation[0].length
    else if (character === '\n' || character === ';' || character === '|') {
      end()
      index++
    } else if (/\s/.test(character)) index++
    else if (character === '#') index = endOfLine(text, index)
    else {
      const word = powerShellWord(text, index, hasEscapedQuotes)
      const place = places.at(index)
      words.push({ text: word.text, isCode: word.isCode, ...place })
      const expression = character === "'" ? null : computed.exec(text.slice(index, word.end))
      if (expression !== null) notes.push({ line: place.line, message: `the expression ${expression[0]} in a text` })
      index = word.end
    }
  }
  end()
  return commands
}

function endOfLine(text: string, index: number): number {
  const end = text.indexOf('\n', index)
  return end === -1 ? text.length : end
}

interface Word {
  readonly text: string
  readonly end: number
}

function powerShellWord(text: string, start: number, hasEscapedQuotes: boolean): Word & { readonly isCode: boolean } {
  let index = start
  const pieces: TextPiece[] = []
  let isCode = text[start] === '$'
  const add = (found: readonly TextPiece[]): void => {
    for (const piece of found) pieces.push(piece)
  }
  while (index < text.length && !/[\s;|]/.test(text[index] as string)) {
    const character = text[index] as string
    const hereString = /^@(["'])[ \t]*\n(?:([\s\S]*?)\n)?\1@/.exec(text.slice(index))
    if (hereString !== null) {
      add(hereText(hereString[1] as string, hereString[2] ?? ''))
      index += hereString[0].length
    } else if (character === '@' && text[index + 1] === '{') {
      const end = closingBracket(text, index + 1, '{}', hasEscapedQuotes)
      add([text.slice(index, end)])
      isCode = true
      index = end
    } else if (character === '(') {
      const end = closingBracket(text, index, '()', hasEscapedQuotes)
      add([text.slice(index, end)])
      isCode = true
      index = end
    } else if (character === "'" || character === '"') {
      const string = stringPieces(text, index, hasEscapedQuotes)
      add(string.pieces)
      index = string.end
    } else if (character === '`') {
      add([text[index + 1] ?? ''])
      index += 2
    } else {
      add([character])
      index++
    }
  }
  return { text: isCode ? writtenText(pieces) : pieceText(pieces), end: index, isCode }
}

/** Strings of code are parsed later, so nothing in them is protected yet. */
function writtenText(pieces: readonly TextPiece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : `{{${piece.expression}}}`)).join('')
}

/** Quotes need no escape here. */
function hereText(mark: string, content: string): readonly TextPiece[] {
  return mark === "'" ? [content] : stringPieces(`"${content.replace(/`?"/g, '`"')}"`, 0).pieces
}

/**
 * The index after the bracket that closes the one at `start`. Strings in between are skipped. @throws ShellSyntaxError
 */
export function closingBracket(text: string, start: number, [open, close]: string, hasEscapedQuotes: boolean): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const character = text[index]
    if (character === "'" || character === '"') index = stringPieces(text, index, hasEscapedQuotes).end - 1
    else if (character === open) depth++
    else if (character === close && --depth === 0) return index + 1
  }
  throw new ShellSyntaxError(`a bracket is not closed: expected ${close}`, placeAt(text, start))
}

/** A UTF-16 unit by its number, as browsers write non-ASCII characters. */
const characterCode = /^\$\(\[char\]\s*(\d{1,5}|0x[0-9A-Fa-f]{1,4})\)/i

/** U+FFFD for a number above U+10FFFF. */
function characterOf(code: number): string {
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
}

/** The string that begins at `start`, in a command of PowerShell. @throws ShellSyntaxError */
export function powerShellString(text: string, start: number): Word {
  const { pieces, end } = stringPieces(text, start)
  return { text: pieceText(pieces), end }
}

/** @param hasEscapedQuotes whether `\"` is a quote */
function stringPieces(
  text: string,
  start: number,
  hasEscapedQuotes = false,
): { readonly pieces: readonly TextPiece[]; readonly end: number } {
  const mark = text[start] as string
  const pieces: TextPiece[] = []
  let value = ''
  let index = start + 1
  while (index < text.length) {
    const character = text[index] as string
    const next = text[index + 1] ?? ''
    if (character === mark && next === mark) {
      value += mark
      index += 2
    } else if (character === mark) {
      return { pieces: [...pieces, value], end: index + 1 }
    } else if (hasEscapedQuotes && character === '\\' && next === '"') {
      value += '"'
      index += 2
    } else if (mark === '"' && character === '`') {
      // `u{…} is a character by its code point.
      const code = /^`u\{([0-9A-Fa-f]{1,6})\}/.exec(text.slice(index))
      value += code === null ? (escapes[next] ?? next) : characterOf(Number.parseInt(code[1] as string, 16))
      index += code?.[0].length ?? 2
    } else if (mark === '"' && characterCode.test(text.slice(index, index + 24))) {
      const [whole, code] = characterCode.exec(text.slice(index, index + 24)) as RegExpExecArray
      value += String.fromCharCode(Number(code))
      index += (whole as string).length
    } else if (mark === '"' && character === '$' && /[A-Za-z_{]/.test(next)) {
      // The name may have a scope: $env:NAME.
      const name = /^\$(?:(?:\w+:(?=\w))?(\w+)|\{(?:\w+:)?(\w+)\})/.exec(text.slice(index))
      pieces.push(value, name === null ? '$' : { expression: (name[1] ?? name[2]) as string })
      value = ''
      index += name?.[0].length ?? 1
    } else {
      value += character
      index++
    }
  }
  throw new ShellSyntaxError(`a quote is not closed: expected ${mark}`, placeAt(text, start))
}
