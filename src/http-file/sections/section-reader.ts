/**
 * Reads one section of a request file: from its separator to the line before the next.
 *
 * Rules: an invalid line becomes an `invalid` part and reading continues. A section is read in zones that only advance:
 * head (tags, variables, scripts), headers, body, after the body. The zone decides what a line can be; within a zone
 * the first matching form wins. Only the first unexpected line of a section is an error: the following ones are usually
 * the same mistake.
 */
import { type Diagnostic, type DiagnosticCode, excerptOf, type Mistake } from '../syntax/diagnostic.ts'
import {
  ForeignScripts,
  foreignCommentLength,
  foreignLine,
  foreignScriptProblem,
  isAssertionLine,
  isBodyAssertion,
  isLua,
  luaProblem,
} from '../syntax/foreign-lines.ts'
import { assertionNode, blankNode, commentNode, nodeOf } from '../syntax/node.ts'
import { isBlank, isComment, isSeparator, type SourceLine, spanIn, trimmedRange } from '../syntax/source-line.ts'
import type { Span, Template } from '../syntax/span.ts'
import type {
  BodyFileNode,
  BodyTextNode,
  MessageNode,
  Part,
  Request,
  RequestLineNode,
  ScriptNode,
  Section,
  SeparatorNode,
  TagNode,
} from '../syntax/syntax-tree.ts'
import { hasUnclosedBraces, templateIn, unclosedVariable } from '../syntax/template.ts'
import { parseBody } from './body.ts'
import { directiveLineCount, isDirective, parseDirective } from './directive.ts'
import { parseHeader } from './header.ts'
import {
  AT,
  definitionPattern,
  fileScriptPattern,
  inlineScriptPattern,
  marks,
  redirectPattern,
  referencePattern,
  separatorName,
} from './line-forms.ts'
import { isMisspeltSeparator, parseMessages } from './message-list.ts'
import { type Misplaced, misplacedHandler, misplacedLines, withoutRequest } from './misplaced-parts.ts'
import { lineBelowBlanks, nextRequestAt } from './next-request.ts'
import { CURL, continuesHeader, continuesTarget, parseRequestLine } from './request-line.ts'
import { readScriptBlock, unclosedScript } from './script-block.ts'
import { partsOf, requestOf } from './section-request.ts'

export class SectionReader {
  /** Index of the next line to read. */
  index: number
  readonly #lines: readonly SourceLine[]
  readonly #errors: Diagnostic[]
  readonly #foreignScripts: ForeignScripts
  readonly #parts: Part[] = []
  #requestLine: RequestLineNode | undefined
  #body: readonly (BodyTextNode | BodyFileNode)[] = []
  #messages: readonly MessageNode[] = []
  #hasStrayText = false
  /** Whether an unclosed script may have swallowed the request. */
  #hasUnclosedScript = false
  /** Whether scripts without a request apply to the whole file. */
  readonly #isBeforeRequests: boolean
  /** Index of the line that begins the next section without a separator. */
  #end = Number.POSITIVE_INFINITY

  /** @param isBeforeRequests whether no request precedes this section */
  constructor(lines: readonly SourceLine[], index: number, errors: Diagnostic[], isBeforeRequests: boolean) {
    this.#lines = lines
    this.#foreignScripts = new ForeignScripts(lines)
    this.index = index
    this.#errors = errors
    this.#isBeforeRequests = isBeforeRequests
  }

  read(): Section {
    const separator = this.#readSeparator()
    this.#readHead()
    if (this.#requestLine !== undefined) {
      this.#readHeaders()
      this.#readBody()
      this.#readAfterBody()
    } else if (!this.#hasUnclosedScript) {
      for (const found of withoutRequest(this.#parts, this.#isBeforeRequests)) this.#reportMisplaced(found)
    }
    return {
      separator,
      parts: this.#parts.slice(),
      variables: partsOf(this.#parts, 'variable'),
      directives: partsOf(this.#parts, 'directive'),
      request: this.#request(separator),
    }
  }

  get #hasMessages(): boolean {
    return this.#requestLine?.method === 'WEBSOCKET' || this.#requestLine?.method === 'GRPC'
  }

  get #line(): SourceLine | undefined {
    const line = this.#lines[this.index]
    return line === undefined || this.index >= this.#end || isSeparator(line) ? undefined : line
  }

  #readSeparator(): SeparatorNode | undefined {
    const line = this.#lines[this.index] as SourceLine
    if (!isSeparator(line)) return undefined
    this.index++
    const { span, text } = nodeOf([line])
    return { kind: 'separator', span, text, name: separatorName(line.text) }
  }

  #readHead(): void {
    for (let line = this.#line; line !== undefined && this.#requestLine === undefined; line = this.#line) {
      if (this.#readBlankOrComment(line)) continue
      if (this.#readScript(line, 'pre-request') || this.#readScript(line, 'common')) continue
      if (line.mark === AT) this.#readVariable(line)
      else if (isDirective(line.text)) this.#readDirective()
      else if (this.#readForeignScript(line) || this.#readForeignLines(line, 'head')) continue
      else if (this.#isBeforeRequests && this.#readScript(line, 'handler')) continue
      else if (this.#isAfterBody(line)) this.#readStray(line, misplacedLines.handlerAboveRequest)
      else if (isAssertionLine(line)) this.#readStray(line, misplacedLines.assertionAboveRequest)
      else this.#readRequestLine()
    }
    if (this.#requestLine !== undefined) this.#reportMisplaced(misplacedHandler(this.#parts))
  }

  /** Up to the blank line; a handler directly below the headers ends them as well. */
  #readHeaders(): void {
    for (let line = this.#line; line !== undefined && !this.#endsHeaders(line); line = this.#line) {
      if (isComment(line)) this.#take(commentNode(line))
      else if (isAssertionLine(line)) this.#take(assertionNode(line))
      else if (this.#requestLine?.method === CURL) this.#readInvalid((next) => !this.#endsHeaders(next))
      else if (!this.#readForeignScript(line) && !this.#readForeignLines(line, 'header')) this.#readHeader()
    }
  }

  #readBody(): void {
    this.#end = nextRequestAt(this.#lines, this.index, () => partsOf(this.#parts, 'header')) ?? this.#end
    const first = lineBelowBlanks(this.#lines, this.index)
    if (first !== undefined && this.#readForeignLines(first, 'body')) return
    const start = this.index
    for (let line = this.#line; line !== undefined && !this.#endsBody(line); line = this.#line) {
      if (line.mark === marks['pre-request'] && inlineScriptPattern['pre-request'].test(line.text)) {
        this.#report('misplaced-script', line, [0, line.text.length], misplacedLines.scriptInBody)
      }
      if (this.#hasMessages && isMisspeltSeparator(line.text)) {
        this.#report('bad-message-separator', line, trimmedRange(line.text), {
          message: 'expected "===" or "=== wait-for-server" between messages',
        })
      }
      this.index++
    }
    const lines = this.#lines.slice(start, this.index)
    const body = this.#hasMessages ? parseMessages(lines) : { ...parseBody(lines), messages: [] }
    for (const part of body.parts) this.#parts.push(part)
    this.#body = body.content
    this.#messages = body.messages
  }

  #readAfterBody(): void {
    for (let line = this.#line; line !== undefined; line = this.#line) {
      if (this.#readBlankOrComment(line) || this.#readRedirect(line) || this.#readReference(line)) continue
      if (this.#readScript(line, 'handler') || this.#readForeignScript(line)) continue
      if (isAssertionLine(line)) this.#take(assertionNode(line))
      else this.#readStray(line, misplacedLines.textAfterHandler)
    }
  }

  #endsHeaders(line: SourceLine): boolean {
    return isBlank(line) || this.#isAfterBody(line)
  }

  #endsBody(line: SourceLine): boolean {
    if (this.#isAfterBody(line) || isBodyAssertion(line, this.#lines[this.index - 1])) return true
    return this.#foreignScripts.lengthAt(this.index) > 0
  }

  #isAfterBody({ text, mark }: SourceLine): boolean {
    if (mark !== marks.handler && mark !== marks['pre-request']) return false
    return (
      inlineScriptPattern.handler.test(text) ||
      fileScriptPattern.handler.test(text) ||
      redirectPattern.test(text) ||
      referencePattern.test(text)
    )
  }

  #readBlankOrComment(line: SourceLine): boolean {
    if (isBlank(line)) {
      const start = this.index
      while (this.#line !== undefined && isBlank(this.#line)) this.index++
      this.#parts.push(blankNode(this.#lines.slice(start, this.index)))
      return true
    }
    return isComment(line) && this.#take(commentNode(line))
  }

  #readVariable(line: SourceLine): void {
    const match = definitionPattern(line.text).exec(line.text)
    const [start, end] = trimmedRange(line.text, match?.[0].length)
    if (match === null) {
      const message = 'expected "@name = value" with a name of letters, digits, "_", "-" and "."'
      this.#report('bad-variable', line, [start, end], { message })
      this.#take({ kind: 'invalid', ...nodeOf([line]) })
      return
    }
    const name = match[1] as string
    const nameStart = line.text.indexOf('@') + 1
    const value = templateIn(line, start, end)
    if (hasUnclosedBraces(value)) this.#report('unclosed-variable', line, [start, end], unclosedVariable)
    const nameSpan = spanIn(line, nameStart, nameStart + name.length)
    this.#take({ kind: 'variable', ...nodeOf([line]), name, nameSpan, value })
  }

  #readDirective(): void {
    const lines = this.#lines.slice(this.index, this.index + directiveLineCount(this.#lines, this.index))
    const directive = parseDirective(lines)
    if ('code' in directive) {
      this.#report(directive.code, directive.line, directive.range, directive)
      this.#parts.push({ kind: 'invalid', ...nodeOf(lines) })
    } else {
      this.#parts.push({ kind: 'directive', ...nodeOf(lines), ...directive })
    }
    this.index += lines.length
  }

  #readRequestLine(): void {
    const { all, meaningful } = this.#continued(continuesTarget)
    this.index += all.length
    const requestLine = parseRequestLine(meaningful, (problem) => this.#errors.push(problem))
    const { span, text } = nodeOf(all)
    const { method, target, targetSpan, version } = requestLine
    this.#requestLine = { kind: 'request-line', span, text, method, target, targetSpan, version }
    this.#parts.push(this.#requestLine)
  }

  #readHeader(): void {
    const { all, meaningful } = this.#continued(continuesHeader)
    const header = parseHeader(meaningful)
    if ('message' in header) {
      const { code, range } = header
      this.#report(code, all[0] as SourceLine, range, header)
      const end = this.index + all.length
      this.#readInvalid((next) => (header.isBody ? !this.#endsHeaders(next) : this.index < end))
      return
    }
    const { span, text } = nodeOf(all)
    const { name, nameSpan, value, valueSpan } = header
    this.#parts.push({ kind: 'header', span, text, name, nameSpan, value, valueSpan })
    this.index += all.length
  }

  /**
   * This line and the lines below that continue it. Comment lines between them belong to the node, but not to its
   * meaning.
   * @param continues whether a line continues the one before it; `first` is the line that all of them continue
   */
  #continued(continues: (line: SourceLine, before: SourceLine, first: SourceLine) => boolean): {
    readonly all: readonly SourceLine[]
    readonly meaningful: readonly SourceLine[]
  } {
    const meaningful = [this.#lines[this.index] as SourceLine]
    let end = this.index + 1
    for (let at = end; at < this.#lines.length; at++) {
      const line = this.#lines[at] as SourceLine
      if (isSeparator(line)) break
      if (isComment(line)) continue
      if (isBlank(line) || this.#isAfterBody(line) || isAssertionLine(line)) break
      if (!continues(line, meaningful.at(-1) as SourceLine, meaningful[0] as SourceLine)) break
      meaningful.push(line)
      end = at + 1
    }
    return { all: this.#lines.slice(this.index, end), meaningful }
  }

  #readScript(line: SourceLine, phase: ScriptNode['phase']): boolean {
    if (line.mark !== marks[phase]) return false
    const inline = inlineScriptPattern[phase].exec(line.text)
    if (inline === null) return this.#readScriptFile(line, phase)
    const block = readScriptBlock(this.#lines, this.index, inline[0].length)
    if (!block.isClosed) {
      this.#hasUnclosedScript = true
      const start = inline[0].length - 2
      this.#report('unclosed-script', line, [start, start + 2], unclosedScript)
    }
    const all = this.#lines.slice(this.index, this.index + block.lineCount)
    if (block.textAfter !== undefined) {
      const [start, end] = trimmedRange((all.at(-1) as SourceLine).text, block.textAfter)
      const message = 'text after "%}": expected the end of the line'
      this.#report('text-after-script', all.at(-1) as SourceLine, [start, end], { message })
    }
    if (isLua(block.code)) this.#report('foreign-syntax', line, trimmedRange(line.text), luaProblem)
    const source = { type: 'inline', code: block.code, span: block.span } as const
    this.#parts.push({ kind: 'script', ...nodeOf(all), phase, source })
    this.index += block.lineCount
    return true
  }

  /** One error for the whole block. */
  #readForeignScript(line: SourceLine): boolean {
    const length = this.#foreignScripts.lengthAt(this.index)
    if (length === 0) return false
    this.#report('foreign-syntax', line, trimmedRange(line.text), foreignScriptProblem)
    return this.#takeInvalid(length)
  }

  /** One error for a comment, for the lines up to the next empty one, or for all remaining lines. */
  #readForeignLines(line: SourceLine, zone: 'head' | 'header' | 'body'): boolean {
    const foreign = foreignLine(line, zone)
    if (foreign === undefined) return false
    this.#report('foreign-syntax', line, trimmedRange(line.text), foreign)
    const length = zone === 'head' ? foreignCommentLength(this.#lines, this.index) : 0
    return length > 0 ? this.#takeInvalid(length) : this.#readInvalid((next) => zone === 'body' || !isBlank(next))
  }

  /** These lines may include separators, which are text in a comment. */
  #takeInvalid(length: number): true {
    this.#parts.push({ kind: 'invalid', ...nodeOf(this.#lines.slice(this.index, this.index + length)) })
    this.index += length
    return true
  }

  #readInvalid(continues: (line: SourceLine) => boolean): true {
    const start = this.index
    for (let line = this.#line; line !== undefined && continues(line); line = this.#line) this.index++
    this.#parts.push({ kind: 'invalid', ...nodeOf(this.#lines.slice(start, this.index)) })
    return true
  }

  #readScriptFile(line: SourceLine, phase: ScriptNode['phase']): boolean {
    const match = fileScriptPattern[phase].exec(line.text)
    if (match === null) return false
    const source = { type: 'file', path: pathAfter(match, line) } as const
    return this.#take({ kind: 'script', ...nodeOf([line]), phase, source })
  }

  #readRedirect(line: SourceLine): boolean {
    const match = redirectPattern.exec(line.text)
    if (match === null) return false
    const path = pathAfter(match, line)
    return this.#take({ kind: 'redirect', ...nodeOf([line]), path, shouldOverwrite: match[1] === '!' })
  }

  #readReference(line: SourceLine): boolean {
    const match = referencePattern.exec(line.text)
    return match !== null && this.#take({ kind: 'reference', ...nodeOf([line]), path: pathAfter(match, line) })
  }

  #readStray(line: SourceLine, problem: Mistake): void {
    if (!this.#hasStrayText) this.#report('misplaced-text', line, trimmedRange(line.text), problem)
    this.#hasStrayText = true
    this.#take({ kind: 'invalid', ...nodeOf([line]) })
  }

  #take(part: Part): true {
    this.#parts.push(part)
    this.index++
    return true
  }

  #report(
    code: DiagnosticCode,
    line: SourceLine,
    range: readonly [start: number, end: number],
    { message, hint }: Mistake,
  ): void {
    const span: Span = spanIn(line, range[0], range[1])
    const excerpt = excerptOf(line.text, span.column, span.length)
    this.#errors.push({ code, message, span, excerpt, ...(hint === undefined ? {} : { hint }) })
  }

  /** The error points at the first line of the node. */
  #reportMisplaced(misplaced: Misplaced | undefined): void {
    if (misplaced === undefined) return
    const { span } = misplaced.part
    const line = this.#lines[span.line - 1] as SourceLine
    this.#report(misplaced.code, line, [span.column - 1, trimmedRange(line.text)[1]], misplaced)
  }

  #request(separator: SeparatorNode | undefined): Request | undefined {
    if (this.#requestLine === undefined) return undefined
    const content = { body: this.#body, messages: this.#messages }
    const tagLine = (tag: TagNode): SourceLine => this.#lines[tag.span.line - 1] as SourceLine
    return requestOf(this.#requestLine, content, this.#parts, separator, tagLine, (problem) =>
      this.#errors.push(problem),
    )
  }
}

function pathAfter([mark]: RegExpExecArray, line: SourceLine): Template {
  return templateIn(line, ...trimmedRange(line.text, mark.length))
}
