/** The context that the command passes to a language server, for tests of its parts. It sends nothing. */
import type { ServerContext } from '../../src/language-server/base/server-context.ts'

export function serverContext(
  workingDirectory: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): ServerContext {
  return {
    version: '2.0.0',
    workingDirectory,
    environment,
    wire: {},
    layoutJson: (text) => text,
    collectSecrets: () => undefined,
  }
}
