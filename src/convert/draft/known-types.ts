/** Media types that tools give a file by its name, and a body by its octets. */
import type { BodyDraft } from './draft.ts'
import { literal } from './literal-text.ts'

/** Those of curl. */
const typesByEnding: Readonly<Record<string, string>> = {
  ...{ gif: 'image/gif', jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', svg: 'image/svg+xml' },
  ...{ txt: 'text/plain', htm: 'text/html', html: 'text/html', pdf: 'application/pdf', xml: 'application/xml' },
}

/** What other tools know besides. */
export const moreTypes: Readonly<Record<string, string>> = { json: 'application/json', csv: 'text/csv' }

/** The media type of a part with this file. @param more types that the tool knows besides */
export function fileType(path: string, more: Readonly<Record<string, string>> = {}): string {
  const ending = path.split('.').at(-1)?.toLowerCase() ?? ''
  return { ...typesByEnding, ...more }[ending] ?? 'application/octet-stream'
}

/** A text where the octets are one, else a file of their own. */
export function octetsBody(octets: Uint8Array): BodyDraft {
  const text = Buffer.from(octets).toString('utf8')
  return Buffer.from(text, 'utf8').equals(octets) ? { type: 'text', text: literal(text) } : { type: 'octets', octets }
}
