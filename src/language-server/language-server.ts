/**
 * The server: one client over a pair of streams, from `initialize` to `exit`.
 *
 * Rules: the features are a table; each announces its capabilities and registers its handlers. An error in a handler is
 * answered by an error, and the server continues. It ends when the client requests it, or when the input ends.
 */
import type { Readable, Writable } from 'node:stream'
import {
  type ClientCapabilities,
  type Connection,
  createConnection,
  type InitializeParams,
  type ServerCapabilities,
  TextDocumentSyncKind,
  TextDocuments,
  type WatchDog,
} from 'vscode-languageserver'
import {
  createProtocolConnection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import type { Feature } from './base/feature.ts'
import { pathOfUri } from './base/file-uri.ts'
import { lifetimeOver } from './base/lifetime.ts'
import type { ServerContext } from './base/server-context.ts'
import { codeLenses } from './commands/offered-commands.ts'
import { runCommands } from './commands/run-commands.ts'
import { completion } from './completion/completion.ts'
import { diagnostics } from './diagnostics/diagnostics.ts'
import { fixes } from './fixes/code-actions.ts'
import { hover } from './hover/hover.ts'
import { signatureHelp } from './hover/signature-help.ts'
import { layout } from './layout/layout.ts'
import { navigation } from './navigation/navigation.ts'
import { RESULT_SCHEME } from './results/result-documents.ts'
import { withConfiguration, withSettings } from './workspace/client-settings.ts'
import { Workspace } from './workspace/workspace.ts'

const features: readonly Feature[] = [
  ...[diagnostics, completion, hover, signatureHelp, navigation, layout, fixes],
  ...[codeLenses, runCommands],
]

export interface ServerStreams {
  readonly input: Readable
  readonly output: Writable
}

export interface ServerOptions extends ServerStreams, ServerContext {
  readonly signal: AbortSignal
  /** Called when the user pauses: the time for work that would delay an answer. */
  readonly onPause?: () => void
}

const PAUSE_MS = 250

/** Serves a client. @returns whether the client ended the server as the protocol requires */
export async function serveClient(options: ServerOptions): Promise<boolean> {
  const { input, output, signal } = options
  let end: (isOrderly: boolean) => void = () => undefined
  const ended = new Promise<boolean>((resolve) => {
    end = resolve
  })
  const watchDog: WatchDog = {
    shutdownReceived: false,
    // The input ends when the client process ends, so it is not watched.
    initialize: () => undefined,
    exit: (code) => end(code === 0),
  }
  const connection = createConnection((logger) => {
    const writer = new StreamMessageWriter(output)
    const options = { messageStrategy: lifetimeOver(writer) }
    return createProtocolConnection(new StreamMessageReader(input), writer, logger, options)
  }, watchDog)
  const onEnd = (): void => end(watchDog.shutdownReceived)
  input.once('end', onEnd).once('close', onEnd)
  output.once('error', onEnd)
  signal.addEventListener('abort', onEnd, { once: true })
  const documents = new TextDocuments({
    // Some clients leave out the text of an empty document, against the protocol.
    create: (uri, languageId, version, text: unknown) =>
      TextDocument.create(uri, languageId, version, typeof text === 'string' ? text : ''),
    update: TextDocument.update,
  })
  const workspace = new Workspace(documents, options)
  connection.onInitialize((params) => {
    workspace.client = params.capabilities
    workspace.folders = foldersOf(params)
    workspace.settings = withSettings(workspace.settings, params.initializationOptions)
    connection.onInitialized(() => registerCapabilities(connection, params.capabilities))
    return { capabilities: capabilities(), serverInfo: { name: 'httpcli', version: options.version } }
  })
  followClient(connection, workspace)
  let pause: NodeJS.Timeout | undefined
  documents.onDidChangeContent(({ document }) => {
    workspace.announce('change', document.uri)
    clearTimeout(pause)
    if (options.onPause !== undefined) pause = setTimeout(options.onPause, PAUSE_MS)
  })
  documents.onDidClose(({ document }) => workspace.announce('close', document.uri))
  for (const feature of features) feature.listen(connection, workspace)
  documents.listen(connection)
  connection.listen()
  const isOrderly = await ended
  clearTimeout(pause)
  await workspace.end()
  connection.dispose()
  return isOrderly
}

function foldersOf({ workspaceFolders, rootUri }: InitializeParams): readonly string[] {
  const uris = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri == null ? [] : [rootUri])
  return uris.flatMap((uri) => pathOfUri(uri) ?? [])
}

function capabilities(): ServerCapabilities {
  const all: ServerCapabilities = {
    positionEncoding: 'utf-16',
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: false },
    workspace: {
      workspaceFolders: { supported: true, changeNotifications: true },
      textDocumentContent: { schemes: [RESULT_SCHEME] },
    },
  }
  return Object.assign(all, ...features.map((feature) => feature.capabilities))
}

/** Follows settings, folders and files of the client. */
function followClient(connection: Connection, workspace: Workspace): void {
  connection.onDidChangeConfiguration(async ({ settings }) => {
    const pushed = (settings as { readonly httpcli?: unknown } | null | undefined)?.httpcli
    const received = pushed ?? (await connection.workspace.getConfiguration('httpcli').catch(() => undefined))
    workspace.settings = withConfiguration(workspace.settings, received)
    workspace.announceContextChange()
  })
  connection.onNotification(DidChangeWorkspaceFoldersNotification.type, ({ event: { added, removed } }) => {
    const removedPaths = new Set(removed.map(({ uri }) => pathOfUri(uri)))
    const kept = workspace.folders.filter((folder) => !removedPaths.has(folder))
    workspace.folders = [...kept, ...added.flatMap(({ uri }) => pathOfUri(uri) ?? [])]
    workspace.announceContextChange()
  })
  connection.onDidChangeWatchedFiles(() => workspace.announceContextChange())
}

/** Registers for notifications that some clients send only on request. Other clients may send them anyway. */
async function registerCapabilities({ client }: Connection, { workspace }: ClientCapabilities): Promise<void> {
  const { didChangeConfiguration, didChangeWatchedFiles } = workspace ?? {}
  if (didChangeConfiguration?.dynamicRegistration === true) {
    await client.register(DidChangeConfigurationNotification.type, { section: 'httpcli' })
  }
  if (didChangeWatchedFiles?.dynamicRegistration === true) {
    const watchers = ['**/*.{http,rest}', '**/*.env.json', '**/.env', '**/.env.*'].map((globPattern) => ({
      globPattern,
    }))
    await client.register(DidChangeWatchedFilesNotification.type, { watchers })
  }
}
