/**
 * The RFC checklist: what every preset does with every rule of RFC 9112 and RFC 9110 that a parser can break.
 *
 * Rules: one entry for one rule, with its section and one or more messages; the groups are in the order of the RFC.
 */

import { CHUNKED } from './checklist-chunked.ts'
import { FIELDS, STATUS_LINE } from './checklist-fields.ts'
import { FRAMING } from './checklist-framing.ts'
import { HOST } from './checklist-host.ts'
import { LINE_STRUCTURE, START_LINE } from './checklist-lines.ts'
import type { Rule } from './checklist-rows.ts'

export const CHECKLIST: Readonly<Record<string, readonly Rule[]>> = {
  'line structure': LINE_STRUCTURE,
  'start line': START_LINE,
  host: HOST,
  fields: FIELDS,
  framing: FRAMING,
  'chunked coding': CHUNKED,
  'status line': STATUS_LINE,
}
