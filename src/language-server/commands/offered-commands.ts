/** The commands that the editor offers at each request: as lenses above it, and as actions at the cursor. */
import type { CodeAction, CodeLens, Command, Range } from 'vscode-languageserver-protocol'
import type { Feature } from '../base/feature.ts'
import { type RunTarget, targetsOf } from '../running/run-targets.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { type OfferedCommand, offeredCommands } from './command-table.ts'

/** The kind of the actions: `source.httpcli.send` and so on. */
export const RUN_ACTION_KIND = 'source.httpcli'

/** @param hasEnvironments whether the file has environments to choose from */
export function runLenses(analysis: Analysis, hasEnvironments: boolean): CodeLens[] {
  return targetsOf(analysis).flatMap((target, index) => {
    const place = { line: target.line, character: 0 }
    const range = { start: place, end: place }
    return commandsAt(analysis, target, index, hasEnvironments).map((command) => ({ range, command }))
  })
}

/** The commands of the requests in a range, for clients without lenses. */
export function runActions(analysis: Analysis, range: Range, hasEnvironments: boolean): CodeAction[] {
  return targetsOf(analysis).flatMap((target, index) => {
    if (target.lastLine < range.start.line || target.firstLine > range.end.line) return []
    return commandsAt(analysis, target, index, hasEnvironments).map((command) => ({
      title: `${command.title}: ${target.title}`,
      kind: command.command.replace('httpcli', RUN_ACTION_KIND),
      command,
    }))
  })
}

function commandsAt({ uri }: Analysis, { line }: RunTarget, index: number, hasEnvironments: boolean): Command[] {
  const applies: Readonly<Record<NonNullable<OfferedCommand['place']>, boolean>> = {
    first: index === 0,
    'not-first': index > 0,
    'with-environments': hasEnvironments,
  }
  return offeredCommands
    .filter(({ place }) => place === undefined || applies[place])
    .map(({ command, title }) => ({ command, title, arguments: [uri, line] }))
}

export const codeLenses: Feature = {
  capabilities: { codeLensProvider: { resolveProvider: false } },
  listen(connection, workspace) {
    connection.onCodeLens(({ textDocument }) => {
      const analysis = workspace.analysis(textDocument.uri)
      if (analysis === undefined) return null
      return runLenses(analysis, workspace.environmentNames(analysis.path).length > 0)
    })
  },
}
