/** Values of earlier requests and responses in a light load test: `{{login.response.body.$.token}}`. */
import type { JsonValue } from '../../../http-file/index.ts'
import { utf8Bytes } from '../../../message/index.ts'
import { AnsweredSide } from '../../assertions/answered-request.ts'
import { parseReference, type RequestReference } from '../../variables/request-references.ts'
import { requestFields, responseFields } from '../platform/k6-fields.ts'
import { Fields, lookups } from './light-checks.ts'
import type { SentRequest } from './light-parts.ts'
import type { LightAnswer } from './light-response.ts'

interface Answered {
  readonly answer: LightAnswer
  readonly sent: SentRequest | undefined
}

/** Requests and responses that later requests refer to, by the names of the requests. */
export type Answers = Readonly<Record<string, Answered | undefined>>

const responses = new WeakMap<LightAnswer, AnsweredSide>()

/** @throws Error if the value does not exist */
export function answeredValue(expression: string, answers: Answers): JsonValue {
  const reference = parseReference(expression)
  if (reference === undefined) throw new Error(`the variable ${JSON.stringify(expression)} is not defined`)
  const answered = answers[reference.name]
  if (answered === undefined) throw new Error(`${JSON.stringify(reference.name)} was not answered before this request`)
  return sideOf(answered, reference.side).value(reference)
}

function sideOf({ answer, sent }: Answered, side: RequestReference['side']): AnsweredSide {
  if (side === 'request') {
    const { headers = {}, body } = sent?.request ?? {}
    const content = utf8Bytes(typeof body === 'string' ? body : '')
    return new AnsweredSide({ headers: new Fields(requestFields(headers)) as never, content }, lookups)
  }
  let known = responses.get(answer)
  if (known === undefined) {
    const { response } = answer
    const content = new Uint8Array(response.body ?? new ArrayBuffer(0))
    known = new AnsweredSide({ headers: new Fields(responseFields(response)) as never, content }, lookups)
    responses.set(answer, known)
  }
  return known
}
