/**
 * Translates one statement or expression of another tool's script to the script interface of request files.
 *
 * Rules: nested code is translated with it, including code in templates. Chains of `expect` and of the response become
 * assertions; members and calls are renamed by the table of the dialect, the longest matching name first.
 */
import type { AnyNode } from 'acorn'
import { dynamicNames } from '../draft/dynamic-names.data.ts'
import { templatePieces, variableName } from '../draft/literal-text.ts'
import { type Renamed, readVariable, type ScriptDialect } from './dialect.ts'
import { type Code, expectation, type Word } from './expect-chain.ts'
import { responseAssertion } from './response-chain.ts'
import { helperNames } from './script-helpers.ts'
import { type Chain, chainOf, childrenOf, declaredNames, type Link, pathOf, textOf } from './script-tree.ts'

/** A script or a function. */
export interface Scope {
  /** Names that it declares: they are not the tool's. */
  readonly names: ReadonlySet<string>
  /** Names declared by statements that were lost. */
  readonly lost: ReadonlySet<string>
}

export interface TranslatedFrom {
  readonly source: string
  readonly dialect: ScriptDialect
  /** The innermost one is the last. */
  readonly scopes: readonly Scope[]
}

/** Some names become expressions with several copies of an argument, which may contain such names again. */
const MAX_RENAMED_CHARACTERS = 64 * 1024

/** Names that request files or this translation provide: a script that declares one of them would shadow it. */
const givenNames: ReadonlySet<string> = new Set(['client', 'request', 'response', ...helperNames])

/** Undefined if a part of it has no equivalent. */
export function translateCode(node: AnyNode, from: TranslatedFrom): string | undefined {
  const translation = new CodeTranslation(from)
  const text = translation.textOf(node)
  return translation.isLost ? undefined : text
}

class CodeTranslation {
  isLost = false
  readonly #from: TranslatedFrom
  readonly #scopes: Scope[]

  constructor(from: TranslatedFrom) {
    this.#from = from
    this.#scopes = [...from.scopes]
  }

  textOf(node: AnyNode): string {
    const chain = chainOf(node)
    if (chain.links.length > 0 || node.type === 'Identifier') return this.#chain(chain)
    if (node.type === 'ExpressionStatement') {
      const test = this.#legacyTest(node.expression)
      if (test !== undefined) return test
    }
    const target = targetOf(node)
    if (target !== undefined && this.#isOfTool(target)) return this.#lose()
    const isFunction = 'params' in node
    if (isFunction) this.#scopes.push({ names: declaredNames(node), lost: new Set() })
    const text = this.#between(node.start, childrenOf(node), node.end)
    if (isFunction) this.#scopes.pop()
    const isShort = node.type === 'Property' && node.shorthand && node.key.type === 'Identifier'
    const isRenamed = isShort && text !== this.#source(node.start, node.end)
    return isRenamed ? `${this.#source(node.key.start, node.key.end)}: ${text}` : text
  }

  /** Whether the code belongs to the tool's interface, whose equivalents cannot be assigned to. */
  #isOfTool(node: AnyNode): boolean {
    const { base } = chainOf(node)
    if (base.type !== 'Identifier' || this.#scopeOf(base.name) !== undefined) return false
    return namesOf(this.#from.dialect).bases.has(base.name)
  }

  #source(start: number, end: number): string {
    return this.#from.source.slice(start, end)
  }

  /** A part of the source with the nodes in it translated. */
  #between(start: number, nodes: readonly AnyNode[], end: number): string {
    let text = ''
    let at = start
    for (const node of nodes) {
      text += this.#source(at, node.start) + this.textOf(node)
      at = node.end
    }
    return text + this.#source(at, end)
  }

  #lose(): string {
    this.isLost = true
    return ''
  }

  #chain({ base, links }: Chain): string {
    const found = base.type === 'Identifier' ? this.#named(base.name, base, links) : undefined
    let at = found?.count ?? 0
    let text = found?.text ?? this.textOf(base)
    let end = at === 0 ? base.end : (links[at - 1] as Link).end
    for (; at < links.length; at++) {
      const link = links[at] as Link
      text += this.#between(end, link.inner, link.end)
      end = link.end
    }
    return text
  }

  /** The beginning of a chain with a special meaning, and its number of links. */
  #named(name: string, base: AnyNode, links: readonly Link[]): { readonly text: string; readonly count: number } {
    const { dialect } = this.#from
    const scope = this.#scopeOf(name)
    if (scope?.lost.has(name)) return { text: this.#lose(), count: links.length }
    if (scope !== undefined) return { text: givenNames.has(name) ? `${name}_` : name, count: 0 }
    const table = namesOf(dialect)
    for (let count = Math.min(links.length, table.maxLinks); count >= 0; count--) {
      const args = links[count - 1]?.args
      const path = pathOf({ base, links: links.slice(0, args === undefined ? count : count - 1) })
      if (path === undefined) continue
      if (args === undefined && path === table.response)
        return { text: responseAssertion(this.#words(links.slice(count))) ?? this.#lose(), count: links.length }
      if (args !== undefined && path === dialect.expect)
        return { text: this.#expectation(args, links.slice(count)) ?? this.#lose(), count: links.length }
      const header = args === undefined && path === dialect.headers ? headerName(links, count) : undefined
      if (header !== undefined)
        return { text: `(response.headers.valueOf(${JSON.stringify(header)}) ?? undefined)`, count: count + 1 }
      const text = this.#renamed(path, args, table.renamed)
      if (text !== undefined) return { text, count }
    }
    return { text: dialect.unknownNames.has(name) ? this.#lose() : name, count: 0 }
  }

  #scopeOf(name: string): Scope | undefined {
    return this.#scopes.findLast(({ names }) => names.has(name))
  }

  #renamed(
    path: string,
    args: readonly AnyNode[] | undefined,
    renamed: ReadonlyMap<string, Renamed>,
  ): string | undefined {
    if (args === undefined) return renamed.get(path)?.to
    if (path === this.#from.dialect.replaceIn) return templateCode(textOf(args[0])) ?? this.#lose()
    const { to, takesName = false } = renamed.get(`${path}(`) ?? {}
    if (to === '') return this.#lose()
    if (to === undefined) return undefined
    const texts = args.map((each, index) => (takesName && index === 0 ? this.#name(each) : this.textOf(each)))
    const all = texts.join(', ')
    const text = to.replace(/\$([*\d])/g, (_, place) => (place === '*' ? all : (texts[Number(place)] ?? 'undefined')))
    return text.length > MAX_RENAMED_CHARACTERS ? this.#lose() : text
  }

  /** The name of a variable, as requests have it. */
  #name(node: AnyNode): string {
    const name = textOf(node)
    return name === undefined || name === variableName(name) ? this.textOf(node) : JSON.stringify(variableName(name))
  }

  #code(node: AnyNode): Code {
    return { text: this.textOf(node), node }
  }

  #expectation([value, message]: readonly AnyNode[], links: readonly Link[]): string | undefined {
    const code = value === undefined ? { text: 'undefined', node: undefined } : this.#code(value)
    return expectation(code, message === undefined ? undefined : this.textOf(message), this.#words(links))
  }

  /** Gives up at a link that is not a word, such as a computed member name. */
  #words(links: readonly Link[]): readonly Word[] {
    const words: Word[] = []
    for (const [index, { name, args }] of links.entries()) {
      if (name !== undefined) words.push({ name, args: links[index + 1]?.args?.map((each) => this.#code(each)) })
      else if (args === undefined || links[index - 1]?.name === undefined) this.#lose()
    }
    return words
  }

  /** `tests["name"] = condition`. */
  #legacyTest(expression: AnyNode): string | undefined {
    if (expression.type !== 'AssignmentExpression' || expression.operator !== '=') return undefined
    const { left, right } = expression
    if (left.type !== 'MemberExpression' || left.object.type !== 'Identifier') return undefined
    if (left.object.name !== 'tests' || this.#scopeOf('tests') !== undefined) return undefined
    const { computed, property } = left
    const isName = !computed && property.type === 'Identifier'
    return `client.test(${isName ? JSON.stringify(property.name) : this.textOf(property)}, () => client.assert(${this.textOf(right)}))`
  }
}

/** What a node assigns to, or deletes. */
function targetOf(node: AnyNode): AnyNode | undefined {
  if (node.type === 'AssignmentExpression') return node.left
  if (node.type === 'UpdateExpression') return node.argument
  return node.type === 'UnaryExpression' && node.operator === 'delete' ? node.argument : undefined
}

/** The member that a link reads: `["name"]`, or `.name` that is not called. */
function headerName(links: readonly Link[], index: number): string | undefined {
  const [member, next] = [links[index], links[index + 1]]
  if (member === undefined || member.args !== undefined || next?.args !== undefined) return undefined
  return member.name ?? textOf(member.inner[0])
}

interface NameTable {
  readonly renamed: ReadonlyMap<string, Renamed>
  /** The number of links in the longest name. */
  readonly maxLinks: number
  readonly response: string | undefined
  /** The first name of each member of the interface: `pm` of `pm.test`. */
  readonly bases: ReadonlySet<string>
}

const tables = new WeakMap<ScriptDialect, NameTable>()

function namesOf(dialect: ScriptDialect): NameTable {
  const known = tables.get(dialect)
  if (known !== undefined) return known
  const renamed = new Map(dialect.renamed.map((each) => [each.from, each]))
  const lengths = [...renamed.keys(), dialect.expect, `${dialect.replaceIn}(`].map((name) => name.split(/[.(]/).length)
  const table = {
    renamed,
    maxLinks: Math.max(...lengths),
    response: dialect.response && `${dialect.response}.to`,
    bases: new Set([...renamed.keys(), ...dialect.unknownNames].map((name) => name.split(/[.(]/, 1)[0] as string)),
  }
  tables.set(dialect, table)
  return table
}

/**
 * Translates a text with variables, such as `{{$guid}} {{name}}`, to an expression for its value. A variable without a
 * value stays as written. Undefined without a text, and for a text with a question to the user, a path into a value or a
 * dynamic variable without an equivalent.
 */
function templateCode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  let isKnown = true
  const pieces = templatePieces(text, (name) => {
    if (name === '') return undefined
    const isName = !/^[$?]|[.[]/.test(name)
    const code = isName ? valueCode(name) : Object.hasOwn(dynamicNames, name) ? dynamicNames[name] : undefined
    isKnown &&= code !== undefined
    return code
  })
  const code = pieces.map((piece) => (typeof piece === 'string' ? escaped(piece) : `\${${piece.expression}}`)).join('')
  return isKnown ? `\`${code}\`` : undefined
}

function valueCode(name: string): string {
  const read = readVariable.replaceAll('$0', () => JSON.stringify(variableName(name)))
  return `${read} ?? ${JSON.stringify(`{{${name}}}`)}`
}

/** The text as part of a template literal. */
function escaped(text: string): string {
  return text.replace(/[\\`]|\$(?=\{)|\$$/g, '\\$&').replaceAll('\r', '\\r')
}
