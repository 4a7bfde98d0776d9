/**
 * Values that are not there yet: a library that is loaded only when it is used, a token that a server gives.
 *
 * Rules: text is rendered without waiting; what is missing is thrown as `Pending`, never seen outside of `whenReady`,
 * which waits for it and renders again.
 */

/** Thrown by rendering where a value must be waited for. */
export class Pending extends Error {
  readonly load: () => Promise<unknown>

  constructor(load: () => Promise<unknown>) {
    super('a value is not there yet')
    this.load = load
  }
}

/** More loads than any text can need: beyond, one of them does not bring what it promised. */
const MAX_LOADS = 1000

/** Runs `action` as often as it takes until everything that it needs is there. @throws what `action` or a load throws. */
export async function whenReady<Result>(action: () => Result): Promise<Result> {
  for (let loads = 0; ; loads++) {
    try {
      return action()
    } catch (error) {
      if (!(error instanceof Pending) || loads >= MAX_LOADS) throw error
      await error.load()
    }
  }
}
