/**
 * Translates a script of another tool to one of a request file.
 *
 * Rules: statements are translated one by one. A statement that uses something without an equivalent stays as a
 * comment, and so do all statements that use its declarations; each is reported. A name that the script declares does
 * not mean the tool's. A script that cannot be parsed is lost as a whole. If nothing of a script remains, it stays as
 * comments, which have no effect and show the original.
 */
import type { AnyNode, Program, Statement } from 'acorn'
import { translateCode } from './code-translation.ts'
import type { ScriptDialect } from './dialect.ts'
import { timeAssertion } from './response-chain.ts'
import { helpersFor } from './script-helpers.ts'
import { chainOf, declaredNames, parseScript, pathOf } from './script-tree.ts'

export interface TranslatedScript {
  /** Only comments if no statement remains; '' if there is nothing to do. */
  readonly code: string
  /** For `# @assert`: values that scripts cannot access. */
  readonly assertions: readonly string[]
  /** The first line of each statement that became a comment. */
  readonly lost: readonly string[]
}

export function translateScript(source: string, dialect: ScriptDialect): TranslatedScript {
  const text = source.replace(/\r\n?/g, '\n')
  let program: Program
  try {
    program = parseScript(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { code: commented(source), assertions: [], lost: [`a script that cannot be read: ${error.message}`] }
  }
  const translation = new Translation(text, program, dialect)
  const { code, hasCode } = translation.block(program.body, 0, text.length)
  const { assertions, lost } = translation
  return { code: hasCode ? helpersFor(code) + code : assertions.length > 0 ? '' : commented(source), assertions, lost }
}

function commented(source: string): string {
  return (
    source
      // All line terminators of JavaScript, since a comment ends at each of them.
      .split(/\r\n|[\n\r\u2028\u2029]/)
      .filter((line) => line.trim() !== '')
      .map((line) => `// ${line.replace(/^\s*\/\/\s?/, '')}`)
      .join('\n')
  )
}

interface Block {
  readonly code: string
  /** Whether the code contains more than comments. */
  readonly hasCode: boolean
}

class Translation {
  readonly assertions: string[] = []
  readonly lost: string[] = []
  readonly #source: string
  readonly #dialect: ScriptDialect
  readonly #scopes: { readonly names: ReadonlySet<string>; readonly lost: Set<string> }[]

  constructor(source: string, program: Program, dialect: ScriptDialect) {
    this.#source = source
    this.#dialect = dialect
    this.#scopes = [{ names: declaredNames(program), lost: new Set() }]
  }

  /** The statements of a script, or of the function of a test, with the comments between them. */
  block(statements: readonly AnyNode[], start: number, end: number): Block {
    const blocks: Block[] = []
    let from = start
    for (const [index, statement] of statements.entries()) {
      // A semicolon after a brace belongs to the statement before it.
      if (statement.type === 'EmptyStatement' && index > 0) continue
      let to = statement.end
      for (let next = index + 1; statements[next]?.type === 'EmptyStatement'; next++)
        to = statements[next]?.end as number
      blocks.push(this.#statement(statement, withoutBlankLines(this.#source.slice(from, statement.start)), to))
      from = to
    }
    blocks.push({ code: withoutBlankLines(this.#source.slice(from, end)).trimEnd(), hasCode: false })
    const left = blocks.filter(({ code }) => code !== '')
    return { code: left.map(({ code }) => code).join('\n'), hasCode: left.some(({ hasCode }) => hasCode) }
  }

  /**
   * @param comments before it, with its indentation @param end end of the statement, possibly after a further semicolon
   */
  #statement(statement: AnyNode, comments: string, end: number): Block {
    const time = timeAssertion(statement, this.#dialect)
    if (time !== undefined) {
      this.assertions.push(time)
      return { code: comments.trimEnd(), hasCode: false }
    }
    const test = testIn(statement, this.#dialect)
    if (test !== undefined) return this.#test(statement, test, comments, end)
    const code = this.#translated(statement)
    if (code === undefined) return this.#lose(statement, comments, end)
    return { code: comments + code + this.#source.slice(statement.end, end), hasCode: true }
  }

  /** Of a test, only the statements without an equivalent are lost. */
  #test(statement: AnyNode, { name, head, body }: FoundTest, comments: string, end: number): Block {
    const title = this.#translated(name)
    if (title === undefined) return this.#lose(statement, comments, end)
    this.#scopes.push({ names: declaredNames(head), lost: new Set() })
    const { code: inner, hasCode } = this.block(body.body, body.start + 1, body.end - 1)
    this.#scopes.pop()
    if (inner === '') return { code: comments.trimEnd(), hasCode: false }
    const isOneLine = !this.#source.slice(body.start, body.end).includes('\n') && !inner.includes('\n')
    const [space, content] = isOneLine ? [' ', inner.trim()] : ['\n', inner]
    const functionHead = this.#source.slice(head.start, body.start)
    const code = `${comments}client.test(${title}, ${functionHead}{${space}${content}${space}})`
    return { code: hasCode ? code : code.replace(/^(?!\s*\/\/)/gm, '// '), hasCode }
  }

  #translated(node: AnyNode): string | undefined {
    return translateCode(node, { source: this.#source, dialect: this.#dialect, scopes: this.#scopes })
  }

  #lose(statement: AnyNode, comments: string, end: number): Block {
    for (const name of declaredNames(statement, true)) {
      const scope = this.#scopes.findLast(({ names }) => names.has(name)) ?? this.#scopes.at(-1)
      scope?.lost.add(name)
    }
    const code = this.#source.slice(statement.start, end)
    this.lost.push((code.split('\n', 1)[0] as string).trim())
    return { code: (comments + code).replace(/^([ \t]*)(?=\S)/gm, '$1// '), hasCode: false }
  }
}

function withoutBlankLines(text: string): string {
  return text.replace(/^\s*\n/, '')
}

/** `test("name", function () { … })`, or the same with an arrow function. */
interface FoundTest {
  readonly name: AnyNode
  /** The function up to its brace. */
  readonly head: AnyNode
  readonly body: { readonly start: number; readonly end: number; readonly body: readonly Statement[] }
}

function testIn(statement: AnyNode, dialect: ScriptDialect): FoundTest | undefined {
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'CallExpression') return undefined
  const [name, head, ...others] = statement.expression.arguments
  const isTest = pathOf(chainOf(statement.expression.callee)) === dialect.test
  if (!isTest || name === undefined || head === undefined || others.length > 0) return undefined
  if (head.type !== 'FunctionExpression' && head.type !== 'ArrowFunctionExpression') return undefined
  return head.body.type === 'BlockStatement' && head.params.length === 0 ? { name, head, body: head.body } : undefined
}
