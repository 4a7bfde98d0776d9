/** The parts of a Content-Type that bodies need (RFC 9110 section 8.3). */
import { boundaryOf } from '../../http-file/index.ts'

export interface MediaType {
  /** `type/subtype` in lower case; an empty text if absent. */
  readonly name: string
  /** As written. */
  readonly charset: string | undefined
  readonly boundary: string | undefined
}

export function parseMediaType(value: string): MediaType {
  return {
    name: (value.split(';')[0] as string).trim().toLowerCase(),
    charset: charsetOf(value),
    boundary: boundaryOf(value),
  }
}

const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i

function charsetOf(value: string): string | undefined {
  const match = value.includes(';') ? charset.exec(value) : null
  return match?.[1] ?? match?.[2]
}

/** Types whose lines can be used one by one. */
const lineTypes: ReadonlySet<string> = new Set([
  'text/event-stream',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
  'application/stream+json',
  'application/x-json-stream',
])

/** Event streams, JSON Lines and similar types: a server may pause between two lines. */
export function isLineStream({ name }: MediaType): boolean {
  return lineTypes.has(name)
}

/** application/json, text/json, application/problem+json and similar types. */
export function isJson({ name }: MediaType): boolean {
  return /[/+]json$/.test(name)
}
