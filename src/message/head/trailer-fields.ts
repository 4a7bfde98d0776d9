/**
 * The fields that are not allowed in a trailer section (RFC 9110 section 6.5.1).
 *
 * Rules: a field that frames or routes a message is useless after the content, and dangerous to a reader that merges
 * trailers into the headers, so it is never written, even if it was received. A program may not set, and a proxy does
 * not forward, any field of the longer list either.
 */
import { inputError } from '../syntax/input-error.ts'
import { asciiLowerCase } from '../syntax/octets.ts'
import type { HeaderList } from './headers.ts'

/** Framing, routing, and fields about one connection. */
const framingFields = [
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/**
 * The framing fields, plus request modifiers, authentication, control data of responses, and the format of the content.
 */
const headerOnlyFields: ReadonlySet<string> = new Set([
  ...framingFields,
  'age',
  'authorization',
  'cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'expires',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'location',
  'max-forwards',
  'pragma',
  'proxy-authenticate',
  'proxy-authorization',
  'range',
  'retry-after',
  'set-cookie',
  'vary',
  'warning',
  'www-authenticate',
])

/** @throws HttpBuildError `TRAILER` */
export function checkTrailers(trailers: HeaderList): HeaderList {
  const name = trailers.names().find((field) => headerOnlyFields.has(asciiLowerCase(field)))
  if (name === undefined) return trailers
  throw inputError('TRAILER', `${name} is not allowed in a trailer section`, name, 0, 'Set it as a header')
}

/** The received trailers that may be forwarded. */
export function forwardableTrailers(trailers: HeaderList): HeaderList {
  return trailers.without(...headerOnlyFields)
}

/** The trailers to write when a received message is written again. */
export function writtenTrailers(trailers: HeaderList): HeaderList {
  return trailers.without(...framingFields)
}
