/** A part of the server: what it announces, and what it listens to. */
import type { Connection, ServerCapabilities } from 'vscode-languageserver'
import type { Workspace } from '../workspace/workspace.ts'

export interface Feature {
  readonly capabilities: ServerCapabilities
  /** Called once, before the first message. A handler that throws is an error answer, and the server goes on. */
  listen(connection: Connection, workspace: Workspace): void
}
