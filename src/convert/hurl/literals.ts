/**
 * Converts values in Hurl's asserts to those of request files.
 *
 * Rules (Hurl, "Grammar"): a text is in double quotes with escapes, or in backticks without; bytes are `hex,…;` or
 * `base64,…;`. Bytes are compared by their hexadecimal digits, because comparisons in request files use text.
 */
import { hurlUnescaped } from './text.ts'

/** The kind of value to compare with. */
export type LiteralKind =
  /** Text or JSON. */
  | 'value'
  /** Hexadecimal digits. */
  | 'hex'
  /** Text that was decoded from bytes. */
  | 'decoded'

/** @param written with the templates of request files @returns undefined without an equivalent */
export function literalText(written: string, kind: LiteralKind): string | undefined {
  const text = written.trim()
  const bytes = bytesOf(text)
  if (bytes === undefined) return kind === 'hex' && text !== '' ? undefined : valueText(text)
  if (kind === 'hex') return JSON.stringify(bytes.toString('hex'))
  const decoded = bytes.toString('utf8')
  return kind === 'decoded' && Buffer.from(decoded, 'utf8').equals(bytes) ? JSON.stringify(decoded) : undefined
}

/** Undefined for a value that is not written as bytes. */
export function bytesOf(text: string): Buffer | undefined {
  const [, encoding = '', digits = ''] = /^(hex|base64)\s*,\s*([^;]*);$/.exec(text) ?? []
  if (encoding === 'hex') return Buffer.from(digits.replace(/\s/g, ''), 'hex')
  return encoding === 'base64' ? Buffer.from(digits, 'base64') : undefined
}

/** Undefined for a file, which has no equivalent. */
function valueText(text: string): string | undefined {
  if (/^file\s*,/.test(text)) return undefined
  const raw = /^`([^`]*)`$/.exec(text)
  if (raw !== null) return JSON.stringify(raw[1] as string)
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(text)
  return quoted === null ? text : JSON.stringify(hurlUnescaped(quoted[1] as string))
}
