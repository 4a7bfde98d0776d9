/**
 * A file that is compressed or decompressed while it is sent.
 *
 * Rules: it has no length and no ranges, and its entity tag is weak, since the bytes may differ the next time. If the
 * file changes in the meantime, the stream ends with an error before its last bytes, so that it never looks complete.
 * RFC 9110 section 8.8.1.
 */
import type { Readable } from 'node:stream'
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

/** Compresses or decompresses content. `onEnd` is called when nothing more is read, after an error too. */
export type Conversion = (content: AsyncIterable<Uint8Array>, onEnd: () => void) => Readable

export class StreamedFile implements Representation {
  readonly sizeBytes: undefined
  readonly validators: Validators
  readonly presentation: Presentation
  readonly #original: OpenFile | CachedFile
  readonly #convert: Conversion
  readonly #onClose: () => void
  #isOpen = true

  /** `coding`: the content coding of the converted content; undefined: none. */
  constructor(original: OpenFile | CachedFile, coding: string | undefined, convert: Conversion, onClose: () => void) {
    this.#original = original
    this.#convert = convert
    this.#onClose = onClose
    this.presentation = { ...original.presentation, coding }
    const { etag, modifiedMs } = tagged(original.validators, coding ?? 'identity')
    this.validators = { etag: etag && `W/${etag}`, modifiedMs }
  }

  whole(nowMs: number): Answer {
    const original = this.#original
    const content = original instanceof OpenFile ? readFile(original.file) : only(original.content)
    return {
      status: 200,
      fields: [...contentFields(this, nowMs), ...selectionFields(this)],
      body: new StreamBody(this.#convert(content, () => this.close())),
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

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
