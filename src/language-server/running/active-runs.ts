/** The active runs by request. Each can be cancelled, and a request has at most one run at a time. */

interface ActiveRun {
  readonly uri: string
  readonly firstLine: number
  readonly lastLine: number
  readonly abort: AbortController
  ended: Promise<unknown>
}

export class ActiveRuns {
  readonly #runs: Map<string, ActiveRun> = new Map()

  has(key: string): boolean {
    return this.#runs.has(key)
  }

  /** Runs `action` as the run for this key, which must not be active. */
  async run<Result>(
    key: string,
    place: Pick<ActiveRun, 'uri' | 'firstLine' | 'lastLine'>,
    action: (abort: AbortController) => Promise<Result>,
  ): Promise<Result> {
    const abort = new AbortController()
    const run: ActiveRun = { ...place, abort, ended: Promise.resolve() }
    this.#runs.set(key, run)
    try {
      const result = action(abort)
      run.ended = result
      return await result
    } finally {
      this.#runs.delete(key)
    }
  }

  cancel(key: string): void {
    this.#runs.get(key)?.abort.abort()
  }

  /** @param line any line by default @returns the number of cancelled runs */
  cancelAt(uri?: string, line?: number): number {
    const found = [...this.#runs.values()].filter((run) => {
      const isOfLine = line === undefined || (run.firstLine <= line && line <= run.lastLine)
      return (uri === undefined || run.uri === uri) && isOfLine
    })
    for (const { abort } of found) abort.abort()
    return found.length
  }

  /** Resolves when all currently active runs have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].map(({ ended }) => ended))
  }
}
