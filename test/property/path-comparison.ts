/**
 * The reference path and the real decoder get the same bytes, whole and in pieces: they must report the same about
 * them, down to the column of an error.
 *
 * Rules: a message follows from its number, so that a failure names all that is needed to see it again; it is made
 * smaller before it is shown.
 */
import { expect } from 'vitest'
import type { ParserLimits, ParserOptionsInit, Preset, Role } from '../../src/message/index.ts'
import { type Look, octetsOf, traceOf, wholeTraceOf } from './decoder-trace.ts'
import { makeConnection } from './message-maker.ts'
import { Random } from './random.ts'
import { reduced } from './reduced.ts'

const presets: readonly Preset[] = ['lenient', 'strict', 'server']
const roles: readonly Role[] = ['server', 'client']
export const combinations: readonly (readonly [Role, Preset])[] = roles.flatMap((role) =>
  presets.map((preset) => [role, preset] as const),
)
const sentMethods = [[], [], [], ['HEAD'], ['GET', 'HEAD', 'GET'], ['CONNECT']]

/** Every so often limits close to what the messages need, or switches that the preset does not have. */
function optionsFor(random: Random, preset: Preset): ParserOptionsInit {
  if (!random.once(8)) return { preset }
  const limits: Partial<ParserLimits> = {
    ...(random.once(2) ? { startLine: random.below(60) } : {}),
    ...(random.once(2) ? { headerSection: random.below(400) } : {}),
    ...(random.once(2) ? { headerCount: random.below(8) } : {}),
    ...(random.once(2) ? { body: random.below(30) } : {}),
    ...(random.once(2) ? { chunkExtensions: random.below(8), trailerSection: random.below(40) } : {}),
  }
  const switches = {
    allowBareLf: random.once(2),
    insertHost: random.once(2),
    ignoreLeadingEmptyLine: random.once(2),
    allowIllegalTarget: random.once(2),
  }
  return random.once(2) ? { preset, limits } : { preset, ...switches }
}

const withoutFastPath = (look: Look): Look => ({ ...look, options: { ...look.options, fastPath: false } })

/** The bytes in pieces, cut after each of the places. Each piece has separate memory, as a socket's pieces have. */
function piecesOf(octets: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places].sort((a, b) => a - b)
  return [...ends, octets.length].map((end, index) => octets.slice(index === 0 ? 0 : ends[index - 1], end))
}

type Cut = (octets: Uint8Array) => Uint8Array[]

const whole: Cut = (octets) => [octets.slice()]
const single: Cut = (octets) => Array.from(octets, (octet) => Uint8Array.of(octet))
const cutAt =
  (...places: readonly number[]): Cut =>
  (octets) =>
    piecesOf(
      octets,
      places.map((place) => Math.min(place, octets.length)),
    )

/** The difference for these bytes, if any. */
type Complaint = (octets: Uint8Array) => string | undefined

function differs(what: string, left: string, right: string): string | undefined {
  return left === right ? undefined : `${what}\n--- reference\n${left}\n--- now\n${right}`
}

/**
 * Both paths over the same pieces: the same is reported, and reported with the same piece; and the same as for the
 * whole.
 */
const samePieces =
  (look: Look, cut: Cut): Complaint =>
  (octets) => {
    const pieces = cut(octets)
    const now = traceOf(look, pieces)
    const wrong = differs('the paths differ', traceOf(withoutFastPath(look), pieces).timed, now.timed)
    if (wrong !== undefined || pieces.length === 1) return wrong
    return differs('where it is cut matters', traceOf(withoutFastPath(look), [octets]).reported, now.reported)
  }

/** In two pieces, cut at every byte. */
const everyCut =
  (look: Look): Complaint =>
  (octets) => {
    const { reported } = traceOf(withoutFastPath(look), [octets])
    for (let at = 1; at < octets.length; at++) {
      const wrong = differs(`cut at ${at}`, reported, traceOf(look, piecesOf(octets, [at])).reported)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }

const wholeMessage =
  (look: Look): Complaint =>
  (octets) =>
    differs('parsers differ', wholeTraceOf(withoutFastPath(look), octets), wholeTraceOf(look, octets))

/** Which comparisons a message gets: all get the cheap ones, some of them every one. */
function* complaints(random: Random, look: Look, length: number, number: number): Generator<Complaint> {
  yield samePieces(look, whole)
  if (number % 2 === 0)
    yield samePieces(look, cutAt(...Array.from({ length: random.between(1, 3) }, () => random.below(length + 1))))
  if (number % 2 === 1) yield wholeMessage(look)
  if (number % 32 === 3 && length < 1500) yield samePieces(look, single)
  if (number % 128 === 5 && length < 500) yield everyCut(look)
}

/** Compares the two paths over the message of that number. */
export function comparePaths(role: Role, preset: Preset, number: number): void {
  const random = new Random(number)
  const look: Look = {
    role,
    options: optionsFor(random, preset),
    methods: role === 'client' ? random.pick(sentMethods) : [],
    isThorough: number % 8 === 0,
  }
  const octets = octetsOf(makeConnection(random, role))
  for (const complaint of complaints(random, look, octets.length, number)) {
    if (complaint(octets) === undefined) continue
    const small = reduced(octets, (candidate) => complaint(candidate) !== undefined)
    const shown = JSON.stringify(Buffer.from(small).toString('latin1'))
    const options = JSON.stringify(look.options)
    expect.fail(`message ${number} of a ${role}, options ${options}, reduced to ${shown}: ${complaint(small)}`)
  }
}
