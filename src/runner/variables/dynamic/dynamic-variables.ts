/**
 * Variables whose value is generated at each use: `{{$uuid}}`, `{{$random.integer(1, 5)}}` and similar ones.
 *
 * Rules: a table from name to value; the clock and random bytes are parameters, and every value is generated from them,
 * so fixed ones give fixed values. Fake names, addresses and so on come from a library that is loaded when the first
 * one is used.
 */
import { badArgument, type DynamicArgument, type DynamicCall, notLoaded, parseDynamicCall } from './dynamic-call.ts'
import { isDrawable, randomFraction, randomInteger, randomText, randomUuid } from './random-numbers.ts'
import type { ValueSources } from './value-sources.ts'

export interface DynamicValue {
  readonly text: string
  /** Whether it is a JSON value when it appears outside quotes in JSON. */
  readonly isBare: boolean
}

/** `$random.integer()` and `$randomInt`: 0 to 1000, inclusive. */
const DEFAULT_END = 1001
/** Maximum length of a generated text; a test that needs more should use a file. */
const MAX_TEXT_LENGTH = 1_000_000

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const DIGITS = '0123456789'

type Maker = (sources: ValueSources, call: DynamicCall) => string | number

const makers: Readonly<Record<string, Maker>> = {
  $uuid: ({ randomBytes }) => randomUuid(randomBytes),
  '$random.uuid': ({ randomBytes }) => randomUuid(randomBytes),
  $guid: ({ randomBytes }) => randomUuid(randomBytes),
  $timestamp: ({ now }) => Math.floor(now() / 1000),
  $isoTimestamp: ({ now }) => new Date(now()).toISOString(),
  $randomInt: ({ randomBytes }) => randomInteger(0, DEFAULT_END, randomBytes),
  '$random.integer': ({ randomBytes }, call) => {
    const [from, to] = range(call, true)
    return randomInteger(from, to, randomBytes)
  },
  '$random.float': ({ randomBytes }, call) => {
    const [from, to] = range(call, false)
    return from + randomFraction(randomBytes) * (to - from)
  },
  '$random.alphabetic': ({ randomBytes }, call) => randomText(length(call), LETTERS, randomBytes),
  '$random.alphanumeric': ({ randomBytes }, call) => randomText(length(call), `${LETTERS}${DIGITS}_`, randomBytes),
  '$random.hexadecimal': ({ randomBytes }, call) => randomText(length(call), `${DIGITS}abcdef`, randomBytes),
  '$random.email': ({ randomBytes }) => {
    const part = (size: number): string => randomText(size, LETTERS.slice(0, 26), randomBytes)
    return `${part(8)}.${part(6)}@${part(7)}.example.com`
  },
}

/** Variables that take arguments. */
const makersWithArguments: ReadonlySet<string> = new Set([
  '$random.integer',
  '$random.float',
  '$random.alphabetic',
  '$random.alphanumeric',
  '$random.hexadecimal',
])

/** The library of fake values, once it is loaded. */
let fakes: typeof import('./fake-values.ts') | undefined

/**
 * Every name that `dynamicValue` knows; fake values are included once they are loaded, which is before an unknown name
 * is reported.
 */
export function dynamicNames(): readonly string[] {
  return [...Object.keys(makers), ...(fakes?.fakeNames ?? [])]
}

/**
 * Known names that are similar to an unknown one: the same in each run, whatever other files have loaded.
 * @param expression as between the braces
 */
export function namesLike(expression: string): readonly string[] {
  return librariesOf(expression).length > 0 ? dynamicNames() : Object.keys(makers)
}

/** The libraries to load before `dynamicValue` is called with an expression. */
export function librariesOf(expression: string): readonly (() => Promise<void>)[] {
  const [name] = (expression.startsWith('$random.') && /^[^\s(]+/.exec(expression)) || []
  if (name === undefined || Object.hasOwn(makers, name)) return []
  return /^\$random\.locale\b/i.test(name) ? [loadLanguages] : [loadFakes]
}

export async function loadFakes(): Promise<void> {
  fakes ??= await import('./fake-values.ts')
}

export async function loadLanguages(): Promise<void> {
  await loadFakes()
  await fakes?.loadLanguages()
}

/** Whether a name takes arguments. For fake values this is known once they are loaded. */
export function takesArguments(name: string): boolean {
  return makersWithArguments.has(name) || fakes?.takesArguments(name) === true
}

/**
 * A new value; undefined for an unknown name.
 * @param expression the text between the braces
 * @throws HttpcliError `bad-argument`; `unknown-variable` if a library was not loaded, see `librariesOf`
 */
export function dynamicValue(expression: string, sources: ValueSources): DynamicValue | undefined {
  const call = parseDynamicCall(expression)
  if (call === undefined) return undefined
  const { name } = call
  const maker = Object.hasOwn(makers, name) ? makers[name] : undefined
  if (maker === undefined) return name.startsWith('$random.') ? fakeOf(call, sources) : undefined
  if (call.arguments.length > 0 && !makersWithArguments.has(name)) {
    throw badArgument(name, `takes no arguments, found ${call.arguments.length}`)
  }
  return shown(maker(sources, call))
}

function fakeOf(call: DynamicCall, sources: ValueSources): DynamicValue | undefined {
  if (fakes === undefined) throw notLoaded(call.name)
  const value = fakes.fakeValue(call, sources)
  return value === undefined ? undefined : shown(value)
}

function shown(value: string | number | boolean): DynamicValue {
  return { text: plainDecimal(value), isBare: typeof value !== 'string' }
}

/** JavaScript writes very small numbers with an exponent, which not every decimal parser accepts. */
function plainDecimal(value: string | number | boolean): string {
  const text = String(value)
  return typeof value === 'number' && text.includes('e-') ? value.toFixed(20).replace(/(?<!0)0+$/, '') : text
}

function range(call: DynamicCall, isWhole: boolean): readonly [from: number, to: number] {
  const { name, arguments: args } = call
  const hint = `Write ${name}(), ${name}(to) or ${name}(from, to).`
  if (args.length > 2) throw badArgument(name, `takes at most two numbers, found ${args.length}`, hint)
  for (const value of args) {
    const isRight = typeof value === 'number' && (!isWhole || Number.isSafeInteger(value))
    const wanted = isWhole ? 'whole numbers' : 'numbers'
    if (!isRight) throw badArgument(name, `takes ${wanted}, found ${JSON.stringify(value)}`, hint)
  }
  const [first, second] = args as readonly number[]
  const from = second === undefined ? 0 : (first as number)
  const to = second ?? first ?? (isWhole ? DEFAULT_END : DEFAULT_END - 1)
  if (from >= to) throw badArgument(name, `the range from ${from} up to, not including, ${to} is empty`, hint)
  if (isWhole && !isDrawable(from, to)) throw badArgument(name, `the range from ${from} to ${to} is too large`, hint)
  return [from, to]
}

function length({ name, arguments: args }: DynamicCall): number {
  const [value] = args as readonly (DynamicArgument | undefined)[]
  const isRight = args.length === 1 && Number.isInteger(value) && (value as number) >= 0
  if (isRight && (value as number) <= MAX_TEXT_LENGTH) return value as number
  const found = args.length === 1 ? JSON.stringify(value) : `${args.length} arguments`
  throw badArgument(name, `takes a length from 0 to ${MAX_TEXT_LENGTH}, found ${found}`, `Write ${name}(10).`)
}
