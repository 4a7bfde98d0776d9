/**
 * Bytes of messages as text for JSON.
 *
 * Rules: valid UTF-8 becomes text; other fields keep one character for each byte (RFC 9110 section 5.5), other bodies
 * become base64.
 */

/** The header fields in their order and spelling. */
export function headerPairs(headers: Iterable<readonly [string, string]>): readonly (readonly [string, string])[] {
  return [...headers].map(([name, value]) => [name, octetText(value)])
}

/** Decodes a binary string, one character for each byte, as UTF-8 if it is valid. */
export function octetText(octets: string): string {
  return utf8Text(Buffer.from(octets, 'latin1')) ?? octets
}

/** Undefined if the bytes are not UTF-8. A byte order mark is preserved. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export type OctetFields = { readonly text: string } | { readonly base64: string }

/** A reasonable maximum for a line of JSON. */
const PIECE_BYTES = 1024 * 1024

/** Splits a body into pieces for lines, never inside a character. The input may come in pieces of any size. */
export class OctetPieces {
  #held: Uint8Array[] = []
  #heldBytes = 0

  /** The pieces that are now complete. */
  add(bytes: Uint8Array): readonly OctetFields[] {
    const pieces: OctetFields[] = []
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes < PIECE_BYTES) return pieces
    // Joined once: a body may come as a whole.
    let rest: Buffer = Buffer.concat(this.#held)
    while (rest.length >= PIECE_BYTES) {
      const end = characterEnd(rest, PIECE_BYTES)
      pieces.push(octetFields(rest.subarray(0, end)))
      rest = rest.subarray(end)
    }
    this.#keep(rest)
    return pieces
  }

  /** The remaining piece. */
  end(): readonly OctetFields[] {
    const pieces = this.#heldBytes > 0 ? [octetFields(Buffer.concat(this.#held))] : []
    this.#keep(new Uint8Array(0))
    return pieces
  }

  #keep(bytes: Uint8Array): void {
    this.#held = bytes.length === 0 ? [] : [bytes]
    this.#heldBytes = bytes.length
  }
}

export function octetFields(bytes: Uint8Array): OctetFields {
  const text = utf8Text(bytes)
  return text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : { text }
}

/** The end of the last whole UTF-8 character at or before `limit`. */
function characterEnd(bytes: Uint8Array, limit: number): number {
  let end = limit
  while (end > limit - 4 && isContinuation(bytes[end])) end--
  return isContinuation(bytes[end]) ? limit : end
}

function isContinuation(octet: number | undefined): boolean {
  return octet !== undefined && (octet & 0xc0) === 0x80
}
