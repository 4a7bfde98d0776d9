/**
 * How a parser treats what is not canonical: three presets, single switches, limits.
 *
 * Rules: presets and switches decide what is *repaired*. Framing has no switch: what would let two readers see two
 * different messages is rejected under every preset (framing.ts). Options are immutable.
 */
import { checkKeys, type KeyTypes } from './checked-input.ts'
import { HttpcliError, type Repair } from './errors.ts'

/**
 * `lenient`: for texts that people write, and for responses. `strict`: nothing is repaired. `server`: strict, for
 * requests off a socket, but as tolerant as a server has to be: an empty line before a request is skipped, and a query
 * may hold what browsers leave unescaped. Its limits for header sections are smaller.
 */
export type Preset = 'lenient' | 'strict' | 'server'

/** Upper bounds, which may be reached; one more is an error `LIMIT` with the status that a server answers. */
export interface ParserLimits {
  /** Octets of the start line, empty lines before it included. Default 16 KiB. Status 414 for a request. */
  readonly startLine: number
  /** Octets of the header section, line ends included. Default 64 KiB, `server` 32 KiB. Status 431. */
  readonly headerSection: number
  /** Field lines in a header section, and again in a trailer section. Default 200, `server` 100. Status 431. */
  readonly headerCount: number
  /** Octets of all chunk extensions of one message. Default 16 KiB. Status 413. */
  readonly chunkExtensions: number
  /** Octets of the trailer section. Default 16 KiB. Status 431. */
  readonly trailerSection: number
  /** Octets of content. Default Infinity, which is no limit. Status 413. */
  readonly body: number
}

/** The plain object. Every switch has a builder call; `{}` is the lenient default. */
export interface ParserOptionsInit {
  /** Default `lenient`. It decides what no switch is given for. */
  readonly preset?: Preset
  /** A lone LF ends a line (RFC 9112 section 2.2). */
  readonly allowBareLf?: boolean
  /** A missing Host is taken from an absolute request target. */
  readonly insertHost?: boolean
  /** A missing version in the start line is HTTP/1.1. */
  readonly insertVersion?: boolean
  /** Empty lines before the start line are skipped (RFC 9112 section 2.2). */
  readonly ignoreLeadingEmptyLine?: boolean
  /** Octets that may not stand in a request target are percent-encoded instead of rejected. */
  readonly allowIllegalTarget?: boolean
  /** Folded lines of a request: one SP, or an error. In a response they always become one SP (RFC 9112 section 5.2). */
  readonly foldedHeaders?: 'unfold' | 'reject'
  /** In a complete text, octets after the header section of a request without framing fields are its content. */
  readonly inferContentLength?: boolean
  /** Those that are not given are those of the preset. */
  readonly limits?: Partial<ParserLimits>
  /** Called for each repair, besides the list on the message. */
  readonly onRepair?: ((repair: Repair) => void) | undefined
  /** False: everything is read by the reference path, for tests that compare it with the fast path. @internal */
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

// Others: Node.js and h11 16 KiB for the whole head, nginx 4 x 8 KiB, Apache httpd 8190 octets a line and 100 fields.
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

const presetSwitches: Readonly<Record<Preset, Switches>> = {
  lenient: {
    allowBareLf: true,
    insertHost: true,
    insertVersion: true,
    ignoreLeadingEmptyLine: true,
    allowIllegalTarget: false,
    foldedHeaders: 'unfold',
    inferContentLength: true,
  },
  strict: {
    allowBareLf: false,
    insertHost: false,
    insertVersion: false,
    ignoreLeadingEmptyLine: false,
    allowIllegalTarget: false,
    foldedHeaders: 'reject',
    inferContentLength: false,
  },
  server: {
    allowBareLf: false,
    insertHost: false,
    insertVersion: false,
    ignoreLeadingEmptyLine: true,
    allowIllegalTarget: false,
    foldedHeaders: 'reject',
    inferContentLength: false,
  },
}

const keyTypes: KeyTypes = {
  preset: 'any',
  allowBareLf: 'boolean',
  insertHost: 'boolean',
  insertVersion: 'boolean',
  ignoreLeadingEmptyLine: 'boolean',
  allowIllegalTarget: 'boolean',
  foldedHeaders: 'string',
  inferContentLength: 'boolean',
  limits: 'object',
  onRepair: 'function',
  fastPath: 'boolean',
}

/** What each limit is, is checked with its value. */
const limitTypes: KeyTypes = {
  startLine: 'any',
  headerSection: 'any',
  headerCount: 'any',
  chunkExtensions: 'any',
  trailerSection: 'any',
  body: 'any',
}

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

  readonly preset: Preset
  readonly allowBareLf: boolean
  readonly insertHost: boolean
  readonly insertVersion: boolean
  readonly ignoreLeadingEmptyLine: boolean
  readonly allowIllegalTarget: boolean
  readonly foldedHeaders: 'unfold' | 'reject'
  readonly inferContentLength: boolean
  readonly limits: Readonly<ParserLimits>
  readonly onRepair: ((repair: Repair) => void) | undefined
  /** Whether canonical messages may take the fast path (fast-head.ts). @internal */
  readonly fastPath: boolean

  private constructor(init: ParserOptionsInit) {
    checkKeys(init, keyTypes, 'parser options')
    const preset = init.preset ?? 'lenient'
    const defaults = presetSwitches[preset]
    if (defaults === undefined) {
      throw new HttpcliError('invalid-option', `unknown preset ${JSON.stringify(preset)}`, {
        hint: "use 'lenient', 'strict' or 'server'",
      })
    }
    this.preset = preset
    this.allowBareLf = init.allowBareLf ?? defaults.allowBareLf
    this.insertHost = init.insertHost ?? defaults.insertHost
    this.insertVersion = init.insertVersion ?? defaults.insertVersion
    this.ignoreLeadingEmptyLine = init.ignoreLeadingEmptyLine ?? defaults.ignoreLeadingEmptyLine
    this.allowIllegalTarget = init.allowIllegalTarget ?? defaults.allowIllegalTarget
    this.foldedHeaders = init.foldedHeaders ?? defaults.foldedHeaders
    if (this.foldedHeaders !== 'unfold' && this.foldedHeaders !== 'reject') {
      const found = JSON.stringify(this.foldedHeaders)
      throw new HttpcliError('invalid-option', `foldedHeaders is ${found}, expected 'unfold' or 'reject'`)
    }
    this.inferContentLength = init.inferContentLength ?? defaults.inferContentLength
    this.limits = init.limits === undefined ? presetLimits[preset] : limitsWith(presetLimits[preset], init.limits)
    this.onRepair = init.onRepair
    this.fastPath = init.fastPath ?? true
    Object.freeze(this)
  }

  /** @throws HttpcliError `invalid-option` for an unknown preset or a limit that is not a number of at least 0. */
  static of(init: ParserOptions | ParserOptionsInit = {}): ParserOptions {
    return init instanceof ParserOptions ? init : new ParserOptions(init)
  }

  /**
   * A builder that starts from the lenient default, or from other options.
   * @throws HttpcliError `invalid-option`, as `of` does.
   */
  static newBuilder(base: ParserOptions | ParserOptionsInit = {}): ParserOptionsBuilder {
    return new Builder(ParserOptions.of(base))
  }
}

/** @throws HttpcliError `invalid-option` */
function limitsWith(defaults: ParserLimits, given: Partial<ParserLimits>): ParserLimits {
  checkKeys(given, limitTypes, 'limits')
  const limits = Object.entries(given).filter(([, limit]) => limit !== undefined)
  for (const [name, limit] of limits) {
    if (typeof limit === 'number' && limit >= 0) continue
    throw new HttpcliError('invalid-option', `limit ${name} is ${String(limit)}, expected a number of at least 0`)
  }
  return Object.freeze({ ...defaults, ...Object.fromEntries(limits) })
}

/** One call for each switch; each returns the builder itself. */
export interface ParserOptionsBuilder {
  /** Line separators must be CRLF. */
  doNotAllowNewLineWithoutReturn(): this
  /** A missing Host is an error even when the start line has a full URL. */
  doNotInsertHostHeaderIfMissing(): this
  /** A missing version in the start line is an error. */
  doNotInsertHttpVersionIfMissing(): this
  /** An empty line before the start line is an error. */
  doNotIgnoreLeadingEmptyLine(): this
  /** Characters that a URI may not hold are percent-encoded in the start line instead of rejected. */
  allowIllegalStartLineCharacters(): this
  /** Folded header lines of a request are an error. */
  rejectFoldedHeaders(): this
  /** Octets behind the header section of a request text are not taken as its content unless a field says so. */
  doNotInferContentLength(): this
  /** Replaces these limits; the others stay. */
  withLimits(limits: Partial<ParserLimits>): this
  /** Called for each repair, besides the list on the message. */
  onRepair(listener: (repair: Repair) => void): this
  /** @throws HttpcliError `invalid-option` for a limit that is not a number of at least 0. */
  build(): ParserOptions
}

class Builder implements ParserOptionsBuilder {
  #init: ParserOptionsInit

  constructor(base: ParserOptions) {
    this.#init = { ...base }
  }

  doNotAllowNewLineWithoutReturn(): this {
    return this.#set({ allowBareLf: false })
  }

  doNotInsertHostHeaderIfMissing(): this {
    return this.#set({ insertHost: false })
  }

  doNotInsertHttpVersionIfMissing(): this {
    return this.#set({ insertVersion: false })
  }

  doNotIgnoreLeadingEmptyLine(): this {
    return this.#set({ ignoreLeadingEmptyLine: false })
  }

  allowIllegalStartLineCharacters(): this {
    return this.#set({ allowIllegalTarget: true })
  }

  rejectFoldedHeaders(): this {
    return this.#set({ foldedHeaders: 'reject' })
  }

  doNotInferContentLength(): this {
    return this.#set({ inferContentLength: false })
  }

  withLimits(limits: Partial<ParserLimits>): this {
    return this.#set({ limits: { ...this.#init.limits, ...limits } })
  }

  onRepair(listener: (repair: Repair) => void): this {
    return this.#set({ onRepair: listener })
  }

  build(): ParserOptions {
    return ParserOptions.of(this.#init)
  }

  #set(change: ParserOptionsInit): this {
    this.#init = { ...this.#init, ...change }
    return this
  }
}
