/** What an engine needs of the thread that it runs on: the code of its world, and the watch over it. */
export interface EngineSurroundings {
  /** The world of scripts, as the text of an expression. */
  readonly core: string
  /** The code of a library. @throws Error where no library has that name */
  readonly library: (name: string) => string
  readonly testRegistered: (script: number, name: string) => void
  /** From now on nothing else runs on this thread, for at most `allowedMs`. */
  readonly sliceStarted: (script: number, isTesting: boolean, allowedMs: number) => void
  readonly sliceEnded: () => void
}
