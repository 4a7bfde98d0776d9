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

/** @throws HttpcliError if a variable in the place of the scheme or of the host is empty */
export function refuseEmptyHost(context: RequestContext, target: string, host: string | undefined): void {
  if (!/^(?:https?:\/\/)?(?:[/?#:]|$)/i.test(target) || (target.startsWith('/') && host)) return
  const [first, second] = context.request.line.target.parts
  const part = first?.type === 'text' && /^https?:\/\/$/i.test(first.text) ? second : first
  if (part === undefined || part.type === 'text') return
  const { expression, span } = part
  if (context.variables.resolve(expression, span).text !== '') return
  const [expected, example] = target.startsWith('://') ? ['a scheme', 'http'] : ['a host', 'localhost:3000']
  const message = `the variable ${JSON.stringify(expression)} is empty, expected ${expected}`
  throw context.error(span, { code: 'invalid-request', message, hint: `Set it to ${expected}, such as ${example}.` })
}
