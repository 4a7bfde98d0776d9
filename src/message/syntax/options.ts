/**
 * How a parser treats non-canonical input: three presets, single switches, limits.
 *
 * Rules: presets and switches decide what is *repaired*. Framing has no switch: anything that would let two readers see
 * two different messages is rejected under every preset (framing.ts). Options are immutable.
 */
import { checkKeys, type KeyTypes, refuse } from './checked-input.ts'
import type { Repair } from './errors.ts'

/**
 * `lenient`: for texts that people write, and for responses. `strict`: nothing is repaired. `server`: strict, for
 * requests from a socket, but as tolerant as a server must be: an empty line before a request is skipped, and a query
 * may contain characters that browsers do not escape. Its limits for header sections are smaller.
 */
export type Preset = 'lenient' | 'strict' | 'server'

/** Upper bounds, inclusive; one more is an error `LIMIT` with the status that a server would send. */
export interface ParserLimits {
  /** Bytes of the start line, empty lines before it included. Default 16 KiB. Status 414 for a request. */
  readonly startLine: number
  /** Bytes of the header section, line endings included. Default 64 KiB, `server` 32 KiB. Status 431. */
  readonly headerSection: number
  /** Field lines in a header section, and again in a trailer section. Default 200, `server` 100. Status 431. */
  readonly headerCount: number
  /** Bytes of all chunk extensions of one message. Default 16 KiB. Status 413. */
  readonly chunkExtensions: number
  /** Bytes of the trailer section. Default 16 KiB. Status 431. */
  readonly trailerSection: number
  /** Bytes of content. Default Infinity: unlimited. Status 413. */
  readonly body: number
}

/** The plain object. Every switch has a builder method; `{}` is the lenient default. */
export interface ParserOptionsInit {
  /** Default `lenient`. It decides every option that is not set. */
  readonly preset?: Preset
  /** A lone LF ends a line (RFC 9112 section 2.2). */
  readonly allowBareLf?: boolean
  /** A missing Host is taken from an absolute request target. */
  readonly insertHost?: boolean
  /** A missing version in the start line is HTTP/1.1. */
  readonly insertVersion?: boolean
  /** Empty lines before the start line are skipped (RFC 9112 section 2.2). */
  readonly ignoreLeadingEmptyLine?: boolean
  /** Bytes that are not allowed in a request target are percent-encoded instead of rejected. */
  readonly allowIllegalTarget?: boolean
  /** Folded lines of a request: one SP, or an error. In a response they always become one SP (RFC 9112 section 5.2). */
  readonly foldedHeaders?: 'unfold' | 'reject'
  /** In a complete text, bytes after the header section of a request without framing fields are its content. */
  readonly inferContentLength?: boolean
  /** Default: the limits of the preset. */
  readonly limits?: Partial<ParserLimits>
  /** Called for each repair, besides the list on the message. */
  readonly onRepair?: ((repair: Repair) => void) | undefined
  /** False: the reference path reads everything, for tests that compare it with the fast path. @internal */
  readonly fastPath?: boolean
}

interface Switches {
  readonly allowBareLf: boolean
  readonly insertHost: boolean
  readonly insertVersion: boolean
  readonly ignoreLeadingEmptyLine: boolean
  readonly allowIllegalTarget: boolean
  readonly foldedHeaders: 'unfold' | 'reject'
  readonly inferContentLength: boolean
}

const KIB = 1024

// For comparison: Node.js and h11 16 KiB for the whole head, nginx 4 x 8 KiB, Apache httpd 8190 bytes a line and 100
// fields.
const defaultLimits: ParserLimits = Object.freeze({
  startLine: 16 * KIB,
  headerSection: 64 * KIB,
  headerCount: 200,
  chunkExtensions: 16 * KIB,
  trailerSection: 16 * KIB,
  body: Number.POSITIVE_INFINITY,
})

const presetLimits: Readonly<Record<Preset, ParserLimits>> = {
  lenient: defaultLimits,
  strict: defaultLimits,
  server: Object.freeze({ ...defaultLimits, headerSection: 32 * KIB, headerCount: 100 }),
}

const strictSwitches: Switches = {
  allowBareLf: false,
  insertHost: false,
  insertVersion: false,
  ignoreLeadingEmptyLine: false,
  allowIllegalTarget: false,
  foldedHeaders: 'reject',
  inferContentLength: false,
}

const presetSwitches: Readonly<Record<Preset, Switches>> = {
  lenient: {
    ...strictSwitches,
    allowBareLf: true,
    insertHost: true,
    insertVersion: true,
    ignoreLeadingEmptyLine: true,
    foldedHeaders: 'unfold',
    inferContentLength: true,
  },
  strict: strictSwitches,
  server: { ...strictSwitches, ignoreLeadingEmptyLine: true },
}

/** The type of each key is the type of its default. */
function typesOf(defaults: object): KeyTypes {
  return Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, typeof value])) as KeyTypes
}

const keyTypes: KeyTypes = {
  preset: 'any',
  ...typesOf(strictSwitches),
  limits: 'object',
  onRepair: 'function',
  fastPath: 'boolean',
}

/** The value of each limit is checked separately. */
const limitTypes: KeyTypes = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, 'any']))

/**
 * Options of a parser, complete and immutable.
 *
 *   ParserOptions.of({ preset: 'strict', limits: { body: 1_000_000 } })
 *   ParserOptions.newBuilder().rejectFoldedHeaders().build()
 */
export class ParserOptions implements Switches {
  static readonly LENIENT: ParserOptions = new ParserOptions({})
  static readonly STRICT: ParserOptions = new ParserOptions({ preset: 'strict' })
  static readonly SERVER: ParserOptions = new ParserOptions({ preset: 'server' })

  declare readonly preset: Preset
  declare readonly allowBareLf: boolean
  declare readonly insertHost: boolean
  declare readonly insertVersion: boolean
  declare readonly ignoreLeadingEmptyLine: boolean
  declare readonly allowIllegalTarget: boolean
  declare readonly foldedHeaders: 'unfold' | 'reject'
  declare readonly inferContentLength: boolean
  declare readonly limits: Readonly<ParserLimits>
  declare readonly onRepair: ((repair: Repair) => void) | undefined
  /** Whether canonical messages may take the fast path (fast-head.ts). @internal */
  declare readonly fastPath: boolean

  private constructor(init: ParserOptionsInit) {
    checkKeys(init, keyTypes, 'parser options')
    const preset = init.preset ?? 'lenient'
    const switches = presetSwitches[preset]
    if (switches === undefined) {
      refuse(`unknown preset ${JSON.stringify(preset)}`, "Use 'lenient', 'strict' or 'server'")
    }
    const limits = init.limits === undefined ? presetLimits[preset] : limitsWith(presetLimits[preset], init.limits)
    const defaults = { preset, ...switches, limits, onRepair: undefined, fastPath: true }
    Object.assign(this, defaults, definedMembers(init), { limits })
    if (this.foldedHeaders !== 'unfold' && this.foldedHeaders !== 'reject') {
      const found = JSON.stringify(this.foldedHeaders)
      refuse(`foldedHeaders is ${found}, expected 'unfold' or 'reject'`)
    }
    Object.freeze(this)
  }

  /** @throws HttpcliError `invalid-option` for an unknown preset or a limit that is not a number of at least 0. */
  static of(init: ParserOptions | ParserOptionsInit = {}): ParserOptions {
    return init instanceof ParserOptions ? init : new ParserOptions(init)
  }
}

/** The keys that have a value. */
function definedMembers<T extends object>(init: T): Partial<T> {
  return Object.fromEntries(Object.entries(init).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** @throws HttpcliError `invalid-option` */
function limitsWith(defaults: ParserLimits, init: Partial<ParserLimits>): ParserLimits {
  checkKeys(init, limitTypes, 'limits')
  const limits = definedMembers(init)
  for (const [name, limit] of Object.entries(limits)) {
    if (typeof limit === 'number' && limit >= 0) continue
    refuse(`limit ${name} is ${String(limit)}, expected a number from 0`)
  }
  return Object.freeze({ ...defaults, ...limits })
}
