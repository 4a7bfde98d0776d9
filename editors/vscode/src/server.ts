/**
 * The language server and what it asks of the editor: results in documents, values that the user enters, curl commands in
 * the clipboard.
 */
import { type Event, EventEmitter, type ExtensionContext, env, window, workspace } from 'vscode'
import { LanguageClient, type ServerOptions, type StaticFeature, TransportKind } from 'vscode-languageclient/node'
import { ResultDocuments } from './result-documents.ts'

export interface EnvironmentChange {
  /** null: none. */
  readonly environment: string | null
  /** Of the document that it was chosen for. */
  readonly uri?: string
}

interface Prompt {
  readonly name: string
  readonly question?: string
  readonly isSecret?: boolean
}

/** What this client can do beyond the protocol. */
const extras: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const httpcli = { results: true, prompt: true, clipboard: true, environment: true }
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), httpcli }
  },
  initialize() {},
  getState: () => ({ kind: 'static' }),
  clear() {},
}

export class Server {
  readonly #context: ExtensionContext
  readonly #results: ResultDocuments
  readonly #environmentChanges: EventEmitter<EnvironmentChange> = new EventEmitter()
  readonly #starts: EventEmitter<void> = new EventEmitter()
  #client: LanguageClient | undefined

  constructor(context: ExtensionContext) {
    this.#context = context
    this.#results = new ResultDocuments((uri) => this.#request<{ readonly text: string }>('httpcli/result', { uri }))
    context.subscriptions.push(this.#results, this.#environmentChanges, this.#starts)
  }

  get onEnvironmentChange(): Event<EnvironmentChange> {
    return this.#environmentChanges.event
  }

  get onStart(): Event<void> {
    return this.#starts.event
  }

  async start(): Promise<void> {
    const settings = workspace.getConfiguration('httpcli')
    const client = new LanguageClient('httpcli', 'httpcli', this.#command(settings.get('path', '')), {
      documentSelector: [
        { scheme: 'file', language: 'http' },
        { scheme: 'untitled', language: 'http' },
      ],
      synchronize: { configurationSection: 'httpcli' },
      initializationOptions: {
        environment: settings.get('environment', ''),
        inlayUrls: settings.get('inlayUrls', false),
        trusted: workspace.isTrusted,
      },
      middleware: {
        async executeCommand(command, given, next) {
          const answer = await next(command, given)
          if (command === 'httpcli.copyAsCurl') await copy((answer as { readonly text?: string } | null)?.text)
          return answer
        },
      },
    })
    client.registerFeature(extras)
    client.onRequest('httpcli/prompt', ask)
    client.onNotification('httpcli/resultChanged', ({ uri }: { readonly uri: string }) => this.#results.show(uri))
    client.onNotification('httpcli/environmentChanged', (change: EnvironmentChange) => {
      this.#environmentChanges.fire(change)
    })
    this.#client = client
    await client.start()
    this.#starts.fire()
  }

  async stop(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    // One that could not be started cannot be stopped.
    if (client?.isRunning() === true) await client.stop()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Executes a command of the server. */
  execute<Result>(command: string, given: readonly unknown[]): Promise<Result> {
    return this.#request('workspace/executeCommand', { command, arguments: given })
  }

  async #request<Result>(method: string, parameters: object): Promise<Result> {
    if (this.#client === undefined) throw new Error('The language server of httpcli is not running.')
    return this.#client.sendRequest(method, parameters)
  }

  /** The program of the settings, otherwise the server of this extension on the editor's own Node.js. */
  #command(path: string): ServerOptions {
    const transport = TransportKind.stdio
    if (path !== '') return { command: path, args: ['lsp'], transport }
    return { module: this.#context.asAbsolutePath('server/cli/main.cjs'), args: ['lsp'], transport }
  }
}

async function ask({ name, question, isSecret }: Prompt): Promise<{ readonly value: string } | null> {
  const value = await window.showInputBox({
    prompt: question ?? name,
    password: isSecret === true,
    ignoreFocusOut: true,
  })
  return value === undefined ? null : { value }
}

async function copy(text: string | undefined): Promise<void> {
  if (text === undefined) return
  await env.clipboard.writeText(text)
  window.setStatusBarMessage('The curl command is in the clipboard', 4_000)
}
