/** Tokens, and what is needed to fetch them. */
import type { SecretSink } from '../../secrets/index.ts'
import type { WireOptions } from '../../wire/index.ts'
import type { SharedValues } from '../base/shared-values.ts'
import type { SettingSource } from '../context/environment-files.ts'
import type { ValueSources } from '../variables/dynamic/value-sources.ts'

/** What a person has to do for a token. */
export interface SignIn {
  /** The address to open in a browser. */
  readonly url: string
  /** To be typed in there; undefined where nothing is. */
  readonly code: string | undefined
}

/** Shows a person where to sign in. Waited for, but not until he has done so. */
export type AskUser = (signIn: SignIn) => Promise<void>

export interface TokenContext {
  readonly settings: SettingSource | undefined
  /** Tokens of all runs that share them, by their settings. */
  readonly shared: SharedValues<Token>
  /** How a request to a server of tokens is sent. */
  readonly wireOptions: (url: URL) => Promise<WireOptions>
  /** Replaces the variables in a text of the settings. */
  readonly render: (text: string) => Promise<string>
  readonly sources: ValueSources
  readonly askUser: AskUser | undefined
  readonly signal: AbortSignal | undefined
  /** Gets tokens, codes and passwords before they are sent and as they arrive. */
  readonly secrets?: SecretSink | undefined
}

export interface Token {
  readonly access: string | undefined
  readonly id: string | undefined
  readonly refresh: string | undefined
  /** Milliseconds since 1970, a little before it ends, so that a request with it still arrives; undefined: not known. */
  readonly renewAtMs: number | undefined
}
