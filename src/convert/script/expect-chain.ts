/**
 * `expect(value).to.be…` to an assertion of the request file's script interface.
 *
 * Rules (Chai, "Expect / Should"): words such as `to`, `be`, `have` mean nothing, `not` turns the assertion round. A chain
 * with a word that is not in the table has no equivalent.
 */
import type { AnyNode } from 'acorn'
import { textOf } from './script-tree.ts'

/** A translated expression. */
export interface Code {
  readonly text: string
  /** What it was before. */
  readonly node: AnyNode | undefined
}

/** A word of a chain; with arguments where it is called. */
export interface Word {
  readonly name: string
  readonly given: readonly Code[] | undefined
}

interface Equality {
  readonly left: string
  readonly right: string
}

/** The condition for a value, as code. */
type Condition = (value: string, given: readonly Code[]) => string | Equality

const fillers: ReadonlySet<string> = new Set([
  ...[
    'to',
    'be',
    'been',
    'is',
    'that',
    'which',
    'and',
    'has',
    'have',
    'with',
    'at',
    'of',
    'same',
    'but',
    'does',
    'still',
    'also',
  ],
  ...['all', 'own'],
])

/** What a script needs that compares whole objects, in which the order of the keys means nothing. */
export const sortedKeys: string =
  "const sortedKeys = (_, value) => value !== null && typeof value === 'object' && !Array.isArray(value) ? " +
  'Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value'

const json = (value: string): string => `JSON.stringify(${value}, sortedKeys)`

const looseTypes: ReadonlySet<string | undefined> = new Set([
  ...['BinaryExpression', 'LogicalExpression', 'ConditionalExpression', 'AssignmentExpression'],
  ...['SequenceExpression', 'ArrowFunctionExpression', 'YieldExpression'],
])

/** As one side of a comparison. */
function side({ text, node }: Code): string {
  return looseTypes.has(node?.type) ? `(${text})` : text
}

function isLiteral({ text, node }: Code): boolean {
  if (node?.type === 'UnaryExpression') return node.argument.type === 'Literal'
  return text === 'undefined' || textOf(node) !== undefined || (node?.type === 'Literal' && node.regex === undefined)
}

const code = (text: string): Code => ({ text, node: undefined })
const missing = code('undefined')

const equals: Condition = (value, [wanted = missing]) => ({ left: value, right: side(wanted) })
/** Of plain values the same as `equals`; of objects by their JSON, as it is all that comes over the wire. */
const deepEquals: Condition = (value, [wanted = missing]) =>
  isLiteral(wanted) ? { left: value, right: wanted.text } : { left: json(value), right: json(wanted.text) }
const compared =
  (operator: string): Condition =>
  (value, [limit = missing]) =>
    `${value} ${operator} ${side(limit)}`
const includes: Condition = (value, [wanted = missing]) =>
  wanted.node?.type === 'ObjectExpression'
    ? `Object.entries(${wanted.text}).every(([key, wanted]) => ${json(`${value}[key]`)} === ${json('wanted')})`
    : `${value}.includes(${wanted.text})`
const matches: Condition = (value, [pattern = code('/(?:)/')]) => `${pattern.text}.test(${value})`
const hasLength: Condition = (value, [length = code('0')]) => ({ left: `${value}.length`, right: side(length) })
const typeOf: Condition = (value, [type = code("''")]) => {
  const name = textOf(type.node)?.toLowerCase()
  if (name === 'array') return `Array.isArray(${value})`
  if (name === 'null') return { left: value, right: 'null' }
  if (name === 'object') return `typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`
  return { left: `typeof ${value}`, right: side(type) }
}
const hasProperty: Condition = (value, [name = code("''"), wanted]) =>
  wanted === undefined ? `${side(name)} in ${value}` : { left: `${value}[${name.text}]`, right: side(wanted) }
const isInstance: Condition = (value, [type = code('Object')]) => `${value} instanceof ${side(type)}`

/** Words that are read and not called. */
const properties: Readonly<Record<string, Condition>> = {
  true: (value) => ({ left: value, right: 'true' }),
  false: (value) => ({ left: value, right: 'false' }),
  null: (value) => ({ left: value, right: 'null' }),
  undefined: (value) => ({ left: value, right: 'undefined' }),
  NaN: (value) => `Number.isNaN(${value})`,
  ok: (value) => `Boolean(${value})`,
  exist: (value) => `${value} !== null && ${value} !== undefined`,
  empty: (value) => ({ left: `Object.keys(${value}).length`, right: '0' }),
}

/** Words that mean something else after `deep`. */
const deepMethods: Readonly<Record<string, Condition>> = { equal: deepEquals, equals: deepEquals, eq: deepEquals }

const methods: Readonly<Record<string, Condition>> = {
  equal: equals,
  equals,
  eq: equals,
  eql: deepEquals,
  eqls: deepEquals,
  above: compared('>'),
  gt: compared('>'),
  greaterThan: compared('>'),
  below: compared('<'),
  lt: compared('<'),
  lessThan: compared('<'),
  least: compared('>='),
  gte: compared('>='),
  greaterThanOrEqual: compared('>='),
  most: compared('<='),
  lte: compared('<='),
  lessThanOrEqual: compared('<='),
  within: (value, [from = code('0'), to = code('0')]) => `${value} >= ${side(from)} && ${value} <= ${side(to)}`,
  closeTo: (value, [wanted = code('0'), delta = code('0')]) => `Math.abs(${value} - ${side(wanted)}) <= ${side(delta)}`,
  include: includes,
  includes,
  contain: includes,
  contains: includes,
  string: includes,
  length: hasLength,
  lengthOf: hasLength,
  a: typeOf,
  an: typeOf,
  property: hasProperty,
  match: matches,
  matches,
  oneOf: (value, [list = code('[]')]) => `${list.text}.includes(${value})`,
  members: (value, [list = code('[]')]) => ({
    left: json(`[...${value}].sort()`),
    right: json(`[...${list.text}].sort()`),
  }),
  keys: (value, given) => {
    const [first = missing, ...others] = given
    const isList = first.node?.type === 'ArrayExpression' && others.length === 0
    const list = isList ? first.text : `[${given.map(({ text }) => text).join(', ')}]`
    return `${list}.every((key) => key in ${value})`
  },
  key: (value, [name = code("''")]) => `${side(name)} in ${value}`,
  instanceOf: isInstance,
  instanceof: isInstance,
  satisfy: (value, [test = code('() => true')]) => `(${test.text})(${value})`,
}

/** @param words of the chain after `expect(…)` @returns the assertion as code; undefined where it has no equivalent */
export function expectation(value: Code, message: string | undefined, words: readonly Word[]): string | undefined {
  let isNegated = false
  let isDeep = false
  let operand = isOperand(value.node) ? value.text : `(${value.text})`
  const conditions: string[] = []
  for (const { name, given } of words) {
    if (name === 'not') isNegated = true
    else if (name === 'deep') isDeep = true
    else if (given === undefined && (name === 'length' || name === 'lengthOf')) operand += '.length'
    else {
      const known =
        given === undefined ? properties : isDeep && Object.hasOwn(deepMethods, name) ? deepMethods : methods
      if (Object.hasOwn(known, name))
        conditions.push(conditionText((known[name] as Condition)(operand, given ?? []), isNegated))
      else if (given !== undefined || !fillers.has(name)) return undefined
    }
  }
  if (conditions.length === 0) return undefined
  return `client.assert(${conditions.join(' && ')}${message === undefined ? '' : `, ${message}`})`
}

const operands: ReadonlySet<string | undefined> = new Set([
  ...['Identifier', 'MemberExpression', 'CallExpression', 'ChainExpression', 'ParenthesizedExpression'],
  'ThisExpression',
])

/** Whether members can be read of the code as it is, and it can be compared. */
function isOperand(node: AnyNode | undefined): boolean {
  return operands.has(node?.type) || (node?.type === 'Literal' && typeof node.value !== 'string')
}

function conditionText(condition: string | Equality, isNegated: boolean): string {
  if (typeof condition !== 'string') return `${condition.left} ${isNegated ? '!==' : '==='} ${condition.right}`
  return isNegated ? `!(${condition})` : condition
}
