/**
 * Finds where a name is defined, and where it is used.
 *
 * Rules: if there are several definitions, the ones that a run would use are shown: the chosen environment overrides
 * the file. In the file, it is the last definition above the position. If the file has none, its callers are also
 * searched.
 */
import { type DocumentHighlight, DocumentHighlightKind, type Location } from 'vscode-languageserver-protocol'
import type { Analysis } from '../workspace/analysis.ts'
import { environmentKeys } from '../workspace/environment-names.ts'
import { type FoundName, foundNames, isSameName, type SharedNames } from '../workspace/name-group.ts'
import { definingForms } from '../workspace/names.ts'

/**
 * The name at a position in a file. A position directly after a name belongs to it. If a request line, which is a name
 * itself, contains the name of a variable, the variable is meant.
 */
export function nameAt(names: readonly FoundName[], uri: string, offset: number): FoundName | undefined {
  const found = names.filter(
    (each) => each.file.uri === uri && each.offset <= offset && offset <= each.offset + each.length,
  )
  return found.find(({ form }) => form !== 'request-line') ?? found[0]
}

export function locationOf({ file, offset, length }: FoundName): Location {
  return { uri: file.uri, range: file.lines.rangeOf({ offset, length }) }
}

/** @param environment the chosen environment */
export function definitionsAt(
  analysis: Analysis,
  offset: number,
  names: SharedNames,
  environment: string | undefined,
): readonly FoundName[] {
  const visible = foundNames(names.visibleFrom(analysis))
  const name = nameAt(visible, analysis.uri, offset)
  if (name === undefined) return []
  const near = definitionsOf(name, visible)
  const found = near.length > 0 ? near : definitionsOf(name, foundNames(names.group(analysis, name).files))
  const chosen = found.filter((each) => each.form === 'environment-key' && isOfEnvironment(each, environment))
  const own = nearestAbove(
    found.filter(({ file }) => file.uri === analysis.uri),
    offset,
  )
  const first = [...(environment === undefined ? [] : chosen), ...own]
  return first.length > 0 ? first : found
}

/** The override of a call, `(@name = value)`, counts as a definition only if there is no other. */
function definitionsOf(name: FoundName, names: readonly FoundName[]): readonly FoundName[] {
  const all = names.filter((each) => isSameName(each, name) && definingForms.has(each.form))
  const lasting = all.filter(({ form }) => form !== 'override')
  return lasting.length > 0 ? lasting : all
}

function isOfEnvironment({ file, offset }: FoundName, environment: string | undefined): boolean {
  const key = environmentKeys(file.lines.text).find(({ place }) => place.offset === offset)
  return key?.environment === environment || key?.environment === '$shared'
}

/** In-place variables may be redefined further down: only the last one above counts. All other definitions count. */
function nearestAbove(definitions: readonly FoundName[], offset: number): readonly FoundName[] {
  const inPlace = definitions.filter(({ form }) => form === 'in-place')
  const last = inPlace.findLast((each) => each.offset <= offset) ?? inPlace[0]
  return definitions.filter((each) => each.form !== 'in-place' || each === last)
}

/** @param isDeclarationIncluded whether definitions are included */
export function referencesAt(
  analysis: Analysis,
  offset: number,
  names: SharedNames,
  isDeclarationIncluded: boolean,
): readonly Location[] {
  const name = nameAt(foundNames(names.visibleFrom(analysis)), analysis.uri, offset)
  if (name === undefined) return []
  return foundNames(names.group(analysis, name).files)
    .filter((each) => isSameName(each, name) && each.form !== 'uncertain')
    .filter(({ form }) => isDeclarationIncluded || !definingForms.has(form))
    .map(locationOf)
}

export function highlightsAt(analysis: Analysis, offset: number, names: SharedNames): readonly DocumentHighlight[] {
  const visible = foundNames(names.visibleFrom(analysis))
  const name = nameAt(visible, analysis.uri, offset)
  if (name === undefined) return []
  return visible
    .filter((each) => each.file.uri === analysis.uri && isSameName(each, name) && each.form !== 'uncertain')
    .map((each) => ({
      range: locationOf(each).range,
      kind: definingForms.has(each.form) ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
    }))
}
