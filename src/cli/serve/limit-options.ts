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
  /** In the unit of the value, if it is lower than that of its kind. */
  readonly maximum?: number
}

/** The largest number in the settings of HTTP/2 (RFC 9113 section 6.5.1). */
const maximumHttp2Setting = 4_294_967_295

export const limitOptions: readonly LimitOption[] = [
  { option: 'max-connections', kind: 'count', key: 'connections' },
  { option: 'max-header-size', kind: 'size', key: 'headerBytes', maximum: maximumHttp2Setting },
  { option: 'max-body-size', kind: 'size', key: 'discardedBodyBytes' },
  { option: 'header-timeout', kind: 'seconds', key: 'headerTimeoutMs' },
  { option: 'body-timeout', kind: 'seconds', key: 'bodyTimeoutMs' },
  { option: 'idle-timeout', kind: 'seconds', key: 'idleTimeoutMs' },
  { option: 'write-timeout', kind: 'seconds', key: 'writeTimeoutMs' },
  { option: 'shutdown-timeout', kind: 'seconds', key: 'closeGraceMs' },
  { option: 'handshake-timeout', kind: 'seconds', key: 'handshakeTimeoutMs' },
  { option: 'max-streams', kind: 'count', key: 'streams', maximum: maximumHttp2Setting },
  { option: 'backend-timeout', kind: 'seconds', key: 'backendTimeoutMs' },
  { option: 'cache-size', kind: 'size', key: 'cacheBytes' },
  { option: 'transfer-memory', kind: 'size', key: 'transferBytes' },
]

/** How a kind of value is written, and its maximum; seconds: the longest delay of the platform's timers. */
const kinds: Readonly<
  Record<ValueKind, { readonly noun: string; readonly examples: string; readonly maximum: number }>
> = {
  seconds: { noun: 'a number of seconds', examples: 'Examples: 30, 0.5.', maximum: 2_147_483 },
  size: { noun: 'a size', examples: 'Examples: 65536, 64k.', maximum: Number.MAX_SAFE_INTEGER },
  count: { noun: 'a whole number', examples: 'Example: 100.', maximum: Number.MAX_SAFE_INTEGER },
}

const parsers: Readonly<Record<ValueKind, (text: string) => number>> = {
  seconds: (text) => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0),
  size: (text) => parseSizeBytes(text) ?? 0,
  count: (text) => (/^\d+$/.test(text) ? Number(text) : 0),
}

/** The limits set by options. @throws UsageError for an invalid value */
export function readLimits(args: ParsedArguments<ServeValues>): Partial<ServerLimits> {
  const limits: { -readonly [key in keyof ServerLimits]?: ServerLimits[key] } = {}
  for (const { option, kind, key, maximum = kinds[kind].maximum } of limitOptions) {
    const text = args.value(option)
    if (text === undefined) continue
    const value = parsers[kind](text)
    const limit = kind === 'seconds' ? Math.round(value * 1000) : value
    if (limit === 0 || value > maximum) {
      const { noun, examples } = kinds[kind]
      const expected = value > maximum ? `at most ${maximum}` : `${noun} above 0`
      throw new UsageError(`invalid --${option} ${JSON.stringify(text)}: expected ${expected}`, { hint: examples })
    }
    limits[key] = limit
  }
  return limits
}
