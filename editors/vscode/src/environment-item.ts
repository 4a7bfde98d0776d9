/**
 * The environment in the status bar.
 *
 * Rules: a choice is for the folder of the document, and is kept for the next session; without one the setting applies.
 */
import { languages, type Memento, StatusBarAlignment, type TextDocument, type Uri, window, workspace } from 'vscode'
import type { Server } from './server.ts'

const NO_ENVIRONMENT = 'No environment'

/** By the URI of the folder. null: none. */
type Choices = Readonly<Record<string, string | null>>

const KEY = 'environments'

export class EnvironmentItem {
  readonly #server: Server
  readonly #state: Memento
  readonly #item = window.createStatusBarItem('httpcli.environment', StatusBarAlignment.Right, 100)
  readonly #subscriptions: readonly { dispose(): unknown }[]

  constructor(server: Server, state: Memento) {
    this.#server = server
    this.#state = state
    this.#item.name = 'httpcli environment'
    this.#item.command = 'httpcli.selectEnvironment'
    this.#item.tooltip = 'Environment of request files'
    this.#subscriptions = [
      window.onDidChangeActiveTextEditor(() => this.show()),
      server.onStart(() => this.#restore()),
      server.onEnvironmentChange(({ environment, uri }) => this.#keep(environment, uri)),
    ]
    this.show()
  }

  show(): void {
    const document = window.activeTextEditor?.document
    if (document === undefined || languages.match({ language: 'http' }, document) === 0) {
      this.#item.hide()
      return
    }
    this.#item.text = `$(globe) ${this.#environmentOf(document) ?? NO_ENVIRONMENT.toLowerCase()}`
    this.#item.show()
  }

  /** Lets the user choose. The server reports the choice. */
  async select(): Promise<void> {
    const uri = window.activeTextEditor?.document.uri.toString()
    if (uri === undefined) return
    const names = await this.#server.execute<readonly string[]>('httpcli.environments', [uri])
    const placeHolder = names.length === 0 ? 'http-client.env.json has no environments' : 'Environment of request files'
    const chosen = await window.showQuickPick([...names, NO_ENVIRONMENT], { placeHolder })
    if (chosen === undefined) return
    const environment = chosen === NO_ENVIRONMENT ? null : chosen
    await this.#server.execute('httpcli.chooseEnvironment', [uri, { environment }])
  }

  dispose(): void {
    for (const each of [...this.#subscriptions, this.#item]) each.dispose()
  }

  #environmentOf({ uri }: TextDocument): string | null {
    const chosen = this.#choices[keyOf(uri)]
    if (chosen !== undefined) return chosen
    return workspace.getConfiguration('httpcli', uri).get('environment', '') || null
  }

  get #choices(): Choices {
    return this.#state.get<Choices>(KEY, {})
  }

  async #keep(environment: string | null, uri: string | undefined): Promise<void> {
    const document = workspace.textDocuments.find((each) => each.uri.toString() === uri)
    await this.#state.update(KEY, { ...this.#choices, [keyOf(document?.uri)]: environment })
    this.show()
  }

  /** A server that has just started knows the setting alone. */
  async #restore(): Promise<void> {
    for (const document of workspace.textDocuments) {
      const environment = this.#choices[keyOf(document.uri)]
      if (environment === undefined || document.languageId !== 'http') continue
      await this.#server.execute('httpcli.chooseEnvironment', [document.uri.toString(), { environment }])
    }
  }
}

function keyOf(uri: Uri | undefined): string {
  return (uri && workspace.getWorkspaceFolder(uri)?.uri.toString()) ?? ''
}
