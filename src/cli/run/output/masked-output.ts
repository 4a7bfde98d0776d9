/**
 * Standard output and standard error of a run, with secrets masked.
 *
 * Rules: everything that is written is masked, including errors that end the command and defects. Standard output is
 * masked as one stream, so that a secret split between two writes is found; held-back bytes are written at the end.
 * Standard error receives messages, which are written immediately, and responses, if standard output has another use:
 * the bytes of a response are also masked as a stream, until the next message.
 */
import type { MaskStream, SecretMask } from '../../../secrets/index.ts'
import type { CommandContext, Output } from '../../frame/command.ts'
import { withOutputs } from './output-like.ts'

export interface MaskedOutputs<Values> {
  readonly context: CommandContext<Values>
  /** The context with unmasked outputs. */
  readonly unmasked: CommandContext<Values>
  /** Undefined if nothing has to be masked: then the two contexts are the same. */
  readonly mask: SecretMask | undefined
}

export async function withMaskedOutputs<Values, Result>(
  unmasked: CommandContext<Values>,
  mask: SecretMask | undefined,
  action: (outputs: MaskedOutputs<Values>) => Promise<Result>,
): Promise<Result> {
  if (mask === undefined) return action({ context: unmasked, unmasked, mask })
  const stdout = new MaskedStream(unmasked.stdout, mask)
  const stderr = new MaskedMessages(unmasked.stderr, mask)
  unmasked.reportErrorsTo?.(stderr)
  let result: Result
  try {
    result = await action({ context: withOutputs(unmasked, stdout, stderr), unmasked, mask })
  } catch (error) {
    // An earlier error matters more than an output that is gone.
    await Promise.allSettled([stdout.end(), stderr.end()])
    throw error
  }
  await stdout.end()
  await stderr.end()
  return result
}

abstract class MaskedOutput implements Output {
  protected readonly stream: MaskStream
  readonly #output: Output

  constructor(output: Output, mask: SecretMask) {
    this.#output = output
    this.stream = mask.openStream()
  }

  get isTerminal(): boolean {
    return this.#output.isTerminal
  }

  get columns(): number {
    return this.#output.columns
  }

  get colors(): boolean {
    return this.#output.colors
  }

  async write(data: string | Uint8Array): Promise<void> {
    await this.#pass(this.masked(data))
  }

  /** Held-back bytes are written first. */
  async writeUnmasked(text: string): Promise<void> {
    await this.end()
    await this.#output.write(text)
  }

  async end(): Promise<void> {
    await this.#pass(this.stream.end())
  }

  /** The bytes that can be written now. */
  protected abstract masked(data: string | Uint8Array): Uint8Array

  async #pass(octets: Uint8Array): Promise<void> {
    if (octets.length > 0) await this.#output.write(octets)
  }
}

/** One stream of bytes. `end` writes the held-back bytes. */
export class MaskedStream extends MaskedOutput {
  protected override masked(data: string | Uint8Array): Uint8Array {
    return this.stream.write(typeof data === 'string' ? Buffer.from(data) : data)
  }
}

class MaskedMessages extends MaskedOutput {
  protected override masked(data: string | Uint8Array): Uint8Array {
    return typeof data === 'string' ? this.stream.end(Buffer.from(data)) : this.stream.write(data)
  }
}
