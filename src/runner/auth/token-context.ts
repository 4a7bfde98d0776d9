/** Tokens, and the settings and services needed to fetch them. */
import type { SecretSink } from '../../secrets/index.ts'
import type { WireOptions } from '../../wire/index.ts'
import type { SharedValues } from '../base/shared-values.ts'
import type { SettingSource } from '../context/environment-files.ts'
import type { ValueSources } from '../variables/dynamic/value-sources.ts'

/** The sign-in that the user completes to get a token. */
export interface SignIn {
  /** The address to open in a browser. */
  readonly url: string
  /** The code to enter there; undefined if none is needed. */
  readonly code: string | undefined
}

/** Shows the user where to sign in. Resolves when the message is shown, before the user has signed in. */
export type AskUser = (signIn: SignIn) => Promise<void>

export interface TokenContext {
  readonly settings: SettingSource | undefined
  /** Tokens by their settings, for all runs that share them. */
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
   * Milliseconds since 1970: shortly before the token expires, so that a request with it arrives in time. Undefined if
   * unknown.
   */
  readonly renewAtMs: number | undefined
}
