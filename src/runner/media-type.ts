/**
 * What a Content-Type says, as far as bodies need it (RFC 9110 section 8.3).
 */

export interface MediaType {
  /** `type/subtype` in small letters, '' where there is none. */
  readonly name: string
  /** As written. */
  readonly charset: string | undefined
  readonly boundary: string | undefined
}

export function parseMediaType(value: string): MediaType {
  return {
    name: (value.split(';')[0] as string).trim().toLowerCase(),
    charset: parameter(value, charset),
    boundary: parameter(value, boundary),
  }
}

const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i
const boundary = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i

function parameter(value: string, pattern: RegExp): string | undefined {
  const match = value.includes(';') ? pattern.exec(value) : null
  return match?.[1] ?? match?.[2]
}

/** application/json, text/json, application/problem+json and their like. */
export function isJson({ name }: MediaType): boolean {
  return /[/+]json$/.test(name)
}
