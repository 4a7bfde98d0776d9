/**
 * Parses the lines of a Hurl file into entries: a request, optionally with a response.
 *
 * Rules (Hurl, "Hurl File"): a request begins with a method and a URL, a response with `HTTP`. Sections in brackets
 * contain lines of names and values. After headers and sections comes the body: JSON, XML, a text between backticks, or
 * one with a prefix (`base64,`, `hex,`, `file,`).
 */
import { endOfQuoted } from '../../http-file/index.ts'
import { ShellSyntaxError } from '../curl/shell-word.ts'
import { hurlText, withoutComment } from './text.ts'

export interface HurlLine {
  readonly text: string
  /** From 1. */
  readonly number: number
}

export interface HurlPair {
  readonly name: string
  readonly value: string
  readonly line: number
}

export interface HurlBody {
  /** `json`, `graphql`, `base64`, `hex`, `file`, `text` and so on. */
  readonly kind: string
  readonly text: string
  readonly line: number
  /** Words after the language of a fenced text: `escape`, `novariable`. */
  readonly attributes?: readonly string[]
}

/** A request or a response: both have the same parts. */
export interface HurlPart {
  readonly headers: readonly HurlPair[]
  /** By name in lower case. */
  readonly sections: ReadonlyMap<string, readonly HurlLine[]>
  readonly body: HurlBody | undefined
}

export interface HurlEntry extends HurlPart {
  readonly method: string
  readonly url: string
  readonly line: number
  readonly comments: readonly string[]
  readonly response:
    | (HurlPart & { readonly version: string; readonly status: string; readonly line: number })
    | undefined
}

const requestPattern = /^([A-Z][A-Za-z0-9_-]*)[ \t]+(\S.*)$/
const responsePattern = /^HTTP(?:\/([\d.]+|\*))?[ \t]+(\d{3}|\*)\s*$/
const sectionPattern = /^\[(\w+)\]$/

/** The longer names are those of earlier versions. */
const sectionNames: Readonly<Record<string, string>> = {
  querystringparams: 'query',
  formparams: 'form',
  multipartformdata: 'multipart',
}

/** Sections of lines `name: value`. */
const pairSections: ReadonlySet<string> = new Set(['query', 'form', 'multipart', 'cookies', 'basicauth', 'options'])

/** @throws ShellSyntaxError with the place */
export function hurlEntries(source: string): readonly HurlEntry[] {
  const lines = source.replace(/^\ufeff/, '').split(/\r\n|\n/)
  return new EntryReader(lines).read()
}

class EntryReader {
  readonly #lines: readonly string[]
  #index = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  read(): readonly HurlEntry[] {
    const entries: HurlEntry[] = []
    let comments: string[] = []
    while (this.#index < this.#lines.length) {
      const line = this.#trimmed
      if (line === '') {
        if (this.#current === '' && entries.length > 0) comments = []
        if (this.#current.startsWith('#')) comments.push(this.#current.slice(1).trim())
        this.#index++
        continue
      }
      entries.push(this.#entry(comments))
      comments = []
    }
    return entries
  }

  get #current(): string {
    return (this.#lines[this.#index] ?? '').trim()
  }

  /** Without its comment. */
  get #trimmed(): string {
    return withoutComment(this.#lines[this.#index] ?? '')
  }

  #entry(comments: readonly string[]): HurlEntry {
    const line = this.#index + 1
    const match = requestPattern.exec(this.#trimmed)
    if (match === null || match[1] === 'HTTP') {
      const place = { line, column: 1 }
      throw new ShellSyntaxError('expected a request, such as "GET http://localhost/"', place)
    }
    this.#index++
    const request = this.#part()
    const answer = responsePattern.exec(this.#trimmed)
    const head = { method: match[1] as string, url: hurlText(match[2] as string), line, comments }
    if (answer === null) return { ...head, ...request, response: undefined }
    const answerLine = ++this.#index
    const [, version = '', status = '*'] = answer
    return { ...head, ...request, response: { version, status, line: answerLine, ...this.#part() } }
  }

  #part(): HurlPart {
    const headers: HurlPair[] = []
    const sections = new Map<string, readonly HurlLine[]>()
    let body: HurlBody | undefined
    for (;;) {
      this.#skipBlank()
      const line = this.#trimmed
      if (this.#index >= this.#lines.length || isStart(line)) break
      const section = sectionPattern.exec(line)?.[1]?.toLowerCase()
      const pair = section === undefined && sections.size === 0 ? pairOf(line, this.#index + 1) : undefined
      if (section !== undefined) {
        const name = sectionNames[section] ?? section
        if (!pairSections.has(name) && name !== 'captures' && name !== 'asserts') {
          throw new ShellSyntaxError(`unknown section ${line}`, { line: this.#index + 1, column: 1 })
        }
        this.#index++
        sections.set(name, this.#sectionLines(pairSections.has(name)))
      } else if (pair !== undefined && !isBodyStart(line)) {
        headers.push(pair)
        this.#index++
      } else {
        body = this.#body()
        break
      }
    }
    this.#skipBlank()
    return { headers, sections, body }
  }

  #skipBlank(): void {
    while (this.#index < this.#lines.length && this.#trimmed === '') this.#index++
  }

  #sectionLines(arePairs: boolean): readonly HurlLine[] {
    const lines: HurlLine[] = []
    for (; this.#index < this.#lines.length; this.#index++) {
      const text = this.#trimmed
      if (text === '') continue
      if (isStart(text) || sectionPattern.test(text) || isBodyStart(text)) break
      if (arePairs && pairOf(text, this.#index + 1) === undefined) {
        throw new ShellSyntaxError('expected "name: value"', { line: this.#index + 1, column: 1 })
      }
      const number = this.#index + 1
      lines.push({ text: arePairs ? text : this.#severalLines(text), number })
    }
    return lines
  }

  /** An assert whose value is a text between three backticks, which may have several lines. */
  #severalLines(first: string): string {
    if (first.split('```').length % 2 === 1) return first
    const lines = [first]
    const place = { line: this.#index + 1, column: 1 }
    while (++this.#index < this.#lines.length) {
      const line = this.#lines[this.#index] as string
      const end = line.indexOf('```')
      if (end !== -1) return [...lines, line.slice(0, end + 3)].join('\n')
      lines.push(line)
    }
    throw new ShellSyntaxError('the text is not closed: expected ```', place)
  }

  #body(): HurlBody {
    const line = this.#index + 1
    const start = this.#current
    if (start.startsWith('```')) return this.#fenced(line)
    const prefix = /^(base64|hex|file)\s*,(.*)$/s.exec(withoutComment(start))
    if (prefix !== null) {
      this.#index++
      return { kind: prefix[1] as string, text: (prefix[2] as string).trim().replace(/(?<!;);+$/, ''), line }
    }
    const single = /^`([^`]*)`/.exec(start)
    if (single !== null) {
      this.#index++
      return { kind: 'oneline', text: single[1] as string, line }
    }
    if (!isBodyStart(start)) {
      throw new ShellSyntaxError('expected a header, a section, a body or a response', { line, column: 1 })
    }
    return start.startsWith('<') ? this.#xml(line) : this.#json(line)
  }

  /** Between two lines of three backticks; the first may name a language. */
  #fenced(line: number): HurlBody {
    const [language = '', ...attributes] = this.#current
      .slice(3)
      .split(',')
      .map((word) => word.trim())
    const named = /^(?:escape|novariable)$/.test(language) ? [language, ...attributes] : attributes
    const kind = language === '' || named !== attributes ? 'text' : language
    const single = /^```(.*)```$/.exec(this.#current)
    this.#index++
    if (single !== null) return { kind: 'text', text: single[1] as string, line }
    const lines: string[] = []
    while (this.#index < this.#lines.length) {
      const text = this.#lines[this.#index++] as string
      if (text.trimEnd().endsWith('```')) {
        const last = text.trimEnd().slice(0, -3)
        // A line break precedes closing backticks on a separate line.
        return { kind, text: [...lines, last.trim() === '' ? '' : last].join('\n'), line, attributes: named }
      }
      lines.push(text)
    }
    throw new ShellSyntaxError('the body is not closed: expected ```', { line, column: 1 })
  }

  #xml(line: number): HurlBody {
    const lines: string[] = []
    while (this.#index < this.#lines.length && !isStart(this.#trimmed)) lines.push(this.#lines[this.#index++] as string)
    return { kind: 'xml', text: withoutEnd(lines), line }
  }

  /** Up to the end of the value. */
  #json(line: number): HurlBody {
    const lines: string[] = []
    let depth = 0
    do {
      const text = this.#lines[this.#index++] as string
      lines.push(text)
      const plain = text.replace(/\{\{[^{}]*\}\}/g, '').replace(/"[\s\S]*?(?:"(?<=[^\\](?:\\\\)*")|$)/g, '')
      depth += (plain.match(/[[{]/g)?.length ?? 0) - (plain.match(/[\]}]/g)?.length ?? 0)
    } while (depth > 0 && this.#index < this.#lines.length)
    if (depth > 0) throw new ShellSyntaxError('the JSON body is not closed', { line, column: 1 })
    return { kind: 'json', text: lines.join('\n').trim(), line }
  }
}

/** Without the comments and blank lines after a body. */
function withoutEnd(lines: readonly string[]): string {
  const last = lines.findLastIndex((line) => withoutComment(line) !== '')
  return lines
    .slice(0, last + 1)
    .join('\n')
    .trim()
}

function isStart(line: string): boolean {
  return (
    responsePattern.test(line) || (requestPattern.test(line) && /^[A-Z]+[ \t]+(?:https?:|wss?:|\{\{|\/)/.test(line))
  )
}

function isBodyStart(line: string): boolean {
  return (
    /^(?:\{(?!\{[^{}]*\}\}[^\s:]*[ \t]*:)|[["<`]|(?:base64|hex|file)\s*,|(?:true|false|null|-?\d[\d.eE+-]*)$)/.test(
      line,
    ) && !sectionPattern.test(line)
  )
}

/** `name: value`. A `#` that is not escaped begins a comment. */
export function pairOf(line: string, number: number): HurlPair | undefined {
  const colon = colonOf(line)
  if (colon === undefined) return undefined
  const name = line
    .slice(0, colon)
    .trimEnd()
    .replace(/^"(.*)"$/, '$1')
  return { name: hurlText(name), value: hurlText(beforeComment(line.slice(colon + 1)).trim()), line: number }
}

// Each escape is matched separately, because a pattern for the whole text overflows the stack at 20 MB.

/** The colon after the name, which is not in quotes, in a template or escaped. */
function colonOf(line: string): number | undefined {
  if (/^[\s:]/.test(line)) return undefined
  const start = line.startsWith('"') ? endOfQuoted(line, 0) : 0
  if (start === -1) return undefined
  for (const { 0: found, index } of line.slice(start).matchAll(/\{\{[^{}]*\}\}|\\.?|:/gs)) {
    if (found === ':') return start + index
  }
  return undefined
}

function beforeComment(text: string): string {
  for (const { 0: found, index } of text.matchAll(/\\.?|#/gs)) if (found === '#') return text.slice(0, index)
  return text
}
