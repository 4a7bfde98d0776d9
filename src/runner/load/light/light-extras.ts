/**
 * The entry point of the second part of the light runtime: checks that do not certainly pass, and features that only
 * some requests need.
 */
import {
  encodeForm,
  escapedPartName,
  parseTemplate,
  plainAddress,
  type TargetPlace,
  targetPart,
} from '../../../http-file/index.ts'
import { parseAuthorization } from '../../request/authorization.ts'
import type { LoadPlan } from '../load-plan.ts'
import type { LoadServices } from '../load-services.ts'
import { useCrypto } from '../platform/crypto.ts'
import { refuseMissing } from '../platform/load-edges.ts'
import { answeredValue } from './light-answers.ts'
import { type Check, type Checked, checked } from './light-checks.ts'
import { exchange } from './light-exchange.ts'
import { multipartBody, partValue } from './light-multipart.ts'
import type { LightContext } from './light-parts.ts'
import { isSurelyJson, type LightAnswer } from './light-response.ts'
import type { LightValues } from './light-values.ts'
import { useWhole, wholeRuntime } from './whole-services.ts'

/** The functions of an exported script that few requests need. */
export interface LightExtras {
  readonly check: (check: Check, answer: LightAnswer, values: LightValues) => Checked
  readonly answered: typeof answeredValue
  /** @throws Error */
  readonly refuseMissing: (plan: Pick<LoadPlan, 'secrets'>) => void
  readonly exchange: typeof exchange
  readonly address: LoadServices['address']
  /** The value of a field that is not plain. @throws Error */
  readonly field: (value: string) => string
  readonly addCredentials: (headers: Record<string, string>, credentials: string) => void
  /** The value of a variable next to typed text in the authority of a URL. @throws Error */
  readonly inHost: (name: string, place: TargetPlace) => string
  readonly form: (template: string) => string
  /** The value of Authorization as sent. @throws Error */
  readonly authorization: (template: string) => string
  /** The variables of a GraphQL body as sent. @throws Error unless they are JSON */
  readonly graphqlVariables: (json: string) => string
  /** A multipart body as sent. @throws Error */
  readonly multipart: typeof multipartBody
  /** The value of a variable in the quotes of a part's name. @throws Error */
  readonly partName: (name: string) => string
  /** The value of a variable in another header of a part. @throws Error */
  readonly partValue: (name: string) => string
}

export function create({ k6, part, v }: LightContext): LightExtras {
  const { crypto } = k6
  if (crypto !== undefined) useCrypto(crypto)
  const whole = (): LoadServices => part('whole')
  useWhole(whole)
  return {
    ...{ check: checked, answered: answeredValue, exchange, address, addCredentials, multipart: multipartBody },
    refuseMissing: (plan) => refuseMissing(k6, plan),
    field: (value) => (plainValue.test(value) ? value : whole().fieldValue('header', value)),
    inHost: (name, place) => targetPart(v(name), place, name),
    form: (template) => {
      const pieces = parseTemplate(template).parts.map((part) => ({
        text: part.type === 'text' ? part.text : v(part.expression),
        isValue: part.type !== 'text',
      }))
      return encodeForm(pieces)
    },
    authorization: (template) => {
      const { value } = parseAuthorization(parseTemplate(template), v)
      if (value === undefined) throw new Error('credentials for Digest in a variable: write Digest in the request file')
      return value
    },
    partName: (name) => escapedPartName(v(name)),
    partValue: (name) => partValue(v(name)),
    graphqlVariables: (json) => {
      const trimmed = json.trim()
      if (!isSurelyJson(trimmed)) whole().checkVariables(trimmed)
      return trimmed
    },
  }
}

const plainValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

function addCredentials(headers: Record<string, string>, credentials: string): void {
  if (!Object.keys(headers).some((field) => /^authorization$/i.test(field))) headers.Authorization = credentials
}

function address(target: string, shouldEncode: boolean, host?: string): ReturnType<LoadServices['address']> {
  const url = shouldEncode && host === undefined ? plainAddress(target) : undefined
  return url === undefined ? wholeRuntime().address(target, shouldEncode, host) : { url, target }
}
