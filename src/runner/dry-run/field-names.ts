/** Names of request header fields, from the IANA registry. RFC 9110 section 16.3.1. */

/** Request fields; a similar name is assumed to be a misspelling of one of them. */
export const requestFields: readonly string[] = [
  ...['Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Access-Control-Request-Headers'],
  ...['Access-Control-Request-Method', 'Authorization', 'Cache-Control', 'Connection', 'Content-Disposition'],
  ...['Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location', 'Content-MD5', 'Content-Range'],
  ...['Content-Type', 'Cookie', 'Date', 'Expect', 'Forwarded', 'From', 'Host', 'Idempotency-Key', 'If-Match'],
  ...['If-Modified-Since', 'If-None-Match', 'If-Range', 'If-Unmodified-Since', 'Keep-Alive', 'Max-Forwards', 'Origin'],
  ...['Pragma', 'Prefer', 'Proxy-Authorization', 'Range', 'Referer', 'Sec-Fetch-Dest', 'Sec-Fetch-Mode'],
  ...['Sec-Fetch-Site', 'Sec-WebSocket-Key', 'Sec-WebSocket-Protocol', 'Sec-WebSocket-Version', 'TE', 'Trailer'],
  ...['Transfer-Encoding', 'Upgrade', 'Upgrade-Insecure-Requests', 'User-Agent', 'Via', 'traceparent', 'tracestate'],
]
/** Other valid fields whose names are similar to one of those. */
const otherFields = [
  'Age',
  'Allow',
  'Digest',
  'ETag',
  'Expires',
  'Link',
  'Location',
  'Priority',
  'Server',
  'Tag',
  'Vary',
]
export const knownFields: ReadonlySet<string> = new Set(
  [...requestFields, ...otherFields].map((name) => name.toLowerCase()),
)
