/**
 * Joins the pieces of a backend's response that have arrived together: each piece costs as much as a packet when it is
 * sent, and a backend may send thousands of tiny ones.
 *
 * Rules: a piece waits at most until the end of the turn of the event loop, so the events of a stream are not delayed,
 * and not at all if the content ends with it. Large pieces pass unchanged. If the source fails, the pieces before the
 * error come first.
 */

/** Pieces of this size and more are not joined: copying them would cost more than sending them. */
const joinedBytes = 16_384

type Step = IteratorResult<Uint8Array, unknown>

/** A consumer that stops early has to end the source itself, because the next piece may already be awaited. */
export async function* gathered(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  let awaited = nextOf(iterator)
  for (let step = await awaited; step.done !== true; step = await awaited) {
    const pieces = [step.value]
    let sizeBytes = step.value.length
    awaited = nextOf(iterator)
    const turn = sizeBytes < joinedBytes ? new CurrentTurn() : undefined
    while (sizeBytes < joinedBytes) {
      const following = await turn?.result(awaited)
      if (following === undefined || following.done === true) break
      pieces.push(following.value)
      sizeBytes += following.value.length
      awaited = nextOf(iterator)
    }
    yield pieces.length === 1 ? step.value : Buffer.concat(pieces, sizeBytes)
  }
}

/** The rest of the current turn of the event loop. */
class CurrentTurn {
  #isOver = false
  #onOver: (() => void) | undefined

  constructor() {
    setImmediate(() => {
      this.#isOver = true
      this.#onOver?.()
    })
  }

  /** Undefined if the promise fails, or is not settled in this turn. */
  result<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    if (this.#isOver) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#onOver = () => resolve(undefined)
      promise.then(resolve, this.#onOver)
    })
  }
}

/** A rejection is reported when the promise is awaited, which may be later. */
function nextOf(iterator: AsyncIterator<Uint8Array>): Promise<Step> {
  const next = iterator.next()
  next.catch(() => undefined)
  return next
}
