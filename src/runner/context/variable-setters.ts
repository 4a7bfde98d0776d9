/**
 * Finds the request of a run that sets a variable: for the hint about a variable without a value.
 *
 * Every request of a large file may lack a value, so the scripts are read once, when the first one does.
 */
import type { Section } from '../../http-file/index.ts'
import type { Place, SourceText } from '../base/errors.ts'
import { firstLineOf, namesOf, type SectionPlace } from '../plan/request-labels.ts'
import { namesSetIn } from '../scripting/source/script-names.ts'

/**
 * Returns the first request whose captures or scripts in the file set the name, as "login" (line 3); not the one that
 * uses it.
 */
export type FindSetter = (name: string, place: Place) => string | undefined

/** @param placesOf called when a variable is missing, because a large file has many requests */
export function setterFinder(placesOf: () => readonly SectionPlace[]): FindSetter {
  let found: Setters | undefined
  return (name, { source, span }) => {
    found ??= settersIn(placesOf())
    const own = sectionAt(found.sections.get(source) ?? [], span.line)
    const setter = found.byName.get(name)?.find(({ section }) => section !== own)
    const line = setter?.section.request?.line.span.line
    if (setter === undefined || line === undefined) return undefined
    const { path } = setter.loaded.source
    return `${JSON.stringify(namesOf(setter.section)[0])} (${path === source.path ? `line ${line}` : `${path}:${line}`})`
  }
}

interface Setters {
  /** The places of the sections that set a name, each section once. */
  readonly byName: ReadonlyMap<string, readonly SectionPlace[]>
  /** The sections of each file, by their lines. */
  readonly sections: ReadonlyMap<SourceText, readonly Section[]>
}

function settersIn(places: readonly SectionPlace[]): Setters {
  const byName = new Map<string, SectionPlace[]>()
  const sections = new Map<SourceText, Section[]>()
  const seen = new Set<Section>()
  for (const place of places) {
    const { loaded, section } = place
    if (seen.has(section)) continue
    seen.add(section)
    add(sections, loaded.source, section)
    for (const name of namesSetBy(section)) add(byName, name, place)
  }
  for (const list of sections.values()) list.sort((one, other) => firstLineOf(one) - firstLineOf(other))
  return { byName, sections }
}

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** The last section that begins at this line or above it. */
function sectionAt(sections: readonly Section[], line: number): Section | undefined {
  let [low, high] = [0, sections.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (firstLineOf(sections[middle] as Section) <= line) low = middle + 1
    else high = middle
  }
  return sections[low - 1]
}

function namesSetBy({ request }: Section): ReadonlySet<string> {
  const { captures = [], preRequestScripts = [], handlers = [] } = request ?? {}
  const scripts = [...preRequestScripts, ...handlers].flatMap(({ source }) =>
    source.type === 'inline' ? [...namesSetIn(source.code).names] : [],
  )
  return new Set([...captures.map(({ name }) => name), ...scripts])
}
