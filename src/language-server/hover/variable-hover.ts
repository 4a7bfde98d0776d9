/**
 * Hover over `{{…}}`: the effective value, where it is defined, the values in other environments.
 *
 * Rules: the order of sources is that of a run, see named-value.ts of the runner. Secrets are masked.
 */
import type { Cursor } from '../cursor/cursor.ts'
import { dynamicVariables, environmentVariable, fakeTopic } from '../knowledge/dynamic-variables.ts'
import { topicOf, topicText } from '../knowledge/topic.ts'
import { type EnvironmentValue, EnvironmentValues } from '../variables/environment-values.ts'
import { namedRequests } from '../variables/request-names.ts'
import {
  sourceNames,
  type VariableSource,
  type VisibleVariable,
  visibleVariables,
} from '../variables/visible-variables.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { inlineCode, lineLink } from './hover-text.ts'

/** Sources that override the environment, strongest first, and sources that it overrides. */
const above: readonly VariableSource[] = ['prompt', 'override']
const below: readonly VariableSource[] = ['capture', 'script', 'file']

/** @param expression the text between the braces. @returns undefined if nothing is known about it */
export function expressionText(expression: string, cursor: Cursor, workspace: Workspace): string | undefined {
  if (expression.startsWith('$')) return dynamicText(expression, workspace)
  const values = new EnvironmentValues(workspace, cursor.analysis.path)
  const root = /^[\p{L}\p{N}_-]+/u.exec(expression)?.[0] ?? expression
  return (
    variableText(expression, cursor, values, workspace) ??
    referenceText(expression, cursor, workspace) ??
    (root === expression ? undefined : variableText(root, cursor, values, workspace))
  )
}

/** The description of a dynamic variable, by its call. */
export function dynamicText(expression: string, { processEnvironment }: Workspace): string | undefined {
  const name = /^[^\s(]+/.exec(expression)?.[0] ?? ''
  const variable = /^\$env\.(.+)$/.exec(name)?.[1]
  if (variable !== undefined) {
    const state = processEnvironment[variable] === undefined ? 'It is **not set** here.' : 'It is set here.'
    return `${topicText(environmentVariable)}\n\n${state}`
  }
  const topic = topicOf(dynamicVariables, name)
  if (topic !== undefined) {
    const { forms = [name] } = dynamicVariables[name] ?? {}
    return `${forms.map(inlineCode).join(', ')}\n\n${topicText(topic)}`
  }
  const fakeName = /^\$random\.(?:locale\.)?(\w+\.\w+)$/.exec(name)?.[1]
  return fakeName === undefined ? undefined : topicText(fakeTopic(fakeName))
}

function variableText(
  name: string,
  cursor: Cursor,
  values: EnvironmentValues,
  workspace: Workspace,
): string | undefined {
  const environment = workspace.environmentName(cursor.analysis.path)
  const ofFile = visibleVariables(cursor, workspace).filter((each) => each.name === name)
  const from = (sources: readonly VariableSource[]): readonly string[] =>
    sources.flatMap((source) =>
      ofFile
        .filter((each) => each.source === source)
        .slice(0, 1)
        .map((each) => fileLine(each, values)),
    )
  const winner = values.find(name, environment)
  const others = values.all.filter((each) => each.name === name && each !== winner)
  const chosen = winner === undefined ? [] : [environmentLine(winner, values)]
  const candidates = [...from(above), ...chosen, ...from(below)]
  if (candidates.length === 0 && others.length === 0) return undefined
  const [first, ...hidden] = candidates
  const lines = [
    ...(first === undefined ? [`**${name}** has no value in the chosen environment.`] : [`**${name}** = ${first}`]),
    ...hidden.map((line) => `- hidden: ${line}`),
    ...others.map((each) => `- ${environmentLine(each, values)}`),
  ]
  return [lines[0], lines.slice(1).join('\n')].filter((text) => text !== '').join('\n\n')
}

function fileLine({ name, source, text, analysis, offset }: VisibleVariable, values: EnvironmentValues): string {
  const { line } = analysis.lines.positionAt(offset)
  const value = text === '' ? '' : `${inlineCode(values.shownText(name, text))}, `
  return `${value}${sourceNames[source]}, ${lineLink(analysis.path, line + 1)}`
}

function environmentLine(value: EnvironmentValue, values: EnvironmentValues): string {
  const { environment, file, span } = value
  return `${inlineCode(values.shown(value))}, ${environment}, ${lineLink(file, span.line)}`
}

function referenceText(expression: string, { analysis }: Cursor, workspace: Workspace): string | undefined {
  const [, name = '', side, part] = /^([\w-]+)\.(request|response)(?:\.(body|headers))?/.exec(expression) ?? []
  if (side === undefined) return undefined
  const found = namedRequests(analysis, workspace).find((each) => each.name === name)
  if (found?.section.request === undefined) return undefined
  const { line } = found.section.request
  const what = part === 'headers' ? 'A header field' : part === 'body' ? 'A value in the body' : 'A part'
  const owner = side === 'request' ? `the last request **${name}**` : `the last response to **${name}**`
  return `${what} of ${owner}, ${lineLink(found.analysis.path, line.span.line)}`
}
