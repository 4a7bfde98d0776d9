/**
 * Escapes characters of a path and query that cannot be sent as they are.
 *
 * Rules: every character that is not allowed in a URL becomes its UTF-8 bytes in percent escapes; existing escapes
 * stay. Brackets are allowed in a query, since form arrays use them, but not in a path. RFC 3986 sections 2.1 and 3.
 */
const illegalInPath = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/g
const illegalInQuery = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%[\]]+/g

/** A path, possibly with a query, as it is sent. ASCII only. */
export function encodePath(text: string): string {
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  const query = mark === -1 ? '' : text.slice(mark)
  return path.replace(illegalInPath, percentEscapes) + query.replace(illegalInQuery, percentEscapes)
}

/** A component of a URL decoded; unchanged if one of its escapes is invalid. */
export function decodedComponent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const hexDigits = '0123456789ABCDEF'

/** All UTF-8 bytes in percent escapes. One loop: a call for each byte takes 40 s for 30 MB. */
export function percentEscapes(text: string): string {
  const octets = Buffer.from(text, 'utf8')
  const escapes = Buffer.alloc(3 * octets.length)
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] as number
    escapes[3 * index] = 0x25
    escapes[3 * index + 1] = hexDigits.charCodeAt(octet >> 4)
    escapes[3 * index + 2] = hexDigits.charCodeAt(octet & 15)
  }
  return escapes.toString('latin1')
}
