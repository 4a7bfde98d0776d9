/** What the command hands to the server: its version, its surroundings, and what every request is sent with. */
import type { OnEngineLoad, RunOptions } from '../../runner/index.ts'
import type { SecretSink } from '../../secrets/index.ts'

export interface ServerContext {
  readonly version: string
  /** That of documents outside of every folder. */
  readonly workingDirectory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** For every request that is sent. */
  readonly wire: NonNullable<RunOptions['wire']>
  /** JSON with one member per line. What is not JSON stays as it is from there on. */
  readonly layoutJson: (text: string) => string
  /** Adds the secrets that the process was started with. */
  readonly collectSecrets: (sink: SecretSink) => void
  /** Called when the script engine begins to load. */
  readonly onEngineLoad?: OnEngineLoad
}
