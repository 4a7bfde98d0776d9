/**
 * A file as it is offered to a request: its state, its validators, and how it is said to be (type, coding, Vary).
 *
 * Rules: a small file is read at once and kept with its answers (`KeptFile`), so that they can be sent many times; a
 * large one stays open until its one answer is sent (`OpenFile`). A 304 repeats what would steer a cache (RFC 9110
 * section 15.4.5).
 */
import type { Stats } from 'node:fs'
import type { ServedFile } from '../files/served-file.ts'
import type { EncodedAnswer } from '../http1/encoded-answer.ts'
import type { HeadWriter } from '../http1/head-writer.ts'
import type { Answer, Field } from './answer.ts'
import { type AnswerBody, FileBody, type FileSlice } from './answer-body.ts'
import { lastModified, type Validators } from './conditional.ts'

/** How a file is said to be. */
export interface Presentation {
  /** Of the file below the served directory, also where a compressed form of it is sent. */
  readonly names: readonly string[]
  readonly mediaType: string
  /** Content-Encoding; undefined: none. */
  readonly coding: string | undefined
  /** The request fields that took part in the choice, as Vary names them; empty: none. */
  readonly vary: string
  /** Cache-Control; undefined: the default of every answer. */
  readonly cacheControl: string | undefined
}

export interface Representation {
  readonly validators: Validators
  /** Undefined where the content is made while it is sent: then it has no ranges. */
  readonly sizeBytes: number | undefined
  readonly presentation: Presentation
  /** The answer 200. */
  whole(nowMs: number): Answer
  notModified(): Answer
  body(parts: readonly (Uint8Array | FileSlice)[]): AnswerBody
  /** To be called where none of the answers is used. */
  close(): void
}

/** The validators of another representation of the same file. `mark`: of letters and digits. */
export function tagged({ etag, modifiedMs }: Validators, mark: string): Validators {
  return { etag: etag && `${etag.slice(0, -1)}-${mark}"`, modifiedMs }
}

/** Of 200, 206 and 304. */
export function steeringFields(of: Representation): readonly Field[] {
  const { cacheControl } = of.presentation
  const fields = choiceFields(of)
  return cacheControl === undefined ? fields : [...fields, ['Cache-Control', cacheControl]]
}

/** Of 412 and 416 too, which must not be kept as files are: a cache would give them to those who asked otherwise. */
export function choiceFields({ validators, presentation }: Representation): readonly Field[] {
  const fields: Field[] = validators.etag === undefined ? [] : [['ETag', validators.etag]]
  if (presentation.vary !== '') fields.push(['Vary', presentation.vary])
  return fields
}

/** Of 200 and 206: what is said of the content. `mediaType`: of the whole answer. */
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

/** By which two looks at a path are compared; a Stats is one. */
export type SeenState = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

/** A file in memory, with its answers ready. */
export class KeptFile implements Representation {
  readonly validators: Validators
  readonly presentation: Presentation
  /** What the file system said of the path when the content was read. */
  readonly seen: SeenState
  /** In which turn of the event loop the file system said so last. */
  checkedTurn = 0
  /** Whether it was used since the cache looked last. */
  isUsed = false
  readonly #heads: HeadWriter
  readonly #whole: KeptAnswer
  #notModified: KeptAnswer | undefined

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
    const fields = () => [...contentFields(this, nowMs), ...steeringFields(this)]
    this.#whole = new KeptAnswer(200, fields, content, heads)
  }

  get content(): Buffer {
    return this.#whole.rendition.body
  }

  get sizeBytes(): number {
    // Asked for while the first answer is made, too, where it only says that there is a size.
    return this.#whole?.rendition.bodyBytes ?? 0
  }

  /** Whether a path of which the file system says this still has the content that is kept. */
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

  whole(): Answer {
    return this.#whole
  }

  notModified(): Answer {
    this.#notModified ??= new KeptAnswer(304, () => steeringFields(this), undefined, this.#heads)
    return this.#notModified
  }

  body(parts: readonly (Uint8Array | FileSlice)[]): Uint8Array {
    const { content } = this
    const pieces = parts.map((part) => (part instanceof Uint8Array ? part : content.subarray(part.start, part.end)))
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  close(): void {}
}

/** An answer that is sent again and again. Its octets are all that it keeps; who wants its parts gets them made. */
class KeptAnswer implements Answer {
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
    const fields = [...contentFields(this, nowMs), ...steeringFields(this)]
    return { status: 200, fields, body: this.body([{ start: 0, end: this.sizeBytes }]) }
  }

  notModified(): Answer {
    this.close()
    return { status: 304, fields: steeringFields(this), body: undefined }
  }

  body(parts: readonly (Uint8Array | FileSlice)[]): FileBody {
    return new FileBody(this.file, parts)
  }

  close(): void {
    this.file.close()
  }
}
