/**
 * The commands that send, show and copy requests, as `workspace/executeCommand`.
 *
 * Rules: their arguments are described in command-arguments.ts. Requests are sent only by these commands. The answer to
 * a command is the result; it is also shown, see results/result-view.ts. If a run could not be started, the user gets a
 * message, and the answer has the outcome `refused`.
 */
import type { CancellationToken, WorkDoneProgressReporter } from 'vscode-languageserver'
import { type Connection, ErrorCodes, MessageType, ResponseError } from 'vscode-languageserver'
import { HttpcliError } from '../../message/index.ts'
import type { Feature } from '../base/feature.ts'
import { pathOfUri } from '../base/file-uri.ts'
import { unawaited } from '../base/unawaited.ts'
import { errorLine } from '../results/result-recorder.ts'
import { ResultView } from '../results/result-view.ts'
import type { RunResult } from '../results/run-result.ts'
import { ActiveRuns } from '../running/active-runs.ts'
import { type CurlText, curlOf, curlText, rawText } from '../running/built-requests.ts'
import { Refusal, RequestRunner, type RunOrder } from '../running/request-runner.ts'
import { type RunTarget, targetAt, targetsOf } from '../running/run-targets.ts'
import { type Session, Sessions } from '../running/sessions.ts'
import { UserQuestions } from '../running/user-questions.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type CommandArguments, readArguments } from './command-arguments.ts'
import { type CommandName, commandNames } from './command-table.ts'
import { withProgress } from './run-progress.ts'

/** `httpcli/environmentChanged`: for the status item of a client. */
const ENVIRONMENT_NOTIFICATION = 'httpcli/environmentChanged'

interface Call {
  readonly args: CommandArguments
  readonly token: CancellationToken
  readonly progress: WorkDoneProgressReporter
}

class RunCommands {
  readonly #connection: Connection
  readonly #workspace: Workspace
  readonly #view: ResultView
  readonly #sessions: Sessions
  readonly #questions: UserQuestions
  readonly #runner: RequestRunner
  readonly #active: ActiveRuns = new ActiveRuns()
  readonly #commands: Readonly<Record<CommandName, (call: Call) => unknown>> = {
    'httpcli.send': (call) => this.#run(call, 'request'),
    'httpcli.sendWithEnvironment': (call) => this.#sendWithEnvironment(call),
    'httpcli.runToHere': (call) => this.#run(call, 'to-here'),
    'httpcli.runFile': (call) => this.#run(call, 'file'),
    'httpcli.copyAsCurl': (call) => this.#build(call, 'curl'),
    'httpcli.showRaw': (call) => this.#build(call, 'raw'),
    'httpcli.cancel': ({ args }) => ({ cancelled: this.#active.cancelAt(args.uri, args.line) }),
    'httpcli.environments': ({ args }) => this.#names(args),
    'httpcli.chooseEnvironment': ({ args }) => this.#chooseEnvironment(args),
    'httpcli.clearSession': ({ args }) => ({ cleared: this.#clearSession(args) }),
  }

  constructor(connection: Connection, workspace: Workspace) {
    this.#connection = connection
    this.#workspace = workspace
    this.#view = new ResultView(connection, workspace)
    this.#sessions = new Sessions(workspace)
    this.#questions = new UserQuestions(connection, workspace)
    this.#runner = new RequestRunner(workspace, this.#sessions, this.#questions)
  }

  async execute(name: string, call: Call): Promise<unknown> {
    if (!isCommandName(name)) throw new ResponseError(ErrorCodes.InvalidParams, `unknown command ${name}`)
    try {
      return await this.#commands[name](call)
    } catch (error) {
      // A file that the text names may be invalid or missing.
      if (!(error instanceof Refusal) && !(error instanceof HttpcliError)) throw error
      return this.#refuse(error instanceof Refusal ? error.message : errorLine(error))
    }
  }

  async close(): Promise<void> {
    this.#active.cancelAt()
    await this.#closeAfterRuns(this.#sessions.take())
    this.#view.close()
  }

  async #run(call: Call, extent: 'request' | 'to-here' | 'file'): Promise<RunResult> {
    const analysis = this.#document(call.args)
    const here = extent === 'file' ? undefined : targetOf(analysis, call.args)
    const targets =
      here === undefined
        ? []
        : extent === 'request'
          ? [here]
          : targetsOf(analysis).filter(({ line }) => line <= here.line)
    const title = here?.title ?? analysis.path
    const key = JSON.stringify([analysis.uri, extent, here?.title])
    if (this.#active.has(key)) return this.#refuseSecond(key, title)
    const lastLine = here?.lastLine ?? analysis.lines.lineCount - 1
    const place = { uri: analysis.uri, firstLine: targets[0]?.firstLine ?? 0, lastLine }
    const { environment, variables } = call.args
    const { text, ...result } = await this.#active.run(key, place, (abort) => {
      const order: RunOrder = { analysis, targets, environment, variables }
      const { token, progress } = call
      const request = { title: `Sending ${title}`, token, reporter: progress, abort }
      return withProgress(this.#connection, request, () => this.#runner.run(order, abort.signal))
    })
    const type = result.outcome === 'passed' ? MessageType.Info : MessageType.Warning
    return { ...result, uri: this.#view.show({ key, title, text, message: result.message, type }) }
  }

  async #sendWithEnvironment(call: Call): Promise<RunResult> {
    if (call.args.environment !== undefined) return this.#run(call, 'request')
    const names = this.#workspace.environmentNames(this.#document(call.args).path)
    if (names.length === 0) throw new Refusal('No environment found: http-client.env.json has none for this file.')
    const environment = await this.#questions.environment(names)
    if (environment === undefined) return { outcome: 'cancelled', message: 'No environment was chosen', requests: [] }
    return this.#run({ ...call, args: { ...call.args, environment } }, 'request')
  }

  async #build(call: Call, form: 'curl' | 'raw'): Promise<object> {
    const { args, token } = call
    const analysis = this.#document(args)
    const target = targetOf(analysis, args)
    const { environment, variables } = args
    const abort = new AbortController()
    token.onCancellationRequested(() => abort.abort())
    const order: RunOrder = { analysis, targets: [target], environment, variables }
    const shown = { key: JSON.stringify([analysis.uri, form, target.title]), title: `${target.title} ${form}` }
    if (form === 'raw') {
      const text = await rawText(this.#runner, order, abort.signal)
      return { text, uri: this.#view.show({ ...shown, text, message: text, type: MessageType.Info }) }
    }
    const curl =
      args.keepsVariables === true
        ? await keptCurl(analysis, target)
        : await curlText(this.#runner, order, abort.signal)
    if (!this.#workspace.hasAbility('clipboard')) {
      this.#view.show({ ...shown, text: curl.text, message: curl.text, type: MessageType.Info })
    }
    return curl
  }

  /** @returns the environment; null for none */
  async #chooseEnvironment(args: CommandArguments): Promise<object> {
    const { uri, environment } = args
    const path = this.#pathOf(args)
    const chosen = environment === undefined ? await this.#questions.environment(this.#names(args)) : environment
    if (chosen === undefined) return { environment: this.#workspace.environmentName(path) ?? null }
    this.#workspace.chooseEnvironment(chosen ?? undefined, path)
    this.#workspace.announceContextChange()
    if (this.#workspace.hasAbility('environment')) {
      const news = { environment: chosen, ...(uri === undefined ? {} : { uri }) }
      unawaited(() => this.#connection.sendNotification(ENVIRONMENT_NOTIFICATION, news))
    }
    return { environment: chosen }
  }

  /** The environments of a document, or of all open documents. */
  #names(args: CommandArguments): readonly string[] {
    const path = this.#pathOf(args)
    const paths = path === undefined ? this.#workspace.openFiles.map((file) => file.path) : [path]
    return [...new Set(paths.flatMap((each) => this.#workspace.environmentNames(each)))]
  }

  /** @returns the number of sessions */
  #clearSession(args: CommandArguments): number {
    const path = this.#pathOf(args)
    const sessions = this.#sessions.take(path === undefined ? undefined : this.#workspace.workingDirectoryOf(path))
    // A run in progress keeps its connections until it ends.
    void this.#closeAfterRuns(sessions)
    return sessions.length
  }

  async #closeAfterRuns(sessions: readonly Session[]): Promise<void> {
    await this.#active.settled()
    for (const { resources } of sessions) await resources.close()
  }

  #pathOf({ uri }: CommandArguments): string | undefined {
    return uri === undefined ? undefined : this.#document({ uri }).path
  }

  /** @throws ResponseError; Refusal */
  #document({ uri }: Pick<CommandArguments, 'uri'>): Analysis {
    if (uri === undefined) throw new ResponseError(ErrorCodes.InvalidParams, 'the command needs the URI of a document')
    const open = this.#workspace.analysis(uri)
    if (open !== undefined) return open
    const path = pathOfUri(uri)
    const file = path === undefined ? undefined : this.#workspace.analysisOfFile(path)
    if (file === undefined) throw new Refusal(`${uri} is not open, and cannot be read`)
    return file
  }

  #refuse(message: string): RunResult {
    this.#view.message(MessageType.Error, message)
    return { outcome: 'refused', message, requests: [] }
  }

  #refuseSecond(key: string, title: string): RunResult {
    const message = `${title} is still running`
    const action = { title: 'Cancel it' }
    unawaited(async () => {
      const chosen = await this.#connection.window.showWarningMessage(message, action)
      if (chosen !== undefined) this.#active.cancel(key)
    })
    return { outcome: 'refused', message, requests: [] }
  }
}

function isCommandName(name: string): name is CommandName {
  return (commandNames as readonly string[]).includes(name)
}

/** @throws ResponseError; Refusal */
function targetOf(analysis: Analysis, { line }: CommandArguments): RunTarget {
  if (line === undefined) throw new ResponseError(ErrorCodes.InvalidParams, 'the command needs a line, from 0')
  const target = targetAt(analysis, line)
  if (target === undefined) throw new Refusal(`Line ${line + 1} of ${analysis.path} is not part of a request`)
  return target
}

/** The section with the variables of the sections above it. */
function keptCurl({ file }: Analysis, { section }: RunTarget): Promise<CurlText> {
  const above = file.sections.slice(0, file.sections.indexOf(section))
  const variables = above.flatMap((each) =>
    each.variables.map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`)),
  )
  const head = variables.length === 0 ? '' : `${variables.join('')}\n###\n`
  return curlOf(`${head}${section.parts.map(({ text }) => text).join('')}`, { from: 'http', to: 'curl' })
}

export const runCommands: Feature = {
  capabilities: { executeCommandProvider: { commands: [...commandNames], workDoneProgress: true } },
  listen(connection, workspace) {
    const live = new RunCommands(connection, workspace)
    connection.onExecuteCommand(({ command, arguments: args }, token, progress) => {
      return live.execute(command, { args: readArguments(args), token, progress })
    })
    workspace.onEnd(() => live.close())
  },
}
