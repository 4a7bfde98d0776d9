/**
 * A file that is compressed or decompressed while it is sent.
 *
 * Rules: it has no length and no ranges, and its entity tag is weak, since the bytes may differ the next time. If the
 * file changes in the meantime, the stream ends with an error before its last bytes, so that it never looks complete.
 * RFC 9110 section 8.8.1.
 */
import { pipeline, Readable, type Transform } from 'node:stream'
import type { Answer } from '../semantics/answer.ts'
import { type AnswerBody, StreamBody } from '../semantics/answer-body.ts'
import type { Validators } from '../semantics/conditional.ts'
import {
  type CachedFile,
  contentFields,
  OpenFile,
  type Presentation,
  type Representation,
  selectionFields,
  tagged,
} from '../semantics/representation.ts'
import { readFile } from './file-transfer.ts'

export class StreamedFile implements Representation {
  readonly sizeBytes: undefined
  readonly validators: Validators
  readonly presentation: Presentation
  readonly #original: OpenFile | CachedFile
  readonly #packer: () => Transform
  readonly #onClose: () => void
  #isOpen = true

  /** `coding`: the content coding of the packer's output; undefined: none. */
  constructor(
    original: OpenFile | CachedFile,
    coding: string | undefined,
    packer: () => Transform,
    onClose: () => void,
  ) {
    this.#original = original
    this.#packer = packer
    this.#onClose = onClose
    this.presentation = { ...original.presentation, coding }
    const { etag, modifiedMs } = tagged(original.validators, coding ?? 'identity')
    this.validators = { etag: etag && `W/${etag}`, modifiedMs }
  }

  whole(nowMs: number): Answer {
    const packer = this.#packer()
    const original = this.#original
    const octets = original instanceof OpenFile ? readFile(original.file) : [original.content]
    const source = Readable.from(octets, { objectMode: false })
    // A failure destroys the packer with that error, which then reaches the reader.
    pipeline(source, packer, () => this.close())
    return {
      status: 200,
      fields: [...contentFields(this, nowMs), ...selectionFields(this)],
      body: new StreamBody(packer),
    }
  }

  notModified(): Answer {
    this.close()
    return { status: 304, fields: selectionFields(this), body: undefined }
  }

  body(): AnswerBody {
    throw new Error('a streamed file has no parts')
  }

  /** May be called more than once. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#original.close()
    this.#onClose()
  }
}
