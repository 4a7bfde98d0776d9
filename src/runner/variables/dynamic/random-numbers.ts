/**
 * Random numbers and texts from random bytes.
 *
 * Rules: the bytes are passed in, so fixed bytes give fixed values. All outcomes are equally likely: draws beyond the
 * last whole multiple are discarded.
 */

/** Random bytes, suitable for secrets. */
export type RandomBytes = (count: number) => Uint8Array

const WORD = 0x1_0000_0000

/** At least `from`, below `to`. Both are whole numbers, `from < to`, at most 2^53 - 1 apart. */
export function randomInteger(from: number, to: number, randomBytes: RandomBytes): number {
  const count = to - from
  if (count <= WORD) return from + randomBelow(count, () => word(randomBytes))
  const draw = (): number => (word(randomBytes) & 0x1f_ffff) * WORD + word(randomBytes)
  return from + randomBelow(count, draw, 2 ** 53)
}

/** Whether `randomInteger` can draw from the range: from a larger one, no draw would ever be used. */
export function isDrawable(from: number, to: number): boolean {
  return Number.isSafeInteger(to - from)
}

/** At least 0, below 1, with 53 bits. */
export function randomFraction(randomBytes: RandomBytes): number {
  return ((word(randomBytes) & 0x1f_ffff) * WORD + word(randomBytes)) / 2 ** 53
}

/** `length` characters of an alphabet. */
export function randomText(length: number, alphabet: string, randomBytes: RandomBytes): string {
  let text = ''
  for (let index = 0; index < length; index++) text += alphabet[randomInteger(0, alphabet.length, randomBytes)]
  return text
}

/** RFC 9562 section 5.4: version 4, variant 10. */
export function randomUuid(randomBytes: RandomBytes): string {
  const octets = Uint8Array.from(randomBytes(16))
  octets[6] = ((octets[6] as number) & 0x0f) | 0x40
  octets[8] = ((octets[8] as number) & 0x3f) | 0x80
  const hex = Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function randomBelow(count: number, draw: () => number, range = WORD): number {
  const limit = Math.floor(range / count) * count
  for (;;) {
    const drawn = draw()
    if (drawn < limit) return drawn % count
  }
}

function word(randomBytes: RandomBytes): number {
  const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4)
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}
