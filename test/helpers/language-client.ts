/**
 * A client of the language server: runs the built command in a separate process, over its standard streams.
 *
 * Rules: messages of the server are kept until a test asks for them; a test waits for a state, never for a time. The
 * caller closes the client.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  createProtocolConnection,
  type Diagnostic,
  type InitializeParams,
  type InitializeResult,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver-protocol/node'
import { commandEnvironment, commandLine } from './command.ts'

export interface LanguageClientOptions {
  /** URIs of the folders. */
  readonly folders?: readonly string[]
  /** Sent as `initializationOptions`. */
  readonly settings?: unknown
  readonly capabilities?: InitializeParams['capabilities']
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** Program and first arguments of another server. Default: the built command. */
  readonly command?: readonly [program: string, ...words: string[]]
  /** The time to wait for a state before the test fails. Default 30 s. */
  readonly limitMs?: number
}

export class LanguageClient {
  readonly connection: ProtocolConnection
  readonly process: ChildProcessWithoutNullStreams
  /** The last diagnostics of each document. */
  readonly published: Map<string, PublishDiagnosticsParams> = new Map()
  /** What the server wrote to standard error. */
  errors = ''
  initialized: InitializeResult | undefined
  readonly #limitMs: number
  readonly #waiting: Set<() => void> = new Set()
  readonly #versions: Map<string, number> = new Map()

  private constructor(server: ChildProcessWithoutNullStreams, limitMs: number) {
    this.process = server
    this.#limitMs = limitMs
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
    })
    this.connection = createProtocolConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin),
    )
    this.connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
      this.published.set(params.uri, params)
      for (const wake of [...this.#waiting]) wake()
    })
    this.connection.onRequest('client/registerCapability', () => null)
    this.connection.listen()
  }

  static async start(options: LanguageClientOptions = {}): Promise<LanguageClient> {
    const client = LanguageClient.connect(options)
    await client.initialize(options)
    await client.connection.sendNotification('initialized', {})
    return client
  }

  /** Starts a server that the caller initializes. */
  static connect({ env, cwd, limitMs = 30_000, command }: LanguageClientOptions = {}): LanguageClient {
    const [program, ...words] = command ?? commandLine()
    const server = spawn(program, [...words, 'lsp', '--stdio', `--clientProcessId=${process.pid}`], {
      env: commandEnvironment(env),
      cwd,
    })
    return new LanguageClient(server, limitMs)
  }

  async initialize({ folders = [], settings, capabilities = {} }: LanguageClientOptions = {}): Promise<void> {
    this.initialized = await this.connection.sendRequest<InitializeResult>('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities,
      workspaceFolders: folders.map((uri) => ({ uri, name: uri })),
      ...(settings === undefined ? {} : { initializationOptions: settings }),
    })
  }

  async open(uri: string, text: string, languageId = 'http'): Promise<void> {
    this.#versions.set(uri, 1)
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version: 1, text },
    })
  }

  /** @returns the version of the document */
  async change(uri: string, ...contentChanges: readonly TextDocumentContentChangeEvent[]): Promise<number> {
    const version = (this.#versions.get(uri) ?? 0) + 1
    this.#versions.set(uri, version)
    await this.connection.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges })
    return version
  }

  async close(uri: string): Promise<void> {
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } })
  }

  /** Sends a request about a place in a document. Lines and characters count from 0. */
  at<Result>(method: string, uri: string, line: number, character: number, more: object = {}): Promise<Result> {
    return this.connection.sendRequest<Result>(method, {
      textDocument: { uri },
      position: { line, character },
      ...more,
    })
  }

  /** The diagnostics of a document, as soon as they satisfy the condition. */
  async diagnostics(uri: string, isWanted: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]> {
    const found = (): readonly Diagnostic[] | undefined => {
      const { diagnostics } = this.published.get(uri) ?? {}
      return diagnostics !== undefined && isWanted(diagnostics) ? diagnostics : undefined
    }
    return this.until(found, () => `diagnostics of ${uri}: ${JSON.stringify(this.published.get(uri)?.diagnostics)}`)
  }

  /** Waits for a value: `take` is called again after each message about diagnostics, and whenever `wake` is called. */
  until<Value>(take: () => Value | undefined, describe: () => string): Promise<Value> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#waiting.delete(attempt)
        reject(new Error(`waited for ${describe()}\n${this.errors}`))
      }, this.#limitMs)
      const attempt = (): void => {
        const value = take()
        if (value === undefined) return
        clearTimeout(limit)
        this.#waiting.delete(attempt)
        resolve(value)
      }
      this.#waiting.add(attempt)
      attempt()
    })
  }

  /** Makes pending `until` calls check again. */
  wake(): void {
    for (const attempt of [...this.#waiting]) attempt()
  }

  /** Ends the server in the order that the protocol requires. @returns its exit code */
  async stop(): Promise<number | null> {
    const ended = once(this.process, 'close') as Promise<[number | null]>
    await this.connection.sendRequest('shutdown')
    await this.connection.sendNotification('exit')
    const [code] = await ended
    this.connection.dispose()
    return code
  }
}
