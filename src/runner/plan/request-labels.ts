/**
 * The names, tags and place of a request.
 *
 * Rules: `# @tag smoke`, `# @tags smoke, slow` and both repeated; tags are words between blanks and commas. Names and
 * tags are used as written, variables not replaced.
 */
import { type Request, type Section, templateText } from '../../http-file/index.ts'
import type { RequestIdentity } from '../base/events.ts'
import type { LoadedHttpFile } from './request-file.ts'

export interface SectionPlace {
  readonly loaded: LoadedHttpFile
  readonly section: Section
}

/** A request as written in its file. */
export type RequestLabel = Omit<RequestIdentity, 'number' | 'iteration'>

/** @param place the section that contains the request */
export function labelOf({ loaded, section }: SectionPlace): RequestLabel {
  const { line, name } = section.request as Request
  return {
    name,
    method: line.method ?? 'GET',
    target: templateText(line.target),
    file: loaded.source.path,
    line: line.span.line,
    tags: tagsOf(section),
  }
}

export function firstLineOf({ separator, parts }: Section): number {
  return (separator ?? parts[0])?.span.line ?? 1
}

/** The names by which a section can be called: its own name, the text after the separator, otherwise method and URL. */
export function namesOf({ request, separator }: Section): readonly string[] {
  const names = [request?.name ?? '', separator?.name ?? ''].filter((name) => name !== '')
  if (names.length > 0 || request === undefined) return [...new Set(names)]
  const { method = 'GET', target } = request.line
  return [`${method} ${templateText(target)}`]
}

const tagNames: ReadonlySet<string> = new Set(['tag', 'tags'])

/** In the order of the file, each once. */
export function tagsOf({ parts }: Section): readonly string[] {
  const words = parts.flatMap((part) =>
    part.kind === 'tag' && tagNames.has(part.name) ? part.value.split(/[\s,]+/) : [],
  )
  return [...new Set(words.filter((word) => word !== ''))]
}
