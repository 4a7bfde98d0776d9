/**
 * Every dynamic variable of a request file: those that depend on the run's context, on random bytes and the clock, and
 * those of other editors.
 */
import { contextValue, environmentValue, isBareJson, type RunContext } from './context-variables.ts'
import type { DotenvFiles } from './dotenv-files.ts'
import { type DynamicValue, dynamicValue } from './dynamic-variables.ts'
import { editorValue } from './editor-variables.ts'
import type { ValueSources } from './value-sources.ts'

export interface DynamicContext extends RunContext {
  readonly sources: ValueSources
  readonly dotenv: DotenvFiles
  /** The directory of the request file. */
  readonly directory: string
  /** A variable of the environment or the command line. @throws HttpcliError */
  readonly variable: (name: string) => string | undefined
}

/** The value of the expression between the braces, if it names a dynamic value. @throws HttpcliError */
export function anyDynamicValue(expression: string, context: DynamicContext): DynamicValue | undefined {
  const { sources, dotenv, directory, variable } = context
  return (
    contextValue(expression, directory, context) ??
    dynamicValue(expression, sources) ??
    editorValue(expression, {
      sources,
      processValue: (name) => environmentValue(name, context),
      dotenvValue: (name) => {
        const text = dotenv.value(name, directory)
        return { text, isBare: isBareJson(text) }
      },
      variable,
    })
  )
}
