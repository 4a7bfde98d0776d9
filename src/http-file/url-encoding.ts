/**
 * Escapes characters of a path and query that cannot be sent as they are.
 *
 * Rules: every character that is not allowed in a URL becomes its UTF-8 bytes in percent escapes; existing escapes
 * stay. Brackets are allowed in a query, since form arrays use them, but not in a path. RFC 3986 sections 2.1 and 3.
 */
const illegalInPath = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/gu
const illegalInQuery = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%[\]]+/gu

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

/** All UTF-8 bytes in percent escapes. */
export function percentEscapes(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/./gs, (octet) => {
      return `%${octet.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
    })
}
