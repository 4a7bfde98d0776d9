/**
 * No smuggling vector shows its hidden request: not to the decoder, not to a reader of whole texts, however it is cut.
 */
import { describe, expect, it } from 'vitest'
import { HttpDecoder, HttpParseError, HttpParser, type Preset } from '../../src/message/index.ts'
import { expectSame } from '../helpers/same-value.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { toOctets } from '../message/octets.ts'
import { cuts } from './observation.ts'
import { codingVectors } from './smuggling-codings.ts'
import type { Vector } from './smuggling-rows.ts'
import { CONTAINED, REFUSED } from './smuggling-vectors.ts'

withoutStackTraces()

interface Seen {
  readonly targets: readonly string[]
  readonly error: HttpParseError | undefined
}

/** The targets of all requests that are reported, and the error. */
function see(preset: Preset, pieces: Iterable<Uint8Array>): Seen {
  const decoder = new HttpDecoder('server', { preset })
  const targets: string[] = []
  try {
    for (const piece of pieces) {
      for (const event of decoder.push(piece)) if (event.type === 'request') targets.push(event.head.target)
    }
    for (const event of decoder.end()) if (event.type === 'request') targets.push(event.head.target)
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    return { targets, error }
  }
  return { targets, error: undefined }
}

function errorOf(vector: Vector): HttpParseError | undefined {
  try {
    new HttpParser({ preset: 'server' }).parseRequest(toOctets(vector.octets))
  } catch (error) {
    if (error instanceof HttpParseError) return error
    throw error
  }
  return undefined
}

describe('the server preset', () => {
  describe.each(Object.entries(REFUSED))('refuses %s:', (_group, vectors) => {
    it.each(vectors)('$title', (vector) => {
      const octets = toOctets(vector.octets)
      const { targets, error } = see('server', [octets.slice()])
      expect(targets).not.toContain('/smuggled')
      expect(error?.status).toBeOneOf([400, 413, 414, 431, 501, 505])
      expect(errorOf(vector)?.code, 'as a whole text').toBeDefined()
      const whole = `${targets} ${error?.code} ${error?.offset}`
      for (const [title, pieces] of cuts(octets)) {
        const cut = see('server', pieces)
        const reported = `${cut.targets} ${cut.error?.code} ${cut.error?.offset}`
        if (reported !== whole) expect(reported, title).toBe(whole)
      }
    })
  })

  it.each(CONTAINED)('keeps the hidden request inside: $title', (vector) => {
    const octets = toOctets(vector.octets)
    const { targets, error } = see('server', [octets.slice()])
    expect(targets.length).toBe(1)
    expect(targets).not.toContain('/smuggled')
    expect(error).toBeUndefined()
    for (const [title, pieces] of cuts(octets)) expectSame(see('server', pieces).targets, targets, title)
  })
})

describe('the preset', () => {
  // Parts of a text are repaired before it is sent; the end of a message is never repaired. Lengths that are equal are
  // one length to the lenient preset.
  it.each([
    ['lenient', codingVectors],
    ['strict', REFUSED],
  ] as const)('%s reveals no hidden request either if framing is ambiguous', (preset, groups) => {
    for (const vector of Object.values(groups).flat()) {
      const { targets } = see(preset, [toOctets(vector.octets)])
      expect(targets, vector.title).not.toContain('/smuggled')
    }
  })

  it('has enough vectors', () => {
    expect(Object.values(REFUSED).flat().length).toBeGreaterThan(400)
  })
})
