/**
 * Parses scripts of other tools into syntax trees, and answers queries about their nodes.
 *
 * Rules: `return` and `await` are allowed anywhere, as in the tools that run these scripts. Names are not recorded in
 * scopes: a script that declares a name twice is left for its engine to reject. ECMA-262.
 */
import { type AnyNode, type Node, Parser, type Program } from 'acorn'

/** One member or call of a chain, such as `.b` and `(c)` of `a.b(c)`. */
export interface Link {
  /** Set for a member that is named by a word and not optional. */
  readonly name: string | undefined
  /** Set for a call. */
  readonly args: readonly AnyNode[] | undefined
  /** The code within the link that may be translated. */
  readonly inner: readonly AnyNode[]
  readonly end: number
}

/** Consecutive members and calls: `a.b(c)[d]`. */
export interface Chain {
  readonly base: AnyNode
  readonly links: readonly Link[]
}

class ScriptParser extends Parser {
  depth = 0
  declare readonly start: number
  declare readonly raise: (offset: number, message: string) => never

  /** The parser would search a list of all names for each name: the time would grow with the square of their number. */
  declareName(): void {}
}

/** The methods of the parser that recurse into nested code: one level of brackets takes about six of these calls. */
const nestedRules = [
  ...['parseBindingAtom', 'parseExprAtom', 'parseExprOp', 'parseMaybeAssign', 'parseMaybeUnary', 'parseStatement'],
]
/** At the end of the stack, V8 cannot compile a regular expression, and terminates the process. */
const MAX_DEPTH = 800

type Rules = Record<string, (this: ScriptParser, ...args: readonly unknown[]) => unknown>

for (const name of nestedRules) {
  const parse = (Parser.prototype as unknown as Rules)[name] as Rules[string]
  const counted: Rules[string] = function (...args) {
    if (++this.depth > MAX_DEPTH) this.raise(this.start, 'it is nested too deeply')
    const node: unknown = Reflect.apply(parse, this, args)
    this.depth--
    return node
  }
  Object.assign(ScriptParser.prototype, { [name]: counted })
}

/** @throws SyntaxError with the place in its message, including for a script that is nested too deeply */
export function parseScript(source: string): Program {
  return ScriptParser.parse(source, {
    ecmaVersion: 'latest',
    preserveParens: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
  })
}

/** The nodes directly below a node, in the order of the text, without names of members and of properties. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  const isNamed = 'computed' in node && !node.computed
  const children = Object.entries(node)
    .filter(([field]) => !isNamed || (field !== 'key' && field !== 'property'))
    .flatMap(([, value]): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
  return children.sort((a, b) => a.start - b.start)
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string' && 'start' in value
}

/** The chain that ends with a node; a chain without links if the node is not a member or a call. */
export function chainOf(node: AnyNode): Chain {
  const links: Link[] = []
  let base = node
  for (;;) {
    if (base.type === 'ChainExpression') base = base.expression
    else if (base.type === 'MemberExpression') {
      const { computed, object, optional, property } = base
      const name = !computed && !optional && property.type === 'Identifier' ? property.name : undefined
      links.push({ name, args: undefined, inner: computed ? [property] : [], end: base.end })
      base = object
    } else if (base.type === 'CallExpression') {
      const { arguments: args, callee, optional } = base
      links.push({ name: undefined, args: optional ? undefined : args, inner: args, end: base.end })
      base = callee
    } else if (base.type === 'TaggedTemplateExpression') {
      links.push({ name: undefined, args: undefined, inner: [base.quasi], end: base.end })
      base = base.tag
    } else return { base, links: links.reverse() }
  }
}

/** The names of a chain joined by dots; undefined for one with anything else in it. */
export function pathOf({ base, links }: Chain): string | undefined {
  const names = [base.type === 'Identifier' ? base.name : undefined, ...links.map(({ name }) => name)]
  return names.includes(undefined) ? undefined : names.join('.')
}

/** The value of a string literal, or of a template without expressions. */
export function textOf(node: AnyNode | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined
  return node.quasis[0]?.value.cooked ?? undefined
}

/**
 * The names that a script or a function declares for its whole body, without those of nested functions. For a script
 * or a statement, names that it, or a function in it, only assigns to count too.
 * @param isStatement whether only names count that are still known after the statement
 */
export function declaredNames(tree: AnyNode, isStatement = false): ReadonlySet<string> {
  const names = new Set<string>()
  const waiting: AnyNode[] = [tree]
  const hasAssigned = isStatement || tree.type === 'Program'
  const bind = (pattern: AnyNode | null | undefined): void => {
    for (const name of boundNames(pattern)) names.add(name)
  }
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const isKnown = !isStatement || node === tree
    if (node.type === 'VariableDeclaration' && (isKnown || node.kind === 'var'))
      for (const { id } of node.declarations) bind(id)
    if (node.type === 'CatchClause' && isKnown) bind(node.param)
    if (isKnown && 'id' in node && node.type !== 'VariableDeclarator') bind(node.id)
    const isInner = 'params' in node && (isStatement || node !== tree)
    if ('params' in node && !isInner) node.params.forEach(bind)
    if (!isInner) for (const child of childrenOf(node)) waiting.push(child)
  }
  if (hasAssigned) assignedTargets(tree).forEach(bind)
  return names
}

/** What assignments and loops below a node assign to, in nested functions too. */
function assignedTargets(tree: AnyNode): readonly AnyNode[] {
  const targets: AnyNode[] = []
  const waiting: AnyNode[] = [tree]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (/^(?:AssignmentExpression|ForInStatement|ForOfStatement)$/.test(node.type) && 'left' in node)
      targets.push(node.left)
    for (const child of childrenOf(node)) waiting.push(child)
  }
  return targets
}

/** The variables of a pattern, such as a and b of `[a, { x: b }]`. */
export function boundNames(pattern: AnyNode | null | undefined): readonly string[] {
  if (pattern?.type === 'Identifier') return [pattern.name]
  if (pattern?.type === 'ObjectPattern')
    return pattern.properties.flatMap((each) => boundNames(each.type === 'Property' ? each.value : each))
  if (pattern?.type === 'ArrayPattern') return pattern.elements.flatMap(boundNames)
  if (pattern?.type === 'AssignmentPattern') return boundNames(pattern.left)
  return pattern?.type === 'RestElement' ? boundNames(pattern.argument) : []
}
