/**
 * Converts `expect(value).to.be…` to an assertion of the request file's script interface.
 *
 * Rules (Chai, "Expect / Should"): words such as `to`, `be`, `have` are ignored, `not` negates the assertion. After
 * `property`, a chain is about the value of the property. A chain with a word that is not in the table has no
 * equivalent.
 */
import type { AnyNode } from 'acorn'
import { textOf } from './script-tree.ts'

/** A translated expression. */
export interface Code {
  readonly text: string
  /** The tree that it was translated from. */
  readonly node: AnyNode | undefined
}

/** A word of a chain, with arguments if it is called. */
export interface Word {
  readonly name: string
  readonly args: readonly Code[] | undefined
}

interface Equality {
  readonly left: string
  readonly right: string
}

type Condition = (value: string, args: readonly Code[]) => string | Equality

const fillers: ReadonlySet<string> = new Set(
  'to be been is that which and has have with at of same but does still also all own'.split(' '),
)

/** The same for each of several names. */
function byName<Value>(rows: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(rows).flatMap(([names, value]) => names.split(' ').map((name) => [name, value])))
}

/** Words that compare with a limit, and the signs of code. */
export const comparisonSigns: ReadonlyMap<string, string> = byName({
  'above gt greaterThan': '>',
  'below lt lessThan': '<',
  'least gte greaterThanOrEqual': '>=',
  'most lte lessThanOrEqual': '<=',
})

/** The value as JSON, for comparisons. */
export const json = (value: string): string => `JSON.stringify(${value}, sortedKeys)`

const looseTypes: ReadonlySet<string | undefined> = new Set([
  ...['BinaryExpression', 'LogicalExpression', 'ConditionalExpression', 'AssignmentExpression'],
  ...['SequenceExpression', 'ArrowFunctionExpression', 'YieldExpression'],
])

function member(name: Code = missing): string {
  const text = textOf(name.node)
  return text !== undefined && /^[A-Za-z_$][\w$]*$/.test(text) ? `.${text}` : `[${name.text}]`
}

/** The code as one side of a comparison. */
function side({ text, node }: Code): string {
  return looseTypes.has(node?.type) ? `(${text})` : text
}

function isLiteral({ text, node }: Code): boolean {
  if (node?.type === 'UnaryExpression') return node.argument.type === 'Literal'
  return text === 'undefined' || textOf(node) !== undefined || (node?.type === 'Literal' && node.regex === undefined)
}

const missing: Code = { text: 'undefined', node: undefined }

const equals: Condition = (value, [wanted = missing]) => ({ left: value, right: side(wanted) })
/**
 * For plain values the same as `equals`; for objects a comparison of their JSON, which is all that the server sends.
 */
const deepEquals: Condition = (value, [wanted = missing]) =>
  isLiteral(wanted) ? { left: value, right: wanted.text } : { left: json(value), right: json(wanted.text) }

function hasProperty(value: string, [name = missing, wanted]: readonly Code[], isSame: Condition): string | Equality {
  return wanted === undefined ? `${side(name)} in ${value}` : isSame(`${value}[${name.text}]`, [wanted])
}

function typeCondition(value: string, [type = missing]: readonly Code[]): string | Equality {
  const name = textOf(type.node)?.toLowerCase()
  if (name === 'array') return `Array.isArray(${value})`
  if (name === 'null') return { left: value, right: 'null' }
  if (name === 'object') return `typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`
  return { left: `typeof ${value}`, right: side(type) }
}

/** The object has these keys and no others. */
function keysCondition(value: string, args: readonly Code[]): string {
  return `${json(`Object.keys(${value}).sort()`)} === ${json(`${keyList(args)}.sort()`)}`
}

/** Keys are given as arguments, as a list, or as those of another object. */
function keyList(args: readonly Code[]): string {
  const [{ text, node } = missing] = args
  if (node?.type === 'ObjectExpression') return `Object.keys(${text})`
  if (node?.type === 'ArrayExpression') return text
  const list = `[${args.map((each) => each.text).join(', ')}]`
  return args.every(isLiteral) ? list : `${list}.flat()`
}

function includesCondition(value: string, [wanted = missing]: readonly Code[]): string {
  return wanted.node?.type === 'ObjectExpression'
    ? `Object.entries(${wanted.text}).every(([key, wanted]) => ${json(`${value}[key]`)} === ${json('wanted')})`
    : `${value}.includes(${wanted.text})`
}

/** One element of the list has the same content. */
function deepIncludesCondition(value: string, args: readonly Code[]): string {
  const [wanted = missing] = args
  if (isLiteral(wanted)) return includesCondition(value, args)
  const isElement = `${value}.some((each) => ${json('each')} === ${json(wanted.text)})`
  return `(Array.isArray(${value}) ? ${isElement} : ${includesCondition(value, args)})`
}

/** Words that are used without a call. */
const properties: ReadonlyMap<string, Condition> = byName<Condition>({
  true: (value) => ({ left: value, right: 'true' }),
  false: (value) => ({ left: value, right: 'false' }),
  null: (value) => ({ left: value, right: 'null' }),
  undefined: (value) => ({ left: value, right: 'undefined' }),
  NaN: (value) => `Number.isNaN(${value})`,
  ok: (value) => `Boolean(${value})`,
  exist: (value) => `${value} !== null && ${value} !== undefined`,
  empty: (value) => ({ left: `Object.keys(${value}).length`, right: '0' }),
})

/** Words with another meaning after `deep`. */
const deepMethods: ReadonlyMap<string, Condition> = byName<Condition>({
  'equal equals eq': deepEquals,
  'include includes contain contains': deepIncludesCondition,
  property: (value, args) => hasProperty(value, args, deepEquals),
})

const methods: ReadonlyMap<string, Condition> = new Map([
  ...[...comparisonSigns].map(([name, sign]): [string, Condition] => {
    return [name, (value, [limit = missing]) => `${value} ${sign} ${side(limit)}`]
  }),
  ...byName<Condition>({
    'equal equals eq': equals,
    'eql eqls': deepEquals,
    within: (value, [from = missing, to = missing]) => `${value} >= ${side(from)} && ${value} <= ${side(to)}`,
    closeTo: (value, [wanted = missing, delta = missing]) => `Math.abs(${value} - ${side(wanted)}) <= ${side(delta)}`,
    'include includes contain contains string': includesCondition,
    'length lengthOf': (value, [length = missing]) => ({ left: `${value}.length`, right: side(length) }),
    'a an': typeCondition,
    property: (value, args) => hasProperty(value, args, equals),
    'match matches': (value, [pattern = missing]) => `${pattern.text}.test(${value})`,
    oneOf: (value, [list = missing]) => `${list.text}.includes(${value})`,
    members: (value, [list = missing]) => ({
      left: json(`[...${value}].sort()`),
      right: json(`[...${list.text}].sort()`),
    }),
    'keys key': keysCondition,
    'instanceOf instanceof': (value, [type = missing]) => `${value} instanceof ${side(type)}`,
    satisfy: (value, [test = missing]) => `(${test.text})(${value})`,
  }),
])

/**
 * @param words words of the chain after `expect(…)` @returns the assertion as code; undefined if there is no equivalent
 */
export function expectation(value: Code, message: string | undefined, words: readonly Word[]): string | undefined {
  let isNegated = false
  let isDeep = false
  let operand = isOperand(value.node) ? value.text : `(${value.text})`
  const conditions: string[] = []
  for (const { name, args } of words) {
    if (name === 'not') isNegated = true
    else if (name === 'deep') isDeep = true
    else if (args === undefined && (name === 'length' || name === 'lengthOf')) operand += '.length'
    else {
      const method = isDeep ? (deepMethods.get(name) ?? methods.get(name)) : methods.get(name)
      const condition = args === undefined ? properties.get(name) : method
      if (condition !== undefined) conditions.push(conditionText(condition(operand, args ?? []), isNegated))
      if (name === 'property') operand += member(args?.[0])
      else if (condition === undefined && (args !== undefined || !fillers.has(name))) return undefined
    }
  }
  if (conditions.length === 0) return undefined
  return `client.assert(${conditions.join(' && ')}${message === undefined ? '' : `, ${message}`})`
}

const operands: ReadonlySet<string | undefined> = new Set([
  ...['Identifier', 'MemberExpression', 'CallExpression', 'ChainExpression', 'ParenthesizedExpression'],
  'ThisExpression',
])

/** Whether members of the code can be read without brackets, and it can be compared. */
function isOperand(node: AnyNode | undefined): boolean {
  return operands.has(node?.type) || (node?.type === 'Literal' && typeof node.value !== 'string')
}

function conditionText(condition: string | Equality, isNegated: boolean): string {
  if (typeof condition !== 'string') return `${condition.left} ${isNegated ? '!==' : '==='} ${condition.right}`
  return isNegated ? `!(${condition})` : condition
}
