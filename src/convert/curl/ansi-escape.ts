/**
 * The escapes of `$'…'` (bash manual, "ANSI-C Quoting").
 *
 * Rules: octets written one by one (`\xC3\xA9`, `\303\251`) are UTF-8 together; `\u` and `\U` are characters. A
 * backslash before any other character stays.
 */

const single: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
}

const octets = /^(?:\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,3}))+/
const octet = /\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3}))/g
const character = /^\\(?:u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8}))/

/** The character or escape at `index`, and how long it is there. */
export function ansiEscape(text: string, index: number): { readonly value: string; readonly length: number } {
  if (text[index] !== '\\') return { value: text[index] ?? '', length: 1 }
  const next = text[index + 1] ?? ''
  const simple = Object.hasOwn(single, next) ? single[next] : undefined
  if (simple !== undefined) return { value: simple, length: 2 }
  const rest = text.slice(index, index + 4000)
  const run = octets.exec(rest)?.[0]
  if (run !== undefined) {
    const values = [...run.matchAll(octet)].map(([, hex, octal]) =>
      hex === undefined ? Number.parseInt(octal as string, 8) & 0xff : Number.parseInt(hex, 16),
    )
    return { value: Buffer.from(values).toString('utf8'), length: run.length }
  }
  const found = character.exec(rest)
  if (found !== null) {
    const code = Number.parseInt((found[1] ?? found[2]) as string, 16)
    return { value: code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code), length: found[0].length }
  }
  return { value: `\\${next}`, length: 2 }
}
