/**
 * The operations of a plain script on values: operators and members.
 *
 * Rules: each does exactly what the language specifies for the listed operands, and declines all others. Values are
 * data: nothing of the host can be reached through them, and members inherited from a prototype are not found. Nothing
 * changes a value. ECMA-262 sections 7.2, 13 and 22.
 */
import type { JsonValue } from '../../../http-file/index.ts'

/** The engine has to run this script: it is not plain, or something in it fails. */
export class Declined extends Error {
  constructor(what: string) {
    super(what)
    this.name = 'Declined'
  }
}

/**
 * An object that the runner provides to a script: only its listed members and methods can be used, and it is not a
 * value.
 */
export class HostObject<World> {
  readonly members: Readonly<Record<string, (world: World) => PlainValue<World>>>
  readonly methods: Readonly<Record<string, HostFunction<World>>>
  /** Calls the object itself. */
  readonly call: HostFunction<World> | undefined

  constructor(
    members: HostObject<World>['members'],
    methods: HostObject<World>['methods'] = {},
    call?: HostFunction<World>,
  ) {
    this.members = members
    this.methods = methods
    this.call = call
  }
}

export type HostFunction<World> = (world: World, args: readonly PlainValue<World>[]) => PlainValue<World>

/** A function passed by the script, which is called only while the method that received it, or a test, is running. */
export class PlainFunction<World> {
  readonly parameterCount: number
  readonly call: (world: World, args: readonly Data[]) => PlainValue<World>

  constructor(parameterCount: number, call: PlainFunction<World>['call']) {
    this.parameterCount = parameterCount
    this.call = call
  }
}

export type Data = JsonValue | undefined
export type PlainValue<World> = Data | HostObject<World> | PlainFunction<World>

/** Longer texts are left to the engine, which has a memory limit. */
export const MAX_TEXT_LENGTH: number = 64 * 1024

export function dataOf<World>(value: PlainValue<World>): Data {
  if (value instanceof HostObject || value instanceof PlainFunction) throw new Declined('no data')
  return value
}

/** Converts a value to a string as the language does. */
export function textOf(value: Data): string {
  if (typeof value === 'object' && value !== null) throw new Declined('text of an object')
  return limited(String(value))
}

export function limited(text: string): string {
  if (text.length > MAX_TEXT_LENGTH) throw new Declined('a long text')
  return text
}

/** The text that `client.log` shows for a value. */
export function shownText(value: Data): string {
  return typeof value === 'object' && value !== null ? limited(JSON.stringify(value)) : textOf(value)
}

export function isText(value: Data): value is string {
  return typeof value === 'string'
}

function isNumber(value: Data): value is number {
  return typeof value === 'number'
}

export function isObject(value: Data): value is Exclude<JsonValue, string | number | boolean | null> {
  return typeof value === 'object' && value !== null
}

/** The identity of objects depends on where they came from, which is not recorded here. */
function isSame(left: Data, right: Data): boolean {
  if (isObject(left) && isObject(right)) throw new Declined('objects compared')
  return left === right
}

/**
 * For operands of different types, the language usually converts one of them; only null and undefined are simple enough
 * to compare here.
 */
function isEqual(left: Data, right: Data): boolean {
  if (left === undefined || left === null || right === undefined || right === null)
    return (left ?? null) === (right ?? null)
  if (typeof left !== typeof right) throw new Declined('types compared')
  return isSame(left, right)
}

function isBefore(left: Data, right: Data): boolean {
  if ((isNumber(left) && isNumber(right)) || (isText(left) && isText(right))) return left < right
  throw new Declined('order of other types')
}

function sum(left: Data, right: Data): Data {
  if (isNumber(left) && isNumber(right)) return left + right
  if (isText(left) || isText(right)) return limited(textOf(left) + textOf(right))
  throw new Declined('sum of other types')
}

function calculated(calculate: (left: number, right: number) => number): (left: Data, right: Data) => Data {
  return (left, right) => {
    if (isNumber(left) && isNumber(right)) return calculate(left, right)
    throw new Declined('arithmetic of other types')
  }
}

export interface BinaryOperator {
  /** Higher binds tighter. */
  readonly precedence: number
  readonly apply: (left: Data, right: Data) => Data
}

/** All operators that always evaluate both sides. ECMA-262 sections 13.7 to 13.11. */
export const binaryOperators: Readonly<Record<string, BinaryOperator>> = {
  '===': { precedence: 1, apply: isSame },
  '!==': { precedence: 1, apply: (left, right) => !isSame(left, right) },
  '==': { precedence: 1, apply: isEqual },
  '!=': { precedence: 1, apply: (left, right) => !isEqual(left, right) },
  '<': { precedence: 2, apply: isBefore },
  '>': { precedence: 2, apply: (left, right) => isBefore(right, left) },
  // With NaN both comparisons are false, so these are not the negations of the two above.
  '<=': { precedence: 2, apply: (left, right) => isBefore(left, right) || left === right },
  '>=': { precedence: 2, apply: (left, right) => isBefore(right, left) || left === right },
  '+': { precedence: 3, apply: sum },
  '-': { precedence: 3, apply: calculated((left, right) => left - right) },
  '*': { precedence: 4, apply: calculated((left, right) => left * right) },
  '/': { precedence: 4, apply: calculated((left, right) => left / right) },
  '%': { precedence: 4, apply: calculated((left, right) => left % right) },
}

/** A member of a value, by its name or index. */
export function memberOf<World>(value: PlainValue<World>, key: Data, world: World): PlainValue<World> {
  if (value instanceof HostObject) {
    if (isText(key) && Object.hasOwn(value.members, key)) return value.members[key]?.(world)
    throw new Declined('no member of the runner')
  }
  const data = dataOf(value)
  const name = isNumber(key) && Number.isInteger(key) && key >= 0 ? String(key) : key
  if (!isText(name)) throw new Declined('no name')
  if (isText(data)) {
    if (name === 'length') return data.length
    if (/^\d+$/.test(name) && String(Number(name)) === name) return data[Number(name)]
    throw new Declined('no member of a text')
  }
  if (!isObject(data)) throw new Declined('members of other types')
  if (Object.hasOwn(data, name)) return (data as Readonly<Record<string, Data>>)[name]
  // The built-in objects have the same names here and in the engine.
  if (name in Object.prototype || (Array.isArray(data) && name in Array.prototype)) throw new Declined('inherited')
  return undefined
}
