/** Text with percent escapes, as URLs and the messages of gRPC have it. */

/** The decoded text; a "%" that does not begin an escape is literal. @param octets a binary string */
export function unescapedText(octets: string): string {
  const bytes = octets.replace(/%([0-9A-Fa-f]{2})/g, (_escape, digits: string) => {
    return String.fromCharCode(Number.parseInt(digits, 16))
  })
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
