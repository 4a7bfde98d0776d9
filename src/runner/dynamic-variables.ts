/**
 * The variables whose value is made at each use: `{{$uuid}}`, `{{$timestamp}}` and their like.
 *
 * Rules: a table from name to value; clock and random octets are handed in. Names of the format that are not here yet
 * are told apart from names that nobody knows, so that the message is right.
 */

/** Where values come from that nobody can foresee. */
export interface ValueSources {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Random octets, fit for secrets. */
  readonly randomBytes: (count: number) => Uint8Array
}

export const platformSources: ValueSources = {
  now: () => Date.now(),
  randomBytes: (count) => globalThis.crypto.getRandomValues(new Uint8Array(count)),
}

export interface DynamicValue {
  readonly text: string
  /** Whether it is put in quotes where it stands bare in JSON. */
  readonly isNumber: boolean
}

const RANDOM_INT_MAX = 1000

const makers: Readonly<Record<string, (sources: ValueSources) => DynamicValue>> = {
  $uuid: ({ randomBytes }) => ({ text: uuid(randomBytes(16)), isNumber: false }),
  '$random.uuid': ({ randomBytes }) => ({ text: uuid(randomBytes(16)), isNumber: false }),
  $timestamp: ({ now }) => ({ text: String(Math.floor(now() / 1000)), isNumber: true }),
  $isoTimestamp: ({ now }) => ({ text: new Date(now()).toISOString(), isNumber: false }),
  $randomInt: ({ randomBytes }) => ({ text: String(randomInteger(RANDOM_INT_MAX, randomBytes)), isNumber: true }),
}

export const dynamicNames: readonly string[] = Object.keys(makers)

const laterPattern = /^\$(?:random\.|env\.|auth\.|projectRoot$|historyFolder$|exampleServer$|placeholder$)/

/** Whether the format knows the name, and this program does not yet. */
export function isLaterDynamicName(name: string): boolean {
  return laterPattern.test(name) && !Object.hasOwn(makers, name)
}

/** A fresh value; undefined where there is no such variable. */
export function dynamicValue(name: string, sources: ValueSources): DynamicValue | undefined {
  return Object.hasOwn(makers, name) ? makers[name]?.(sources) : undefined
}

/** RFC 9562 section 5.4: version 4, variant 10. */
function uuid(bytes: Uint8Array): string {
  const octets = Uint8Array.from(bytes)
  octets[6] = ((octets[6] as number) & 0x0f) | 0x40
  octets[8] = ((octets[8] as number) & 0x3f) | 0x80
  const hex = Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** 0 to `max`, both included, each as likely as the other: draws beyond the last whole multiple are thrown away. */
function randomInteger(max: number, randomBytes: ValueSources['randomBytes']): number {
  const count = max + 1
  const limit = Math.floor(0x1_0000_0000 / count) * count
  for (;;) {
    const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4)
    const drawn = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
    if (drawn < limit) return drawn % count
  }
}
