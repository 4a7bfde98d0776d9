/** The repairs of a response as warnings; only the first ones are described. Loaded only if a response was repaired. */
import type { Repair } from '../../../message/index.ts'
import { repairText } from '../../../report/index.ts'

/** A head of thousands of folded lines is one fault of the server, not thousands. */
const SHOWN_REPAIRS = 20

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
