/**
 * Text in another charset as UTF-8, for a terminal.
 *
 * Rules: the charset is that of Content-Type. Content that is UTF-8 nevertheless, as that of many servers with a fixed
 * Content-Type, stays unchanged. Loaded only for output to a terminal.
 */
import { utf8Bytes } from '../../../message/index.ts'

export class CharsetText {
  #decoder: TextDecoder | undefined
  #isExamined = false

  /** A charset that is missing or unknown leaves the content unchanged. */
  constructor(contentType: string) {
    this.#decoder = decoderOf(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1])
  }

  write(bytes: Uint8Array): Uint8Array {
    if (this.#decoder === undefined) return bytes
    if (!this.#isExamined && bytes.some((octet) => octet >= FIRST_OTHER)) {
      this.#isExamined = true
      if (isUtf8(bytes)) this.#decoder = undefined
    }
    return this.#decoder === undefined ? bytes : utf8Bytes(this.#decoder.decode(bytes, { stream: true }))
  }

  end(): Uint8Array {
    return utf8Bytes(this.#decoder?.decode() ?? '')
  }
}

/** The first byte that is not ASCII. */
const FIRST_OTHER = 0x80

/** Names that the platform reads as windows-1252, but whose content is ASCII or UTF-8. */
const asciiNames: ReadonlySet<string> = new Set(['ascii', 'us-ascii'])

function decoderOf(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined || asciiNames.has(charset.toLowerCase())) return undefined
  try {
    const decoder = new TextDecoder(charset)
    return decoder.encoding === 'utf-8' ? undefined : decoder
  } catch {
    return undefined
  }
}

/** Whether all characters, of which the last one may be incomplete, are UTF-8, and one of them is not ASCII. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    return /[^\0-\x7f]/.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }))
  } catch {
    return false
  }
}
