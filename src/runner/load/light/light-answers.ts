/** Values of earlier responses in a light load test: `{{login.response.body.$.token}}`. */
import type { JsonValue } from '../../../http-file/index.ts'
import { AnsweredSide } from '../../assertions/answered-request.ts'
import { parseReference } from '../../variables/request-references.ts'
import { lookups, ResponseFields } from './light-checks.ts'
import type { LightAnswer } from './light-response.ts'

/** Responses that later requests refer to, by the names of their requests. */
export type Answers = Readonly<Record<string, LightAnswer | undefined>>

const sides = new WeakMap<LightAnswer, AnsweredSide>()

/** @throws Error if the value does not exist */
export function answeredValue(expression: string, answers: Answers): JsonValue {
  const reference = parseReference(expression)
  if (reference === undefined) throw new Error(`the variable ${JSON.stringify(expression)} is not defined`)
  const answer = answers[reference.name]
  if (answer === undefined) throw new Error(`${JSON.stringify(reference.name)} was not answered before this request`)
  let side = sides.get(answer)
  if (side === undefined) {
    const { response } = answer
    const content = new Uint8Array(response.body ?? new ArrayBuffer(0))
    side = new AnsweredSide({ headers: new ResponseFields(response) as never, content }, lookups)
    sides.set(answer, side)
  }
  return side.value(reference)
}
