/** Completion of named variables: each with its effective value, and the source of the value. */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { isJsonObject, type JsonValue, memberOf } from '../../http-file/index.ts'
import type { Cursor } from '../cursor/cursor.ts'
import type { EnvironmentValues } from '../variables/environment-values.ts'
import { sourceNames, type VisibleVariable, visibleVariables } from '../variables/visible-variables.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Suggestion } from './suggestion.ts'

export function variableSuggestions(
  cursor: Cursor,
  values: EnvironmentValues,
  workspace: Workspace,
): readonly Suggestion[] {
  const environment = workspace.environmentName(cursor.analysis.path)
  const ofFile = visibleVariables(cursor, workspace)
  const seen = new Set<string>()
  const isFirst = ({ name }: { readonly name: string }): boolean => !seen.has(name) && seen.add(name) !== undefined
  // Values of the environment override values of the file.
  const ofEnvironment = [...new Set(values.all.map(({ name }) => name))].flatMap((name): readonly Suggestion[] => {
    const value = values.find(name, environment)
    if (value === undefined) return []
    seen.add(name)
    return [suggestion(name, `${values.shown(value)} (${value.environment})`)]
  })
  const inFile = ofFile.filter(isFirst).map((each) => suggestion(each.name, detailOf(each, values)))
  // Variables of other environments.
  const elsewhere = values.all.filter(isFirst).map(({ name }) => {
    const environments = values.all.filter((each) => each.name === name).map((each) => each.environment)
    return suggestion(name, `only in ${[...new Set(environments)].join(', ')}`)
  })
  return [...inFile, ...ofEnvironment, ...elsewhere]
}

function suggestion(label: string, detail: string): Suggestion {
  return { label, kind: CompletionItemKind.Variable, detail }
}

function detailOf({ name, source, text }: VisibleVariable, values: EnvironmentValues): string {
  const shown = text === '' ? '' : `${values.shownText(name, text)} `
  return `${shown}(${sourceNames[source]})`
}

/**
 * The members of an object: `user.name` after `user.`.
 * @param typed the expression so far
 */
export function memberSuggestions(
  typed: string,
  values: EnvironmentValues,
  environment: string | undefined,
): readonly Suggestion[] {
  const path = typed.split('.').slice(0, -1)
  const [root, ...rest] = path
  const found = root === undefined ? undefined : values.find(root, environment)
  if (found === undefined) return []
  const value = rest.reduce<JsonValue | undefined>((at, name) => memberOf(at, name), found.value)
  if (!isJsonObject(value)) return []
  return Object.entries(value).map(([name, member]) => ({
    label: [...path, name].join('.'),
    kind: CompletionItemKind.Property,
    detail: values.shown({ name, value: member, isPrivate: found.isPrivate }),
  }))
}
