/**
 * The variables as scripts see them: four scopes, headers for later requests, dynamic values.
 *
 * Rules: only plain values. A value that a script sets is never read as a template. The environment is read-only; it
 * includes variables from the command line.
 */
import { type JsonValue, parseTemplate, type Template } from '../../http-file/index.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import { dynamicKind } from './dynamic/dynamic-kind.ts'
import { loadFakes, loadLanguages } from './dynamic/dynamic-variables.ts'
import type { ValueSources } from './dynamic/value-sources.ts'
import type { SharedVariables } from './shared-variables.ts'
import { TemplateNeeds } from './template-needs.ts'
import type { Variables } from './variables.ts'

export interface VariableScope {
  get(name: string): JsonValue | undefined
  isEmpty(): boolean
  /** Undefined if the scope is read only. */
  readonly set?: (name: string, value: JsonValue) => void
  readonly clear?: (name: string) => void
  readonly clearAll?: () => void
}

export interface ScriptVariables {
  /** Clock and random bytes of the run. */
  readonly sources: ValueSources
  /** The files that the request file may reach. */
  readonly files: ConfinedFiles
  /** Loads what a template needs. @throws HttpcliError of a token */
  load(templates: readonly Template[]): Promise<void>
  /** A path as written, with its variables replaced. @throws HttpcliError */
  pathText(template: Template): string
  /** The same as an absolute path. @throws HttpcliError */
  pathOf(template: Template): string
  readonly scopes: Readonly<Record<'global' | 'environment' | 'file' | 'request', VariableScope>>
  /** Sent with every later request. */
  readonly globalHeaders: { set(name: string, value: string): void; clear(name: string): void }
  /** @returns a function that restores the current values of all scopes and headers */
  snapshot(): () => void
  /** The value of the expression between the braces, if it names a dynamic value. @throws HttpcliError */
  dynamic(expression: string): JsonValue | undefined
  /** The kind of a name such as `$random.address`: a group of names, a value, or a function with arguments. */
  dynamicKind(name: string): 'group' | 'value' | 'function' | undefined
  /**
   * Loads the libraries that a script with this code may need, since its calls are answered synchronously.
   * @throws HttpcliError of a token
   */
  loadFor(code: string): Promise<void>
}

export function scriptVariables(variables: Variables): ScriptVariables {
  const { shared, scope } = variables
  const { environment, commandLine } = shared.options
  return {
    sources: shared.options.sources,
    files: variables.files,
    load: (templates) => variables.load(templates),
    pathText: (template) => variables.pathText(template),
    pathOf: (template) => variables.pathOf(template),
    scopes: {
      global: globalScope(shared),
      request: mapScope(variables.request),
      environment: {
        get: (name) => variables.environmentValue(name),
        isEmpty: () => environment.size === 0 && (commandLine?.size ?? 0) === 0,
      },
      file: {
        get: (name) => variables.fileValue(name),
        isEmpty: () => scope.names().length === 0,
        set: (name, value) => scope.inPlace.set(name, { value }),
        clear: (name) => scope.inPlace.delete(name),
        clearAll: () => scope.inPlace.clear(),
      },
    },
    globalHeaders: {
      set: (name, value) => shared.globalHeaders.set(name.toLowerCase(), [name, value]),
      clear: (name) => shared.globalHeaders.delete(name.toLowerCase()),
    },
    snapshot: () => {
      const undo = [
        undoOf(shared.globals),
        undoOf(variables.request),
        undoOf(scope.inPlace),
        undoOf(shared.globalHeaders),
      ]
      return () => {
        for (const each of undo) each()
      }
    },
    dynamic: (expression) => {
      const value = variables.dynamic(expression)
      if (value === undefined || !value.isBare) return value?.text
      return JSON.parse(value.text) as JsonValue
    },
    dynamicKind,
    loadFor: (code) => loadFor(code, variables),
  }
}

async function loadFor(code: string, variables: Variables): Promise<void> {
  if (/\$random\b/.test(code)) await loadFakes()
  if (/\blocale\b/.test(code)) await loadLanguages()
  const tokens = [...code.matchAll(tokenPattern)].map(([expression]) => parseTemplate(`{{${expression}}}`))
  const needs = new TemplateNeeds(variables, true, tokens)
  const { environment, commandLine } = variables.shared.options
  const names = [...environment.keys(), ...(commandLine?.keys() ?? []), ...variables.scope.names()]
  for (const name of names) {
    if (['"', "'", '`'].some((quote) => code.includes(quote + name + quote))) needs.addName(name)
  }
  await needs.load()
}

const tokenPattern = /\$auth\.\w+\(\s*(["'])[^"'\n]*\1\s*\)/g

/** A script receives the expression of a placeholder. */
function globalScope({ globals, options: { foreseen } }: SharedVariables): VariableScope {
  return {
    ...mapScope(globals),
    get: (name) => globals.get(name) ?? (foreseen?.has(name) ? foreseen.use(name) : undefined),
  }
}

function undoOf<Value>(map: Map<string, Value>): () => void {
  const before = [...map]
  return () => {
    map.clear()
    for (const [name, value] of before) map.set(name, value)
  }
}

function mapScope(map: Map<string, JsonValue>): VariableScope {
  return {
    get: (name) => map.get(name),
    isEmpty: () => map.size === 0,
    set: (name, value) => map.set(name, value),
    clear: (name) => map.delete(name),
    clearAll: () => map.clear(),
  }
}
