/**
 * Runs plain handlers without the script engine.
 *
 * Rules: a script can be run in two ways that have the same meaning. The engine defines this meaning: it runs every
 * script and reports every error. The code here runs typical handlers (111 of 140 in public request files) in a
 * fraction of the time. It declines all other scripts, and those in which anything fails: the engine then runs them
 * from the start. test/runner/scripting/plain keeps the two consistent. Without this, a run of one request with a
 * script takes 1.55 times the CPU time in Node.js and 1.7 times in the executable; a run of 200 takes 1.44 and 1.8
 * times.
 */
import type { JsonValue, ScriptNode } from '../../../http-file/index.ts'
import { parsePlainScript } from './plain-parser.ts'
import { Declined } from './plain-values.ts'
import { type PlainEvent, type PlainResponse, PlainWorld } from './plain-world.ts'

/** The total size of cached scripts, in characters. */
const MAX_CHARACTERS = 256 * 1024

export class PlainScripts {
  readonly #known: Map<string, ReturnType<typeof parsePlainScript>> = new Map()
  #characters = 0

  /** Whether a handler can probably be run here, judging by its text. */
  isPlain({ source }: ScriptNode): boolean {
    return source.type === 'inline' && this.#parsed(source.code) !== undefined
  }

  /**
   * Runs a handler. The values that it sets are in the global variables afterwards.
   * @returns its events, in order; undefined if the engine has to run it, in which case it has had no effect
   */
  run(
    { source }: ScriptNode,
    response: PlainResponse,
    globals: Map<string, JsonValue>,
  ): readonly PlainEvent[] | undefined {
    const script = source.type === 'inline' ? this.#parsed(source.code) : undefined
    if (script === undefined) return undefined
    const world = new PlainWorld(response, globals)
    try {
      script(world)
      world.runTests()
    } catch (error) {
      // A variable that the engine set may be too deep to be serialised here.
      if (error instanceof Declined || error instanceof RangeError) return undefined
      throw error
    }
    for (const [name, value] of world.globals) globals.set(name, value)
    return world.events
  }

  #parsed(code: string): ReturnType<typeof parsePlainScript> {
    if (this.#known.has(code)) return this.#known.get(code)
    const script = parsePlainScript(code.replace(/\r\n?/g, '\n'))
    if (this.#characters + code.length <= MAX_CHARACTERS) {
      this.#characters += code.length
      this.#known.set(code, script)
    }
    return script
  }
}
