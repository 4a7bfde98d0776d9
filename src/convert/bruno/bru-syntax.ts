/**
 * Parses the Bru markup language into blocks.
 *
 * Rules (Bruno, "Bru Language"): a block begins with a name and a bracket at the end of a line, and ends with a line
 * that begins with the closing bracket. A block in braces contains pairs, or text indented by two blanks; a block in
 * square brackets contains a list. `~` before a name disables the pair, a name may be in double quotes, a value between
 * `'''` may have several lines, and lines with `@` before a pair annotate it. Each line is read once.
 */
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import type { BrunoEntry } from './document.ts'

export interface BruPair extends BrunoEntry {
  /** Annotations before the pair such as `@number`, without the sign. */
  readonly annotations: readonly string[]
  /** From 1. */
  readonly line: number
}

export interface BruBlock {
  readonly name: string
  readonly line: number
  readonly pairs: readonly BruPair[]
  readonly items: readonly string[]
  /** Without the indent; '' for a block of pairs. */
  readonly text: string
}

const headPattern = /^([\w:.-]+)[ \t]*([{[])(.*)$/
/** Blocks of text; all others contain pairs. */
const textBlock = /^(?:body|body:(?:json|text|xml|sparql|graphql|graphql:vars)|script:.*|tests|docs|example|app)$/
const annotationPattern = /^@[^\s():]+(?:\(.*)?$/
const INDENT = 2
/** The additional indent of lines in a value. */
const VALUE_INDENT = 4

/** @throws ConvertSyntaxError with the place */
export function bruBlocks(source: SourceText): readonly BruBlock[] {
  return new BruReader(source).blocks()
}

/**
 * `"name": value`, optionally after `~`. A quote after a backslash belongs to the name, unless no other one ends it.
 * This searches for single quotes, because a pattern for the whole name overflows the stack at 20 MB.
 */
function quotedPair(line: string): { readonly written: string; readonly rest: string } | undefined {
  const start = line.startsWith('~') ? 2 : 1
  if (line[start - 1] !== '"') return undefined
  const plainEnd = line.slice(start).search(/(?<!\\)"/)
  const last = plainEnd === -1 ? line.length : start + plainEnd
  for (let end = line.lastIndexOf('"', last); end >= start; end = line.lastIndexOf('"', end - 1)) {
    const colon = /\s*:/y
    colon.lastIndex = end + 1
    if (!colon.test(line)) continue
    const name = line.slice(start, end).replaceAll('\\"', '"')
    return { written: `${line.slice(0, start - 1)}${name}`, rest: line.slice(colon.lastIndex) }
  }
  return undefined
}

class BruReader {
  readonly #source: SourceText
  readonly #lines: readonly string[]
  #index = 0

  constructor(source: SourceText) {
    this.#source = source
    this.#lines = source.text.replace(/^\ufeff/, '').split(/\r?\n/)
  }

  blocks(): readonly BruBlock[] {
    const blocks: BruBlock[] = []
    for (; this.#index < this.#lines.length; this.#index++) {
      const line = this.#line.trim()
      // The color of an environment is a line outside any block.
      if (line !== '' && !/^color\s*:/.test(line)) blocks.push(this.#block(line))
    }
    return blocks
  }

  get #line(): string {
    return this.#lines[this.#index] ?? ''
  }

  #fail(message: string, index: number): never {
    throw ConvertSyntaxError.at(this.#source, { line: index + 1, column: 1 }, message)
  }

  #block(head: string): BruBlock {
    const start = this.#index
    const [, name = '', bracket = '', rest = ''] = headPattern.exec(head) ?? []
    if (name === '') this.#fail('expected a block, such as "get {"', start)
    const empty = { name, line: start + 1, pairs: [], items: [], text: '' }
    if (bracket === '[') return { ...empty, items: this.#items(rest, start) }
    if (rest.trim() === '}') return empty
    if (rest.trim() !== '') this.#fail(`expected the end of the line after "${name} {"`, start)
    this.#index++
    if (textBlock.test(name)) return { ...empty, text: this.#text(start, name) }
    return { ...empty, pairs: this.#pairs(start, name) }
  }

  /** The names of a list, up to its bracket. Lines between them may annotate an item. */
  #items(rest: string, start: number): readonly string[] {
    const items: string[] = []
    for (let text = rest; ; text = this.#line) {
      const end = text.indexOf(']')
      const words = (end === -1 ? text : text.slice(0, end)).split(',').map((word) => word.trim())
      items.push(...words.filter((word) => word !== '' && !word.startsWith('@')))
      if (end !== -1) return items
      if (++this.#index >= this.#lines.length) this.#fail('the list is not closed: expected "]"', start)
    }
  }

  #isEnd(): boolean {
    return this.#line.startsWith('}')
  }

  #failOpen(start: number, name: string): never {
    this.#fail(`the block "${name}" is not closed: expected a line with "}"`, start)
  }

  #text(start: number, name: string): string {
    const lines: string[] = []
    for (; !this.#isEnd(); this.#index++) {
      if (this.#index >= this.#lines.length) this.#failOpen(start, name)
      lines.push(withoutIndent(this.#line, INDENT))
    }
    const first = lines.findIndex((line) => line !== '')
    return first === -1 ? '' : lines.slice(first).join('\n')
  }

  #pairs(start: number, name: string): readonly BruPair[] {
    const pairs: BruPair[] = []
    let annotations: string[] = []
    for (; !this.#isEnd(); this.#index++) {
      if (this.#index >= this.#lines.length) this.#failOpen(start, name)
      const line = this.#line.trim()
      if (line === '') continue
      if (annotationPattern.test(line)) {
        annotations.push(line.slice(1))
        if (line.endsWith("('''")) this.#lineBlock('')
        continue
      }
      pairs.push({ ...this.#pair(line), annotations })
      annotations = []
    }
    return pairs
  }

  #pair(line: string): Omit<BruPair, 'annotations'> {
    const number = this.#index + 1
    const quoted = quotedPair(line)
    const colon = line.indexOf(':')
    if (quoted === undefined && colon === -1)
      this.#fail(`expected "name: value", found ${JSON.stringify(line)}`, this.#index)
    const { written, rest } = quoted ?? { written: line.slice(0, colon).trim(), rest: line.slice(colon + 1) }
    const isDisabled = written.startsWith('~')
    const value = this.#value(rest.trim())
    return { name: isDisabled ? written.slice(1) : written, value, isDisabled, line: number }
  }

  #value(text: string): string {
    if (text.startsWith("'''")) return this.#lineBlock(text.slice(3))
    return text === '[' ? this.#items('', this.#index++).join(', ') : text
  }

  /** Up to the next `'''`, and the media type that may follow it on the line. */
  #lineBlock(first: string): string {
    const start = this.#index
    const lines: string[] = []
    for (let text = first; ; text = withoutIndent(this.#line, VALUE_INDENT)) {
      const end = text.indexOf("'''")
      if (end !== -1) {
        const last = text.slice(0, end)
        const kept = last.trim() === '' ? lines : [...lines, last]
        const content = (kept[0] === '' ? kept.slice(1) : kept).join('\n')
        return `${content}${text.slice(end + 3).replace(/^\)$/, '')}`
      }
      lines.push(text)
      if (++this.#index >= this.#lines.length) this.#fail("the value is not closed: expected '''", start)
    }
  }
}

function withoutIndent(line: string, size: number): string {
  return line.slice(/^[ \t]*/.exec(line.slice(0, size))?.[0].length ?? 0)
}
