/**
 * Fixes for variables without a value or without a use.
 *
 * Rules: a new definition is empty, for the user to fill in. Only public environment files are offered: the user must
 * decide to put a secret into the private file.
 */
import { basename } from 'node:path'
import { type JsonNode, SHARED_ENVIRONMENT } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { loadEnvironment, parseReference, parseVariablePath } from '../../runner/index.ts'
import type { OffsetEdit } from '../base/minimal-edits.ts'
import { environmentsIn } from '../workspace/environment-names.ts'
import { FileTexts } from '../workspace/folder-files.ts'
import { sectionAt } from '../workspace/place-at.ts'
import { type Fix, lineEndOf, type Problem, wholeLine } from './fix.ts'

export function removeDefinition({ analysis, offset, text }: Problem): readonly Fix[] {
  const line = wholeLine(analysis, offset)
  const isDefinition = /^[ \t\f]*@/.test(analysis.text.slice(line.offset, offset))
  return isDefinition ? [{ title: `Remove the variable "${text}"`, edits: [{ ...line, text: '' }] }] : []
}

export function defineVariable(problem: Problem): readonly Fix[] {
  const name = missingName(problem.text)
  if (name === undefined) return []
  return [...aboveTheRequest(name, problem), ...inEnvironment(name, problem)]
}

/** The variable that an expression needs; undefined for a dynamic variable, a request, or a program. */
function missingName(text: string): string | undefined {
  const expression = /^\{\{([^{}]+)\}\}$/.exec(text)?.[1]?.trim()
  if (expression === undefined || parseReference(expression) !== undefined) return undefined
  const name = parseVariablePath(expression)?.root ?? expression
  return /^[\p{L}\p{N}_.-]+$/u.test(name) ? name : undefined
}

function aboveTheRequest(name: string, { analysis, offset }: Problem): readonly Fix[] {
  const section = sectionAt(analysis.file, offset)
  if (section === undefined) return []
  const { separator } = section.section
  const edit = {
    offset: section.offset + (separator?.text.length ?? 0),
    length: 0,
    text: `@${name} = ${lineEndOf(analysis.text)}`,
  }
  return [{ title: `Define "${name}" above the request`, edits: [edit] }]
}

function inEnvironment(name: string, { analysis, workspace }: Problem): readonly Fix[] {
  const path = publicFileOf(analysis.path)
  const text = path === undefined ? undefined : (workspace.textInEditor(path) ?? new FileTexts().text(path))
  if (path === undefined || text === undefined) return []
  const environments = environmentsIn(text)
  const environment = workspace.environmentName(analysis.path)
  const names = [environment, SHARED_ENVIRONMENT, environments.find(({ key }) => !key.startsWith('$'))?.key]
  const member = names.map((each) => environments.find(({ key }) => key === each)).find((each) => each !== undefined)
  const edit = member && newMember(name, member.value, text)
  if (member === undefined || edit === undefined) return []
  const title = `Define "${name}" in the environment "${member.key}" of ${basename(path)}`
  return [{ title, edits: [edit], file: { path, text } }]
}

/** Inserts a member before the first member of an object, in the same layout. */
function newMember(name: string, object: JsonNode, text: string): OffsetEdit | undefined {
  if (object.type !== 'object') return undefined
  const [first] = object.members
  const start = object.span.offset + 1
  if (first === undefined) return { offset: start, length: 0, text: `${JSON.stringify(name)}: ""` }
  const gap = text.slice(start, first.keySpan.offset)
  const layout = /^\s*$/.test(gap) ? gap : ' '
  return { offset: first.keySpan.offset, length: 0, text: `${JSON.stringify(name)}: "",${layout || ' '}` }
}

function publicFileOf(path: string): string | undefined {
  try {
    return loadEnvironment(path, undefined).files.find((file) => !/\.private\.env\.json$/.test(file))
  } catch (error) {
    // No variable can be inserted into a file with an error.
    if (error instanceof HttpcliError) return undefined
    throw error
  }
}
