/**
 * The variables that a request sees, except those of the environment: from the file, captures and scripts.
 *
 * Rules: variables of the file are visible from their definition on. Captures and `client.global` may come from any
 * request of the file and of the files that it imports, since `run` may send that request first; prompts and
 * `request.variables` belong to one request, and so do the values that a call passes to its request.
 */
import { dirname, resolve } from 'node:path'
import { type DirectiveTarget, type Section, templateText } from '../../http-file/index.ts'
import { namesSetIn } from '../../runner/index.ts'
import type { Cursor } from '../cursor/cursor.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { confinedPath } from './file-paths.ts'

export type VariableSource = 'file' | 'override' | 'capture' | 'script' | 'prompt'

/** The name of a source in texts for the user. */
export const sourceNames: Readonly<Record<VariableSource, string>> = {
  file: 'this file',
  override: 'given by run',
  capture: 'captured',
  script: 'set by a script',
  prompt: 'asked for',
}

export interface VisibleVariable {
  readonly name: string
  readonly source: VariableSource
  /** The source as written: the text of a definition, the subject of a capture, the question of a prompt. */
  readonly text: string
  /** The file that defines it. */
  readonly analysis: Analysis
  readonly offset: number
}

/** The maximum number of files that are read for one request of the client. */
const MAX_IMPORTS = 20

/** The nearest definitions first. */
export function visibleVariables(cursor: Cursor, workspace: Workspace): readonly VisibleVariable[] {
  const { analysis, sectionIndex, section } = cursor
  const own = section === undefined ? [] : ofRequest(section, analysis)
  const above = analysis.file.sections.slice(0, sectionIndex + 1).toReversed()
  const ofFile = above.flatMap(({ variables }) =>
    variables.toReversed().map(({ name, nameSpan, value }): VisibleVariable => {
      return { name, source: 'file', text: templateText(value), analysis, offset: nameSpan.offset }
    }),
  )
  const files = [analysis, ...importedFiles(analysis, workspace)]
  return [
    ...own,
    ...ofFile,
    ...files.flatMap((file) => file.file.sections.flatMap((each) => ofRun(each, file, cursor))),
  ]
}

/** Prompts and `request.variables`. */
function ofRequest({ parts }: Section, analysis: Analysis): readonly VisibleVariable[] {
  return parts.flatMap((part): readonly VisibleVariable[] => {
    const { offset } = part.span
    if (part.kind === 'tag' && part.name === 'prompt') {
      const [, name, question = ''] = /^([\p{L}\p{N}_.-]+)\s*(.*)$/su.exec(part.value) ?? []
      return name === undefined ? [] : [{ name, source: 'prompt', text: question, analysis, offset }]
    }
    if (part.kind !== 'script' || part.source.type !== 'inline') return []
    const { requestNames } = namesSetIn(part.source.code)
    return [...requestNames].map((name) => ({ name, source: 'script', text: 'request.variables', analysis, offset }))
  })
}

/**
 * Values that outlast a request: captures and `client.global`; also overrides of calls of the request at the cursor.
 */
function ofRun({ parts }: Section, analysis: Analysis, cursor: Cursor): readonly VisibleVariable[] {
  return parts.flatMap((part): readonly VisibleVariable[] => {
    const { offset } = part.span
    if (part.kind === 'tag' && part.name === 'capture') {
      const [, name, subject = ''] = /^([\p{L}\p{N}_.-]+)[ \t]*[=:][ \t]*(.*)$/su.exec(part.value) ?? []
      return name === undefined ? [] : [{ name, source: 'capture', text: subject, analysis, offset }]
    }
    if (part.kind === 'directive') {
      if (!isCallOf(part.target, analysis, cursor)) return []
      return part.overrides.map(({ name, value }) => {
        return { name, source: 'override', text: templateText(value), analysis, offset }
      })
    }
    if (part.kind !== 'script' || part.source.type !== 'inline') return []
    const { names } = namesSetIn(part.source.code)
    return [...names].map((name) => ({ name, source: 'script', text: 'client.global', analysis, offset }))
  })
}

function isCallOf(target: DirectiveTarget, caller: Analysis, { analysis, section }: Cursor): boolean {
  if (target.type === 'request') return target.name === section?.request?.name
  return resolve(dirname(caller.path), templateText(target.path)) === analysis.path
}

/** The files that a file imports or runs, directly or not. */
export function importedFiles(analysis: Analysis, workspace: Workspace): readonly Analysis[] {
  const seen = new Set([analysis.path])
  const found: Analysis[] = []
  const waiting = [analysis]
  for (let file = waiting.shift(); file !== undefined && found.length < MAX_IMPORTS; file = waiting.shift()) {
    for (const { target } of file.file.sections.flatMap(({ directives }) => directives)) {
      if (target.type !== 'file') continue
      const path = confinedPath(templateText(target.path), file, workspace)
      if (path === undefined || seen.has(path)) continue
      seen.add(path)
      const imported = workspace.analysisOfFile(path)
      if (imported === undefined) continue
      found.push(imported)
      waiting.push(imported)
    }
  }
  return found
}
