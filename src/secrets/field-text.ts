/**
 * Reads values of header fields as text.
 *
 * Rules: fields are bytes; servers that go beyond ASCII usually mean UTF-8, and request files are sent as UTF-8 (RFC
 * 9110 section 5.5 leaves it open).
 */

/** @param octets one character for each byte */
export function readableField(octets: string): string {
  return /^[\x00-\x7f]*$/.test(octets) ? octets : Buffer.from(octets, 'latin1').toString('utf8')
}
