/**
 * The selected representation of a file: its state, validators, and Content-Type, Content-Encoding, Vary.
 *
 * Rules: a small file is read as a whole and kept with its answers (`CachedFile`), so that they can be sent many times;
 * a large one stays open until its only answer is sent (`OpenFile`). A 304 repeats the fields that a cache needs (RFC
 * 9110 section 15.4.5).
 */
import type { Stats } from 'node:fs'
import type { ServedFile } from '../files/served-file.ts'
import type { EncodedAnswer } from '../http1/encoded-answer.ts'
import type { HeadWriter } from '../http1/head-writer.ts'
import type { Answer, Field } from './answer.ts'
import { type AnswerBody, FileBody, type FileSlice } from './answer-body.ts'
import { lastModified, type Validators } from './conditional.ts'

/** The metadata of a representation. */
export interface Presentation {
  /** The names of the file below the served directory, even if its compressed form is sent. */
  readonly names: readonly string[]
  readonly mediaType: string
  /** Content-Encoding; undefined: none. */
  readonly coding: string | undefined
  /** The request fields that affected the choice, for Vary; empty: none. */
  readonly vary: string
  /** Cache-Control; undefined: the default of every answer. */
  readonly cacheControl: string | undefined
}

export interface Representation {
  readonly validators: Validators
  /** Undefined if the content is generated while it is sent: then it has no ranges. */
  readonly sizeBytes: number | undefined
  readonly presentation: Presentation
  /** The 200 answer. */
  whole(nowMs: number): Answer
  notModified(): Answer
  body(parts: readonly (Uint8Array | FileSlice)[]): AnswerBody
  /** Call this if none of the answers is used. */
  close(): void
}

/** The validators of another representation of the same file. `mark`: letters and digits. */
export function tagged({ etag, modifiedMs }: Validators, mark: string): Validators {
  return { etag: etag && `${etag.slice(0, -1)}-${mark}"`, modifiedMs }
}

/** Fields of 200, 206 and 304. */
export function selectionFields(of: Representation): readonly Field[] {
  const { cacheControl } = of.presentation
  const fields = choiceFields(of)
  return cacheControl === undefined ? fields : [...fields, ['Cache-Control', cacheControl]]
}

/**
 * Also for 412 and 416. They must not be cached like files: a cache would send them to clients with other fields.
 */
export function choiceFields({ validators, presentation }: Representation): readonly Field[] {
  const fields: Field[] = validators.etag === undefined ? [] : [['ETag', validators.etag]]
  if (presentation.vary !== '') fields.push(['Vary', presentation.vary])
  return fields
}

/** Content fields of 200 and 206. `mediaType`: of the whole answer. */
export function contentFields(
  of: Representation,
  nowMs: number,
  mediaType: string = of.presentation.mediaType,
): Field[] {
  const { coding } = of.presentation
  const fields: Field[] = [['Content-Type', mediaType]]
  if (coding !== undefined) fields.push(['Content-Encoding', coding])
  fields.push(['Last-Modified', lastModified(of.validators, nowMs)])
  if (of.sizeBytes !== undefined) fields.push(['Accept-Ranges', 'bytes'])
  return fields
}

/** Identifies a state of a path; a Stats is one. */
export type SeenState = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

/** Longer than a clock tick of the coarsest common file system (FAT: 2 s). */
const settledAfterMs = 2_000

/** A file in memory, with its answers ready. */
export class CachedFile implements Representation {
  readonly validators: Validators
  readonly presentation: Presentation
  /** The state of the path when the content was read. */
  readonly seen: SeenState
  /** The turn of the event loop in which the state was last checked. */
  checkedTurn = 0
  /** Whether it was used since the cache last checked. */
  isUsed = false
  readonly #heads: HeadWriter
  readonly #whole: CachedAnswer
  #notModified: CachedAnswer | undefined

  /** `content` is copied. */
  constructor(
    content: Uint8Array,
    file: { readonly validators: Validators; readonly seen: SeenState },
    presentation: Presentation,
    heads: HeadWriter,
    nowMs: number,
  ) {
    this.validators = file.validators
    const { dev, ino, size, mtimeMs, ctimeMs } = file.seen
    this.seen = { dev, ino, size, mtimeMs, ctimeMs }
    this.presentation = presentation
    this.#heads = heads
    const fields = () => [...contentFields(this, nowMs), ...selectionFields(this)]
    this.#whole = new CachedAnswer(200, fields, content, heads)
  }

  get content(): Buffer {
    return this.#whole.rendition.body
  }

  get sizeBytes(): number {
    // Also called while the first answer is created, which only needs to know that there is a size.
    return this.#whole?.rendition.bodyBytes ?? 0
  }

  /** Whether a path in this state still has the cached content. */
  isStateOf(stats: SeenState): boolean {
    const { seen } = this
    return (
      stats.mtimeMs === seen.mtimeMs &&
      stats.ctimeMs === seen.ctimeMs &&
      stats.size === seen.size &&
      stats.ino === seen.ino &&
      stats.dev === seen.dev
    )
  }

  /** Whether any later change of the path will show in its state; only then may it be cached. */
  isSettled(nowMs: number): boolean {
    return nowMs - this.seen.ctimeMs > settledAfterMs
  }

  whole(): Answer {
    return this.#whole
  }

  notModified(): Answer {
    this.#notModified ??= new CachedAnswer(304, () => selectionFields(this), undefined, this.#heads)
    return this.#notModified
  }

  body(parts: readonly (Uint8Array | FileSlice)[]): Uint8Array {
    const { content } = this
    const pieces = parts.map((part) => (part instanceof Uint8Array ? part : content.subarray(part.start, part.end)))
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  close(): void {}
}

/** An answer that is sent many times. Only its bytes are kept; its fields are created on demand. */
class CachedAnswer implements Answer {
  readonly status: number
  readonly rendition: EncodedAnswer
  readonly #makeFields: () => readonly Field[]

  constructor(status: number, makeFields: () => readonly Field[], body: Uint8Array | undefined, heads: HeadWriter) {
    this.status = status
    this.#makeFields = makeFields
    this.rendition = heads.render({ status, fields: makeFields(), body })
  }

  get fields(): readonly Field[] {
    return this.#makeFields()
  }

  get body(): Buffer | undefined {
    return this.rendition.bodyBytes === 0 && this.status === 304 ? undefined : this.rendition.body
  }
}

/** A file that is read while it is sent. */
export class OpenFile implements Representation {
  readonly presentation: Presentation
  readonly file: ServedFile
  readonly validators: Validators

  constructor(file: ServedFile, validators: Validators, presentation: Presentation) {
    this.file = file
    this.validators = validators
    this.presentation = presentation
  }

  get sizeBytes(): number {
    return this.file.sizeBytes
  }

  whole(nowMs: number): Answer {
    const fields = [...contentFields(this, nowMs), ...selectionFields(this)]
    return { status: 200, fields, body: this.body([{ start: 0, end: this.sizeBytes }]) }
  }

  notModified(): Answer {
    this.close()
    return { status: 304, fields: selectionFields(this), body: undefined }
  }

  body(parts: readonly (Uint8Array | FileSlice)[]): FileBody {
    return new FileBody(this.file, parts)
  }

  close(): void {
    this.file.close()
  }
}
