/**
 * Warns about names that have no effect or are ambiguous: variables that nothing uses or that another variable
 * overrides, requests that share a name.
 *
 * Rules: a name counts as used if it occurs anywhere between braces or in a script. If scripts compute names of the
 * variables that they read, no variable is reported as unused.
 */
import {
  HOST_VARIABLE,
  type HttpFile,
  type Part,
  type ScriptNode,
  unicodePattern,
  type VariableNode,
} from '../../http-file/index.ts'
import type { Environment } from '../context/environment-files.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import { ScriptIndex } from '../scripting/source/script-index.ts'
import { variableCalls } from '../scripting/source/script-names.ts'
import type { VariableOptions } from '../variables/shared-variables.ts'
import type { Advice } from './request-advice.ts'
import { spanOf } from './script-advice.ts'

function variablesOf({ file }: LoadedHttpFile): readonly VariableNode[] {
  return file.sections.flatMap(({ variables }) => variables)
}

export function hiddenVariables(loaded: LoadedHttpFile, { name, variables }: Environment): readonly Advice[] {
  const shown = name === undefined ? 'the environment' : `the environment ${JSON.stringify(name)}`
  return variablesOf(loaded)
    .filter((variable) => variables.has(variable.name))
    .map((variable) => ({
      code: 'hidden-variable',
      message: `@${variable.name} has no effect: ${shown} has a variable of that name, which takes precedence`,
      hint: 'Remove one of them, or give it another name.',
      span: variable.nameSpan,
    }))
}

/** Values of -V and -P, and of the rows of --data. */
export const commandLineWords = 'the command line or a column of --data'

/**
 * Warns about values that a script sets but another variable overrides, often an empty one in the environment.
 *
 * @param used names between braces; a value that only scripts read is not hidden
 */
export function hiddenSets(
  { source }: ScriptNode,
  { environment, commandLine }: VariableOptions,
  used: ReadonlySet<string>,
): readonly Advice[] {
  if (source.type !== 'inline') return []
  const script = { span: source.span, index: new ScriptIndex(source.code) }
  return variableCalls(source.code).calls.flatMap((call): readonly Advice[] => {
    const { method, holder, holdsVariables, name, offset } = call
    if (name === undefined || method !== 'set' || !holdsVariables || holder.endsWith('environment')) return []
    const isHidden = environment.has(name) || commandLine?.has(name) === true
    if (!isHidden || !used.has(name)) return []
    const where = environment.has(name) ? 'the environment' : commandLineWords
    return [
      {
        code: 'hidden-variable',
        message: `the value set here has no effect on {{${name}}}: ${where} has a variable of that name, which takes precedence`,
        hint: 'Remove one of them, or give it another name.',
        span: spanOf(script, [offset, offset + name.length]),
      },
    ]
  })
}

/** The names that templates begin with: `a` of `{{a.b}}`. */
export function namesInBraces(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\{\{[ \t]*([^\s{}.[]+)/g), ([, name = '']) => name))
}

/**
 * @param texts request files, and values of the environment
 * @param files the code of script files
 */
export function unusedVariables(loaded: LoadedHttpFile, texts: readonly string[], files: string): readonly Advice[] {
  const variables = variablesOf(loaded)
  const scripts = [...loaded.file.sections.flatMap(({ parts }) => parts.map(codeOf)), files]
  if (variables.length === 0 || scripts.some(readsComputedNames)) return []
  const code = scripts.join('\n')
  const used = new Set(code.match(word(code)) ?? [])
  for (const text of texts) {
    if (pathPattern.test(text)) used.add(HOST_VARIABLE)
    for (const [, expression = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      for (const each of expression.match(word(expression)) ?? []) used.add(each)
      used.add(expression.trim())
    }
  }
  return variables
    .filter(({ name }) => !used.has(name) && !(name.match(word(name)) ?? []).every((each) => used.has(each)))
    .map(({ name, nameSpan }) => ({
      code: 'unused-variable',
      message: `nothing uses the variable ${JSON.stringify(name)}`,
      hint: `Write {{${name}}} where its value is needed, or remove it.`,
      span: nameSpan,
    }))
}

/** A request line without a host, before which the value of the variable `host` is put. */
const pathPattern = /^[ \t]*(?:[A-Za-z]+[ \t]+)?\/(?![/*])/m

/** Scripts read the variables of a file through `client.variables` and `request.variables`. */
function readsComputedNames(code: string): boolean {
  const { calls, isComplete } = variableCalls(code)
  const isComputed = calls.some(({ method, holder, holdsVariables, name }) => {
    return method === 'get' && holdsVariables && !holder.endsWith('global') && name === undefined
  })
  return isComputed || !isComplete
}

function codeOf(part: Part): string {
  return part.kind === 'script' && part.source.type === 'inline' ? part.source.code : ''
}

const word = unicodePattern(String.raw`[\p{L}\p{N}_$-]+`, 'g')

/** Names that a file uses twice: references, --name and `run #name` cannot distinguish such requests. */
export function repeatedNames({ sections }: HttpFile): readonly Advice[] {
  const lines = new Map<string, number>()
  return sections.flatMap(({ request }) => {
    const tag = request?.tags.find(({ name, value }) => name === 'name' && value !== '')
    if (tag === undefined) return []
    const first = lines.get(tag.value)
    if (first === undefined) {
      lines.set(tag.value, tag.span.line)
      return []
    }
    const message = `the request at line ${first} has the same name, ${JSON.stringify(tag.value)}`
    return [{ code: 'repeated-name', message, hint: 'Give each request its own name.', span: tag.span }]
  })
}
