/**
 * What of a path and query must be escaped before it can be sent.
 *
 * Rules: every character that may not stand in a URL becomes its UTF-8 octets in percent escapes; escapes that are there
 * stay. Brackets may stand in a query, since form arrays use them, but not in a path. RFC 3986 sections 2.1 and 3.
 */
const illegalInPath = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/gu
const illegalInQuery = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%[\]]+/gu

/** A path, perhaps with a query behind it, as it is sent. ASCII only. */
export function encodePath(text: string): string {
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  const query = mark === -1 ? '' : text.slice(mark)
  return path.replace(illegalInPath, percentEscapes) + query.replace(illegalInQuery, percentEscapes)
}

/** UTF-8 octets in percent escapes, all of them. */
export function percentEscapes(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/./gs, (octet) => {
      return `%${octet.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
    })
}
