/** The values that the command passes to the server: its version, its environment, and options for every request. */
import type { OnEngineLoad, RunOptions } from '../../runner/index.ts'
import type { SecretSink } from '../../secrets/index.ts'

export interface ServerContext {
  readonly version: string
  /** The working directory for documents outside every folder. */
  readonly workingDirectory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Options for every request that is sent. */
  readonly wire: NonNullable<RunOptions['wire']>
  /** Formats JSON with one member per line. From the first text that is not JSON on, the rest is unchanged. */
  readonly layoutJson: (text: string) => string
  /** Adds the secrets in the arguments and the environment of the process. */
  readonly collectSecrets: (sink: SecretSink) => void
  /** Called when the script engine begins to load. */
  readonly onEngineLoad?: OnEngineLoad
}
