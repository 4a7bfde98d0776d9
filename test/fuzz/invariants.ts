/**
 * Invariants that hold for all bytes, in each preset.
 *
 * Rules: a parser throws HttpParseError or nothing (everything else passes through and stops the caller); how the
 * bytes are cut changes nothing; the fast path reports the same as the reference path; what was read and written again
 * reads the same, and writes the same bytes.
 */
import {
  HttpParseError,
  HttpParser,
  type HttpRequest,
  type HttpResponse,
  type Preset,
  type Role,
} from '../../src/message/index.ts'
import { type Look, textOf, traceOf, wholeTraceOf } from '../property/decoder-trace.ts'
import { Random } from '../property/random.ts'

export const presets: readonly Preset[] = ['lenient', 'strict', 'server']

/** Which of them is broken by these bytes, with both sides of what differs. */
export function brokenInvariant(role: Role, octets: Uint8Array): string | undefined {
  for (const preset of presets) {
    const broken =
      dependsOnCuts(role, preset, octets) ?? dependsOnPath(role, preset, octets) ?? changes(role, preset, octets)
    if (broken !== undefined) return `${preset}: ${broken}`
  }
  return undefined
}

function lookFor(role: Role, preset: Preset, octets: Uint8Array): Look {
  // Which requests a client has sent decides on framing; every way to answer is met by one input or another.
  const methods = role === 'client' ? ([[], ['HEAD'], ['CONNECT'], ['GET', 'HEAD']][octets.length % 4] ?? []) : []
  return { role, options: { preset }, methods, isThorough: false }
}

function differs(what: string, left: string, right: string): string | undefined {
  return left === right ? undefined : `${what}\n---\n${left}\n---\n${right}`
}

function dependsOnCuts(role: Role, preset: Preset, octets: Uint8Array): string | undefined {
  const look = lookFor(role, preset, octets)
  const whole = traceOf(look, [octets.slice()]).reported
  const random = new Random(octets.length)
  const [first = 0, second = 0] = [random.below(octets.length + 1), random.below(octets.length + 1)].sort(
    (a, b) => a - b,
  )
  const pieces = [octets.slice(0, first), octets.slice(first, second), octets.slice(second)]
  const single = Array.from(octets, (octet) => Uint8Array.of(octet))
  return (
    differs('in three pieces', whole, traceOf(look, pieces).reported) ??
    differs('byte by byte', whole, traceOf(look, single).reported)
  )
}

function dependsOnPath(role: Role, preset: Preset, octets: Uint8Array): string | undefined {
  const look = { ...lookFor(role, preset, octets), isThorough: true }
  const reference = { ...look, options: { ...look.options, fastPath: false } }
  return (
    differs('the paths differ', traceOf(reference, [octets.slice()]).timed, traceOf(look, [octets.slice()]).timed) ??
    differs('the paths differ on a whole text', wholeTraceOf(reference, octets), wholeTraceOf(look, octets))
  )
}

/** Written messages need no repair, except control characters of a response, which are kept as they are. */
function stillMended({ repairs }: HttpRequest | HttpResponse): string | undefined {
  const repair = repairs.find(({ code }) => code !== 'control-character')
  return repair === undefined ? undefined : `the written message needs a repair: ${JSON.stringify(repair)}`
}

/** Reads, writes, reads and writes. */
function changes(role: Role, preset: Preset, octets: Uint8Array): string | undefined {
  const parser = new HttpParser({ preset })
  const { methods } = lookFor(role, preset, octets)
  const parse = (message: Uint8Array): HttpRequest<'memory'> | HttpResponse<'memory'> =>
    role === 'server' ? parser.parseRequest(message) : parser.parseResponse(message, { method: methods[0] ?? 'GET' })
  let first: ReturnType<typeof parse>
  try {
    first = parse(octets)
  } catch (error) {
    if (error instanceof HttpParseError) return undefined
    throw error
  }
  const written = first.eagerly()
  const second = parse(written.bytes)
  const again = second.eagerly()
  // As they are written: without trailers that frame a message, and without control characters.
  const meaning = ({ headers, content }: typeof written): string =>
    JSON.stringify([String(headers), content === undefined ? '' : textOf(content.wire)])
  return (
    differs('written again it is different', textOf(written.bytes), textOf(again.bytes)) ??
    differs('read again it means something else', meaning(written), meaning(again)) ??
    stillMended(second)
  )
}
