/**
 * Selects the requests of a run to send: by name, by line, by tag.
 *
 * Rules: a request is selected if one of the names or one of the lines matches it, or matches a section that calls it,
 * and if it has one of the tags and none of the excluded ones. A criterion that is not given excludes nothing. A name
 * must match completely; `*` in it matches any text. Names and tags are case-sensitive. A line matches the section that
 * contains it. A criterion without a match is an error, so that a typo is never mistaken for "nothing to do".
 */
import { nearestNames, type Section } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import type { LoadedHttpFile } from './request-file.ts'
import { firstLineOf, namesOf, type SectionPlace, tagsOf } from './request-labels.ts'

export interface LinePointer {
  /** Absolute. */
  readonly path: string
  /** From 1. */
  readonly line: number
  /** The last line of a range, inclusive. Default: the same line. */
  readonly lastLine?: number
}

export interface RequestChoice {
  readonly names: readonly string[]
  readonly lines: readonly LinePointer[]
  /** `slow`, or `!slow` for all requests without it. */
  readonly tags: readonly string[]
  /** The only sections whose requests are sent. Default: all. */
  readonly sections?: ReadonlySet<Section>
}

/** A request that a run may send: its own section, then the sections that call it, nearest first. */
export type Candidate = readonly [own: SectionPlace, ...callers: SectionPlace[]]

export function isChosen(choice: RequestChoice, candidate: Candidate): boolean {
  const { names, lines, sections } = choice
  if (sections !== undefined && !sections.has(candidate[0].section)) return false
  const { wanted, excluded } = tagRules(choice)
  const isMeant =
    names.length + lines.length === 0 ||
    names.some((name) => candidate.some((place) => hasName(place, name))) ||
    lines.some((line) => candidate.some((place) => coversLine(place, line)))
  return (
    isMeant &&
    (wanted.length === 0 || wanted.some((tag) => candidate.some((place) => hasTag(place, tag)))) &&
    !excluded.some((tag) => candidate.some((place) => hasTag(place, tag)))
  )
}

/**
 * Checks that every criterion has a match.
 * @param candidates all requests of all files
 * @throws HttpcliError `nothing-chosen`, with similar names.
 */
export function checkChoice(choice: RequestChoice, candidates: readonly Candidate[]): void {
  const places = candidates.flat()
  for (const name of choice.names) {
    if (!places.some((place) => hasName(place, name))) throw unknownName(name, places)
  }
  for (const line of choice.lines) {
    if (!places.some((place) => coversLine(place, line))) throw unknownLine(line, places)
  }
  for (const tag of tagRules(choice).wanted) {
    if (!places.some((place) => hasTag(place, tag))) throw unknownTag(tag, places)
  }
  if (candidates.some((candidate) => isChosen(choice, candidate))) return
  throw new RunError('nothing-chosen', 'no request matches all criteria', {
    hint: '--list without these options shows the names, lines and tags of all requests',
  })
}

function tagRules({ tags }: RequestChoice): {
  readonly wanted: readonly string[]
  readonly excluded: readonly string[]
} {
  return {
    wanted: tags.filter((tag) => !tag.startsWith('!')),
    excluded: tags.filter((tag) => tag.startsWith('!')).map((tag) => tag.slice(1)),
  }
}

function hasName({ section }: SectionPlace, pattern: string): boolean {
  const names = namesOf(section)
  if (names.includes(pattern)) return true
  if (!pattern.includes('*')) return false
  const expression = pattern.split('*').map((text) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  const whole = new RegExp(`^${expression.join('.*')}$`, 'su')
  return names.some((name) => whole.test(name))
}

function hasTag({ section }: SectionPlace, tag: string): boolean {
  return tagsOf(section).includes(tag)
}

function coversLine({ loaded, section }: SectionPlace, { path, line, lastLine = line }: LinePointer): boolean {
  if (loaded.path !== path) return false
  const { sections } = loaded.file
  const next = sections[sections.indexOf(section) + 1]
  if (firstLineOf(section) > lastLine) return false
  return next === undefined ? line <= lineCount(loaded) : line < firstLineOf(next)
}

function lineCount({ source }: LoadedHttpFile): number {
  return source.text.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/).length
}

function unknownName(name: string, places: readonly SectionPlace[]): HttpcliError {
  const known = [...new Set(places.flatMap(({ section }) => namesOf(section)))]
  return nothing(`no request is named ${JSON.stringify(name)}`, suggestion(name, known, 'names'))
}

function unknownTag(tag: string, places: readonly SectionPlace[]): HttpcliError {
  const known = [...new Set(places.flatMap(({ section }) => tagsOf(section)))]
  const hint =
    known.length === 0 ? 'Requests are tagged by a line above them: # @tag smoke' : suggestion(tag, known, 'tags')
  return nothing(`no request has the tag ${JSON.stringify(tag)}`, hint)
}

function unknownLine({ path, line }: LinePointer, places: readonly SectionPlace[]): HttpcliError {
  const inFile = places.filter(({ loaded }) => loaded.path === path)
  const shown = inFile[0]?.loaded.source.path ?? path
  const lines = [...new Set(inFile.flatMap(({ section }) => section.request?.line.span.line ?? []))]
  const near = lines.sort((a, b) => Math.abs(a - line) - Math.abs(b - line)).slice(0, SHOWN_LINES)
  const hint =
    near.length === 0
      ? 'None of its requests is part of this run.'
      : `The nearest ${near.length === 1 ? 'request is at line' : 'requests are at lines'} ${near.join(', ')}.`
  return nothing(`no request at line ${line} of ${shown}`, hint)
}

const SHOWN_LINES = 3
const SHOWN_NAMES = 10

function suggestion(name: string, known: readonly string[], what: string): string {
  const near = nearestNames(name, known)
  if (near.length > 0) return `Did you mean ${near.map((each) => JSON.stringify(each)).join(' or ')}?`
  const shown = known.slice(0, SHOWN_NAMES).map((each) => JSON.stringify(each))
  return `The ${what} are ${shown.join(', ')}${known.length > shown.length ? ', …' : ''}.`
}

function nothing(message: string, hint: string): HttpcliError {
  return new RunError('nothing-chosen', message, { hint })
}
