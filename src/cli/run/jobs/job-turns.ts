/**
 * Prints the output of parallel jobs in the order of the jobs.
 *
 * Rules: the first job that has not ended prints directly; the output of the others is held in memory, or beyond
 * MAX_HELD_BYTES in a temporary file. The output of one job stays in order, across standard output and standard error.
 * Once an output has failed, every write fails.
 */
import type { Output } from '../../frame/command.ts'
import type { JobOutputs } from '../output/job-context.ts'
import { outputLike } from '../output/output-like.ts'
import { type SpilledPlace, SpillFile } from '../output/spill-file.ts'

type Target = keyof JobOutputs

/** The limit for all waiting jobs together. */
const MAX_HELD_BYTES = 8 * 1024 * 1024

type HeldPiece = { readonly target: Target } & ({ readonly bytes: Uint8Array } | { readonly place: SpilledPlace })

interface Turn {
  readonly held: HeldPiece[]
  /** Resolves when the last write is held. */
  holding: Promise<void>
  hasEnded: boolean
}

export interface JobTurn extends JobOutputs {
  /** Marks the end of the job's output. */
  end(): void
}

export class JobTurns {
  readonly #outputs: JobOutputs
  readonly #spill: SpillFile = new SpillFile('output')
  /** Jobs that have not finished printing, in order. The first one prints directly. */
  readonly #turns: Turn[] = []
  #heldBytes = 0
  #failure: { readonly error: unknown } | undefined
  #printing: Promise<void> = Promise.resolve()

  constructor(outputs: JobOutputs) {
    this.#outputs = outputs
  }

  /** Begins the next job. Jobs start in order. */
  begin(): JobTurn {
    const turn: Turn = { held: [], holding: Promise.resolve(), hasEnded: false }
    this.#turns.push(turn)
    return {
      stdout: this.#outputOf(turn, 'stdout'),
      stderr: this.#outputOf(turn, 'stderr'),
      end: () => {
        turn.hasEnded = true
        this.#passOn()
      },
    }
  }

  /** Resolves when everything is printed. All jobs must have ended. @throws errors of an output */
  async close(): Promise<void> {
    await this.#printing
    this.#spill.close()
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #outputOf(turn: Turn, target: Target): Output {
    return outputLike(this.#outputs[target], (data) =>
      this.#write(turn, target, typeof data === 'string' ? Buffer.from(data) : data),
    )
  }

  async #write(turn: Turn, target: Target, bytes: Uint8Array): Promise<void> {
    // Output held for this job may still be in progress.
    if (turn === this.#turns[0]) await this.#printing
    if (this.#failure !== undefined) throw this.#failure.error
    if (turn === this.#turns[0]) return this.#print(target, bytes)
    turn.holding = turn.holding.then(() => this.#hold(turn, target, bytes))
    await turn.holding
  }

  async #hold(turn: Turn, target: Target, bytes: Uint8Array): Promise<void> {
    if (this.#heldBytes + bytes.length > MAX_HELD_BYTES) {
      turn.held.push({ target, place: this.#spill.put(bytes) })
      return
    }
    this.#heldBytes += bytes.length
    // The writer may reuse its buffer.
    turn.held.push({ target, bytes: Uint8Array.from(bytes) })
  }

  /** Prints jobs that have ended, and continues with the next one. */
  #passOn(): void {
    while (this.#turns[0]?.hasEnded === true) {
      this.#turns.shift()
      const [next] = this.#turns
      if (next !== undefined) this.#printing = this.#printing.then(() => this.#printHeld(next))
    }
  }

  async #printHeld(turn: Turn): Promise<void> {
    // The error is reported to the writer.
    await turn.holding.catch(() => undefined)
    for (const piece of turn.held.splice(0)) {
      if (this.#failure !== undefined) return
      try {
        if ('bytes' in piece) {
          this.#heldBytes -= piece.bytes.length
          await this.#print(piece.target, piece.bytes)
        } else {
          for (const bytes of this.#spill.pieces(piece.place)) await this.#print(piece.target, bytes)
        }
      } catch (error) {
        this.#failure ??= { error }
      }
    }
  }

  async #print(target: Target, bytes: Uint8Array): Promise<void> {
    try {
      await this.#outputs[target].write(bytes)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }
}
