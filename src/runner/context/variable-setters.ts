/** Finds the request of a run that sets a variable: for the hint about a variable without a value. */
import type { Section } from '../../http-file/index.ts'
import type { Place } from '../base/errors.ts'
import { namesOf, type SectionPlace } from '../plan/request-labels.ts'
import { namesSetIn } from '../scripting/source/script-names.ts'

/**
 * The first request whose captures or scripts in the file set the name, as "login" (line 3); not the one that uses it.
 */
export function setterOf(name: string, places: readonly SectionPlace[], { source, span }: Place): string | undefined {
  const own = places.findLast(({ loaded, section }) => loaded.source === source && firstLineOf(section) <= span.line)
  const found = places.find((place) => place.section !== own?.section && sets(name, place))
  const line = found?.section.request?.line.span.line
  if (found === undefined || line === undefined) return undefined
  const { path } = found.loaded.source
  return `${JSON.stringify(namesOf(found.section)[0])} (${path === source.path ? `line ${line}` : `${path}:${line}`})`
}

function firstLineOf({ separator, parts }: Section): number {
  return (separator ?? parts[0])?.span.line ?? 1
}

function sets(name: string, { section }: SectionPlace): boolean {
  const { captures = [], preRequestScripts = [], handlers = [] } = section.request ?? {}
  if (captures.some((capture) => capture.name === name)) return true
  return [...preRequestScripts, ...handlers].some(({ source }) => {
    return source.type === 'inline' && namesSetIn(source.code).names.has(name)
  })
}
