/**
 * Warnings about bytes outside any message, and about a switch of protocols that the request did not ask for. Loaded
 * only if there are any.
 */
import type { HttpResponse } from '../../../message/index.ts'
import type { PrintedAnswer } from './response-printer.ts'

export function excessWarnings({ excessBytes, request }: PrintedAnswer, { status }: HttpResponse): readonly string[] {
  const warnings: string[] = []
  if (status === 101 && request?.headers.has('upgrade') === false) {
    warnings.push('the server switched protocols, which the request did not ask for (RFC 9110 section 7.8)')
  }
  const count = excessBytes()
  if (count === 0) return warnings
  const [bytes, are] = count === 1 ? ['1 byte', 'is'] : [`${count} bytes`, 'are']
  warnings.push(
    status === 101
      ? `${bytes} of another protocol came after the response and ${are} not shown (RFC 9110 section 15.2.2)`
      : `${bytes} came after the end of the response and ${are} not shown (RFC 9112 section 6.3)`,
  )
  return warnings
}
