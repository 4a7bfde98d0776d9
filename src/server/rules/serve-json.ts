/**
 * `serve.json`: the settings of Vercel's `serve`, as its handler reads them.
 *
 * Rules: every property is checked, and a mistake is reported at its place. A property that would open more than the command
 * line does (a directory outside the served one, links out of it) is refused: the file may come from somebody else.
 */
import { isMap, isPair, isSeq, type Node, parseDocument } from 'yaml'
import { HttpcliError } from '../../message/index.ts'
import { checkResponseField } from '../features/extra-fields.ts'
import type { Field } from '../semantics/answer.ts'
import { Destination } from './destination.ts'
import { GlobPattern } from './glob-pattern.ts'
import { isRedirect, proxyHint } from './netlify-redirects.ts'
import { type RulesSource, rulesError } from './rules-error.ts'

export interface Rewriting {
  readonly pattern: GlobPattern
  readonly destination: Destination
}

export interface Redirecting extends Rewriting {
  readonly status: number
}

export interface HeadersOfFiles {
  readonly pattern: GlobPattern
  /** A name without a value takes away what an earlier rule set. */
  readonly fields: readonly (Field | readonly [name: string, value: undefined])[]
}

/** For all paths, for none, or for those that match one of the patterns. */
export type PathChoice = boolean | readonly GlobPattern[]

export interface ServeJson {
  /** Relative to the directory of the file; undefined: that directory. */
  readonly public: string | undefined
  readonly cleanUrls: PathChoice
  readonly rewrites: readonly Rewriting[]
  readonly redirects: readonly Redirecting[]
  readonly headers: readonly HeadersOfFiles[]
  readonly directoryListing: PathChoice
  readonly unlisted: readonly GlobPattern[]
  readonly trailingSlash: boolean | undefined
  readonly renderSingle: boolean
  /** Whether entity tags are made of the content; undefined: as the options say. */
  readonly etag: boolean | undefined
}

/** Throws HttpcliError `rules-syntax`. */
export function parseServeJson(source: RulesSource): ServeJson {
  return new ServeJsonReader(source).read()
}

type Path = readonly (string | number)[]

/** How each property is read. */
type Readers = { readonly [Name in keyof ServeJson]: (value: unknown) => ServeJson[Name] }

class ServeJsonReader {
  readonly #source: RulesSource
  readonly #readers: Readers = {
    public: (value) => this.#public(value),
    cleanUrls: (value) => this.#choice(value, ['cleanUrls']),
    rewrites: (value) =>
      this.#list(value, ['rewrites']).map((item, index) => this.#rewriting(item, ['rewrites', index])),
    redirects: (value) => {
      return this.#list(value, ['redirects']).map((item, index) => this.#redirecting(item, ['redirects', index]))
    },
    headers: (value) => this.#list(value, ['headers']).map((item, index) => this.#headers(item, ['headers', index])),
    directoryListing: (value) => this.#choice(value, ['directoryListing']),
    unlisted: (value) => this.#list(value, ['unlisted']).map((item, index) => this.#glob(item, ['unlisted', index])),
    trailingSlash: (value) => this.#boolean(value, ['trailingSlash']),
    renderSingle: (value) => this.#boolean(value, ['renderSingle']),
    etag: (value) => this.#boolean(value, ['etag']),
  }

  constructor(source: RulesSource) {
    this.#source = source
  }

  read(): ServeJson {
    const root = this.#object(this.#parse(), [])
    const { symlinks, $schema: _, ...properties } = root
    if (symlinks !== undefined && this.#boolean(symlinks, ['symlinks'])) {
      throw this.#error(
        ['symlinks'],
        'symlinks: true would serve what lies outside the directory',
        'Remove it: links inside the directory are followed anyway. --follow-symlinks follows all of them.',
      )
    }
    for (const name of Object.keys(properties)) {
      if (Object.hasOwn(this.#readers, name)) continue
      throw this.#error(
        [name],
        `unknown property ${JSON.stringify(name)}`,
        `Known are ${Object.keys(this.#readers).join(', ')} and symlinks.`,
      )
    }
    const read = <Name extends keyof ServeJson>(name: Name, absent: ServeJson[Name]): ServeJson[Name] => {
      return properties[name] === undefined ? absent : this.#readers[name](properties[name])
    }
    return {
      public: read('public', undefined),
      cleanUrls: read('cleanUrls', false),
      rewrites: read('rewrites', []),
      redirects: read('redirects', []),
      headers: read('headers', []),
      directoryListing: read('directoryListing', true),
      unlisted: read('unlisted', []),
      trailingSlash: read('trailingSlash', undefined),
      renderSingle: read('renderSingle', false),
      etag: read('etag', undefined),
    }
  }

  #parse(): unknown {
    try {
      return JSON.parse(this.#source.text)
    } catch (error) {
      const message = (error as Error).message
      const [, position = String(this.#source.text.length)] = /at position (\d+)/.exec(message) ?? []
      const found = message.replace(/ in JSON at position.*| \(line \d+ column \d+\)/s, '')
      throw rulesError(
        this.#source,
        Number(position),
        `not JSON: ${found}`,
        'Write an object as the manual of serve describes it.',
      )
    }
  }

  #public(value: unknown): string {
    if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
    throw this.#error(['public'], 'public is not the path of a directory')
  }

  #choice(value: unknown, path: Path): PathChoice {
    if (typeof value === 'boolean') return value
    if (!Array.isArray(value)) throw this.#error(path, `${path.at(-1)} is neither true or false nor a list of paths`)
    return value.map((item, index) => this.#glob(item, [...path, index]))
  }

  #rewriting(value: unknown, path: Path): Rewriting {
    const { source, destination } = this.#ruleParts(value, path, ['source', 'destination'])
    if (destination.origin === undefined) return { pattern: source, destination }
    const { source: from } = value as { readonly source: string }
    throw this.#error(
      [...path, 'destination'],
      'a rewrite to another origin would be a proxy',
      proxyHint(`/${from.replace(/^\//, '')}`, destination.origin),
    )
  }

  #redirecting(value: unknown, path: Path): Redirecting {
    const { source, destination } = this.#ruleParts(value, path, ['source', 'destination', 'type'])
    const { type = 301 } = value as { readonly type?: unknown }
    if (typeof type !== 'number' || !isRedirect(type)) {
      throw this.#error(
        [...path, 'type'],
        `${JSON.stringify(type)} is not the status of a redirect: expected 301, 302, 303, 307 or 308`,
      )
    }
    return { pattern: source, destination, status: type }
  }

  #ruleParts(
    value: unknown,
    path: Path,
    known: readonly string[],
  ): { readonly source: GlobPattern; readonly destination: Destination } {
    const rule = this.#object(value, path, known)
    const source = this.#glob(rule.source, [...path, 'source'], true)
    const place = [...path, 'destination']
    const text = this.#string(rule.destination, place)
    const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    const destination = Destination.parse(isUrl || text.startsWith('/') ? text : `/${text}`, source.names)
    if (typeof destination === 'string') throw this.#error(place, destination)
    return { source, destination }
  }

  #headers(value: unknown, path: Path): HeadersOfFiles {
    const rule = this.#object(value, path, ['source', 'headers'])
    const pattern = this.#glob(rule.source, [...path, 'source'])
    const place = [...path, 'headers']
    const fields = this.#list(rule.headers, place).map((item, index): HeadersOfFiles['fields'][number] => {
      const field = this.#object(item, [...place, index], ['key', 'value'])
      const name = this.#string(field.key, [...place, index, 'key'])
      const fieldValue = field.value === null ? undefined : this.#string(field.value, [...place, index, 'value'])
      try {
        const checked = checkResponseField(name, fieldValue ?? 'none')
        return fieldValue === undefined ? [name, undefined] : checked
      } catch (error) {
        if (!(error instanceof HttpcliError)) throw error
        throw this.#error([...place, index], error.message, error.hint)
      }
    })
    return { pattern, fields }
  }

  #glob(value: unknown, path: Path, hasSegments = false): GlobPattern {
    const source = this.#string(value, path)
    const pattern = GlobPattern.parse(source, hasSegments)
    if ('message' in pattern)
      throw this.#error(path, `${pattern.message} (character ${pattern.index + 1} of the pattern)`)
    return pattern
  }

  #boolean(value: unknown, path: Path): boolean {
    if (typeof value === 'boolean') return value
    throw this.#error(path, `${path.join('.')} is not true or false`)
  }

  #string(value: unknown, path: Path): string {
    if (typeof value === 'string' && value !== '') return value
    throw this.#error(path, `${path.join('.')} is not a text`)
  }

  #list(value: unknown, path: Path): readonly unknown[] {
    if (Array.isArray(value)) return value
    throw this.#error(path, `${path.join('.')} is not a list`)
  }

  /** `known`: its properties; undefined: they are checked elsewhere. */
  #object(value: unknown, path: Path, known?: readonly string[]): Readonly<Record<string, unknown>> {
    const place = path.join('.') || 'the file'
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.#error(path, `${place} is not an object`)
    }
    const other = Object.keys(value).find((name) => known?.includes(name) === false)
    if (other === undefined) return value as Readonly<Record<string, unknown>>
    throw this.#error(
      [...path, other],
      `unknown property ${JSON.stringify(other)} in ${place}`,
      `Known are ${known?.join(', ')}.`,
    )
  }

  #error(
    path: Path,
    message: string,
    hint = 'The rules page of the manual lists what each property may be.',
  ): HttpcliError {
    return rulesError(this.#source, offsetOf(this.#source.text, path), message, hint)
  }
}

/** Where a value begins, or its name where it has one; where the way ends early, the last value on it. */
function offsetOf(text: string, path: Path): number {
  let node = parseDocument(text).contents as Node | null
  let offset = node?.range?.[0] ?? 0
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === step)
      if (!isPair(pair)) return offset
      offset = (pair.key as Node).range?.[0] ?? offset
      node = pair.value as Node | null
    } else if (isSeq(node) && typeof step === 'number') {
      node = (node.items[step] as Node | undefined) ?? null
      offset = node?.range?.[0] ?? offset
    } else return offset
  }
  return offset
}
