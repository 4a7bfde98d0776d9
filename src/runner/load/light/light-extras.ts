/**
 * The entry point of the second part of the light runtime: checks that do not certainly pass, and features that only
 * some requests need.
 */
import { encodeForm, parseTemplate } from '../../../http-file/index.ts'
import { parseAuthorization } from '../../request/authorization.ts'
import { dynamicKind } from '../../variables/dynamic/dynamic-kind.ts'
import { dynamicValue } from '../../variables/dynamic/dynamic-variables.ts'
import { Iterations } from '../../variables/iterations.ts'
import type { K6Crypto } from '../k6.ts'
import type { LoadServices } from '../load-services.ts'
import { randomBytes, useCrypto } from '../platform/crypto.ts'
import { type Check, type Checked, checked } from './light-checks.ts'
import { exchange } from './light-exchange.ts'
import type { LightAnswer } from './light-response.ts'
import type { Found, LightValues } from './light-values.ts'
import { useWhole } from './whole-services.ts'

/** The text of a variable. @throws Error */
type TextOf = (name: string) => string

export interface LightExtras {
  readonly check: (check: Check, answer: LightAnswer, values: LightValues) => Checked
  readonly form: (template: string, text: TextOf) => string
  readonly authorization: (template: string, text: TextOf) => string
  readonly dynamic: (expression: string, now: () => number) => Found
  readonly dynamicKind: typeof dynamicKind
  readonly iterations: () => Iterations
  readonly exchange: typeof exchange
}

export function createExtras(crypto: K6Crypto | undefined, whole: () => LoadServices): LightExtras {
  if (crypto !== undefined) useCrypto(crypto)
  useWhole(whole)
  return { check: checked, form, authorization, dynamic, dynamicKind, exchange, iterations: () => new Iterations() }
}

function form(template: string, textOf: TextOf): string {
  const pieces = parseTemplate(template).parts.map((part) => ({
    text: part.type === 'text' ? part.text : textOf(part.expression),
    isValue: part.type !== 'text',
  }))
  return encodeForm(pieces)
}

/** The short form of Basic. */
function authorization(template: string, textOf: TextOf): string {
  const { value } = parseAuthorization(parseTemplate(template), textOf)
  return value as string
}

function dynamic(expression: string, now: () => number): Found {
  const made = dynamicValue(expression, { now, randomBytes })
  if (made === undefined) throw new Error(`the variable ${JSON.stringify(expression)} is not defined`)
  return { value: made.text, isDynamicText: !made.isBare }
}
