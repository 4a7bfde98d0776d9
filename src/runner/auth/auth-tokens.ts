/**
 * Tokens of the `Security` block, for variables: `{{$auth.token("id")}}`, `{{$auth.idToken("id")}}`.
 *
 * Rules: a token is fetched on first use, kept while it is valid, then renewed. It is never written to disk. The code
 * that fetches tokens is loaded with the first one.
 */
import { isJsonObject, type JsonValue, memberOf } from '../../http-file/index.ts'
import { RunError } from '../base/errors.ts'
import { optionHints } from '../base/option-hints.ts'
import type { TokenSource } from '../variables/dynamic/context-variables.ts'
import type { ForeseenValues } from '../variables/foreseen-values.ts'
import type { Token, TokenContext } from './token-context.ts'

export class LazyTokens implements TokenSource {
  readonly #context: TokenContext
  readonly #tokens: Map<string, Token> = new Map()

  constructor(context: TokenContext) {
    this.#context = context
  }

  known(id: string, kind: 'access' | 'id'): string | undefined {
    return this.#tokens.get(id)?.[kind]
  }

  /** Checks that a token could be requested. @throws HttpcliError `unknown-auth`, `invalid-auth`. */
  async check(id: string): Promise<void> {
    const { readOAuthSettings } = await import('./oauth-settings.ts')
    await readOAuthSettings(id, this.#settingsOf(id), this.#context.render)
  }

  /** @throws HttpcliError `unknown-auth`, `invalid-auth`, `token-refused`; WireError. */
  async acquire(id: string, kind: 'access' | 'id'): Promise<void> {
    const last = this.#tokens.get(id)
    if (last?.[kind] !== undefined && !this.#isOver(last)) return
    const [{ fetchToken }, { readOAuthSettings }] = await Promise.all([
      import('./oauth.ts'),
      import('./oauth-settings.ts'),
    ])
    const settings = await readOAuthSettings(id, this.#settingsOf(id), this.#context.render)
    const token = await this.#context.shared.take(
      JSON.stringify(settings),
      (known) => !this.#isOver(known),
      (old) => fetchToken(settings, old, this.#context),
    )
    if (token[kind] === undefined) {
      const what = kind === 'id' ? 'ID token' : 'access token'
      throw new RunError('token-refused', `the server of the authorization "${id}" returned no ${what}`, {
        ...(kind === 'id' ? { hint: 'Ask for the scope "openid"' } : {}),
      })
    }
    this.#tokens.set(id, token)
  }

  #isOver({ renewAtMs }: Token): boolean {
    return renewAtMs !== undefined && renewAtMs <= this.#context.sources.now()
  }

  #settingsOf(id: string): JsonValue {
    const auth = memberOf(this.#context.settings?.value, 'Auth')
    const settings = memberOf(auth, id)
    if (settings !== undefined) return settings
    const known = isJsonObject(auth) ? Object.keys(auth) : []
    throw new RunError('unknown-auth', `no authorization "${id}" found in the environment`, {
      hint:
        known.length === 0
          ? optionHints.authSettings
          : `the environment has ${known.map((name) => `"${name}"`).join(', ')}`,
    })
  }
}

/** The tokens of a dry run: a placeholder value for each known authorization. */
export function foreseenTokens(tokens: LazyTokens, foreseen: ForeseenValues): TokenSource {
  const checked = new Set<string>()
  return {
    known: (id, kind) => {
      if (!checked.has(id)) return undefined
      return foreseen.use(`$auth.${kind === 'id' ? 'idToken' : 'token'}(${JSON.stringify(id)})`)
    },
    acquire: async (id) => {
      await tokens.check(id)
      checked.add(id)
    },
  }
}
