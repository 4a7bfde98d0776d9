/**
 * The options that limit clients of the server, as one table: name, kind of value, key of `ServerLimits`.
 *
 * Rules: times are in seconds, optionally with a fraction, and at least a millisecond; sizes in bytes, or with k, M or
 * G for powers of 1024; counts are plain numbers. Zero is refused: a server without a limit can be taken down.
 */
import type { ServerLimits } from '../../server/index.ts'
import type { NamesOf, ParsedArguments } from '../frame/command.ts'
import { parseSizeBytes } from '../frame/number-values.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { ServeValues } from '../options/serve.ts'

type ValueKind = 'seconds' | 'size' | 'count'

interface LimitOption {
  /** Long name of the option. */
  readonly option: NamesOf<ServeValues, string>
  readonly kind: ValueKind
  readonly key: keyof ServerLimits
}

export const limitOptions: readonly LimitOption[] = [
  { option: 'max-connections', kind: 'count', key: 'connections' },
  { option: 'max-header-size', kind: 'size', key: 'headerBytes' },
  { option: 'max-body-size', kind: 'size', key: 'discardedBodyBytes' },
  { option: 'header-timeout', kind: 'seconds', key: 'headerTimeoutMs' },
  { option: 'body-timeout', kind: 'seconds', key: 'bodyTimeoutMs' },
  { option: 'idle-timeout', kind: 'seconds', key: 'idleTimeoutMs' },
  { option: 'write-timeout', kind: 'seconds', key: 'writeTimeoutMs' },
  { option: 'shutdown-timeout', kind: 'seconds', key: 'closeGraceMs' },
  { option: 'handshake-timeout', kind: 'seconds', key: 'handshakeTimeoutMs' },
  { option: 'max-streams', kind: 'count', key: 'streams' },
  { option: 'backend-timeout', kind: 'seconds', key: 'backendTimeoutMs' },
  { option: 'cache-size', kind: 'size', key: 'cacheBytes' },
  { option: 'transfer-memory', kind: 'size', key: 'transferBytes' },
]

/** The longest delay of the platform's timers. */
const maximumMs = 2_147_483_647

const parsers: Readonly<Record<ValueKind, (text: string) => number | undefined>> = {
  seconds: (text) => {
    const valueMs = /^\d+(?:\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : 0
    return valueMs > 0 && valueMs <= maximumMs ? valueMs : undefined
  },
  size: (text) => {
    const sizeBytes = parseSizeBytes(text) ?? 0
    return sizeBytes > 0 && Number.isSafeInteger(sizeBytes) ? sizeBytes : undefined
  },
  count: (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : 0
    return value > 0 && Number.isSafeInteger(value) ? value : undefined
  },
}

const expectations: Readonly<Record<ValueKind, string>> = {
  seconds: 'Examples: 30, 0.5.',
  size: 'Examples: 65536, 64k.',
  count: 'Example: 100.',
}

/** The limits set by options. @throws UsageError for an invalid value */
export function readLimits(args: ParsedArguments<ServeValues>): Partial<ServerLimits> {
  const limits: { -readonly [key in keyof ServerLimits]?: ServerLimits[key] } = {}
  for (const { option, kind, key } of limitOptions) {
    const text = args.value(option)
    if (text === undefined) continue
    const value = parsers[kind](text)
    if (value === undefined) {
      throw new UsageError(`invalid --${option} ${JSON.stringify(text)}: expected ${nouns[kind]}`, {
        hint: expectations[kind],
      })
    }
    limits[key] = value
  }
  return limits
}

const nouns: Readonly<Record<ValueKind, string>> = {
  seconds: 'a number of seconds above 0',
  size: 'a size above 0',
  count: 'a whole number above 0',
}
