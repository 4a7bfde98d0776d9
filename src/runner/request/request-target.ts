/** The target of a request line with the values of its variables. */
import { targetPart, targetPlaces } from '../../http-file/index.ts'
import type { RequestContext } from './request-context.ts'

/** @throws as `Variables.render`; HttpcliError `invalid-request` */
export function renderTarget(context: RequestContext): string {
  const { parts } = context.request.line.target
  const places = targetPlaces({ parts })
  let text = ''
  for (const [index, part] of parts.entries()) {
    if (part.type === 'text') {
      text += part.text
      continue
    }
    const { expression, span } = part
    const value = context.variables.resolve(expression, span).text
    try {
      text += targetPart(value, places?.[index], expression)
    } catch (cause) {
      const hint = 'Use a variable for the whole host, or correct the value.'
      throw context.error(span, { code: 'invalid-request', message: (cause as Error).message, hint })
    }
  }
  return text
}
