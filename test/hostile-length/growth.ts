/**
 * How the time of a call grows with the length of its input, judged so that a busy machine cannot change the verdict.
 *
 * Rules: time is that of this process on the CPU, not that of the clock. Lengths grow until the longest one, or until a
 * call takes long enough to be judged. A call is accused only when it takes more than three times as long for each of
 * two doublings, several times over, each time by the fastest of three attempts: noise only ever adds time, so a linear
 * call passes in one of the rounds, while a quadratic one takes four times as long in each. On a busy machine a longer
 * call is interrupted more often, and takes more time on the CPU afterwards, so the accusation has to hold for lengths
 * that are all interrupted.
 */

/** Takes a text of `length` characters or close to it. */
export type Call = (text: string) => unknown
export type Hostile = (length: number) => string

/**
 * Shorter calls are not judged: a quadratic one takes longer at the lengths that are used here, a regular expression
 * that tries again at each of 8192 characters some 60 ms.
 */
const JUDGED_MS = 2.5
/** Longer calls are interrupted at each of the judged lengths. */
const CERTAIN_MS = 50
const ROUNDS = 4
const ATTEMPTS = 3
/** Growth for twice the length above which a call is not linear. Quadratic: 4. */
const MAX_GROWTH = 3
/** Exponential growth shows at lengths that a quadratic call does not even notice. */
const SHORT_LENGTHS = [20, 28]
/** How much more than in proportion to the length a call takes before it is looked at again. */
const SUSPECT_FACTOR = 1.5

/** The fault: the lengths and their times. Undefined for a call whose time grows with the length. */
export async function superlinearGrowth(call: Call, hostile: Hostile, maxLength: number): Promise<string | undefined> {
  let before = { length: 1, tookMs: 0 }
  for (const length of [...SHORT_LENGTHS, maxLength / 8, maxLength]) {
    const text = hostile(length)
    const tookMs = length < maxLength ? await roughMs(call, text) : await cpuMs(call, text)
    const isSuspect = tookMs > SUSPECT_FACTOR * (length / before.length) * before.tookMs
    if (tookMs > JUDGED_MS && isSuspect) {
      const growth = await growthAt(call, hostile, length)
      const isCertain = length < maxLength || tookMs > CERTAIN_MS
      if (growth !== undefined && (isCertain || (await isConfirmed(call, hostile, length)))) return growth
    }
    before = { length, tookMs }
  }
  return undefined
}

async function growthAt(call: Call, hostile: Hostile, length: number): Promise<string | undefined> {
  let description = ''
  for (let round = 0; round < ROUNDS; round++) {
    const times = [await fastestMs(call, hostile(length / 4))]
    for (const each of [length / 2, length]) {
      const least = Math.max(MAX_GROWTH * times.at(-1)!, each === length ? JUDGED_MS : 0)
      const tookMs = await fastestMs(call, hostile(each), least)
      if (tookMs < least) return undefined
      times.push(tookMs)
    }
    description = `${times.map((ms) => `${ms.toFixed(1)} ms`).join(', ')} for ${length / 4}, ${length / 2}, ${length}`
  }
  return description
}

/**
 * Whether the growth goes on. A text that is too long for the reader is refused at once, which confirms nothing else.
 */
async function isConfirmed(call: Call, hostile: Hostile, length: number): Promise<boolean> {
  const isRefused = (await fastestMs(call, hostile(4 * length))) < (await fastestMs(call, hostile(length)))
  return isRefused || (await growthAt(call, hostile, 4 * length)) !== undefined
}

/**
 * Of three attempts, or of those until one is faster than `enoughMs`: the others cannot change what follows from it.
 */
async function fastestMs(call: Call, text: string, enoughMs = 0): Promise<number> {
  let fastestMs = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && fastestMs >= enoughMs; attempt++) {
    fastestMs = Math.min(fastestMs, await cpuMs(call, text))
  }
  return fastestMs
}

/**
 * Reading the time on the CPU takes longer than most calls: a call that is short by the clock, which shows no less, is
 * short on the CPU.
 */
async function roughMs(call: Call, text: string): Promise<number> {
  const startMs = performance.now()
  await answer(call, text)
  const tookMs = performance.now() - startMs
  return tookMs > JUDGED_MS ? cpuMs(call, text) : tookMs
}

async function cpuMs(call: Call, text: string): Promise<number> {
  const start = process.cpuUsage()
  await answer(call, text)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** An error that the call reports is an answer like any other. */
async function answer(call: Call, text: string): Promise<void> {
  try {
    await call(text)
  } catch (error) {
    if (!(error instanceof Error)) throw error
  }
}
