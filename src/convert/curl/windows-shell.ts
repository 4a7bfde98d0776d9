/**
 * Splits command lines of the Windows command prompt (cmd.exe) into words.
 *
 * Rules: first the prompt processes carets: outside quotes `^` escapes the next character, and before a newline it
 * continues the line and escapes the first character of the next; `&` before a newline or another command, and `|`
 * between blanks, end a command. Then the program splits the line like the C runtime: `\"` is a quote, backslashes are
 * special only before a quote, `""` inside quotes is one.
 */
import { literal } from '../draft/literal-text.ts'
import { type ShellCommand, ShellSyntaxError, type ShellWord } from './shell-word.ts'

/** Whether the command uses carets, and so no single quotes. */
export function isWindowsCommand(source: string): boolean {
  return /^[ \t]*\S*curl(?:\.exe)?(?=\s)[^'\r\n]*\^(?:"|[ \t]*\r?$)/im.test(source)
}

/** @throws ShellSyntaxError */
export function windowsCommands(source: string): readonly ShellCommand[] {
  return linesWithoutCarets(source.replace(/\r\n/g, '\n')).map(({ text, line, isPiped }) => ({
    words: runtimeWords(text, line),
    assignments: [],
    comments: [],
    input: undefined,
    notes: [],
    isPiped,
  }))
}

interface Line {
  readonly text: string
  readonly line: number
  /** Whether it reads the output of the previous command. */
  readonly isPiped: boolean
}

/** Browsers put it between the commands for several requests. */
const separator = /^&{1,2}[ \t]*(?=\n|$|[^\s&|]*curl\b)/i
const pipe = /^\|[ \t]+/

/** The lines as the prompt passes them on; a newline escaped by a caret is part of its line. */
function linesWithoutCarets(source: string): readonly Line[] {
  const lines: Line[] = []
  let text = ''
  let start = 1
  let line = 1
  let isQuoted = false
  let isPiped = false
  const end = (pipes = false): void => {
    if (text.trim() !== '') lines.push({ text, line: start, isPiped })
    isPiped = pipes
    text = ''
    isQuoted = false
    start = line + 1
  }
  for (let index = 0; index < source.length; index++) {
    const character = source[index] as string
    const ended =
      isQuoted || !/[&|]/.test(character)
        ? null
        : (separator.exec(source.slice(index)) ?? pipe.exec(source.slice(index)))
    if (ended !== null) {
      end(character === '|')
      index += ended[0].length - 1
      start = line
      continue
    }
    if (character === '\n') end()
    if (character === '\n') line++
    else if (character === '^' && !isQuoted) {
      // White space between a caret and the newline is lost when text is copied.
      const blanks = /^\^[ \t]*\n/.exec(source.slice(index))?.[0].length
      if (blanks === undefined) {
        text += source[++index] ?? ''
      } else {
        index += blanks
        line++
        const kept = source[index]
        if (kept === '\n') line++
        if (kept === '^') index--
        else text += kept ?? ''
      }
    } else {
      if (character === '"') isQuoted = !isQuoted
      text += character
    }
  }
  end()
  return lines
}

/** Splits like `CommandLineToArgvW`. */
function runtimeWords(text: string, line: number): readonly ShellWord[] {
  const words: ShellWord[] = []
  let index = 0
  while (index < text.length) {
    if (/\s/.test(text[index] as string)) {
      index++
      continue
    }
    const column = index + 1
    const { word, end } = runtimeWord(text, index)
    if (end === undefined) throw new ShellSyntaxError('a quote is not closed: expected "', { line, column })
    words.push({ text: literal(word), line, column })
    index = end
  }
  return words
}

function runtimeWord(text: string, start: number): { readonly word: string; readonly end: number | undefined } {
  let word = ''
  let isQuoted = false
  let index = start
  while (index < text.length && (isQuoted || !/\s/.test(text[index] as string))) {
    const backslashes = /^\\*/.exec(text.slice(index))?.[0].length ?? 0
    if (backslashes > 0 && text[index + backslashes] !== '"') {
      word += '\\'.repeat(backslashes)
      index += backslashes
    } else if (backslashes > 0) {
      word += '\\'.repeat(Math.floor(backslashes / 2))
      index += backslashes
      if (backslashes % 2 === 1) word += text[index++]
    } else if (text[index] !== '"') {
      word += text[index++]
    } else if (isQuoted && text[index + 1] === '"') {
      word += '"'
      index += 2
    } else {
      isQuoted = !isQuoted
      index++
    }
  }
  return { word, end: isQuoted ? undefined : index }
}
