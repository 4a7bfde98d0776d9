/**
 * The inputs that the fuzzer starts from and that every test run replays.
 *
 * Rules: seeds are the messages of the conformance tables; `corpus/` keeps what a fuzzer found to reach code that none
 * before it had reached: one JSON string of one character per byte on each line.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../src/message/index.ts'
import { CHECKLIST } from '../conformance/checklist.ts'
import { CONNECTIONS } from '../conformance/connections.ts'
import { CONTAINED, REFUSED } from '../conformance/smuggling-vectors.ts'
import { requestHeads, responseHeads } from '../property/known-heads.ts'

export interface Input {
  readonly role: Role
  readonly octets: string
}

/** Longer messages are slow to change in a place that matters. */
const MAX_OCTETS = 3000

/** The messages of all tables, each once. */
export function seeds(): readonly Input[] {
  const inputs: Input[] = [
    ...Object.values(CHECKLIST)
      .flat()
      .flatMap(({ cases }) => cases)
      .map(({ role, octets }) => ({ role: role === 'request' ? ('server' as const) : ('client' as const), octets })),
    ...Object.values(CONNECTIONS).flat(),
    ...[...Object.values(REFUSED).flat(), ...CONTAINED].map(({ octets }) => ({ role: 'server' as const, octets })),
    ...requestHeads.map((head) => ({ role: 'server' as const, octets: `${head}\r\n` })),
    ...responseHeads.map((head) => ({ role: 'client' as const, octets: `${head}\r\n` })),
  ]
  const unique = new Map(inputs.map((input) => [`${input.role} ${input.octets}`, input]))
  return [...unique.values()].filter(({ octets }) => octets.length <= MAX_OCTETS)
}

const fileOf = (role: Role): string =>
  fileURLToPath(new URL(`corpus/${role === 'server' ? 'requests' : 'responses'}.txt`, import.meta.url))

/** Inputs that fuzzers have found. */
export function kept(): readonly Input[] {
  return (['server', 'client'] as const).flatMap((role) =>
    readFileSync(fileOf(role), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ role, octets: JSON.parse(line) as string })),
  )
}

/** Writes the inputs to keep, in an order that does not change when something is added. */
export function keep(inputs: readonly Input[]): void {
  for (const role of ['server', 'client'] as const) {
    const lines = inputs.filter((input) => input.role === role).map(({ octets }) => asciiJson(octets))
    writeFileSync(fileOf(role), `${[...new Set(lines)].sort().join('\n')}\n`)
  }
}

/** JSON in ASCII alone: the file is text for every tool. */
function asciiJson(octets: string): string {
  return JSON.stringify(octets).replace(
    /[\x7f-\xff]/g,
    (octet) => `\\u${octet.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
