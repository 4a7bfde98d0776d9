/**
 * Finds the target of a command for a line: the section around it, if it has a request or calls one.
 *
 * Rules: lines count from 0, as in the protocol. A request is not sent if there are errors in its section, in the
 * sections above it, whose variables it sees, or, if the section calls others, anywhere in the file.
 */
import { type Section, templateText } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { firstLineOf, type RequestChoice } from '../../runner/index.ts'
import type { Analysis } from '../workspace/analysis.ts'

export interface RunTarget {
  readonly section: Section
  /** The line of the request, or of the first call. */
  readonly line: number
  /** The lines of the section. */
  readonly firstLine: number
  readonly lastLine: number
  /** Its name; otherwise its method and URL as written. */
  readonly title: string
}

/** The requests and calls of a file, in its order. */
export function targetsOf({ file, lines }: Analysis): readonly RunTarget[] {
  const { sections } = file
  return sections.flatMap((section, index) => {
    const call = section.directives.find(({ directive }) => directive === 'run')
    const span = (section.request?.line ?? call)?.span
    if (span === undefined) return []
    const next = sections[index + 1]
    return {
      section,
      line: span.line - 1,
      firstLine: firstLineOf(section) - 1,
      lastLine: next === undefined ? lines.lineCount - 1 : firstLineOf(next) - 2,
      title: titleOf(section) ?? call?.text.trim() ?? '',
    }
  })
}

/** Undefined for a line that does not belong to a request. */
export function targetAt(analysis: Analysis, line: number): RunTarget | undefined {
  return targetsOf(analysis).find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine)
}

function titleOf({ request }: Section): string | undefined {
  if (request === undefined) return undefined
  const { line, name } = request
  return name === '' ? `${line.method ?? 'GET'} ${templateText(line.target)}` : name
}

/** The requests on these lines. @param lines from 0, inclusive */
export function choiceOf(path: string, firstLine: number, lastLine: number): RequestChoice {
  return { names: [], lines: [{ path, line: firstLine + 1, lastLine: lastLine + 1 }], tags: [] }
}

/** Errors of the text that prevent the requests of these targets from being sent. */
export function blockingErrors({ loaded }: Analysis, targets: readonly RunTarget[]): readonly HttpcliError[] {
  const errors = loaded.problem?.errors ?? []
  const isCalling = targets.some(({ section }) => section.directives.length > 0)
  if (isCalling || targets.length === 0) return errors
  const lastLine = targets.reduce((last, target) => Math.max(last, target.lastLine), 0)
  return errors.filter(({ where }) => where === undefined || where.line - 1 <= lastLine)
}
