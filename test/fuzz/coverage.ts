/**
 * Which code of the message library a call runs, from the engine's own counters.
 *
 * Rules: a place is a block of code with how often it ran, in powers of two, so that a loop that runs longer is news as
 * well. Blocks are reported by the engine, so nothing has to be instrumented.
 */
import { Session } from 'node:inspector'

interface CoverageResult {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
    }[]
  }[]
}

export class Coverage {
  readonly #session = new Session()

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** The places that `call` runs through. */
  of(call: () => void): readonly string[] {
    this.#take()
    call()
    const places: string[] = []
    for (const { url, functions } of this.#take()) {
      if (!url.includes('/src/message/')) continue
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          if (count > 0) places.push(`${url} ${startOffset}-${endOffset} ${Math.floor(Math.log2(count))}`)
        }
      }
    }
    return places
  }

  #take(): CoverageResult['result'] {
    let taken: CoverageResult['result'] = []
    // The session answers at once: it is connected to this very thread.
    this.#session.post('Profiler.takePreciseCoverage', (error: Error | null, answer: CoverageResult) => {
      if (error !== null) throw error
      taken = answer.result
    })
    return taken
  }
}
