/**
 * JSONPath as the vendor's engine reads it, for expressions that RFC 9535 rejects: `$.items.length()`, `$[?(@.name =~
 * /a.+/)]`, `$..price.sum()`, `$[?(@.size in ['S', 'M'])]`.
 *
 * Rules: parsed from left to right into steps; each step maps the values so far to the next ones. A function at the end
 * receives the list if the path can match several values, otherwise the single value. A missing value never satisfies a
 * filter.
 */

type Step = (values: readonly unknown[], root: unknown) => unknown[]
type Test = (node: unknown, root: unknown) => boolean
type Operand = (node: unknown, root: unknown) => unknown

interface Path {
  readonly steps: readonly Step[]
  readonly isDefinite: boolean
  readonly finish: ((value: unknown) => unknown) | undefined
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function member(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key < 0 ? value.length + key : key] : undefined
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const present = (values: readonly unknown[]): unknown[] => values.filter((value) => value !== undefined)
const children = (value: unknown): unknown[] => (isObject(value) ? Object.values(value) : [])

/** A value and all values below it, outer ones first. */
function descendants(value: unknown): unknown[] {
  const found: unknown[] = []
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    found.push(next)
    for (const child of children(next).reverse()) waiting.push(child)
  }
  return found
}

const numbersOf = (value: unknown): number[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'number')
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length

const sizeOf = (value: unknown): number | undefined => {
  if (typeof value === 'string') return value.length
  return isObject(value) ? Object.keys(value).length : undefined
}

const functions: Readonly<Record<string, (value: unknown, argument: unknown) => unknown>> = {
  length: sizeOf,
  size: sizeOf,
  keys: (value) => (isObject(value) && !Array.isArray(value) ? Object.keys(value) : undefined),
  sum: (value) => numbersOf(value).reduce((sum, each) => sum + each, 0),
  min: (value) => numbersOf(value).reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY),
  max: (value) => numbersOf(value).reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY),
  avg: (value) => mean(numbersOf(value)),
  stddev: (value) => {
    const numbers = numbersOf(value)
    const middle = mean(numbers)
    return Math.sqrt(mean(numbers.map((each) => (each - middle) ** 2)))
  },
  first: (value) => member(value, 0),
  last: (value) => member(value, -1),
  index: (value, argument) => member(value, Number(argument)),
  concat: (value, argument) => (Array.isArray(value) ? value.join('') : String(value)) + (argument ?? ''),
  append: (value, argument) => (Array.isArray(value) ? [...value, argument] : undefined),
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const isAmong = (value: unknown, other: unknown): boolean => list(other).some((each) => isSame(value, each))
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (isObject(one) && isObject(other) && JSON.stringify(one) === JSON.stringify(other))
const isOrdered = (one: unknown, other: unknown): boolean =>
  typeof one === typeof other && /^(?:number|string)$/.test(typeof one)

const operators: Readonly<Record<string, (left: never, right: never) => boolean>> = {
  '==': isSame,
  '!=': (left, right) => !isSame(left, right),
  '<=': (left, right) => isOrdered(left, right) && left <= right,
  '>=': (left, right) => isOrdered(left, right) && left >= right,
  '<': (left, right) => isOrdered(left, right) && left < right,
  '>': (left, right) => isOrdered(left, right) && left > right,
  '=~': (left: unknown, right: unknown) => typeof left === 'string' && right instanceof RegExp && right.test(left),
  in: isAmong,
  nin: (left, right) => !isAmong(left, right),
  subsetof: (left, right) => list(left).every((each) => isAmong(each, right)),
  anyof: (left, right) => list(left).some((each) => isAmong(each, right)),
  noneof: (left, right) => !list(left).some((each) => isAmong(each, right)),
  contains: (left: unknown, right: unknown) =>
    typeof left === 'string' ? left.includes(String(right)) : Array.isArray(left) && isAmong(right, left),
  size: (left, right) => sizeOf(left) === (typeof right === 'number' ? right : sizeOf(right)),
  empty: (left, right) => (sizeOf(left) === 0) === right,
}

class PathReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** @throws SyntaxError */
  whole(): Path {
    if (this.#take(/\$/y) === undefined) throw this.#problem('$')
    const path = this.#path()
    if (this.#at < this.#text.length) throw this.#problem('a step of a path')
    return path
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at += match[0].length
    return match ?? undefined
  }

  #problem(wanted: string): SyntaxError {
    const found = this.#text.slice(this.#at, this.#at + 20)
    return new SyntaxError(`expected ${wanted} at ${found === '' ? 'the end' : JSON.stringify(found)}`)
  }

  #path(): Path {
    const steps: Step[] = []
    let isDefinite = true
    for (;;) {
      const call = this.#take(/\.([a-z]+)\(\s*/y)
      if (call !== undefined) return { steps, isDefinite, finish: this.#function(call[1] as string) }
      if (this.#take(/\.\./y) !== undefined) {
        steps.push((values) => values.flatMap(descendants))
        isDefinite = false
        if (this.#text[this.#at] !== '[') {
          steps.push(this.#named())
          continue
        }
      } else if (this.#take(/\.(?!\[)/y) !== undefined) {
        if (this.#text[this.#at] === '*') isDefinite = false
        steps.push(this.#named())
        continue
      }
      if (this.#take(/\.?\[\s*/y) === undefined) return { steps, isDefinite, finish: undefined }
      const { step, isSingle } = this.#bracket()
      steps.push(step)
      isDefinite &&= isSingle
    }
  }

  #named(): Step {
    if (this.#take(/\*/y) !== undefined) return (values) => values.flatMap(children)
    const name = this.#take(/[^\s.[\]()'",=<>!&|~]+/y)?.[0]
    if (name === undefined) throw this.#problem('a name')
    return (values) => present(values.map((value) => member(value, name)))
  }

  #function(name: string): (value: unknown) => unknown {
    const maker = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (maker === undefined) throw new SyntaxError(`${name}() is not a function of a path`)
    const argument = this.#text[this.#at] === ')' ? undefined : this.#literal()
    if (this.#take(/\s*\)/y) === undefined) throw this.#problem(')')
    return (value) => maker(value, argument)
  }

  #bracket(): { readonly step: Step; readonly isSingle: boolean } {
    if (this.#take(/\*\s*\]/y) !== undefined) return { step: (values) => values.flatMap(children), isSingle: false }
    if (this.#take(/\?\s*/y) !== undefined) {
      const test = this.#or()
      if (this.#take(/\s*\]/y) === undefined) throw this.#problem(']')
      const step: Step = (values, root) => values.flatMap((value) => children(value).filter((each) => test(each, root)))
      return { step, isSingle: false }
    }
    const slice = this.#take(/(-?\d+)?\s*:\s*(-?\d+)?\s*\]/y)
    if (slice !== undefined) {
      const [start, end] = [slice[1], slice[2]].map((each) => (each === undefined ? undefined : Number(each)))
      return {
        step: (values) => values.flatMap((value) => (Array.isArray(value) ? value.slice(start, end) : [])),
        isSingle: false,
      }
    }
    const keys: (string | number)[] = []
    do keys.push(this.#literal() as string | number)
    while (this.#take(/\s*,\s*/y) !== undefined)
    if (this.#take(/\s*\]/y) === undefined) throw this.#problem(']')
    const step: Step = (values) => present(values.flatMap((value) => keys.map((key) => member(value, key))))
    return { step, isSingle: keys.length === 1 }
  }

  #or(): Test {
    const tests = [this.#and()]
    while (this.#take(/\s*\|\|\s*/y) !== undefined) tests.push(this.#and())
    return (node, root) => tests.some((test) => test(node, root))
  }

  #and(): Test {
    const tests = [this.#condition()]
    while (this.#take(/\s*&&\s*/y) !== undefined) tests.push(this.#condition())
    return (node, root) => tests.every((test) => test(node, root))
  }

  #condition(): Test {
    if (this.#take(/\s*!(?!=)\s*/y) !== undefined) {
      const test = this.#condition()
      return (node, root) => !test(node, root)
    }
    if (this.#take(/\s*\(\s*/y) !== undefined) {
      const test = this.#or()
      if (this.#take(/\s*\)/y) === undefined) throw this.#problem(')')
      return test
    }
    const left = this.#operand()
    const sign = this.#take(/\s*(==|!=|<=|>=|<|>|=~|(?:in|nin|subsetof|anyof|noneof|contains|size|empty)\b)\s*/iy)?.[1]
    if (sign === undefined) return (node, root) => left(node, root) !== undefined
    const holds = operators[sign.toLowerCase()] as (left: unknown, right: unknown) => boolean
    const right = this.#operand()
    return (node, root) => {
      const value = left(node, root)
      return (value !== undefined || sign === '!=') && holds(value, right(node, root))
    }
  }

  #operand(): Operand {
    const start = this.#take(/\s*([@$])/y)?.[1]
    if (start !== undefined) {
      const path = this.#path()
      return (node, root) => found(path, start === '@' ? node : root, root)
    }
    const value = this.#literal()
    return () => value
  }

  #literal(): unknown {
    const quoted = this.#take(/\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/y)
    if (quoted !== undefined) return (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1')
    const pattern = this.#take(/\s*\/((?:[^/\\]|\\.)+)\/([a-z]*)/y)
    // The expression must match the whole text, as in the vendor's engine.
    if (pattern !== undefined) return new RegExp(`^(?:${pattern[1]})$`, pattern[2])
    const word = this.#take(/\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b)/y)
    if (word !== undefined) return JSON.parse(word[1] as string)
    if (this.#take(/\s*\[\s*/y) === undefined) throw this.#problem('a value')
    const items: unknown[] = []
    while (this.#take(/\s*\]/y) === undefined) {
      items.push(this.#literal())
      this.#take(/\s*,/y)
    }
    return items
  }
}

/** The result of a path: the value if it can match only one, otherwise a list. */
function found({ steps, isDefinite, finish }: Path, start: unknown, root: unknown): unknown {
  const values = steps.reduce<unknown[]>((so, step) => step(so, root), [start])
  const result = isDefinite ? values[0] : values
  return finish === undefined || result === undefined ? result : finish(result)
}

/** @throws SyntaxError */
export function vendorPath(value: unknown, path: string): unknown {
  return found(new PathReader(path).whole(), value, value)
}
