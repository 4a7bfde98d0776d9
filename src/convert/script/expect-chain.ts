/**
 * `expect(value).to.be…` to an assertion of the request file's script interface.
 *
 * Rules (Chai, "Expect / Should"): words such as `to`, `be`, `have` mean nothing, `not` turns the assertion round. A chain
 * with a word that is not in the table has no equivalent.
 */
import { argumentsAt, bracketEnd } from './javascript-text.ts'

/** The condition for a value, as code. */
type Condition = (value: string, given: readonly string[]) => string

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
const isLiteral = (code: string): boolean =>
  /^(?:-?[\d.]+|true|false|null|undefined|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`$]*`)$/.test(code)

const equals: Condition = (value, [wanted = 'undefined']) => `${value} === ${wanted}`
/** Of plain values the same as `equals`; of objects by their JSON, as it is all that comes over the wire. */
const deepEquals: Condition = (value, [wanted = 'undefined']) =>
  isLiteral(wanted) ? `${value} === ${wanted}` : `${json(value)} === ${json(wanted)}`
const compared =
  (operator: string): Condition =>
  (value, [limit = 'undefined']) =>
    `${value} ${operator} ${limit}`
const includes: Condition = (value, [wanted = 'undefined']) =>
  wanted.startsWith('{')
    ? `Object.entries(${wanted}).every(([key, wanted]) => ${json(`${value}[key]`)} === ${json('wanted')})`
    : `${value}.includes(${wanted})`
const hasLength: Condition = (value, [length = '0']) => `${value}.length === ${length}`
const typeOf: Condition = (value, [type = "''"]) => {
  const name = /^['"`](\w+)['"`]$/.exec(type)?.[1]?.toLowerCase()
  if (name === 'array') return `Array.isArray(${value})`
  if (name === 'null') return `${value} === null`
  if (name === 'object') return `typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`
  return `typeof ${value} === ${type}`
}
const hasProperty: Condition = (value, [name = "''", wanted]) => {
  return wanted === undefined ? `${name} in ${value}` : `${value}[${name}] === ${wanted}`
}

/** Words that are read and not called. */
const properties: Readonly<Record<string, Condition>> = {
  true: (value) => `${value} === true`,
  false: (value) => `${value} === false`,
  null: (value) => `${value} === null`,
  undefined: (value) => `${value} === undefined`,
  NaN: (value) => `Number.isNaN(${value})`,
  ok: (value) => `Boolean(${value})`,
  exist: (value) => `${value} !== null && ${value} !== undefined`,
  empty: (value) => `Object.keys(${value}).length === 0`,
}

/** Words that mean something else behind `deep`. */
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
  within: (value, [from = '0', to = '0']) => `${value} >= ${from} && ${value} <= ${to}`,
  closeTo: (value, [wanted = '0', delta = '0']) => `Math.abs(${value} - ${wanted}) <= ${delta}`,
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
  match: (value, [pattern = '/(?:)/']) => `${pattern}.test(${value})`,
  matches: (value, [pattern = '/(?:)/']) => `${pattern}.test(${value})`,
  oneOf: (value, [list = '[]']) => `${list}.includes(${value})`,
  members: (value, [list = '[]']) => `${json(`[...${value}].sort()`)} === ${json(`[...${list}].sort()`)}`,
  keys: (value, given) => {
    const list = given.length === 1 && given[0]?.startsWith('[') ? given[0] : `[${given.join(', ')}]`
    return `${list}.every((key) => key in ${value})`
  },
  key: (value, [name = "''"]) => `${name} in ${value}`,
  instanceOf: (value, [type = 'Object']) => `${value} instanceof ${type}`,
  instanceof: (value, [type = 'Object']) => `${value} instanceof ${type}`,
  satisfy: (value, [test = '() => true']) => `(${test})(${value})`,
}

export interface ReadChain {
  /** The assertion as code. */
  readonly code: string
  /** Index behind the chain. */
  readonly end: number
}

/**
 * Reads the chain after `expect(…)`.
 * @param start of the dot behind the bracket
 * @param value the code of the value, translated @returns undefined where it has no equivalent
 */
export function readChain(
  code: string,
  start: number,
  value: string,
  message: string | undefined,
): ReadChain | undefined {
  let isNegated = false
  let isDeep = false
  let index = start
  const conditions: string[] = []
  let operand = isOperand(value) ? value : `(${value})`
  for (;;) {
    const word = /^\s*\.\s*([A-Za-z]\w*)/.exec(code.slice(index))
    if (word === null) break
    const name = word[1] as string
    const isCalled = code[index + word[0].length] === '('
    index += word[0].length
    if (name === 'not') isNegated = true
    else if (name === 'deep') isDeep = true
    else if (!isCalled && (name === 'length' || name === 'lengthOf')) operand += '.length'
    else if (isCalled) {
      const known = isDeep && Object.hasOwn(deepMethods, name) ? deepMethods : methods
      const condition = Object.hasOwn(known, name) ? known[name] : undefined
      const { values, end } = argumentsAt(code, index)
      if (condition === undefined) return undefined
      conditions.push(conditionText(condition(operand, values), isNegated))
      index = end
    } else if (Object.hasOwn(properties, name)) {
      conditions.push(conditionText((properties[name] as Condition)(operand, []), isNegated))
    } else if (!fillers.has(name)) return undefined
  }
  if (conditions.length === 0) return undefined
  const text = message === undefined ? '' : `, ${message}`
  return { code: `client.assert(${conditions.join(' && ')}${text})`, end: index }
}

/** Names, members and calls; or a whole that has its brackets already. */
function isOperand(value: string): boolean {
  const chain = /^[\w$]+(?:\.[\w$]+|\?\.[\w$]+|\((?:"[^"]*"|'[^']*'|[^()'"])*\)|\[(?:"[^"]*"|'[^']*'|[^[\]'"])*\])*$/
  return chain.test(value) || (value.startsWith('(') && bracketEnd(value, 0) === value.length)
}

/** The opposite of a comparison by its operator, of anything else by `!`. */
function conditionText(condition: string, isNegated: boolean): string {
  if (!isNegated) return condition
  const comparison = /^((?:(?!===|&&|\|\|).)+) === ((?:(?!===|&&|\|\|).)+)$/s.exec(condition)
  return comparison === null ? `!(${condition})` : `${comparison[1]} !== ${comparison[2]}`
}
