/**
 * The text of a request file to its syntax tree and all its errors.
 *
 * Rules: never throws, never stops at an error: a line that cannot be understood becomes an `invalid` part and reading
 * goes on. A section is read in zones that only go forward: head (tags, variables, scripts), headers, body, after the
 * body. The zones decide what a line can be; within a zone the first form that fits wins. One error per section for
 * lines that stand where nothing may stand: what follows is mostly the same mistake.
 */
import { parseBody } from './body.ts'
import { type Diagnostic, excerptOf } from './diagnostic.ts'
import { parseHeader } from './header.ts'
import { commentNode, nodeOf } from './node.ts'
import { parseRequestLine } from './request-line.ts'
import { readScriptBlock } from './script-block.ts'
import { isBlank, isComment, isIndented, linesOf, type SourceLine, spanIn, trimmedRange } from './source-line.ts'
import type {
  BodyFileNode,
  BodyTextNode,
  HttpFile,
  Part,
  PartOf,
  Request,
  RequestLineNode,
  ScriptNode,
  Section,
  SeparatorNode,
  Span,
} from './syntax-tree.ts'
import { hasUnclosedBraces, templateIn } from './template.ts'

export interface ParsedHttpFile {
  readonly file: HttpFile
  /** In the order of the file. Nothing may be sent from a file with errors. */
  readonly errors: readonly Diagnostic[]
}

/**
 * Reads a request file. Does no I/O and never throws.
 *
 * @example parseHttpFile('GET http://localhost/\n').file.sections[0]?.request?.line.method // 'GET'
 */
export function parseHttpFile(source: string): ParsedHttpFile {
  const byteOrderMark = source.startsWith('\ufeff') ? '\ufeff' : ''
  const lines = linesOf(source.slice(byteOrderMark.length), byteOrderMark.length)
  const errors: Diagnostic[] = []
  const sections: Section[] = []
  let index = 0
  while (index < lines.length) {
    const reader = new SectionReader(lines, index, errors)
    sections.push(reader.read())
    index = reader.index
  }
  return { file: { byteOrderMark, sections }, errors }
}

/** The tree as text: byte for byte what was parsed. */
export function printHttpFile(file: HttpFile): string {
  let text = file.byteOrderMark
  for (const section of file.sections) {
    text += section.separator?.text ?? ''
    for (const part of section.parts) text += part.text
  }
  return text
}

const separatorPattern = /^###/
const variablePattern = /^[ \t\f]*@([\p{L}\p{N}_.-]+)[ \t\f]*=/u
const directivePattern = /^(import|run)[ \t\f]+(?=\S)/
const inlineScriptPattern = { 'pre-request': /^[ \t\f]*<[ \t\f]*\{%/, handler: /^[ \t\f]*>[ \t\f]*\{%/ } as const
const fileScriptPattern = { 'pre-request': /^<[ \t\f]+(?=\S)/, handler: /^>[ \t\f]+(?=\S)/ } as const
const redirectPattern = /^>>(!?)[ \t\f]*(?=\S)/
const referencePattern = /^<>[ \t\f]*(?=\S)/

/** Reads one section, from its separator to the line before the next. */
class SectionReader {
  index: number
  readonly #lines: readonly SourceLine[]
  readonly #errors: Diagnostic[]
  readonly #parts: Part[] = []
  #requestLine: RequestLineNode | undefined
  #body: readonly (BodyTextNode | BodyFileNode)[] = []
  #hasStrayText = false

  constructor(lines: readonly SourceLine[], index: number, errors: Diagnostic[]) {
    this.#lines = lines
    this.index = index
    this.#errors = errors
  }

  read(): Section {
    const separator = this.#readSeparator()
    this.#readHead()
    if (this.#requestLine !== undefined) {
      this.#readHeaders()
      this.#readBody()
      this.#readAfterBody()
    }
    return {
      separator,
      parts: this.#parts,
      variables: this.#partsOf('variable'),
      directives: this.#partsOf('directive'),
      request: this.#request(separator),
    }
  }

  /** The next line of this section. */
  get #line(): SourceLine | undefined {
    const line = this.#lines[this.index]
    return line === undefined || separatorPattern.test(line.text) ? undefined : line
  }

  #readSeparator(): SeparatorNode | undefined {
    const line = this.#lines[this.index] as SourceLine
    if (!separatorPattern.test(line.text)) return undefined
    this.index++
    return { kind: 'separator', ...nodeOf([line]), name: line.text.replace(/^#+/, '').trim() }
  }

  #readHead(): void {
    for (let line = this.#line; line !== undefined && this.#requestLine === undefined; line = this.#line) {
      if (this.#readBlankOrComment(line) || this.#readScript(line, 'pre-request')) continue
      if (/^[ \t\f]*@/.test(line.text)) this.#readVariable(line)
      else if (directivePattern.test(line.text)) this.#readDirective(line)
      else if (this.#isAfterBody(line))
        this.#readStray(line, 'a response handler, but no request line stands before it')
      else this.#readRequestLine()
    }
  }

  /** Up to the blank line; a handler directly below the headers ends them as well. */
  #readHeaders(): void {
    for (let line = this.#line; line !== undefined && !isBlank(line.text); line = this.#line) {
      if (this.#isAfterBody(line)) return
      if (isComment(line.text)) this.#take(commentNode(line))
      else this.#readHeader()
    }
  }

  #readBody(): void {
    const start = this.index
    for (let line = this.#line; line !== undefined && !this.#isAfterBody(line); line = this.#line) {
      if (inlineScriptPattern['pre-request'].test(line.text)) {
        this.#report('misplaced-script', line, [0, line.text.length], {
          message: 'a pre-request script stands before the request line, not in the body',
          hint: 'Move it above the request line; a script that reads the response begins with ">".',
        })
      }
      this.index++
    }
    const { parts, content } = parseBody(this.#lines.slice(start, this.index))
    for (const part of parts) this.#parts.push(part)
    this.#body = content
  }

  #readAfterBody(): void {
    for (let line = this.#line; line !== undefined; line = this.#line) {
      if (this.#readBlankOrComment(line) || this.#readRedirect(line) || this.#readReference(line)) continue
      if (this.#readScript(line, 'handler')) continue
      this.#readStray(line, 'text behind a response handler: expected "###", ">", ">>", "<>" or a comment')
    }
  }

  #isAfterBody({ text }: SourceLine): boolean {
    return (
      inlineScriptPattern.handler.test(text) ||
      fileScriptPattern.handler.test(text) ||
      redirectPattern.test(text) ||
      referencePattern.test(text)
    )
  }

  #readBlankOrComment(line: SourceLine): boolean {
    if (isBlank(line.text)) return this.#take({ kind: 'blank', ...nodeOf([line]) })
    if (isComment(line.text)) return this.#take(commentNode(line))
    return false
  }

  #readVariable(line: SourceLine): void {
    const match = variablePattern.exec(line.text)
    const [start, end] = trimmedRange(line.text, match?.[0].length)
    if (match === null) {
      const message = 'expected "@name = value", the name of letters, digits, "_", "-" and "."'
      this.#report('bad-variable', line, [start, end], { message })
      this.#take({ kind: 'invalid', ...nodeOf([line]) })
      return
    }
    const name = match[1] as string
    const nameStart = line.text.indexOf('@') + 1
    const value = templateIn(line, start, end)
    if (hasUnclosedBraces(value)) this.#reportUnclosed(line, start, end)
    const nameSpan = spanIn(line, nameStart, nameStart + name.length)
    this.#take({ kind: 'variable', ...nodeOf([line]), name, nameSpan, value })
  }

  #readDirective(line: SourceLine): void {
    const match = directivePattern.exec(line.text) as RegExpExecArray
    const [start, end] = trimmedRange(line.text, match[0].length)
    const directive = match[1] as 'import' | 'run'
    this.#take({ kind: 'directive', ...nodeOf([line]), directive, argument: line.text.slice(start, end) })
  }

  #readRequestLine(): void {
    const { all, meaningful } = this.#continued()
    this.index += all.length
    const requestLine = parseRequestLine(meaningful, (problem) => this.#errors.push(problem))
    this.#requestLine = { kind: 'request-line', ...nodeOf(all), ...requestLine }
    this.#parts.push(this.#requestLine)
  }

  #readHeader(): void {
    const { all, meaningful } = this.#continued()
    const header = parseHeader(meaningful)
    if ('message' in header) {
      const { code, message, hint, range } = header
      this.#report(code, all[0] as SourceLine, range, { message, hint })
      this.#parts.push({ kind: 'invalid', ...nodeOf(all) })
    } else {
      this.#parts.push({ kind: 'header', ...nodeOf(all), ...header })
    }
    this.index += all.length
  }

  /** This line and the indented ones below it. Comment lines between belong to the node, but not to its meaning. */
  #continued(): { readonly all: readonly SourceLine[]; readonly meaningful: readonly SourceLine[] } {
    const meaningful = [this.#lines[this.index] as SourceLine]
    let end = this.index + 1
    for (let at = end; at < this.#lines.length; at++) {
      const line = this.#lines[at] as SourceLine
      if (separatorPattern.test(line.text)) break
      if (isComment(line.text)) continue
      if (isBlank(line.text) || !isIndented(line.text) || this.#isAfterBody(line)) break
      meaningful.push(line)
      end = at + 1
    }
    return { all: this.#lines.slice(this.index, end), meaningful }
  }

  #readScript(line: SourceLine, phase: ScriptNode['phase']): boolean {
    const inline = inlineScriptPattern[phase].exec(line.text)
    if (inline === null) return this.#readScriptFile(line, phase)
    const block = readScriptBlock(this.#lines, this.index, inline[0].length)
    if (!block.closed) {
      const start = inline[0].length - 2
      this.#report('unclosed-script', line, [start, start + 2], {
        message: 'the script is not closed: expected "%}"',
        hint: 'A script ends with the first "%}" behind its "{%".',
      })
    }
    const all = this.#lines.slice(this.index, this.index + block.lineCount)
    if (block.textAfter !== undefined) {
      const [start, end] = trimmedRange((all.at(-1) as SourceLine).text, block.textAfter)
      const message = 'text behind "%}": expected the end of the line'
      this.#report('text-behind-script', all.at(-1) as SourceLine, [start, end], { message })
    }
    const source = { type: 'inline', code: block.code, span: block.span } as const
    this.#parts.push({ kind: 'script', ...nodeOf(all), phase, source })
    this.index += block.lineCount
    return true
  }

  #readScriptFile(line: SourceLine, phase: ScriptNode['phase']): boolean {
    const match = fileScriptPattern[phase].exec(line.text)
    if (match === null) return false
    const [start, end] = trimmedRange(line.text, match[0].length)
    const source = { type: 'file', path: templateIn(line, start, end) } as const
    return this.#take({ kind: 'script', ...nodeOf([line]), phase, source })
  }

  #readRedirect(line: SourceLine): boolean {
    const match = redirectPattern.exec(line.text)
    if (match === null) return false
    const [start, end] = trimmedRange(line.text, match[0].length)
    const path = templateIn(line, start, end)
    return this.#take({ kind: 'redirect', ...nodeOf([line]), path, overwrites: match[1] === '!' })
  }

  #readReference(line: SourceLine): boolean {
    const match = referencePattern.exec(line.text)
    if (match === null) return false
    const [start, end] = trimmedRange(line.text, match[0].length)
    return this.#take({ kind: 'reference', ...nodeOf([line]), path: line.text.slice(start, end) })
  }

  #readStray(line: SourceLine, message: string): void {
    if (!this.#hasStrayText) this.#report('misplaced-text', line, trimmedRange(line.text), { message })
    this.#hasStrayText = true
    this.#take({ kind: 'invalid', ...nodeOf([line]) })
  }

  /** A part of one line. */
  #take(part: Part): true {
    this.#parts.push(part)
    this.index++
    return true
  }

  #report(
    code: string,
    line: SourceLine,
    range: readonly [start: number, end: number],
    { message, hint }: { readonly message: string; readonly hint?: string | undefined },
  ): void {
    const span: Span = spanIn(line, range[0], range[1])
    const excerpt = excerptOf(line.text, span.column, span.length)
    this.#errors.push({ code, message, span, excerpt, ...(hint === undefined ? {} : { hint }) })
  }

  #reportUnclosed(line: SourceLine, start: number, end: number): void {
    this.#report('unclosed-variable', line, [start, end], {
      message: '"{{" is not closed',
      hint: 'Close the variable with "}}".',
    })
  }

  #partsOf<Kind extends Part['kind']>(kind: Kind): readonly PartOf<Kind>[] {
    return this.#parts.filter((part): part is PartOf<Kind> => part.kind === kind)
  }

  #request(separator: SeparatorNode | undefined): Request | undefined {
    if (this.#requestLine === undefined) return undefined
    const tags = this.#partsOf('tag')
    const scripts = this.#partsOf('script')
    return {
      name: tags.find((tag) => tag.name === 'name')?.value ?? separator?.name ?? '',
      line: this.#requestLine,
      tags,
      preRequestScripts: scripts.filter((script) => script.phase === 'pre-request'),
      headers: this.#partsOf('header'),
      body: this.#body,
      handlers: scripts.filter((script) => script.phase === 'handler'),
      redirects: this.#partsOf('redirect'),
      references: this.#partsOf('reference'),
    }
  }
}
