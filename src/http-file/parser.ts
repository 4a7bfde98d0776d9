/**
 * Parses the text of a request file into its syntax tree and all its errors.
 *
 * Rules: never throws, never stops at an error; section-reader.ts says how a section is read. Scripts of sections
 * without a request before the first request belong to every request of the file.
 */
import { SectionReader } from './sections/section-reader.ts'
import { type Diagnostic, excerptAt } from './syntax/diagnostic.ts'
import { linesOf } from './syntax/source-line.ts'
import type { CommonScripts, HttpFile, ScriptNode, Section } from './syntax/syntax-tree.ts'

export interface ParsedHttpFile {
  readonly file: HttpFile
  /** In the order of the file. A file with errors must not be sent. */
  readonly errors: readonly Diagnostic[]
}

/**
 * Reads a request file. Does no I/O and never throws.
 *
 * @example parseHttpFile('GET http://localhost/\n').file.sections[0]?.request?.line.method // 'GET'
 */
export function parseHttpFile(source: string): ParsedHttpFile {
  const byteOrderMark = source.startsWith('\ufeff') ? '\ufeff' : ''
  const lines = linesOf(source, byteOrderMark.length)
  const errors: Diagnostic[] = []
  const sections: Section[] = []
  let index = 0
  let hasRequest = false
  while (index < lines.length) {
    const reader = new SectionReader(lines, index, errors, !hasRequest)
    const section = reader.read()
    sections.push(section)
    hasRequest ||= section.request !== undefined
    index = reader.index
  }
  const common = commonScripts(sections)
  const [script] = [...common.preRequestScripts, ...common.handlers]
  if (script !== undefined && !hasRequest) errors.push(scriptWithoutRequest(script, source))
  // Tags are read after everything else in their section.
  errors.sort((one, other) => one.span.offset - other.span.offset)
  return { file: { byteOrderMark, sections, common }, errors: errors.map(withUnseenCharacter) }
}

/** Explains an error that an invisible character causes. */
function withUnseenCharacter(problem: Diagnostic): Diagnostic {
  const [unseen] = /[\u00a0\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/.exec(problem.excerpt) ?? []
  if (unseen === undefined) return problem
  const code = (unseen.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return { ...problem, hint: `The line has an invisible character, U+${code}: delete it.` }
}

function scriptWithoutRequest({ span: whole }: ScriptNode, source: string): Diagnostic {
  const span = { ...whole, length: 1 }
  const message = 'a script for every request, but the file has no request'
  return { code: 'misplaced-script', message, span, excerpt: excerptAt(source, span) }
}

/** The tree as text: exactly the parsed source. */
export function printHttpFile(file: HttpFile): string {
  return file.byteOrderMark + file.sections.map(sectionText).join('')
}

/** The source text of a section. */
export function sectionText({ separator, parts }: Section): string {
  return (separator?.text ?? '') + parts.map(({ text }) => text).join('')
}

function commonScripts(sections: readonly Section[]): CommonScripts {
  const code: ScriptNode[] = []
  const preRequestScripts: ScriptNode[] = []
  const handlers: ScriptNode[] = []
  for (const { parts, request } of sections) {
    for (const part of parts) {
      if (part.kind !== 'script') continue
      if (part.phase === 'common') code.push(part)
      else if (request === undefined) (part.phase === 'handler' ? handlers : preRequestScripts).push(part)
    }
  }
  return { code, preRequestScripts, handlers }
}
