/**
 * Shows the progress of a run in the client, where the user can cancel it.
 *
 * Rules: progress is shown if the run takes longer than DELAY_MS, because most requests are answered before the user
 * could see it. A client that sent a token with the command gets progress immediately.
 */
import type { CancellationToken, Connection, WorkDoneProgressReporter } from 'vscode-languageserver'
import { unawaited } from '../base/unawaited.ts'

const DELAY_MS = 300

export interface ProgressRequest {
  readonly title: string
  /** The token of the command, cancelled by `$/cancelRequest`. */
  readonly token: CancellationToken
  /** Reports for the client's token; reports nothing without a token. */
  readonly reporter: WorkDoneProgressReporter
  readonly abort: AbortController
}

/** Runs `action` with its progress shown. */
export async function withProgress<Result>(
  connection: Connection,
  { title, token, reporter: clientReporter, abort }: ProgressRequest,
  action: () => Promise<Result>,
): Promise<Result> {
  const reporters: WorkDoneProgressReporter[] = [clientReporter]
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
  clientReporter.begin(title, undefined, undefined, true)
  // If the client refuses, no progress is shown.
  const timer = setTimeout(() => unawaited(open), DELAY_MS)
  try {
    return await action()
  } finally {
    hasEnded = true
    clearTimeout(timer)
    for (const reporter of reporters) unawaited(async () => reporter.done())
  }
}
