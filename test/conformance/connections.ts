/**
 * Whole connections: the things that suites of other parsers test, decided here by the RFCs and by our presets.
 *
 * Rules: expected results come from RFC 9110 and 9112 and from the policy of the presets, not from any other parser.
 */
import type { ConnectionCase } from './connection-rows.ts'
import { chunkedCoding, codingCases } from './connections-chunked.ts'
import { fields, hosts } from './connections-fields.ts'
import { lengths } from './connections-lengths.ts'
import { interim, keepAlive, pipelining } from './connections-pipelining.ts'
import { startLines } from './connections-start-lines.ts'
import { upgrades } from './connections-upgrades.ts'

export const CONNECTIONS: Readonly<Record<string, readonly ConnectionCase[]>> = {
  pipelining,
  'another protocol': upgrades,
  'interim responses': interim,
  'chunked coding': chunkedCoding,
  lengths,
  'start lines': startLines,
  fields,
  hosts,
  'transfer codings': codingCases,
  'keeping the connection': keepAlive,
}
