/**
 * Octets of messages as text for JSON.
 *
 * Rules: what is UTF-8 is told as the text that it is; fields that are not keep one character for each octet (RFC 9110
 * section 5.5), bodies that are not become base64.
 */

/** The header fields in their order and spelling. */
export function headerPairs(headers: Iterable<readonly [string, string]>): readonly (readonly [string, string])[] {
  return [...headers].map(([name, value]) => [name, octetText(value)])
}

/** An octet string, one character for each octet, as the text that it most likely is. */
export function octetText(octets: string): string {
  return utf8Text(Buffer.from(octets, 'latin1')) ?? octets
}

/** Undefined where the octets are not UTF-8. A byte order mark stays. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export type OctetFields = { readonly text: string } | { readonly base64: string }

/** A piece is as large as a line of JSON may well be. */
const PIECE_BYTES = 1024 * 1024

/** Cuts a body that comes in pieces of any size into pieces for lines: never inside of a character. */
export class OctetPieces {
  #held: Uint8Array[] = []
  #heldBytes = 0

  /** What is complete by now. */
  add(bytes: Uint8Array): readonly OctetFields[] {
    const pieces: OctetFields[] = []
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    while (this.#heldBytes >= PIECE_BYTES) {
      const all = Buffer.concat(this.#held)
      const end = characterEnd(all, PIECE_BYTES)
      this.#keep(all.subarray(end))
      pieces.push(octetFields(all.subarray(0, end)))
    }
    return pieces
  }

  /** What is left. */
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

/** The end of the last whole character of UTF-8 at or before `limit`. */
function characterEnd(bytes: Uint8Array, limit: number): number {
  let end = limit
  while (end > limit - 4 && isContinuation(bytes[end])) end--
  return isContinuation(bytes[end]) ? limit : end
}

function isContinuation(octet: number | undefined): boolean {
  return octet !== undefined && (octet & 0xc0) === 0x80
}
