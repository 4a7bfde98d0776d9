/**
 * Splits command lines of POSIX shells and bash into commands and words.
 *
 * Rules (POSIX Shell Command Language section 2.2, bash manual "ANSI-C Quoting"): single quotes preserve everything; in
 * double quotes a backslash escapes `$`, `` ` ``, `"`, itself and a newline; `$'…'` has the escapes of C; a backslash
 * before a newline continues the line. `$name` and `${name}` become variables; other substitutions stay text, except
 * for a comment in backquotes. The commands of a substitution that calls curl come before the command that uses it; a
 * variable has no value then. Commands end at a newline, `;`, `&`, `|`, `;;`, `&&` and `||`. Redirections are left out,
 * except for those of standard input.
 */
import type { PartContent } from '../draft/draft.ts'
import type { TextPlace } from '../draft/errors.ts'
import { literal, pieceText, type TextPiece } from '../draft/literal-text.ts'
import { PlaceCounter, placeAt, type ShellCommand, ShellSyntaxError, type ShellWord } from './shell-word.ts'

/** Forms of `$(…)` that a dynamic variable can replace. */
const knownSubstitutions: readonly (readonly [pattern: RegExp, expression: string])[] = [
  [/^\s*uuidgen\b/, '$uuid'],
  [/^\s*date \+%s\s*$/, '$timestamp'],
  [/^\s*date -u \+["']?%(?:Y-%m-%dT%H:%M:%SZ|FT%TZ)["']?\s*$/, '$isoTimestamp'],
]

/** @throws ShellSyntaxError */
export function posixCommands(source: string): readonly ShellCommand[] {
  return new PosixReader(source.replace(/\r\n/g, '\n')).read()
}

class PosixReader {
  readonly #source: string
  readonly #lastBrace: number
  readonly #places: PlaceCounter
  /** Where a substitution begins, for the commands in it. */
  readonly #outer: TextPlace | undefined
  #index = 0
  /** Whether an unclosed `$(` was found: to search from each later one would take quadratic time. */
  #isUnclosed = false
  readonly #commands: ShellCommand[] = []
  #words: ShellWord[] = []
  #assignments: { name: string; value: string }[] = []
  #comments: string[] = []
  #notes: ShellCommand['notes'][number][] = []
  #input: PartContent | undefined
  /** Here-documents whose text begins after this line. */
  #awaited: { readonly delimiter: string; readonly isQuoted: boolean; readonly stripsTabs: boolean }[] = []
  /** Whether the command reads the output of the previous one. */
  #isPiped = false

  constructor(source: string, outer?: TextPlace) {
    this.#source = source
    this.#outer = outer
    this.#lastBrace = source.lastIndexOf('}')
    this.#places = new PlaceCounter(source)
  }

  read(): readonly ShellCommand[] {
    while (this.#index < this.#source.length) this.#step()
    this.#endCommand()
    return this.#commands
  }

  #step(): void {
    const rest = this.#source.slice(this.#index, this.#index + 3)
    const [character = ''] = rest
    if (rest.startsWith('\\\n')) this.#index += 2
    else if (character === '\n') this.#endLine()
    else if (/\s/.test(character)) this.#index++
    else if (character === '#') this.#readComment()
    else if (/^(?:&&|\|\|)/.test(rest)) this.#end(2)
    else if (/^[0-9&]?[<>]/.test(rest) && !processPattern.test(rest)) this.#readRedirection()
    else if (character === ';' || character === '&') this.#end(1)
    else if (character === '|') this.#startPipe()
    else if (character === '(' || character === ')') this.#index++
    else this.#readWord()
  }

  #end(length: number): void {
    this.#index += length
    this.#endCommand()
  }

  #startPipe(): void {
    this.#end(1)
    this.#isPiped = true
  }

  #note(message: string): void {
    this.#notes.push({ line: this.#outward(this.#places.at(this.#index)).line, message })
  }

  /** The place in the whole script. */
  #outward({ line, column }: TextPlace): TextPlace {
    const outer = this.#outer ?? { line: 1, column: 1 }
    return { line: line + outer.line - 1, column: line === 1 ? column + outer.column - 1 : column }
  }

  #endLine(): void {
    this.#index++
    for (const { delimiter, isQuoted, stripsTabs } of this.#awaited) {
      const end = new RegExp(`^\\t*${delimiter.replace(/[^\w]/g, '\\$&')}$`, 'm')
      const rest = this.#source.slice(this.#index)
      const found = end.exec(rest)
      const lines = found === null ? rest : rest.slice(0, found.index)
      const text = stripsTabs ? lines.replace(/^\t+/gm, '') : lines
      this.#index += found === null ? rest.length : found.index + found[0].length + 1
      this.#input = { text: isQuoted ? literal(text) : withVariables(text) }
    }
    this.#awaited = []
    this.#endCommand()
  }

  #endCommand(): void {
    if (this.#words.length + this.#assignments.length + this.#notes.length === 0) {
      if (this.#source[this.#index - 1] === '\n' && this.#source[this.#index - 2] === '\n') this.#comments = []
      return
    }
    this.#commands.push({
      words: this.#words,
      assignments: this.#assignments,
      comments: this.#comments,
      input: this.#input,
      notes: this.#notes,
      isPiped: this.#isPiped,
    })
    this.#isPiped = false
    this.#words = []
    this.#assignments = []
    this.#comments = []
    this.#notes = []
    this.#input = undefined
  }

  #readComment(): void {
    const end = this.#source.indexOf('\n', this.#index)
    const text = this.#source.slice(this.#index + 1, end === -1 ? this.#source.length : end)
    if (this.#words.length === 0 && !text.startsWith('!')) this.#comments.push(text.trim())
    this.#index = end === -1 ? this.#source.length : end
  }

  /** A file as output does not affect the request. */
  #readRedirection(): void {
    const [operator] = /^[0-9&]?(?:<<<|<<-?|<&|>&|>>|>\||[<>])[ \t]*/.exec(
      this.#source.slice(this.#index),
    ) as RegExpExecArray
    this.#index += operator.length
    const start = this.#index
    const word = this.#wordText()
    if (operator.includes('<<<')) this.#input = { text: `${word}\n` }
    else if (operator.includes('<<')) {
      const isQuoted = /['"\\]/.test(this.#source.slice(start, this.#index))
      this.#awaited.push({ delimiter: word, isQuoted, stripsTabs: operator.includes('-') })
    } else if (operator.trim() === '<') this.#input = { path: word }
  }

  #readWord(): void {
    const start = this.#index
    const place = this.#outward(this.#places.at(start))
    const [commandCount, noteCount] = [this.#commands.length, this.#notes.length]
    const text = this.#wordText()
    if (text === '' && this.#source[start] === '`') return
    const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text)
    const isFirst = this.#words.length === 0 || (this.#words.length === 1 && this.#words[0]?.text === 'export')
    if (isFirst && assignment !== null) {
      this.#words = []
      const [, name = '', value = ''] = assignment
      if (this.#commands.length === commandCount) {
        this.#assignments.push({ name, value })
      } else {
        const message = `the value of ${name}, from a response: "# @capture ${name} = …" sets it`
        this.#notes.splice(noteCount, Number.POSITIVE_INFINITY, { line: place.line, message })
      }
    } else {
      this.#words.push({ text, ...place })
    }
  }

  /** Up to white space or an operator. */
  #wordText(): string {
    const pieces: TextPiece[] = []
    for (;;) {
      const character = this.#source[this.#index]
      if (character === undefined) return pieceText(pieces)
      const isEnd =
        /[\s;&|<>()]/.test(character) && !processPattern.test(this.#source.slice(this.#index, this.#index + 2))
      if (isEnd) return pieceText(pieces)
      for (const piece of this.#piece(character)) pieces.push(piece)
    }
  }

  #piece(character: string): readonly TextPiece[] {
    const next = this.#source[this.#index + 1]
    if (character === "'") return [this.#quoted(1, "'")]
    if (character === '"') return this.#doubleQuoted()
    if (character === '$' && next === "'") return [this.#ansiQuoted()]
    if (character === '$' && next === '"') {
      this.#index++
      return this.#doubleQuoted()
    }
    if (/[$`<>]/.test(character)) return [this.#substituted()]
    if (character === '\\') {
      this.#index += 2
      return [next === '\n' || next === undefined ? '' : next]
    }
    return [this.#plain()]
  }

  #plain(): string {
    const [text] = /^[^\s;&|<>()'"$`\\]+/.exec(this.#source.slice(this.#index)) as RegExpExecArray
    this.#index += text.length
    return text
  }

  #quoted(skipped: number, mark: string): string {
    const start = this.#index
    const end = this.#source.indexOf(mark, start + skipped)
    if (end === -1) throw this.#unclosed(mark, start)
    this.#index = end + 1
    return this.#source.slice(start + skipped, end)
  }

  #unclosed(mark: string, index: number): ShellSyntaxError {
    return new ShellSyntaxError(`a quote is not closed: expected ${mark}`, this.#outward(placeAt(this.#source, index)))
  }

  #ansiQuoted(): string {
    const start = this.#index
    let text = ''
    this.#index += 2
    while (this.#source[this.#index] !== "'") {
      if (this.#index >= this.#source.length) throw this.#unclosed("'", start)
      const { value, length } = ansiEscape(this.#source, this.#index)
      text += value
      this.#index += length
    }
    this.#index++
    return text
  }

  #doubleQuoted(): readonly TextPiece[] {
    const start = this.#index
    const pieces: TextPiece[] = []
    let plain = ''
    this.#index++
    for (let character = this.#source[this.#index]; character !== '"'; character = this.#source[this.#index]) {
      if (character === undefined) throw this.#unclosed('"', start)
      const next = this.#source[this.#index + 1] ?? ''
      if (character === '\\' && '$`"\\\n'.includes(next)) {
        plain += next === '\n' ? '' : next
        this.#index += 2
      } else if (character === '$' || character === '`') {
        pieces.push(plain, this.#substituted())
        plain = ''
      } else {
        plain += character
        this.#index++
      }
    }
    this.#index++
    return [...pieces, plain]
  }

  #substituted(): TextPiece {
    const rest = this.#source.slice(this.#index)
    const hasCode = /^[$<>]\(/.test(rest)
    const code = hasCode && !this.#isUnclosed ? substitutedCode(rest) : undefined
    this.#isUnclosed ||= hasCode && code === undefined
    const { piece, length, isUnknown } = substitution(rest, code, this.#index < this.#lastBrace)
    if (isUnknown) {
      if (code !== undefined && this.#outer === undefined && /\bcurl\b/.test(code)) this.#readNested(code)
      this.#note(`the substitution ${shownCode(String(piece))}`)
    }
    this.#index += length
    return piece
  }

  #readNested(code: string): void {
    const reader = new PosixReader(code, this.#places.at(this.#index + 2))
    for (const command of reader.read()) this.#commands.push(command)
  }
}

/** The program alone: its arguments may be secrets. */
function shownCode(text: string): string {
  return text.replace(/^([$<>]\(\s*|`\s*)([\w./-]+)(?=\s)[\s\S]*?([)`])$/, '$1$2 …$3').split('\n')[0] as string
}

/** A process substitution, whose output or input is a file. */
const processPattern = /^[<>]\(/

/** The code of the `$(…)`, `<(…)` or `>(…)` at the start of a text, if it has an end. */
function substitutedCode(text: string): string | undefined {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/\\.|'[^']*'|"[\s\S]*?"(?<=[^\\](?:\\\\)*")|(?<=\s)#[^\n]*|[()]/gs)) {
    if (token === '(') depth++
    else if (token === ')' && --depth === 0) return text.slice(2, index)
  }
  return undefined
}

interface Substitution {
  readonly piece: TextPiece
  readonly length: number
  readonly isUnknown: boolean
}

/** A variable with another one as its default: `${a[@]+"${a[@]}"}`. */
const nestedPattern = /^\$\{[^{}"]*("?)\$\{[^{}"]*\}\1\}/

/**
 * The beginning of a text that begins with `$`, a backquote, `<(` or `>(`.
 * @param code the code between parentheses
 * @param hasBrace whether a closing brace follows: if not, a search from each of many `${` would take quadratic time
 */
function substitution(text: string, code: string | undefined, hasBrace: boolean): Substitution {
  const name = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(text)
  if (name !== null) {
    return { piece: { expression: (name[1] ?? name[2]) as string }, length: name[0].length, isUnknown: false }
  }
  const command = code === undefined ? /^`[^`]*`/.exec(text)?.[0] : `${text[0]}(${code})`
  if (command !== undefined) {
    const commandCode = code ?? command.slice(1, -1)
    if (/^\s*#/.test(commandCode)) return { piece: '', length: command.length, isUnknown: false }
    const known = processPattern.test(text)
      ? undefined
      : knownSubstitutions.find(([pattern]) => pattern.test(commandCode))
    const piece = known === undefined ? command : { expression: known[1] }
    return { piece, length: command.length, isUnknown: known === undefined }
  }
  const other = hasBrace ? (nestedPattern.exec(text) ?? /^\$\{[^}]*\}/.exec(text))?.[0] : undefined
  return { piece: other ?? (text[0] as string), length: other?.length ?? 1, isUnknown: other !== undefined }
}

/** The text of a here-document. */
function withVariables(text: string): string {
  const pieces = text.split(/(\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|\([^()]*\)))/)
  return pieceText(
    pieces.map((piece, index) =>
      index % 2 === 1 ? substitution(piece, substitutedCode(piece), true).piece : piece.replace(/\\([$`\\])/g, '$1'),
    ),
  )
}

// The escapes of `$'…'` (bash manual, "ANSI-C Quoting").
//
// Rules: consecutive byte escapes (`\xC3\xA9`, `\303\251`) are UTF-8 together; `\u` and `\U` are characters. A
// backslash before any other character stays.

const single: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
}

const octets = /^(?:\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,3}))+/
const octet = /\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3}))/g
const character = /^\\(?:u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8}))/

/** The character or escape at `index`, and its length in the text. */
function ansiEscape(text: string, index: number): { readonly value: string; readonly length: number } {
  if (text[index] !== '\\') return { value: text[index] ?? '', length: 1 }
  const next = text[index + 1] ?? ''
  const simple = Object.hasOwn(single, next) ? single[next] : undefined
  if (simple !== undefined) return { value: simple, length: 2 }
  const rest = text.slice(index, index + 4000)
  const run = octets.exec(rest)?.[0]
  if (run !== undefined) {
    const values = [...run.matchAll(octet)].map(([, hex, octal]) =>
      hex === undefined ? Number.parseInt(octal as string, 8) & 0xff : Number.parseInt(hex, 16),
    )
    return { value: Buffer.from(values).toString('utf8'), length: run.length }
  }
  const found = character.exec(rest)
  if (found !== null) {
    const code = Number.parseInt((found[1] ?? found[2]) as string, 16)
    return { value: code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code), length: found[0].length }
  }
  return { value: `\\${next}`, length: 2 }
}
