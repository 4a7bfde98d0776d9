/**
 * Questions of a run to the user: values of `# @prompt`, signing in, the environment.
 *
 * Rules: the protocol has no text input, so a prompt needs a client that announces `experimental.httpcli.prompt`. A
 * question ends with its run.
 */
import { type Connection, MessageType, ShowMessageNotification } from 'vscode-languageserver'
import { CodedError } from '../../message/index.ts'
import type { Prompt, SignIn } from '../../runner/index.ts'
import { unawaited } from '../base/unawaited.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** `httpcli/prompt`: `{ name, question, isSecret }`, answered by `{ value }`, or null if the user has dismissed it. */
const PROMPT_REQUEST = 'httpcli/prompt'

class QuestionError extends CodedError<'unknown-variable'> {}

const NO_ENVIRONMENT = 'No environment'

export class UserQuestions {
  readonly #connection: Connection
  readonly #workspace: Workspace

  constructor(connection: Connection, workspace: Workspace) {
    this.#connection = connection
    this.#workspace = workspace
  }

  /** @throws HttpcliError if the user gives no answer */
  async value(prompt: Prompt, signal: AbortSignal): Promise<string> {
    const { name, question, isSecret } = prompt
    if (!this.#workspace.hasAbility('prompt')) {
      throw new QuestionError('unknown-variable', `the value of ${JSON.stringify(name)} must be entered`, {
        hint: `This editor cannot ask for it. Give it in the options of the command: { "variables": { ${JSON.stringify(name)}: "value" } }.`,
      })
    }
    const reply = this.#connection.sendRequest<{ readonly value?: unknown } | null>(PROMPT_REQUEST, {
      ...{ name, question, isSecret },
    })
    const answer = await Promise.race([reply.catch(() => null), abortOf(signal)])
    if (typeof answer?.value === 'string') return answer.value
    throw new QuestionError('unknown-variable', `no value was entered for ${JSON.stringify(name)}`)
  }

  /** Opens the address in a browser if the client can, and shows it in any case. */
  async signIn({ url, code }: SignIn): Promise<void> {
    const then = code === undefined ? '' : ` and type the code ${code} there`
    const message = `Sign in to continue: open ${url} in a browser${then}`
    const { window } = this.#workspace.client
    if (window?.showDocument?.support === true) {
      unawaited(() => this.#connection.window.showDocument({ uri: url, external: true }))
    }
    unawaited(() =>
      this.#connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Info, message }),
    )
  }

  /** @returns null for no environment, undefined if the user gives no answer */
  async environment(names: readonly string[]): Promise<string | null | undefined> {
    const titles = [...names, NO_ENVIRONMENT].map((title) => ({ title }))
    const chosen = await this.#connection.window.showInformationMessage('Choose an environment', ...titles)
    if (chosen === undefined) return undefined
    return chosen.title === NO_ENVIRONMENT ? null : chosen.title
  }
}

function abortOf(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}
