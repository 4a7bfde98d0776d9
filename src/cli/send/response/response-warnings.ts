/** Warnings that most responses do not need: loaded only if there are any. */
import type { HttpResponse, Repair } from '../../../message/index.ts'
import { escapedControls, repairText } from '../../../report/index.ts'
import type { PrintedAnswer } from './response-printer.ts'

/** A head of thousands of folded lines is one fault of the server, not thousands. */
const SHOWN_REPAIRS = 20

/** Only the first repairs are described. */
export function repairWarnings(repairs: readonly Repair[]): readonly string[] {
  const leftOut = repairs.length - SHOWN_REPAIRS
  const shown = repairs.slice(0, SHOWN_REPAIRS).map(repairText)
  return leftOut > 0
    ? [
        ...shown,
        `${leftOut === 1 ? '1 more repair of this response is' : `${leftOut} more repairs of this response are`} not listed`,
      ]
    : shown
}

/** About bytes outside any message, and about a switch of protocols that the request did not ask for. */
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

/** The name of the coding is escaped, because the server chose it. */
export function unknownCodingText(kind: 'content' | 'transfer', coding: string): string {
  return `unknown ${kind} coding "${escapedControls(coding)}": the body is shown as received`
}
