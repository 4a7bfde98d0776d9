/**
 * Compressed files beside their originals: `app.js.br` beside `app.js`.
 *
 * Rules: a compressed file that is older than its original is outdated and ignored; without an original, any compressed
 * file is used. The file system is checked once per turn of the event loop for each original.
 */
import { type Stats, statSync } from 'node:fs'
import { type ContentCoding, contentCodings } from '../semantics/coding-negotiation.ts'
import type { EventLoopTurn } from './event-loop-turn.ts'
import { failureOf } from './served-file.ts'

export interface Neighbourhood {
  readonly packed: readonly ContentCoding[]
  /** The size of the original; 0 if there is none. */
  readonly sizeBytes: number
}

export class PrecompressedFiles {
  readonly #turn: EventLoopTurn
  readonly #found = new Map<string, Neighbourhood>()
  #foundIn = 0

  constructor(turn: EventLoopTurn) {
    this.#turn = turn
  }

  /** `path`: the absolute path of the original. */
  of(path: string): Neighbourhood {
    const turn = this.#turn.current
    if (turn !== this.#foundIn) this.#found.clear()
    this.#foundIn = turn
    const known = this.#found.get(path)
    if (known !== undefined) return known
    const found = look(path)
    this.#found.set(path, found)
    return found
  }
}

function look(path: string): Neighbourhood {
  const original = statOrUndefined(path)
  if (original === undefined || !original.isFile()) return { packed: [], sizeBytes: 0 }
  const packed = contentCodings.filter(({ extension }) => {
    const stats = statOrUndefined(path + extension)
    return stats?.isFile() && stats.mtimeMs >= original.mtimeMs
  })
  return { packed, sizeBytes: original.size }
}

/** The compressed forms of a file that does not exist itself. */
export function packedAlone(path: string): readonly ContentCoding[] {
  return contentCodings.filter(({ extension }) => statOrUndefined(path + extension)?.isFile())
}

/** Undefined if the file does not exist or is not accessible: opening it reports the reason. */
export function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (failureOf(error) === undefined) throw error
    return undefined
  }
}
