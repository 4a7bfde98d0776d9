/** The entry point of the part of the light runtime that makes dynamic values. */
import { anyDynamicValue, type DynamicContext } from '../../variables/dynamic/any-value.ts'
import { dynamicKind } from '../../variables/dynamic/dynamic-kind.ts'
import { Iterations } from '../../variables/iterations.ts'
import { DotenvFiles } from '../platform/absent.ts'
import { randomBytes, useCrypto } from '../platform/crypto.ts'
import type { LightContext } from './light-parts.ts'
import type { Found } from './light-values.ts'

export interface LightDynamic {
  /** @param variable gives values of the environment. @throws Error */
  readonly value: (expression: string, now: () => number, variable: DynamicContext['variable']) => Found
  readonly kind: typeof dynamicKind
  readonly iterations: () => Iterations
}

export function create({ k6: { crypto, environment }, part }: LightContext): LightDynamic {
  if (crypto !== undefined) useCrypto(crypto)
  return {
    value: (expression, now, variable) => {
      const tokens = expression.startsWith('$auth.') ? part('tokens') : undefined
      const made = anyDynamicValue(expression, {
        ...{ sources: { now, randomBytes }, processEnvironment: environment(), tokens, variable },
        dotenv: new DotenvFiles() as never,
        directory: '/',
      })
      if (made === undefined) throw new Error(`the variable ${JSON.stringify(expression)} is not defined`)
      return { value: made.text, isDynamicText: !made.isBare }
    },
    kind: dynamicKind,
    iterations: () => new Iterations(),
  }
}
