/** Code lenses above each request. */
import type { Feature } from '../base/feature.ts'
import { runLenses } from './offered-commands.ts'

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
