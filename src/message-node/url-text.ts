/**
 * URLs in messages, which are binary strings: each character is one byte.
 *
 * Rules: some programs write names and paths in UTF-8 instead of escaping them. Bytes of another charset cannot be read
 * as text, so they are escaped as they are (RFC 3986 section 2.1).
 */

/** The text of a URL that is a binary string. */
export function urlText(octets: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(octets, 'latin1'))
  } catch {
    return octets.replace(/[\x80-\xff]/g, (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase()}`)
  }
}
