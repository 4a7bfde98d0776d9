/**
 * The entry point of the part of the light runtime that fetches tokens by OAuth 2.
 *
 * Rules: each virtual user has its own tokens, and keeps them for all its iterations.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import { LazyTokens } from '../../auth/auth-tokens.ts'
import { randomBytes, useCrypto } from '../platform/crypto.ts'
import { useHttp } from '../platform/exchange.ts'
import type { LightContext } from './light-parts.ts'

/** @param render gives the text of a setting with its variables replaced */
export function createTokens(security: JsonValue | undefined, render: (text: string) => Promise<string>): LazyTokens {
  return new LazyTokens({
    settings: { value: security ?? null } as never,
    shared: {
      take: (_key: string, _isValid: unknown, make: (old: undefined) => Promise<unknown>) => make(undefined),
    } as never,
    wireOptions: async () => ({}),
    render,
    sources: { now: () => Date.now(), randomBytes },
    askUser: undefined,
    signal: undefined,
  })
}

export function create({ k6: { crypto, http }, part, security }: LightContext): LazyTokens {
  if (crypto !== undefined) useCrypto(crypto)
  useHttp(http)
  return createTokens(security, async (text) => String(part('values').joined(text, 0).value))
}
