/**
 * Parses `serve.json`: the settings of Vercel's `serve`, with the meaning of its handler.
 *
 * Rules: every property is checked, and each mistake is reported at its place. A property that would open more than the
 * command line does (a directory outside the served one, links out of it) is refused: the user may not be the author of
 * the file.
 */
import { type Document, isMap, isSeq, type Node, parseDocument } from 'yaml'
import { HttpcliError } from '../../message/index.ts'
import { checkResponseField } from '../features/extra-fields.ts'
import type { Field } from '../semantics/answer.ts'
import { Destination } from './destination.ts'
import { GlobPattern } from './glob-pattern.ts'
import { jsonFault } from './json-fault.ts'
import { isRedirect, proxyHint } from './netlify-redirects.ts'
import { repeatedProperties } from './repeated-property.ts'
import { RulesMistake, type RulesMistakes, type RulesSource } from './rules-error.ts'

export interface Rewriting {
  readonly pattern: GlobPattern
  readonly destination: Destination
}

export interface Redirecting extends Rewriting {
  readonly status: number
}

export interface HeadersOfFiles {
  readonly pattern: GlobPattern
  /** A name without a value removes a field that an earlier rule set. */
  readonly fields: readonly (Field | readonly [name: string, value: undefined])[]
}

/** For all paths, for no path, or for paths that match one of the patterns. */
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
  /** Whether entity tags are made of the content; undefined: as in the options. */
  readonly etag: boolean | undefined
}

/** Invalid entries are omitted and added to `mistakes`. */
export function parseServeJson(source: RulesSource, mistakes: RulesMistakes): ServeJson {
  return new ServeJsonReader(source, mistakes).read()
}

type Path = readonly (string | number)[]

/** The reader of each property. */
type Readers = { readonly [Name in keyof ServeJson]: (value: unknown) => ServeJson[Name] }

class ServeJsonReader {
  readonly #source: RulesSource
  readonly #mistakes: RulesMistakes
  readonly #readers: Readers = {
    public: (value) => this.#public(value),
    cleanUrls: (value) => this.#choice(value, ['cleanUrls']),
    rewrites: (value) => this.#items(value, ['rewrites'], (item, path) => this.#rewriting(item, path)),
    redirects: (value) => this.#items(value, ['redirects'], (item, path) => this.#redirecting(item, path)),
    headers: (value) => this.#items(value, ['headers'], (item, path) => this.#headers(item, path)),
    directoryListing: (value) => this.#choice(value, ['directoryListing']),
    unlisted: (value) => this.#items(value, ['unlisted'], (item, path) => this.#glob(item, path)),
    trailingSlash: (value) => this.#boolean(value, ['trailingSlash']),
    renderSingle: (value) => this.#boolean(value, ['renderSingle']),
    etag: (value) => this.#boolean(value, ['etag']),
  }
  #document: Document | undefined

  constructor(source: RulesSource, mistakes: RulesMistakes) {
    this.#source = source
    this.#mistakes = mistakes
  }

  read(): ServeJson {
    const parsed = this.#attempt(() => this.#object(this.#parse(), []))
    if (parsed !== undefined) this.#refuseRepeated()
    const root = parsed ?? {}
    const { symlinks, $schema: _, ...properties } = root
    this.#refuseOthers(properties, [], Object.keys(this.#readers), [...Object.keys(this.#readers), 'symlinks'])
    this.#attempt(() => this.#refuseSymlinks(symlinks))
    const read = <Name extends keyof ServeJson>(name: Name, absent: ServeJson[Name]): ServeJson[Name] => {
      const value = properties[name]
      return value === undefined ? absent : (this.#attempt(() => this.#readers[name](value)) ?? absent)
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

  #attempt<Result>(read: () => Result): Result | undefined {
    return this.#mistakes.attempt(this.#source, read)
  }

  #refuseSymlinks(value: unknown): void {
    if (value === undefined || !this.#boolean(value, ['symlinks'])) return
    throw this.#mistake(
      ['symlinks'],
      'symlinks: true would serve files outside the directory',
      'Remove it: links inside the directory are always followed. --follow-symlinks follows all of them.',
    )
  }

  #parse(): unknown {
    const fault = jsonFault(this.#source.text)
    if (fault === undefined) return JSON.parse(this.#source.text)
    const hint = 'Write an object as the manual of serve describes it.'
    throw new RulesMistake(`not JSON: ${fault.message}`, hint, () => fault.offset)
  }

  #refuseRepeated(): void {
    for (const { name, offset, earlier } of repeatedProperties(this.#source.text)) {
      const message = `the property ${JSON.stringify(name)} is repeated: line ${earlier.line}, column ${earlier.column} has it too`
      this.#mistakes.add(this.#source, new RulesMistake(message, 'Remove one of them.', () => offset))
    }
  }

  #public(value: unknown): string {
    if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
    throw this.#mistake(['public'], 'public is not the path of a directory')
  }

  #choice(value: unknown, path: Path): PathChoice {
    if (typeof value === 'boolean') return value
    if (!Array.isArray(value)) throw this.#mistake(path, `${path.at(-1)} is neither true or false nor a list of paths`)
    return this.#items(value, path, (item, place) => this.#glob(item, place))
  }

  #rewriting(value: unknown, path: Path): Rewriting | undefined {
    const rule = this.#object(value, path, ['source', 'destination'])
    const parts = this.#ruleParts(rule, path)
    if (parts?.destination.origin === undefined) return parts
    throw this.#mistake(
      [...path, 'destination'],
      'a rewrite to another origin would be a proxy',
      proxyHint(`/${String(rule.source).replace(/^\//, '')}`, String(rule.destination)),
    )
  }

  #redirecting(value: unknown, path: Path): Redirecting | undefined {
    const rule = this.#object(value, path, ['source', 'destination', 'type'])
    const parts = this.#ruleParts(rule, path)
    const { type: status = 301 } = rule
    if (typeof status === 'number' && isRedirect(status)) return parts && { ...parts, status }
    throw this.#mistake(
      [...path, 'type'],
      `${JSON.stringify(status)} is not the status of a redirect: expected 301, 302, 303, 307 or 308`,
    )
  }

  #ruleParts(rule: Readonly<Record<string, unknown>>, path: Path): Rewriting | undefined {
    const pattern = this.#attempt(() => this.#glob(rule.source, [...path, 'source'], true))
    const place = [...path, 'destination']
    const destination = this.#attempt(() => {
      const text = this.#string(rule.destination, place)
      if (pattern === undefined) return undefined
      const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
      const slashed = isUrl || text.startsWith('/') ? text : `/${text}`
      const parsed = Destination.parse(slashed, pattern.names, { hasModifiers: true })
      if (typeof parsed === 'string') throw this.#mistake(place, parsed)
      return parsed
    })
    return pattern && destination && { pattern, destination }
  }

  #headers(value: unknown, path: Path): HeadersOfFiles | undefined {
    const rule = this.#object(value, path, ['source', 'headers'])
    const pattern = this.#attempt(() => this.#glob(rule.source, [...path, 'source']))
    const fields = this.#items(rule.headers, [...path, 'headers'], (item, place) => this.#field(item, place))
    return pattern && { pattern, fields }
  }

  #field(value: unknown, path: Path): HeadersOfFiles['fields'][number] {
    const field = this.#object(value, path, ['key', 'value'])
    const name = this.#string(field.key, [...path, 'key'])
    const fieldValue = field.value === null ? undefined : this.#string(field.value, [...path, 'value'])
    try {
      const checked = checkResponseField(name, fieldValue ?? 'none')
      return fieldValue === undefined ? [name, undefined] : checked
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      throw this.#mistake(path, error.message, error.hint)
    }
  }

  #glob(value: unknown, path: Path, hasSegments = false): GlobPattern {
    const source = this.#string(value, path)
    const pattern = GlobPattern.parse(source, hasSegments)
    if ('message' in pattern)
      throw this.#mistake(path, `${pattern.message} (character ${pattern.index + 1} of the pattern)`)
    return pattern
  }

  #boolean(value: unknown, path: Path): boolean {
    if (typeof value === 'boolean') return value
    throw this.#mistake(path, `${path.join('.')} is not true or false`)
  }

  #string(value: unknown, path: Path): string {
    if (typeof value === 'string' && value !== '') return value
    throw this.#mistake(path, `${path.join('.')} is ${value === '' ? 'empty' : 'not a string'}`)
  }

  /** The valid items of a list. */
  #items<Item extends object>(
    value: unknown,
    path: Path,
    read: (item: unknown, path: Path) => Item | undefined,
  ): readonly Item[] {
    if (!Array.isArray(value)) throw this.#mistake(path, `${path.join('.')} is not a list`)
    const items = value.map((item, index) => this.#attempt(() => read(item, [...path, index])))
    return items.filter((item) => item !== undefined)
  }

  /** `known`: the allowed properties; undefined: they are checked elsewhere. */
  #object(value: unknown, path: Path, known?: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.#mistake(path, `${path.join('.') || 'the file'} is not an object`)
    }
    if (known !== undefined) this.#refuseOthers(value, path, known, known)
    return value as Readonly<Record<string, unknown>>
  }

  /** `shown`: the names listed in the hint. */
  #refuseOthers(value: object, path: Path, known: readonly string[], shown: readonly string[]): void {
    const place = path.length === 0 ? '' : ` in ${path.join('.')}`
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue
      const message = `unknown property ${JSON.stringify(name)}${place}`
      const mistake = this.#mistake([...path, name], message, `Expected one of ${shown.join(', ')}.`)
      this.#mistakes.add(this.#source, mistake)
    }
  }

  #mistake(
    path: Path,
    message: string,
    hint = 'The rules page of the manual lists what each property may be.',
  ): RulesMistake {
    return new RulesMistake(message, hint, () => this.#offsetOf(path))
  }

  /** The offset of a value, or of its name if it has one; if the path ends early, of the last value on the path. */
  #offsetOf(path: Path): number {
    this.#document ??= parseDocument(this.#source.text)
    let node = this.#document.contents as Node | null
    let offset = node?.range?.[0] ?? 0
    for (const step of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => String(key) === step)
        if (pair === undefined) return offset
        offset = (pair.key as Node).range?.[0] ?? offset
        node = pair.value as Node | null
      } else if (isSeq(node) && typeof step === 'number') {
        node = (node.items[step] as Node | undefined) ?? null
        offset = node?.range?.[0] ?? offset
      } else return offset
    }
    return offset
  }
}
