/**
 * A response body that one reader reads while its bytes are kept for scripts and saved to files.
 *
 * Rules: the body can be read once; `drain` reads the rest. Bytes are kept only if needed, up to a limit, since a
 * script could not hold more. An error of the body is recorded, to distinguish it from an error of the reader; an error
 * after the body was stopped on purpose counts as its end.
 */
import {
  canDecode,
  contentCodings,
  decodeContent,
  HeaderList,
  HttpcliError,
  type HttpResponse,
  OctetJoiner,
  type ReceivedBody,
} from '../../message/index.ts'
import type { RunBody } from '../base/events.ts'
import type { BodyTap } from './body-tap.ts'

export interface RecordingOptions {
  /** The maximum number of bytes to keep, decoded or not; 0 keeps none. */
  readonly limitBytes: number
  /** Other destinations of the bytes. */
  readonly taps: readonly BodyTap[]
  /** Whether a timeout counts as the end of the body. */
  readonly isEndedBySilence: boolean
}

/** The part of a response body that is used here. */
export type RecordedSource = AsyncIterable<Uint8Array> & Pick<ReceivedBody, 'framing' | 'trailers'>

export class RecordedBody {
  /** For the reader. */
  readonly view: RunBody
  readonly #source: AsyncIterator<Uint8Array>
  readonly #codings: readonly string[]
  readonly #limitBytes: number
  readonly #taps: readonly BodyTap[]
  readonly #isEndedBySilence: boolean
  #kept = new OctetJoiner()
  #keptBytes = 0
  #receivedBytes = 0
  #error: unknown
  #isEnded = false
  /** Whether it was read to its end. */
  #isComplete = false
  #isStopped = false

  constructor(response: Pick<HttpResponse, 'headers'>, body: RecordedSource, options: RecordingOptions) {
    const { limitBytes, taps, isEndedBySilence } = options
    this.#taps = taps
    this.#isEndedBySilence = isEndedBySilence
    this.#source = body[Symbol.asyncIterator]()
    this.#codings = contentCodings(response.headers)
    this.#limitBytes = limitBytes
    const trailers = (): Promise<HeaderList> => (this.#isComplete ? body.trailers : Promise.resolve(HeaderList.EMPTY))
    this.view = {
      framing: body.framing,
      get trailers() {
        return trailers()
      },
      [Symbol.asyncIterator]: () => ({ next: () => this.#next() }),
      decoded: () => this.#decoded(),
    }
  }

  /** The error of the body, if any. */
  get error(): unknown {
    return this.#error
  }

  /** Bytes received so far, codings not decoded. */
  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** Call this before closing the connection on purpose: the bytes received so far are the whole body. */
  stop(): void {
    this.#isStopped = true
  }

  /** Reads the rest, or until `isEnough`. Never throws: see `error`. */
  async drain(isEnough: () => boolean = () => false): Promise<void> {
    try {
      while (!isEnough() && (await this.#next()).done !== true);
    } catch {
      // It is available as `error`.
    }
  }

  /** Whether it was read to its end, failed or was released. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Ends reading before the end of the body: the other destinations are notified. */
  async release(): Promise<void> {
    this.#isEnded = true
    for (const tap of this.#taps) await tap.fail()
  }

  /** The bytes kept, with known codings decoded; undefined if they exceeded the limit. */
  async content(): Promise<Uint8Array | undefined> {
    if (this.#keptBytes > this.#limitBytes) return undefined
    const whole = this.#kept.joined()
    if (this.#codings.length === 0) return whole
    await loadDecoders()
    if (!this.#codings.every(canDecode)) return whole
    const decoded = new OctetJoiner()
    let size = 0
    for await (const piece of decodeContent(once(whole), this.#codings)) {
      size += piece.length
      if (size > this.#limitBytes) return undefined
      decoded.add(piece)
    }
    return decoded.joined()
  }

  async *#decoded(): AsyncGenerator<Uint8Array> {
    await loadDecoders()
    try {
      yield* decodeContent(this.view, this.#codings)
    } catch (error) {
      this.#error ??= error
      throw error
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#isEnded) return END
    try {
      let piece: IteratorResult<Uint8Array, undefined>
      try {
        piece = await this.#source.next()
      } catch (error) {
        piece = this.#endOf(error)
      }
      if (piece.done !== true) {
        this.#keep(piece.value)
        for (const tap of this.#taps) await tap.write(piece.value)
        return piece
      }
      this.#isEnded = true
      this.#isComplete = piece !== END
      for (const tap of this.#taps) await tap.end()
      return END
    } catch (error) {
      this.#isEnded = true
      this.#error = error
      for (const tap of this.#taps) await tap.fail()
      throw error
    }
  }

  /** The end of the body, if an error counts as its end. @throws the error otherwise */
  #endOf(error: unknown): typeof END {
    const isSilence = error instanceof HttpcliError && error.code === 'idle-timeout'
    if (this.#isStopped || (isSilence && this.#isEndedBySilence)) return END
    throw error
  }

  #keep(piece: Uint8Array): void {
    this.#receivedBytes += piece.length
    if (this.#limitBytes === 0) return
    this.#keptBytes += piece.length
    if (this.#keptBytes <= this.#limitBytes) this.#kept.add(piece)
    else this.#kept = new OctetJoiner()
  }
}

const END = { done: true, value: undefined } as const

/** The module registers the platform's decoders when it is loaded. Most responses need none. */
async function loadDecoders(): Promise<void> {
  await import('../../message-node/index.ts')
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
