/**
 * The output of jobs that run side by side, in the order of the jobs.
 *
 * Rules: the first job that has not ended prints as it goes; what the others print waits for their turn, in memory, and
 * beyond MAX_HELD_BYTES in a temporary file. What one job prints stays in its order, standard output and standard error
 * together. Once an output has failed, every write fails.
 */
import type { Output } from '../../frame/command.ts'
import type { JobOutputs } from '../output/job-context.ts'
import { outputLike } from '../output/output-like.ts'
import { type SpilledPlace, SpillFile } from '../output/spill-file.ts'

type Target = keyof JobOutputs

/** Of all waiting jobs together. */
const MAX_HELD_BYTES = 8 * 1024 * 1024

type HeldPiece = { readonly target: Target } & ({ readonly bytes: Uint8Array } | { readonly place: SpilledPlace })

interface Turn {
  readonly held: HeldPiece[]
  /** Until what was written last is held. */
  holding: Promise<void>
  hasEnded: boolean
}

/** The outputs of one job. */
export interface JobTurn extends JobOutputs {
  /** The job prints nothing more. */
  end(): void
}

export class JobTurns {
  readonly #outputs: JobOutputs
  readonly #spill: SpillFile = new SpillFile('output')
  /** Of jobs that have not ended printing, in their order. The first one has its turn. */
  readonly #turns: Turn[] = []
  #heldBytes = 0
  #failure: { readonly error: unknown } | undefined
  #printing: Promise<void> = Promise.resolve()

  constructor(outputs: JobOutputs) {
    this.#outputs = outputs
  }

  /** The next job. Jobs are begun in their order. */
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

  /** Resolves when everything is printed. All jobs must have ended. @throws what an output threw */
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
    // What was held of this job may still be on its way.
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
    // Whoever writes may use its buffer again.
    turn.held.push({ target, bytes: Uint8Array.from(bytes) })
  }

  /** From jobs that have ended to the one behind them. */
  #passOn(): void {
    while (this.#turns[0]?.hasEnded === true) {
      this.#turns.shift()
      const [next] = this.#turns
      if (next !== undefined) this.#printing = this.#printing.then(() => this.#printHeld(next))
    }
  }

  async #printHeld(turn: Turn): Promise<void> {
    // Whoever writes is told what went wrong with it.
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
