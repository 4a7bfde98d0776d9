/**
 * Which fields may not stand behind the content (RFC 9110 section 6.5.1).
 *
 * Rules: what frames or routes a message is of no use there, and dangerous where somebody merges trailers into the
 * headers: it is never written, also where it was received. What a program sets is held against the longer list.
 */
import { inputError } from '../syntax/input-error.ts'
import { asciiLowerCase } from '../syntax/octets.ts'
import type { HeaderList } from './headers.ts'

/** Framing, routing, and what belongs to one connection. */
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

/** Those, and request modifiers, authentication, control data of responses, and the format of the content. */
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
  throw inputError('TRAILER', `${name} may not stand in a trailer section`, name, 0, 'set it as a header')
}

/** What of received trailers is passed on. */
export function writtenTrailers(trailers: HeaderList): HeaderList {
  return trailers.without(...framingFields)
}
