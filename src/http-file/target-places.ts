/**
 * Where the variables of a target are, and what their values may be there.
 *
 * Rules: text typed next to a variable in the authority of a URL (RFC 3986 section 3.2) stays part of the authority: in
 * `http://{{name}}.api.test/` no value can name another host. Before a typed `@`, characters that would end the user or
 * the password are escaped; after it, a value that contains such a character is an error. A variable that is the whole
 * authority, as in `{{host}}/path`, determines all of it. Paths and queries take values unchanged.
 */
import type { Template } from './syntax/span.ts'

/** Replaces each variable. */
const MARK = '\0'

/** The component of a URL that a variable next to typed text belongs to. */
export type TargetPlace =
  | 'user'
  | 'password'
  /** Followed by `://`. */
  | 'scheme'
  /** Followed by typed text of the host. */
  | 'host'
  /** The same at the start of the target, where the value may include the scheme. */
  | 'origin'
  /** The rest of the authority, and possibly a path. */
  | 'rest'

/** By the index of the part; undefined if no variable is next to typed text in an authority. */
export function targetPlaces({ parts }: Template): readonly (TargetPlace | undefined)[] | undefined {
  const skeleton = parts.map((part) => (part.type === 'text' ? part.text : MARK)).join('')
  const start = /^(?:\0|[A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(skeleton)?.[0].length ?? 0
  const [authority = ''] = /^[^/?#]*/.exec(skeleton.slice(start)) ?? []
  if (!skeleton.startsWith(`${MARK}:`) && (authority === MARK || !authority.includes(MARK))) return undefined
  // In `{{base}}api` and `{{base}}{{path}}` the first variable may be the whole authority; in `{{host}}:8080` it is
  // not.
  if (start === 0 && authority.startsWith(MARK) && !/^.[.:@-]/s.test(authority)) return undefined
  const at = authority.lastIndexOf('@')
  const colon = authority.slice(0, Math.max(at, 0)).indexOf(':')
  let offset = -start
  return parts.map((part): TargetPlace | undefined => {
    const from = offset
    offset += part.type === 'text' ? part.text.length : MARK.length
    if (part.type === 'text' || from >= authority.length) return undefined
    if (from < 0) return 'scheme'
    if (authority === MARK) return undefined
    if (from < at) return from < colon ? 'user' : 'password'
    if (/^\0*$/.test(authority.slice(from))) return 'rest'
    return start === 0 && from === 0 ? 'origin' : 'host'
  })
}

/**
 * The value as part of the target: an escape in a user or a password is kept.
 * @throws Error if the value would make the URL name another host, or cannot be part of one
 */
export function targetPart(value: string, place: TargetPlace | undefined, expression: string): string {
  if (place === 'user') return value.replace(/[/?#@:\\\s\x00-\x1f\x7f]/g, encodeURIComponent)
  if (place === 'password') return value.replace(/[/?#@\\\s\x00-\x1f\x7f]/g, encodeURIComponent)
  const [found] = (place === undefined ? undefined : refusedIn(value, place)) ?? []
  if (found === undefined) return value
  const reason = /[<>"^`|]/.test(found) ? 'is not allowed in a host name' : 'would make the URL name another host'
  throw new Error(`the value of {{${expression}}} has ${JSON.stringify(found)}, which ${reason}`)
}

function refusedIn(value: string, place: TargetPlace): RegExpExecArray | null {
  if (place === 'scheme') return /[^A-Za-z0-9+.-]/.exec(value)
  // The rest of the value is a path.
  if (place === 'rest') return /[@\\\s\x00-\x1f\x7f]/.exec(value.split(/[/?#]/, 1)[0] as string)
  const host = place === 'origin' ? value.replace(/^https?:\/\//i, '') : value
  return /[/?#@\\\s<>"^`|\x00-\x1f\x7f]/.exec(host)
}
