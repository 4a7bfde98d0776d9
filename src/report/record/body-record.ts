/**
 * Bodies of messages as records: their beginning, as text or as base64, masked.
 *
 * A secret that is cut off at the end of the sample is omitted, since half a secret would not be found later. A body is
 * text if it can be decoded by its charset, or as UTF-8, and contains no control characters other than those used in
 * texts.
 */
import type { BodyRecord } from './exchange-record.ts'
import { wellFormed } from './printable-text.ts'

/** Masks bytes. At the end of a truncated text, bytes that may begin a secret are omitted. */
export type MaskBytes = (bytes: Uint8Array, isWhole: boolean) => Uint8Array

export interface KnownBody {
  readonly mediaType: string
  /** The first bytes, or all. */
  readonly bytes: Uint8Array
  /** Undefined if unknown. */
  readonly sizeBytes: number | undefined
}

export function bodyRecord(
  { mediaType, bytes, sizeBytes }: KnownBody,
  limitBytes: number,
  mask: MaskBytes,
): BodyRecord {
  const kept = bytes.subarray(0, limitBytes)
  const isTruncated = sizeBytes === undefined || kept.length < sizeBytes
  const text = decodedText(kept, mediaType, isTruncated)
  const content =
    text === undefined
      ? { base64: Buffer.from(mask(kept, !isTruncated)).toString('base64') }
      : { text: maskedText(text, isTruncated, mask) }
  return { mediaType, ...(sizeBytes === undefined ? {} : { sizeBytes }), ...content, isTruncated }
}

/** The same record, masked again for values that have become secret since it was made. */
export function remaskedBody(body: BodyRecord, mask: MaskBytes): BodyRecord {
  const { text, base64, isTruncated } = body
  if (text !== undefined) return { ...body, text: maskedText(text, isTruncated, mask) }
  if (base64 === undefined) return body
  const bytes = Buffer.from(base64, 'base64')
  return { ...body, base64: Buffer.from(mask(bytes, !isTruncated)).toString('base64') }
}

/** Characters that do not occur in texts. ESC does, because colour codes begin with it. */
const binaryCharacters = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/

/** Undefined if the bytes are not text. A truncated character at the end is omitted. */
function decodedText(bytes: Uint8Array, mediaType: string, isTruncated: boolean): string | undefined {
  const [, charset = 'utf-8'] = /;[ \t]*charset="?([^\s;"]+)/i.exec(mediaType) ?? []
  for (const label of charset.toLowerCase() === 'utf-8' ? ['utf-8'] : [charset, 'utf-8']) {
    try {
      const text = new TextDecoder(label, { fatal: true }).decode(bytes, { stream: isTruncated })
      if (!binaryCharacters.test(text)) return text
    } catch {
      // An unknown charset, or bytes that are invalid in this charset.
    }
  }
  return undefined
}

function maskedText(text: string, isTruncated: boolean, mask: MaskBytes): string {
  return wellFormed(Buffer.from(mask(Buffer.from(text), !isTruncated)).toString())
}
