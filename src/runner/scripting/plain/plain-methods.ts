/**
 * The methods and functions of the language that a plain script can call.
 *
 * Rules: as for operators, each does exactly what the language specifies for the listed operands, and declines all
 * others. What depends on the length of a text or list is counted. ECMA-262 sections 19.2, 22.1 and 23.1.
 */
import {
  type Data,
  Declined,
  dataOf,
  HostObject,
  isObject,
  isText,
  limited,
  MAX_TEXT_LENGTH,
  PlainFunction,
  type PlainValue,
  textOf,
} from './plain-values.ts'

interface Counting {
  /** @throws Declined if the script has taken too many steps */
  readonly count: (steps: number) => void
}

/** Non-ASCII letters are left to the engine, whose Unicode tables may be of another version. */
function ascii(text: string): string {
  if (/[^\0-\x7f]/.test(text)) throw new Declined('letters beyond ASCII')
  return text
}

type TextMethods = Readonly<Record<string, (text: string, ...args: never[]) => Data>>

/** By the types of their arguments; more arguments are not allowed. */
const textMethods: Readonly<Record<string, TextMethods>> = {
  '': {
    trim: (text) => text.trim(),
    toLowerCase: (text) => ascii(text).toLowerCase(),
    toUpperCase: (text) => ascii(text).toUpperCase(),
    toString: (text: string) => text,
  },
  string: {
    includes: (text, word: string) => text.includes(word),
    startsWith: (text, word: string) => text.startsWith(word),
    endsWith: (text, word: string) => text.endsWith(word),
    indexOf: (text, word: string) => text.indexOf(word),
    lastIndexOf: (text, word: string) => text.lastIndexOf(word),
    split: (text, word: string) => text.split(word),
  },
  number: {
    slice: (text, start: number) => text.slice(start),
    substring: (text, start: number) => text.substring(start),
  },
  'number number': {
    slice: (text, start: number, end: number) => text.slice(start, end),
    substring: (text, start: number, end: number) => text.substring(start, end),
  },
  'string string': {
    replace: (text, word: string, by: string) => limited(text.replace(word, by)),
  },
}

type List = readonly Data[]

/** Methods that call a function for each element, with its index. */
const listWalks: Readonly<Record<string, (list: List, call: (value: Data, index: number) => Data) => unknown>> = {
  every: (list, call) => list.every(call),
  filter: (list, call) => list.filter(call),
  find: (list, call) => list.find(call),
  findIndex: (list, call) => list.findIndex(call),
  forEach: (list, call) => list.forEach(call),
  map: (list, call) => list.map(call),
  some: (list, call) => list.some(call),
}

const listMethods: Readonly<Record<string, (list: List, value: Data) => Data>> = {
  includes: (list, value) => list.includes(value),
  indexOf: (list, value) => list.indexOf(value),
  join: (list, value) => {
    if (!isText(value)) throw new Declined('no separator')
    return limited(list.map((each) => (each === null || each === undefined ? '' : textOf(each))).join(value))
  },
}

/** Calls a method of a value. */
export function called<World extends Counting>(
  value: PlainValue<World>,
  name: string,
  args: readonly PlainValue<World>[],
  world: World,
): PlainValue<World> {
  if (value instanceof HostObject) {
    if (Object.hasOwn(value.methods, name)) return value.methods[name]?.(world, args)
    throw new Declined('no method of the runner')
  }
  const data = dataOf(value)
  const [first] = args
  if (first instanceof PlainFunction) {
    const walk = Object.hasOwn(listWalks, name) ? listWalks[name] : undefined
    if (walk === undefined || !Array.isArray(data) || args.length > 1 || first.parameterCount > 2) return declined(name)
    return walk(data, (each, index) => dataOf(first.call(world, [each, index]))) as Data
  }
  const operands = args.map(dataOf)
  if (isText(data)) return calledText(data, name, operands, world)
  const [operand] = operands
  if (args.length !== 1 || isObject(operand)) return declined(name)
  if (Array.isArray(data) && Object.hasOwn(listMethods, name)) {
    world.count(data.length)
    return listMethods[name]?.(data, operand)
  }
  if (isText(operand) && isObject(data) && name === 'hasOwnProperty' && !Object.hasOwn(data, name)) {
    return Object.hasOwn(data, operand)
  }
  return declined(name)
}

function calledText(text: string, name: string, operands: readonly Data[], world: Counting): Data {
  const [first = ''] = operands
  const methods = textMethods[operands.map((operand) => typeof operand).join(' ')]
  if (methods === undefined || !Object.hasOwn(methods, name) || text.length > MAX_TEXT_LENGTH) return declined(name)
  world.count(Math.ceil((text.length * (isText(first) ? first.length + 1 : 1)) / 64))
  return methods[name]?.(text, ...(operands as never[]))
}

function declined(what: string): never {
  throw new Declined(what)
}

function only(args: readonly unknown[]): Data {
  if (args.length !== 1) throw new Declined('arguments')
  return dataOf(args[0] as PlainValue<unknown>)
}

function numberOf(value: Data): number {
  if (isObject(value)) throw new Declined('an object as a number')
  return Number(value)
}

/** A text that is to be parsed as a number. After 20 digits, the language leaves the result open. */
function digitsOf(value: Data): string {
  const text = textOf(value)
  if (text.length > 20) throw new Declined('a long number')
  return text
}

/** Global names of the language. */
export const builtIns: Readonly<Record<string, HostObject<unknown>>> = {
  Array: new HostObject({}, { isArray: (_world, args) => Array.isArray(only(args)) }),
  Object: new HostObject(
    {},
    {
      keys: (_world, args) => {
        const value = only(args)
        return isObject(value) ? Object.keys(value) : declined('keys')
      },
    },
  ),
  Boolean: new HostObject({}, {}, (_world, args) => Boolean(only(args))),
  Number: new HostObject({}, {}, (_world, args) => numberOf(only(args))),
  String: new HostObject({}, {}, (_world, args) => textOf(only(args))),
  parseFloat: new HostObject({}, {}, (_world, args) => Number.parseFloat(digitsOf(only(args)))),
  parseInt: new HostObject({}, {}, (_world, [value, radix, ...others]) => {
    if ((radix !== undefined && radix !== 10) || others.length > 0) throw new Declined('another radix')
    return Number.parseInt(digitsOf(dataOf(value)), radix)
  }),
}
