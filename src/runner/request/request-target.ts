/**
 * The target of a request line with the values of its variables.
 *
 * Rules: text typed next to a variable in the authority of a URL (RFC 3986 section 3.2) stays part of the authority: in
 * `http://{{name}}.api.test/` no value can name another host. Before a typed `@`, characters that would end the user or
 * the password are escaped; after it, a value that contains such a character is an error. A variable that is the whole
 * authority, as in `{{host}}/path`, determines all of it. In paths and queries, values are inserted unchanged.
 */
import type { Span, Template } from '../../http-file/index.ts'
import type { RequestContext } from './request-context.ts'

/** Replaces each variable. */
const MARK = '\0'

/** The component of a URL that a variable next to typed text belongs to. */
type Place =
  | 'user'
  | 'password'
  /** Followed by `://`. */
  | 'scheme'
  /** Followed by typed text of the host. */
  | 'host'
  /** The host at the start of the target, where the value may include the scheme. */
  | 'origin'
  /** The rest of the authority, and possibly a path. */
  | 'rest'

/** Characters that would end the user or the password; an escape in a value is kept. */
const separators: Readonly<Record<'user' | 'password', RegExp>> = {
  user: /[/?#@:\\\s\x00-\x1f\x7f]/g,
  password: /[/?#@\\\s\x00-\x1f\x7f]/g,
}

/** Characters that a value must not contain. */
const refused: Readonly<Record<Exclude<Place, 'user' | 'password'>, RegExp>> = {
  scheme: /[^A-Za-z0-9+.-]/,
  host: /[/?#@\\\s\x00-\x1f\x7f]/,
  origin: /[/?#@\\\s\x00-\x1f\x7f]/,
  rest: /[@\\\s\x00-\x1f\x7f]/,
}

/** The part of a value that belongs to the authority. */
function authorityPart(value: string, place: Place): string {
  if (place === 'rest') return value.split(/[/?#]/, 1)[0] as string
  return place === 'origin' ? value.replace(/^https?:\/\//i, '') : value
}

/** @throws as `Variables.render`; HttpcliError `invalid-request` */
export function renderTarget(context: RequestContext): string {
  const template = context.request.line.target
  const places = placesIn(template)
  let text = ''
  for (const [index, part] of template.parts.entries()) {
    if (part.type === 'text') {
      text += part.text
      continue
    }
    const value = context.variables.resolve(part.expression, part.span).text
    const place = places?.[index]
    if (place === undefined) text += value
    else if (place === 'user' || place === 'password') text += value.replace(separators[place], encodeURIComponent)
    else text += checked(value, part, place, context)
  }
  return text
}

/** By the index of the part; undefined if no variable is next to typed text in an authority. */
function placesIn({ parts }: Template): readonly (Place | undefined)[] | undefined {
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
  return parts.map((part): Place | undefined => {
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

function checked(
  value: string,
  { expression, span }: { readonly expression: string; readonly span: Span },
  place: keyof typeof refused,
  context: RequestContext,
): string {
  const found = refused[place].exec(authorityPart(value, place))
  if (found === null) return value
  const message = `the value of {{${expression}}} has ${JSON.stringify(found[0])}, which would make the URL name another host`
  const hint = 'Use a variable for the whole host, or correct the value.'
  throw context.error(span, { code: 'invalid-request', message, hint })
}
