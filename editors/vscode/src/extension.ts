/**
 * The extension: starts the language server, and registers the commands and the status item.
 *
 * Rules: all knowledge of request files is in the server. Nothing is sent without a command of the user, and nothing from
 * a folder that is not trusted.
 */
import { commands, type ExtensionContext, type TextEditor, window, workspace } from 'vscode'
import { EnvironmentItem } from './environment-item.ts'
import { importRestClient } from './rest-client.ts'
import { Server } from './server.ts'

let server: Server | undefined

export async function activate(context: ExtensionContext): Promise<void> {
  const started = new Server(context)
  server = started
  const environment = new EnvironmentItem(started, context.workspaceState)
  const restart = (): Promise<void> => started.restart()
  context.subscriptions.push(
    environment,
    commands.registerCommand('httpcli.selectEnvironment', () => reportingErrors(() => environment.select())),
    commands.registerCommand('httpcli.sendAtCursor', () => send(started, 'httpcli.send', window.activeTextEditor)),
    commands.registerCommand('httpcli.sendFile', () => send(started, 'httpcli.runFile', window.activeTextEditor)),
    commands.registerCommand('httpcli.importRestClient', () => reportingErrors(importRestClient)),
    commands.registerCommand('httpcli.restartServer', restart),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('httpcli.path')) void restart()
      if (change.affectsConfiguration('httpcli.environment')) environment.show()
    }),
  )
  await started.start()
}

export async function deactivate(): Promise<void> {
  await server?.stop()
}

async function send(running: Server, command: string, editor: TextEditor | undefined): Promise<void> {
  if (editor === undefined) return
  await reportingErrors(() => running.execute(command, [editor.document.uri.toString(), editor.selection.active.line]))
}

async function reportingErrors(action: () => Promise<unknown>): Promise<void> {
  try {
    await action()
  } catch (error) {
    void window.showErrorMessage(error instanceof Error ? error.message : String(error))
  }
}
