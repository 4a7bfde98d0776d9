/** Names of header fields that requests have: IANA's registry, RFC 9110 section 16.3.1. */

/** Fields that requests have; near names are taken for one of them. */
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
/** Other fields that are near some of those and are right. */
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
