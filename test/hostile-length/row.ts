/** A reader of text that the other side sends, for the test of hostile lengths. */
import type { Call, Hostile } from './growth.ts'

export interface Row {
  readonly name: string
  readonly call: Call
  /** Starts of values, so that the part that is repeated is read at each place of the grammar. Default: nothing. */
  readonly prefixes?: readonly string[]
  /** Values that are hostile to this reader alone. */
  readonly also?: readonly Hostile[]
  /** The longest value. Default: `defaultLength`. */
  readonly maxLength?: number
}
