/**
 * `TextDecoder` with ISO-8859-1, which the one in k6 does not support.
 *
 * Rules: as in the WHATWG Encoding Standard, that name and US-ASCII mean windows-1252.
 */
const Platform = globalThis.TextDecoder

/** Windows-1252 from 0x80 to 0x9f; U+0000: as in ISO-8859-1. */
const high =
  '\u20ac\0\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\0\u017d\0\0\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\0\u017e\u0178'

class LatinDecoder {
  readonly encoding: string = 'windows-1252'

  decode(bytes: Uint8Array = new Uint8Array(0)): string {
    let text = ''
    for (const byte of bytes) {
      const known = byte >= 0x80 && byte < 0xa0 ? (high[byte - 0x80] as string) : '\0'
      text += known === '\0' ? String.fromCharCode(byte) : known
    }
    return text
  }
}

function PlatformOrLatin(label = 'utf-8', options: object = {}): object {
  if (/^(?:iso-?8859-1|latin1|windows-1252|us-ascii|ascii|cp1252)$/i.test(label)) return new LatinDecoder()
  return new Platform(label, options)
}

export const TextDecoder = PlatformOrLatin as unknown as typeof globalThis.TextDecoder
