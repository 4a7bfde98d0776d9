/**
 * The progress of a run in the client, which can cancel it.
 *
 * Rules: it is shown if the run takes longer than DELAY_MS, because most requests are answered before anyone could see
 * it. A client that announced a token with the command gets it at once.
 */
import type { CancellationToken, Connection, WorkDoneProgressReporter } from 'vscode-languageserver'
import { unawaited } from '../base/unawaited.ts'

const DELAY_MS = 300

export interface ProgressRequest {
  readonly title: string
  /** Of the command: cancelled by `$/cancelRequest`. */
  readonly token: CancellationToken
  /** Of the client's token; without one it reports nothing. */
  readonly given: WorkDoneProgressReporter
  readonly abort: AbortController
}

/** Runs `action` with its progress shown. */
export async function withProgress<Result>(
  connection: Connection,
  { title, token, given, abort }: ProgressRequest,
  action: () => Promise<Result>,
): Promise<Result> {
  const reporters: WorkDoneProgressReporter[] = [given]
  let hasEnded = false
  const cancel = (): void => abort.abort()
  token.onCancellationRequested(cancel)
  const open = async (): Promise<void> => {
    const progress = await connection.window.createWorkDoneProgress()
    if (hasEnded) return progress.done()
    progress.token.onCancellationRequested(cancel)
    progress.begin(title, undefined, undefined, true)
    reporters.push(progress)
  }
  given.begin(title, undefined, undefined, true)
  // A client that refuses shows no progress.
  const timer = setTimeout(() => unawaited(open), DELAY_MS)
  try {
    return await action()
  } finally {
    hasEnded = true
    clearTimeout(timer)
    for (const reporter of reporters) unawaited(async () => reporter.done())
  }
}
