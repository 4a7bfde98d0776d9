/**
 * Values of header fields as text.
 *
 * Rules: fields are octets; servers that go beyond ASCII mean UTF-8, mostly, and what the request file holds is sent as
 * UTF-8 (RFC 9110 section 5.5 leaves it open).
 */

/** @param octets one character for each octet */
export function readableField(octets: string): string {
  return /^[\x00-\x7f]*$/.test(octets) ? octets : Buffer.from(octets, 'latin1').toString('utf8')
}
