/**
 * The destination of a rule: a path of this server or a URL of another server, filled with the captures of its pattern.
 *
 * Rules: text of a request is encoded, and fills only the path and the query: a placeholder in the host of a URL is an
 * error in the rule. A filled path begins with exactly one slash, so that no request can produce a host. A repeated or
 * optional placeholder (`/:name*`) that captured nothing takes no slash either. RFC 3986 sections 2.1 and 4.2.
 */
import type { Captures } from './linear-pattern.ts'

interface Placeholder {
  readonly name: string
  /** The text before it, which is left out if nothing was captured. */
  readonly prefix: string
  readonly isInQuery: boolean
}

type Part = string | Placeholder

/** `hasModifiers`: whether placeholders may be repeated or optional, as in the pattern. */
export interface DestinationSyntax {
  readonly hasModifiers: boolean
}

export class Destination {
  /** Scheme and host; undefined for a path of this server. */
  readonly origin: string | undefined
  /** Whether it has a query, which then replaces the query of the request. */
  readonly hasQuery: boolean
  readonly #path: readonly Part[]
  /** Query and fragment with their marks. */
  readonly #rest: readonly Part[]

  private constructor(origin: string | undefined, path: readonly Part[], rest: string, names: ReadonlySet<string>) {
    this.origin = origin
    this.hasQuery = rest.startsWith('?')
    this.#path = path
    this.#rest = partsOf(rest, names, { isInQuery: true, hasModifiers: false })
  }

  /** Returns an error message if it is invalid. `names`: the names of the pattern's captures. */
  static parse(
    source: string,
    names: ReadonlySet<string>,
    { hasModifiers }: DestinationSyntax = { hasModifiers: false },
  ): Destination | string {
    const written = hasModifiers ? withoutOptionalMarks(source, names) : source
    const [, origin, afterOrigin = ''] = /^(https?:\/\/[^/?#]*)(.*)$/is.exec(written) ?? [undefined, undefined, written]
    if (origin !== undefined && !isHttpOrigin(origin)) {
      return `${JSON.stringify(origin)} is not the origin of a web site: scheme, host and port without placeholders`
    }
    if (origin === undefined && !afterOrigin.startsWith('/')) {
      return `${JSON.stringify(source)} is neither a path that begins with "/" nor a URL that begins with http: or https:`
    }
    if (/^\/[/\\]/.test(afterOrigin)) {
      return `${JSON.stringify(source)} begins with two slashes, which browsers read as another host`
    }
    const end = afterOrigin.search(/[?#]/)
    const path = end < 0 ? afterOrigin : afterOrigin.slice(0, end)
    const broken = /%(?![0-9a-fA-F]{2})/.exec(path)
    if (broken !== null) return `${JSON.stringify(source)} has a broken percent escape`
    const unknown = [...path.matchAll(/\/:([A-Za-z_]\w*)/g)]
      .map(([, name = '']) => name)
      .find((name) => !names.has(name))
    if (unknown !== undefined) return `the placeholder :${unknown} is not in the path of the rule`
    const parts = partsOf(path === '' ? '/' : path, names, { isInQuery: false, hasModifiers })
    return new Destination(origin, parts, end < 0 ? '' : afterOrigin.slice(end), names)
  }

  /** The encoded path below the served directory. */
  path(captures: Captures): string {
    return `/${filled(this.#path, captures).replace(/^\/+/, '')}`.replace(/\/{2,}/g, '/')
  }

  /** The value of Location. `prefix`: before paths of this server. `query`: of the request, with its question mark. */
  location(captures: Captures, prefix: string, query: string): string {
    const rest = filled(this.#rest, captures)
    const tail = this.hasQuery ? rest : `${query}${rest}`
    return `${this.origin ?? prefix}${this.path(captures)}${tail}`
  }
}

function isHttpOrigin(origin: string): boolean {
  if (/[\s\\@]|:[A-Za-z_]/.test(origin.slice(origin.indexOf('://') + 3))) return false
  return URL.canParse(origin)
}

/** `/:name?` as `/:name*`, which means the same here: its question mark does not begin a query. */
function withoutOptionalMarks(source: string, names: ReadonlySet<string>): string {
  return source.replace(/(\/:([A-Za-z_]\w*))\?(?=\/|$)/g, (found, placeholder: string, name: string) => {
    return names.has(name) ? `${placeholder}*` : found
  })
}

function partsOf(
  source: string,
  names: ReadonlySet<string>,
  { isInQuery, hasModifiers }: DestinationSyntax & { readonly isInQuery: boolean },
): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const { 1: slash = '', 2: name = '', 3: mark = '', index } of source.matchAll(/(\/?):([A-Za-z_]\w*)([*+]?)/g)) {
    if (!names.has(name)) continue
    const modifier = hasModifiers ? mark : ''
    const prefix = modifier === '*' ? slash : ''
    parts.push(encodedLiteral(source.slice(end, index + slash.length - prefix.length)), { name, prefix, isInQuery })
    end = index + slash.length + 1 + name.length + modifier.length
  }
  return [...parts, encodedLiteral(source.slice(end))]
}

/** Escapes characters that are not allowed in URLs; existing escapes stay. */
function encodedLiteral(literal: string): string {
  return wellFormed(literal).replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encodeURIComponent)
}

function filled(parts: readonly Part[], captures: Captures): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      const value = wellFormed(captures.get(part.name) ?? '')
      if (value === '') return ''
      return part.isInQuery
        ? encodeURIComponent(value)
        : `${part.prefix}${value.split('/').map(encodeSegment).join('/')}`
    })
    .join('')
}

/** Replaces lone surrogates, which cannot be encoded. */
function wellFormed(value: string): string {
  return value.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** RFC 3986 section 3.3: the characters that a segment may contain besides the unreserved ones. */
export function encodeSegment(name: string): string {
  return encodeURIComponent(name).replace(/%(?:21|24|26|27|28|29|2A|2B|2C|3B|3D|3A|40)/g, decodeURIComponent)
}
