/** Media types that tools derive from file names, and bodies that are derived from bytes. */
import type { BodyDraft } from './draft.ts'
import { literal } from './literal-text.ts'

/** curl's types. */
const typesByEnding: Readonly<Record<string, string>> = {
  ...{ gif: 'image/gif', jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', svg: 'image/svg+xml' },
  ...{ txt: 'text/plain', htm: 'text/html', html: 'text/html', pdf: 'application/pdf', xml: 'application/xml' },
}

/** Additional types of other tools. */
export const moreTypes: Readonly<Record<string, string>> = { json: 'application/json', csv: 'text/csv' }

/** The media type of a part with this file. @param more additional types of the tool */
export function fileType(path: string, more: Readonly<Record<string, string>> = {}): string {
  return knownType(path, more) ?? 'application/octet-stream'
}

/** Undefined for other endings. */
export function knownType(path: string, more: Readonly<Record<string, string>> = {}): string | undefined {
  return { ...typesByEnding, ...more }[path.split('.').at(-1)?.toLowerCase() ?? '']
}

/** A text if the bytes are UTF-8, otherwise a separate file. */
export function octetsBody(octets: Uint8Array): BodyDraft {
  const text = Buffer.from(octets).toString('utf8')
  return Buffer.from(text, 'utf8').equals(octets) ? { type: 'text', text: literal(text) } : { type: 'octets', octets }
}
