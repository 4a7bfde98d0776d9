/** What a language server gets from the command, for tests of its parts: nothing is sent. */
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
