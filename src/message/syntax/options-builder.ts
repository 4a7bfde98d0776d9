/**
 * The builder of parser options: the API of a library that many users come from.
 *
 * Rules: a builder only collects the plain object, so both have the same meaning. It is not in options.ts, so a program
 * that does not use it does not load it: the class gets `newBuilder` here, where it is exported.
 */
import type { Repair } from './errors.ts'
import { ParserOptions as Options, type ParserLimits, type ParserOptionsInit } from './options.ts'

/** Parser options, complete and immutable. */
export type ParserOptions = Options

/** Creates parser options; see `ParserOptions`. */
export interface ParserOptionsConstructor
  extends Pick<typeof Options, 'LENIENT' | 'STRICT' | 'SERVER' | 'of' | 'prototype'> {
  /**
   * A builder that starts from the lenient default, or from other options.
   * @throws HttpcliError `invalid-option`, as `of` does.
   */
  newBuilder(base?: ParserOptions | ParserOptionsInit): ParserOptionsBuilder
}

/** The class of options, with a builder. */
export const ParserOptions: ParserOptionsConstructor = /* @__PURE__ */ Object.assign(Options, {
  newBuilder: (base?: ParserOptions | ParserOptionsInit): ParserOptionsBuilder => new Builder(Options.of(base)),
})

/** One method for each switch; each returns the builder itself. */
export interface ParserOptionsBuilder {
  /** Line separators must be CRLF. */
  doNotAllowNewLineWithoutReturn(): this
  /** A missing Host is an error even when the start line has a full URL. */
  doNotInsertHostHeaderIfMissing(): this
  /** A missing version in the start line is an error. */
  doNotInsertHttpVersionIfMissing(): this
  /** An empty line before the start line is an error. */
  doNotIgnoreLeadingEmptyLine(): this
  /** Characters not allowed in a URI are percent-encoded in the start line instead of rejected. */
  allowIllegalStartLineCharacters(): this
  /** Folded header lines of a request are an error. */
  rejectFoldedHeaders(): this
  /** Bytes after the header section of a request text are not its content unless a field says so. */
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

  constructor(base: Options) {
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

  build(): Options {
    return Options.of(this.#init)
  }

  #set(change: ParserOptionsInit): this {
    this.#init = { ...this.#init, ...change }
    return this
  }
}
