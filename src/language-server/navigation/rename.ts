/**
 * Renames variables and requests in all files that share them.
 *
 * Rules: all occurrences are renamed, or none. Renaming is refused if an occurrence may be missed or may mean something
 * else: scripts that compute names, calls that may not concern variables, files that cannot be read, a new name that is
 * taken. Names on a command line, in `-V` or `--name`, are unknown here.
 */
import {
  LSPErrorCodes,
  type Range,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver-protocol'
import type { Analysis } from '../workspace/analysis.ts'
import { settingNames } from '../workspace/environment-names.ts'
import { type FoundName, foundNames, isSameName, type NameGroup, type SharedNames } from '../workspace/name-group.ts'
import { definingForms, type NameForm } from '../workspace/names.ts'
import { locationOf, nameAt } from './definition.ts'

export interface Renamable {
  readonly range: Range
  readonly placeholder: string
}

/** @throws ResponseError if there is no name that can be renamed */
export function renamableAt(analysis: Analysis, offset: number, names: SharedNames): Renamable {
  const name = renamableName(analysis, offset, names)
  return { range: locationOf(name).range, placeholder: name.name }
}

function renamableName(analysis: Analysis, offset: number, names: SharedNames): FoundName {
  const visible = foundNames(names.visibleFrom(analysis))
  const name = nameAt(visible, analysis.uri, offset)
  if (name === undefined) throw refusal('only names of variables and requests can be renamed')
  const fixed = visible.find((each) => isSameName(each, name) && fixingForms.has(each.form))
  const reason = fixedForms[fixed?.form ?? name.form]
  if (reason !== undefined) throw refusal(reason)
  return name
}

/** An occurrence in one of these forms prevents the name from being renamed anywhere. */
const fixingForms: ReadonlySet<NameForm> = new Set<NameForm>(['request-line', 'bare-path'])

const fixedForms: Readonly<Partial<Record<NameForm, string>>> = {
  'request-line': 'this request is called by its method and URL: give it a name with "# @name" first',
  'bare-path': 'requests with a path alone get their host from this variable: write {{host}} before their paths first',
  uncertain: 'this call may not be of a variable: only names in client.global and other known objects can be renamed',
}

/** @throws ResponseError with the reason why nothing is renamed */
export function renameAt(analysis: Analysis, offset: number, newName: string, names: SharedNames): WorkspaceEdit {
  const name = renamableName(analysis, offset, names)
  if (newName === name.name) return { changes: {} }
  const group = names.group(analysis, name)
  const all = foundNames(group.files)
  const places = all.filter((each) => isSameName(each, name))
  const reason =
    invalidName(newName, places) ?? takenName(newName, all, name.kind) ?? unsafePlace(name, places, group) ?? undefined
  if (reason !== undefined) throw refusal(reason)
  const changes: Record<string, TextEdit[]> = {}
  for (const place of places) {
    const { uri, range } = locationOf(place)
    const edits = (changes[uri] ??= [])
    edits.push({ range, newText: newName })
  }
  return { changes }
}

/** The rule that a new name must follow, so that it is valid at all occurrences. */
interface NameRule {
  readonly forms: ReadonlySet<NameForm>
  readonly pattern: RegExp
  readonly expected: string
}

const variableForms: ReadonlySet<NameForm> = new Set<NameForm>([
  ...(['in-place', 'capture', 'prompt', 'override', 'expression', 'subject', 'script-set', 'script-get'] as const),
  'environment-key',
])

const rules: readonly NameRule[] = [
  { forms: variableForms, pattern: /^[\p{L}\p{N}_.-]+$/u, expected: 'letters, digits, "_", "-" and "."' },
  {
    forms: new Set(['path']),
    pattern: /^[\p{L}_][\p{L}\p{N}_-]*$/u,
    expected: 'letters, digits, "_" and "-", because a path into the variable is used',
  },
  {
    forms: new Set(['reference']),
    pattern: /^[\w-]+$/,
    expected: 'letters, digits, "_" and "-", because its response is used',
  },
  {
    forms: new Set(['call', 'separator', 'name-tag', 'ref-tag']),
    // "(@" begins overrides, and a blank with "###" ends a separator.
    pattern: /^(?![#=])(?!.*(?:\{\{|\([ \t]*(?:@|$)|[ \t]#{3}))\S(?:.*\S)?$/,
    expected: 'one line that does not begin with "#" and contains no braces',
  },
]

function invalidName(newName: string, places: readonly FoundName[]): string | undefined {
  const broken = rules.find(
    ({ forms, pattern }) => places.some(({ form }) => forms.has(form)) && !pattern.test(newName),
  )
  if (broken !== undefined) return `${JSON.stringify(newName)} is not a name here: expected ${broken.expected}`
  const isSetting = settingNames.has(newName) && places.some(({ form }) => form === 'environment-key')
  return isSetting ? `${newName} is a setting in an environment file: choose another name` : undefined
}

function takenName(newName: string, all: readonly FoundName[], kind: FoundName['kind']): string | undefined {
  const taken = all.find((each) => each.kind === kind && each.name === newName)
  return taken && `the name ${JSON.stringify(newName)} is taken: ${shownPlace(taken)}`
}

function unsafePlace(name: FoundName, places: readonly FoundName[], { files, gap }: NameGroup): string | undefined {
  if (gap !== undefined) return gap
  if (!places.some(({ form }) => definingForms.has(form))) {
    return `no definition of ${JSON.stringify(name.name)} found: it may come from the command line`
  }
  if (name.kind === 'request') return undefined
  const uncertain = places.find(({ form }) => form === 'uncertain')
  if (uncertain !== undefined) return `a call may or may not be of this variable: ${shownPlace(uncertain)}`
  const computing = files.find(({ hasComputedNames }) => hasComputedNames)
  return computing && `a script computes names of variables, which may be this one: ${computing.path}`
}

function shownPlace({ file, offset }: FoundName): string {
  const { line, character } = file.lines.positionAt(offset)
  return `${file.path}:${line + 1}:${character + 1}`
}

function refusal(reason: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, reason)
}
