/**
 * Parses durations: `500ms`, `5 s`, `2 m`, `5`.
 *
 * Rules: a number without a unit is seconds. Fractions are allowed; a duration above 0 is never rounded to 0.
 */

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, '': 1000, m: 60_000 }

/** The longest delay that the platform's timers support. */
export const MAX_TIMER_MS = 2_147_483_647

export const durationHint =
  'The units are ms, s and m; a number without a unit is in seconds. The longest duration is 35791m.'

/** Milliseconds; undefined if the text is not a duration, or exceeds the platform's timers. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)[ \t]*(ms|s|m|)$/.exec(text)
  if (match === null) return undefined
  const exactMs = Number(match[1]) * (unitsMs[match[2] as string] as number)
  const durationMs = exactMs === 0 ? 0 : Math.max(1, Math.round(exactMs))
  return durationMs <= MAX_TIMER_MS ? durationMs : undefined
}
