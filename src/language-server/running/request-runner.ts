/**
 * Runs requests of a document: of one section, of the file up to a line, or all.
 *
 * Rules: the text in the editor is used, saved or not. A run is refused in a folder that is not trusted, if the text
 * has errors, or while the same request is running. Programs are never started. A cancelled run closes its connections.
 */
import { dirname } from 'node:path'
import { HttpcliError } from '../../message/index.ts'
import { counted, shownDuration, shownSize, summaryText } from '../../report/index.ts'
import { loadEnvironment, type RunListener, type RunOptions, type RunSummary, runHttpFile } from '../../runner/index.ts'
import { collectWrittenSecrets } from '../../secrets/index.ts'
import { errorLine, ResultRecorder } from '../results/result-recorder.ts'
import type { RequestResult, RunOutcome, RunResult } from '../results/run-result.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { blockingErrors, choiceOf, type RunTarget } from './run-targets.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UserQuestions } from './user-questions.ts'

/** The maximum size of a body that is kept. */
const BODY_BYTES = 1024 * 1024
/** The same if there are several requests. */
const BODY_BYTES_OF_MANY = 64 * 1024

/** Requests that a command runs. */
export interface RunOrder {
  readonly analysis: Analysis
  /** In the order of the file. Empty: the whole file, including its imports and calls. */
  readonly targets: readonly RunTarget[]
  /** Overrides the chosen environment; null for none. */
  readonly environment?: string | null | undefined
  /** These override all other variables. */
  readonly variables?: ReadonlyMap<string, string> | undefined
}

/** A reason not to start a run, with a remedy. */
export class Refusal extends Error {}

export interface ExecutedRun extends RunResult {
  readonly text: string
}

export class RequestRunner {
  readonly #workspace: Workspace
  readonly #sessions: Sessions
  readonly #questions: UserQuestions

  constructor(workspace: Workspace, sessions: Sessions, questions: UserQuestions) {
    this.#workspace = workspace
    this.#sessions = sessions
    this.#questions = questions
  }

  /** Sends the requests. Errors in the user's text are results, not exceptions. @throws Refusal */
  async run(order: RunOrder, signal: AbortSignal): Promise<ExecutedRun> {
    const { session, options } = this.#prepared(order, signal)
    const { mask } = session
    const recorder = new ResultRecorder(mask, this.#workspace.context.layoutJson)
    const isOne = order.targets.length === 1 && order.targets[0]?.section.directives.length === 0
    try {
      const summary = await runHttpFile(order.analysis.loaded, {
        ...options,
        sampleBytes: isOne ? BODY_BYTES : BODY_BYTES_OF_MANY,
        listener: (event) => recorder.listen(event),
        askUser: (signIn) => this.#questions.signIn(signIn),
        askValue: (prompt) => this.#questions.value(prompt, signal),
      })
      const { requests } = recorder
      const message = mask.mask(messageOf(requests, summary))
      return { outcome: outcomeOf(summary), message, requests, text: recorder.text }
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      recorder.addFailure(error)
      const message = mask.mask(errorLine(error))
      return { outcome: 'error', message, requests: recorder.requests, text: recorder.text }
    }
  }

  /** Builds the requests like a run, but sends nothing. @throws Refusal; HttpcliError of an imported file */
  async build(order: RunOrder, listener: RunListener, signal: AbortSignal): Promise<Session> {
    const { session, options } = this.#prepared(order, signal)
    await runHttpFile(order.analysis.loaded, {
      ...options,
      session: session.state.copy(),
      isDryRun: true,
      listener,
    })
    return session
  }

  /** @throws Refusal */
  #prepared(
    order: RunOrder,
    signal: AbortSignal,
  ): { readonly session: Session; readonly options: Omit<RunOptions, 'listener'> } {
    const { analysis, targets, variables } = order
    const { settings, context, processEnvironment } = this.#workspace
    if (!settings.isTrusted) {
      throw new Refusal('This folder is not trusted: nothing is sent from it. Trust it in the editor first.')
    }
    const [error, ...others] = blockingErrors(analysis, targets)
    if (error !== undefined) {
      const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'other error')})`
      throw new Refusal(`Nothing was sent: ${errorLine(error)}${more}`)
    }
    const { path } = analysis
    const folder = this.#workspace.workingDirectoryOf(path)
    const name = this.#environmentName(order)
    const session = this.#sessions.of(folder, name)
    collectWrittenSecrets(analysis.text, session.mask)
    session.resources.forgetFiles()
    try {
      const options = {
        environment: loadEnvironment(path, name, { secrets: session.mask }),
        wire: { ...context.wire, signal },
        workingDirectory: folder || dirname(path),
        processEnvironment,
        userAgent: `httpcli/${context.version}`,
        cookies: session.cookies,
        session: session.state,
        resources: session.resources,
        secrets: session.mask,
        ...(variables === undefined ? {} : { variables }),
        ...choiceIn(path, targets),
      }
      return { session, options }
    } catch (failure) {
      if (!(failure instanceof HttpcliError)) throw failure
      throw new Refusal(session.mask.mask(`Nothing was sent: ${errorLine(failure)}`))
    }
  }

  #environmentName({ analysis, environment }: RunOrder): string | undefined {
    if (environment !== undefined) return environment ?? undefined
    return this.#workspace.environmentName(analysis.path)
  }
}

function choiceIn(path: string, targets: readonly RunTarget[]): Pick<RunOptions, 'choice'> {
  const [first] = targets
  const last = targets.at(-1)
  return first === undefined || last === undefined ? {} : { choice: choiceOf(path, first.firstLine, last.lastLine) }
}

function outcomeOf(summary: RunSummary): RunOutcome {
  if (summary.isInterrupted) return 'cancelled'
  if (summary.failed > 0) return 'error'
  return summary.testsFailed + summary.scriptsFailed + summary.blocked + summary.skipped > 0 ? 'failed' : 'passed'
}

/** `200 OK, 12 ms, 1.2 kB, 2 tests passed`; the summary if there are several requests. */
function messageOf(requests: readonly RequestResult[], summary: RunSummary): string {
  const [request] = requests
  if (summary.isInterrupted && requests.length <= 1) return `Cancelled after ${shownDuration(summary.durationMs)}`
  if (request === undefined || requests.length > 1) return summaryText(summary)
  const { status, reason = '', durationMs, sizeBytes, tests, errors } = request
  const failed = tests.filter(({ hasPassed }) => !hasPassed)
  const parts = [
    ...(status === undefined ? [] : [`${status} ${reason}`.trim(), shownDuration(durationMs)]),
    ...(sizeBytes === undefined ? [] : [shownSize(sizeBytes)]),
    ...(tests.length === 0 ? [] : [`${counted(tests.length, 'test')}, ${failed.length} failed`]),
    ...failed.slice(0, 3).map(({ name, message = '' }) => `${name}: ${message}`),
    ...errors.slice(0, 3),
  ]
  return parts.join(', ')
}
