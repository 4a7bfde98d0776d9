/** Tokens, and the dependencies for fetching them. */
import type { SecretSink } from '../../secrets/index.ts'
import type { WireOptions } from '../../wire/index.ts'
import type { SharedValues } from '../base/shared-values.ts'
import type { SettingSource } from '../context/environment-files.ts'
import type { ValueSources } from '../variables/dynamic/value-sources.ts'

/** The sign-in that the user completes to get a token. */
export interface SignIn {
  /** The address to open in a browser. */
  readonly url: string
  /** To be entered there; undefined if nothing is. */
  readonly code: string | undefined
}

/** Shows the user where to sign in. Awaited, but not until the user has signed in. */
export type AskUser = (signIn: SignIn) => Promise<void>

export interface TokenContext {
  readonly settings: SettingSource | undefined
  /** Tokens of all runs that share them, by their settings. */
  readonly shared: SharedValues<Token>
  /** Options for a request to a token server. */
  readonly wireOptions: (url: URL) => Promise<WireOptions>
  /** Replaces the variables in a text of the settings. */
  readonly render: (text: string) => Promise<string>
  readonly sources: ValueSources
  readonly askUser: AskUser | undefined
  readonly signal: AbortSignal | undefined
  /** Receives tokens, codes and passwords before they are sent and as they arrive. */
  readonly secrets?: SecretSink | undefined
}

export interface Token {
  readonly access: string | undefined
  readonly id: string | undefined
  readonly refresh: string | undefined
  /**
   * Milliseconds since 1970, shortly before it expires, so that a request with it still arrives; undefined: unknown.
   */
  readonly renewAtMs: number | undefined
}
