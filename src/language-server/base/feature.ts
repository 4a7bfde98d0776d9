/** A part of the server: the capabilities that it announces, and the messages that it handles. */
import type { Connection, ServerCapabilities } from 'vscode-languageserver'
import type { Workspace } from '../workspace/workspace.ts'

export interface Feature {
  readonly capabilities: ServerCapabilities
  /** Called once, before the first message. If a handler throws, the client gets an error, and the server continues. */
  listen(connection: Connection, workspace: Workspace): void
}
