/**
 * The globals of a plain script: the plain parts of `client`, `console`, `response` and `JSON`.
 *
 * Rules: external effects of the script are recorded and applied after it has finished, so a script that is declined in
 * the middle has had no effect. A failure, such as an assertion's, is declined: the engine reports the reason.
 * src/runner/scripting/guest has everything that scripts find in the engine.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import { builtIns } from './plain-methods.ts'
import {
  type Data,
  Declined,
  dataOf,
  type HostFunction,
  HostObject,
  PlainFunction,
  type PlainValue,
  shownText,
  textOf,
} from './plain-values.ts'

/** The response that a handler sees. */
export interface PlainResponse {
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** `mimeType` is in lower case. */
  readonly contentType: { readonly mimeType: string; readonly charset: string }
  readonly content: Uint8Array
}

export type PlainEvent =
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'test'; readonly name: string }

type Value = PlainValue<PlainWorld>
type Given = readonly Value[]

/** Larger bodies are left to the engine, which has a memory limit. */
const MAX_BODY_BYTES = 1024 * 1024
/** The maximum number of tests and log lines of one script. */
const MAX_EVENTS = 1000
/**
 * Limit on the text that a script logs, sets and serialises; the engine allows more, and reports an excess with its
 * place.
 */
const MAX_CHARACTERS = 2 * 1024 * 1024
/**
 * The maximum number of steps: one for each token of a function call or a loop iteration, or 64 characters searched.
 */
const MAX_STEPS = 100_000
/** JSON that is several times as deep exceeds the engine's stack. */
const MAX_JSON_DEPTH = 1000

interface PlainTest {
  readonly name: string
  readonly body: PlainFunction<PlainWorld>
  readonly locals: Value[]
}

export class PlainWorld {
  readonly response: PlainResponse
  readonly events: PlainEvent[] = []
  /** Variables that the script has set. */
  readonly globals: Map<string, JsonValue> = new Map()
  /** Values of the names that it declares. */
  locals: Value[] = []
  readonly #globalsBefore: ReadonlyMap<string, JsonValue>
  readonly #tests: PlainTest[] = []
  #body: { readonly value: Data } | undefined
  #characters = 0
  #steps = 0
  /** The number of functions and loops that are running. */
  #depth = 0
  #returned: Value

  constructor(response: PlainResponse, globals: ReadonlyMap<string, JsonValue>) {
    this.response = response
    this.#globalsBefore = globals
  }

  /** Runs the tests that were registered, including those that tests register. @throws Declined */
  runTests(): void {
    for (const { name, body, locals } of this.#tests) {
      this.locals = locals
      body.call(this, [])
      this.report({ type: 'test', name })
    }
  }

  register(name: string, body: PlainFunction<PlainWorld>): void {
    if (this.#tests.length >= MAX_EVENTS) throw new Declined('many tests')
    this.counted(name)
    // The next call or iteration stores other values in the same places.
    this.#tests.push({ name, body, locals: this.#depth > 0 ? [...this.locals] : this.locals })
  }

  // Functions and loops.

  /** @param size of the function, in tokens */
  call(size: number, places: readonly number[], args: readonly Data[], run: (world: PlainWorld) => Value): Value {
    this.count(size)
    for (const [index, place] of places.entries()) this.locals[place] = args[index]
    this.#depth++
    const result = run(this)
    this.#depth--
    return typeof result === 'string' ? this.counted(result) : result
  }

  /** @returns whether the function around the loop has returned */
  forEach(values: Value, size: number, place: number, run: (world: PlainWorld) => boolean): boolean {
    const list = dataOf(values)
    if (!Array.isArray(list)) throw new Declined('no list')
    this.#depth++
    const hasReturned = list.some((value) => {
      this.count(size)
      this.locals[place] = value
      return run(this)
    })
    this.#depth--
    return hasReturned
  }

  setReturned(value: Value): void {
    this.#returned = value
  }

  /** The value of the last `return`. */
  get returned(): Value {
    return this.#returned
  }

  /** @throws Declined if the script has taken too many steps */
  count(steps: number): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS) throw new Declined('many steps')
  }

  report(event: PlainEvent): void {
    if (this.events.length >= MAX_EVENTS) throw new Declined('many events')
    this.events.push(event)
  }

  /** The text, if the limit still allows it. @throws Declined */
  counted(text: string): string {
    this.#characters += text.length
    if (this.#characters > MAX_CHARACTERS) throw new Declined('many characters')
    return text
  }

  global(name: string): Data {
    return (this.globals.has(name) ? this.globals : this.#globalsBefore).get(name)
  }

  /** Parsed only once: a script that reads it twice gets the same value. */
  get body(): Data {
    this.#body ??= { value: bodyOf(this.response) }
    return this.#body.value
  }
}

function bodyOf({ content, contentType: { mimeType, charset } }: PlainResponse): Data {
  if (content.length > MAX_BODY_BYTES) throw new Declined('a large body')
  if (!/^(?:utf-?8)?$/i.test(charset)) throw new Declined('a charset')
  const text = new TextDecoder().decode(content)
  if (/^text\/(?!html|xml|json|event-stream)[\w.-]+$/.test(mimeType)) return text
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(mimeType)) throw new Declined('a document, or something unknown')
  return parsed(text)
}

function parsed(json: string): JsonValue {
  let value: JsonValue
  try {
    value = JSON.parse(json) as JsonValue
  } catch {
    throw new Declined('no JSON')
  }
  if (json.length > MAX_JSON_DEPTH && isDeeper(value, MAX_JSON_DEPTH)) throw new Declined('deep JSON')
  return value
}

function isDeeper(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}

/** The arguments, if there are exactly that many. */
function exactly(count: number, args: Given): readonly Data[] {
  if (args.length !== count) throw new Declined('arguments')
  return args.map(dataOf)
}

function log(world: PlainWorld, args: Given): undefined {
  world.report({ type: 'log', text: world.counted(args.map((value) => shownText(dataOf(value))).join(' ')) })
}

const globalVariables = new HostObject<PlainWorld>(
  {},
  {
    get: (world, args) => world.global(textOf(exactly(1, args)[0])),
    set: (world, args) => {
      const [name, value] = exactly(2, args)
      if (value === undefined) throw new Declined('a variable taken away')
      world.globals.set(world.counted(textOf(name)), JSON.parse(world.counted(JSON.stringify(value))) as JsonValue)
      return undefined
    },
  },
)

const client = new HostObject<PlainWorld>(
  { global: () => globalVariables },
  {
    test: (world, [name, body, ...others]) => {
      if (!(body instanceof PlainFunction) || body.parameterCount > 0 || others.length > 0)
        throw new Declined('no plain test')
      world.register(textOf(dataOf(name)), body)
      return undefined
    },
    assert: (_world, args) => {
      if (args.length > 2 || !args.map(dataOf)[0]) throw new Declined('a failure')
      return undefined
    },
    log,
  },
)

function valuesOf(world: PlainWorld, args: Given): readonly string[] {
  const wanted = textOf(exactly(1, args)[0]).toLowerCase()
  const values: string[] = []
  for (const [name, value] of world.response.headers) {
    if (name.toLowerCase() !== wanted) continue
    if (/[^\0-\x7f]/.test(value)) throw new Declined('bytes beyond ASCII')
    values.push(value)
  }
  return values
}

const contentType = new HostObject<PlainWorld>({
  mimeType: ({ response }) => response.contentType.mimeType,
  charset: ({ response }) => response.contentType.charset,
})

const headers = new HostObject<PlainWorld>(
  {},
  {
    valueOf: (world: PlainWorld, args: Given) => valuesOf(world, args)[0] ?? null,
    valuesOf: (world, args) => [...valuesOf(world, args)],
  },
)

const response = new HostObject<PlainWorld>({
  status: (world) => world.response.status,
  contentType: () => contentType,
  headers: () => headers,
  body: (world) => world.body,
})

const json = new HostObject<PlainWorld>(
  {},
  {
    parse: (world: PlainWorld, args: Given) => {
      const [text] = exactly(1, args)
      if (typeof text !== 'string') throw new Declined('no text')
      return parsed(world.counted(text))
    },
    stringify: (world, args) => {
      const [value] = exactly(1, args)
      return value === undefined ? undefined : world.counted(textOf(JSON.stringify(value)))
    },
  },
)

/** Names that need no declaration. */
export const plainNames: Readonly<Record<string, Value>> = {
  undefined,
  client,
  console: new HostObject<PlainWorld>({}, { log, info: log, warn: log, error: log, debug: log }),
  response,
  JSON: json,
  ...builtIns,
}

/** A function among them, such as `Number`. */
export function plainFunction(name: string): HostFunction<PlainWorld> | undefined {
  const value = Object.hasOwn(plainNames, name) ? plainNames[name] : undefined
  return value instanceof HostObject ? value.call : undefined
}
