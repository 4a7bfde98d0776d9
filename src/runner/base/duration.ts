/**
 * Spans of time as people write them: `500ms`, `5 s`, `2 m`, `5`.
 *
 * Rules: a number without a unit is seconds. Fractions are fine; what is asked for is never rounded to nothing.
 */

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, '': 1000, m: 60_000 }

/** What a timer of the platform can wait at most. */
const MAX_MS = 2_147_483_647

/** In words, for hints. */
export const durationHint = 'The units are ms, s and m; without one the number is seconds.'

/** Milliseconds; undefined where the text is not a duration that can be waited. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)[ \t]*(ms|s|m|)$/.exec(text)
  if (match === null) return undefined
  const exactMs = Number(match[1]) * (unitsMs[match[2] as string] as number)
  const durationMs = exactMs === 0 ? 0 : Math.max(1, Math.round(exactMs))
  return durationMs <= MAX_MS ? durationMs : undefined
}
