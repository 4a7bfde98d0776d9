/**
 * The extension: starts the language server, and gives the editor what the protocol has no words for: a status item for
 * the environment, the request at the cursor, the results, and the trust of the folder.
 *
 * Rules: all knowledge of request files is in the server. Nothing is sent without a command of the user.
 */
import {
  commands,
  type ExtensionContext,
  languages,
  StatusBarAlignment,
  type StatusBarItem,
  type TextEditor,
  type Uri,
  window,
  workspace,
} from 'vscode'
import { LanguageClient, type ServerOptions, TransportKind } from 'vscode-languageclient/node'
import { importRestClient } from './rest-client.ts'

const selector = [
  { scheme: 'file', language: 'http' },
  { scheme: 'untitled', language: 'http' },
]

let client: LanguageClient | undefined

export async function activate(context: ExtensionContext): Promise<void> {
  const status = environmentItem()
  context.subscriptions.push(
    status,
    commands.registerCommand('httpcli.selectEnvironment', selectEnvironment),
    commands.registerCommand('httpcli.sendAtCursor', () => sendFrom(window.activeTextEditor, 'httpcli.send')),
    commands.registerCommand('httpcli.sendFile', () => sendFrom(window.activeTextEditor, 'httpcli.runFile')),
    commands.registerCommand('httpcli.importRestClient', () => reportingErrors(importRestClient)),
    commands.registerCommand('httpcli.restartServer', async () => {
      await stop()
      await start(context)
    }),
    workspace.onDidGrantWorkspaceTrust(async () => {
      await stop()
      await start(context)
    }),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('httpcli.environment')) showEnvironment(status)
      if (change.affectsConfiguration('httpcli.path')) void commands.executeCommand('httpcli.restartServer')
    }),
    window.onDidChangeActiveTextEditor(() => showEnvironment(status)),
  )
  showEnvironment(status)
  await start(context)
}

export function deactivate(): Promise<void> {
  return stop()
}

async function start(context: ExtensionContext): Promise<void> {
  const { inlayUrls, environment } = settings()
  client = new LanguageClient('httpcli', 'httpcli', serverOptions(context), {
    documentSelector: selector,
    synchronize: { configurationSection: 'httpcli' },
    initializationOptions: { inlayUrls, environment, trusted: workspace.isTrusted },
    markdown: { isTrusted: false },
  })
  await client.start()
}

async function stop(): Promise<void> {
  const running = client
  client = undefined
  await running?.stop()
}

/** The program of the settings, otherwise the server of this extension on the editor's own Node.js. */
function serverOptions(context: ExtensionContext): ServerOptions {
  const { path } = settings()
  if (path !== '') return { command: path, args: ['lsp'], transport: TransportKind.stdio }
  const module = context.asAbsolutePath('server/cli/main.cjs')
  return { module, args: ['lsp'], transport: TransportKind.stdio }
}

interface Settings {
  readonly path: string
  readonly environment: string
  readonly inlayUrls: boolean
}

function settings(scope?: Uri): Settings {
  const given = workspace.getConfiguration('httpcli', scope ?? null)
  return {
    path: given.get('path', ''),
    environment: given.get('environment', ''),
    inlayUrls: given.get('inlayUrls', false),
  }
}

function environmentItem(): StatusBarItem {
  const item = window.createStatusBarItem('httpcli.environment', StatusBarAlignment.Right, 100)
  item.name = 'httpcli environment'
  item.command = 'httpcli.selectEnvironment'
  item.tooltip = 'Environment of request files'
  return item
}

function showEnvironment(item: StatusBarItem): void {
  const document = window.activeTextEditor?.document
  if (document === undefined || languages.match(selector, document) === 0) {
    item.hide()
    return
  }
  item.text = `$(globe) ${settings(document.uri).environment || 'no environment'}`
  item.show()
}

/** The choice is a setting of the folder, so that it is there tomorrow. */
async function selectEnvironment(): Promise<void> {
  const document = window.activeTextEditor?.document
  if (client === undefined || document === undefined) return
  const names = await client.sendRequest<readonly string[]>('workspace/executeCommand', {
    command: 'httpcli.environments',
    arguments: [document.uri.toString()],
  })
  const none = 'No environment'
  const chosen = await window.showQuickPick([...names, none], { placeHolder: 'Environment of request files' })
  if (chosen === undefined) return
  const value = chosen === none ? '' : chosen
  await workspace.getConfiguration('httpcli', document.uri).update('environment', value, !hasFolder(document.uri))
}

function hasFolder(uri: Uri): boolean {
  return workspace.getWorkspaceFolder(uri) !== undefined
}

async function sendFrom(editor: TextEditor | undefined, command: string): Promise<void> {
  if (client === undefined || editor === undefined) return
  const line = editor.selection.active.line
  await client.sendRequest('workspace/executeCommand', {
    command,
    arguments: [editor.document.uri.toString(), line],
  })
}

async function reportingErrors(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    void window.showErrorMessage(error instanceof Error ? error.message : String(error))
  }
}
