/**
 * Formats JSON for reading: one member per line, in colours.
 *
 * Rules: formatting is streamed, in one pass and with little memory, so that a slow or endless stream is shown as it
 * arrives. Only white space between tokens changes; numbers and strings keep their spelling, members their order. If
 * the text turns out not to be JSON, the rest is left unchanged. Several texts in a row are each formatted. Input and
 * output are binary strings: one character for each byte. Loaded only when JSON is shown on a terminal.
 */

/** Deeper levels are not indented further, so that a hostile text cannot multiply in size. */
const MAX_INDENTED_LEVELS = 40
/** Beyond this level, the text is no longer formatted. */
const MAX_LEVELS = 10_000

/** Of UTF-8; some servers send it before JSON. */
const BYTE_ORDER_MARK = '\xef\xbb\xbf'
const PLAIN = '\x1b[39m'
const colorOf = { key: '\x1b[36m', string: '\x1b[32m', number: '\x1b[33m', word: '\x1b[35m' } as const
type Kind = keyof typeof colorOf

/** The tokens that are allowed next. `or-end`: or the end of the container that was just opened. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end'

export class JsonLayout {
  readonly #colors: boolean
  /** The closing mark of each open container. */
  readonly #open: string[] = []
  #expected: Expected = 'value'
  /** The kind of token that the text is inside of, if any: a string, or a number or word. */
  #token: 'string' | 'scalar' | undefined
  #isEscaped = false
  #isPlain = false
  #hasText = false

  constructor(colors: boolean) {
    this.#colors = colors
  }

  /** Formats the next characters. */
  write(text: string): string {
    let out = ''
    for (let at = 0; at < text.length; at++) {
      if (this.#isPlain) return out + text.slice(at)
      out += this.#take(text[at]!)
    }
    return out
  }

  /** Ends a token that is truncated by the end of the text. */
  end(): string {
    const isCut = this.#token !== undefined
    this.#token = undefined
    return isCut && this.#colors ? PLAIN : ''
  }

  #take(character: string): string {
    if (this.#token === 'string') return this.#takeInString(character)
    if (this.#token === 'scalar') {
      if (SCALAR.test(character)) return character
      this.#token = undefined
      return (this.#colors ? PLAIN : '') + this.#takeBetween(character)
    }
    return this.#takeBetween(character)
  }

  #takeInString(character: string): string {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '\\') this.#isEscaped = true
    else if (character === '"') {
      this.#token = undefined
      return character + (this.#colors ? PLAIN : '')
    } else if (character === '\n') return this.#giveUp(character)
    return character
  }

  #takeBetween(character: string): string {
    if (character === ' ' || character === '\t' || character === '\n' || character === '\r') return ''
    if (!this.#hasText && BYTE_ORDER_MARK.includes(character)) return character
    const expected = this.#expected
    if (character === this.#open.at(-1) && (expected.endsWith('-or-end') || expected === 'comma-or-end')) {
      return this.#close(character, expected !== 'comma-or-end')
    }
    switch (expected) {
      case 'colon':
        if (character !== ':') return this.#giveUp(character)
        this.#expected = 'value'
        return ': '
      case 'comma-or-end':
        if (character !== ',') return this.#giveUp(character)
        this.#expected = this.#open.at(-1) === '}' ? 'key' : 'value'
        return `,${this.#lineBreak()}`
      case 'key':
      case 'key-or-end':
        if (character !== '"') return this.#giveUp(character)
        this.#expected = 'colon'
        return this.#begin('string', 'key', character, expected === 'key-or-end')
      default:
        return this.#takeValue(character, expected === 'value-or-end')
    }
  }

  #takeValue(character: string, isFirst: boolean): string {
    if (character === '{' || character === '[') {
      if (this.#open.length === MAX_LEVELS) return this.#giveUp(character)
      const before = this.#before(isFirst)
      this.#open.push(character === '{' ? '}' : ']')
      this.#expected = character === '{' ? 'key-or-end' : 'value-or-end'
      return before + character
    }
    if (character === '"') {
      this.#endValue()
      return this.#begin('string', 'string', character, isFirst)
    }
    if (!SCALAR.test(character)) return this.#giveUp(character)
    this.#endValue()
    return this.#begin('scalar', /[-+.\d]/.test(character) ? 'number' : 'word', character, isFirst)
  }

  #begin(token: 'string' | 'scalar', kind: Kind, character: string, isFirst: boolean): string {
    this.#token = token
    return this.#before(isFirst) + (this.#colors ? colorOf[kind] : '') + character
  }

  #close(character: string, isEmpty: boolean): string {
    this.#open.pop()
    this.#endValue()
    return (isEmpty ? '' : this.#lineBreak()) + character
  }

  #endValue(): void {
    this.#expected = this.#open.length === 0 ? 'value' : 'comma-or-end'
  }

  /** The first item in a container begins a new line, and so does a second text. */
  #before(isFirst: boolean): string {
    const isOnNewLine = isFirst || (this.#open.length === 0 && this.#hasText)
    this.#hasText = true
    return isOnNewLine ? this.#lineBreak() : ''
  }

  #lineBreak(): string {
    return `\n${'  '.repeat(Math.min(this.#open.length, MAX_INDENTED_LEVELS))}`
  }

  #giveUp(character: string): string {
    const isInToken = this.#token !== undefined
    this.#token = undefined
    this.#isPlain = true
    return (isInToken && this.#colors ? PLAIN : '') + character
  }
}

/** Characters of a number, or of `true`, `false`, `null`. */
const SCALAR = /[-+.\w]/
