/**
 * Dynamic variables that depend on the run's context: `$env.NAME`, `$projectRoot`, `$historyFolder`, `$exampleServer`,
 * `$auth.token("id")`.
 *
 * Rules: the environment of the process is passed in. The project root is the nearest directory from the request file
 * upwards that contains `.git` or `.idea`, otherwise the directory of the request file.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RunError } from '../../base/errors.ts'
import { optionHints } from '../../base/option-hints.ts'
import { badArgument, type DynamicCall, notLoaded, parseDynamicCall } from './dynamic-call.ts'
import type { DynamicValue } from './dynamic-variables.ts'

/** Tokens of the `Security` block of an environment. */
export interface TokenSource {
  /** The token that was fetched last. */
  known(id: string, kind: 'access' | 'id'): string | undefined
  /** Fetches a token, unless there is a valid one. @throws HttpcliError */
  acquire(id: string, kind: 'access' | 'id'): Promise<void>
}

export interface RunContext {
  readonly processEnvironment: Readonly<Record<string, string | undefined>>
  readonly tokens: TokenSource | undefined
}

/** The vendor's public example server. */
const EXAMPLE_SERVER = 'https://examples.http-client.intellij.net'

type Maker = (call: DynamicCall, directory: string, context: RunContext) => string

const makers: Readonly<Record<string, Maker>> = {
  $projectRoot: (_call, directory) => projectRoot(directory),
  $historyFolder: (_call, directory) => join(projectRoot(directory), '.idea', 'httpRequests'),
  $exampleServer: () => EXAMPLE_SERVER,
  $placeholder: () => {
    throw new RunError('unknown-variable', '{{$placeholder}} is a placeholder for a value that is still missing', {
      hint: 'Replace it with a value or a variable.',
    })
  },
  '$auth.token': (call, _directory, context) => token(call, 'access', context),
  '$auth.idToken': (call, _directory, context) => token(call, 'id', context),
}

export const contextNames: readonly string[] = Object.keys(makers)

/** The value; undefined for an unknown name. @throws HttpcliError */
export function contextValue(expression: string, directory: string, context: RunContext): DynamicValue | undefined {
  if (expression.startsWith('$env.')) return environmentValue(expression.slice('$env.'.length), context)
  const call = parseDynamicCall(expression)
  const maker = call !== undefined && Object.hasOwn(makers, call.name) ? makers[call.name] : undefined
  if (call === undefined || maker === undefined) return undefined
  return { text: maker(call, directory, context), isBare: false }
}

/** In JSON, a text that can be read as a number or a boolean is one: environment variables have no types. */
export function environmentValue(
  name: string,
  { processEnvironment }: Pick<RunContext, 'processEnvironment'>,
): DynamicValue {
  const text = Object.hasOwn(processEnvironment, name) ? processEnvironment[name] : undefined
  if (text === undefined) {
    throw new RunError('unknown-variable', `the environment variable ${JSON.stringify(name)} is not set`, {
      hint: optionHints.processVariable,
    })
  }
  return { text, isBare: isBareJson(text) }
}

/** Whether a text without quotes is a number, a boolean or null in JSON. */
export function isBareJson(text: string): boolean {
  return /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/.test(text)
}

/** The token that an expression names; undefined if it does not name a token. */
export function tokenCall(expression: string): { readonly id: string; readonly kind: 'access' | 'id' } | undefined {
  if (!expression.startsWith('$auth.')) return undefined
  const match = /^\$auth\.(token|idToken)[ \t]*\([ \t]*(?:"([^"]*)"|'([^']*)')[ \t]*\)$/.exec(expression)
  if (match === null) return undefined
  return { id: match[2] ?? match[3] ?? '', kind: match[1] === 'token' ? 'access' : 'id' }
}

function token({ name, arguments: args }: DynamicCall, kind: 'access' | 'id', { tokens }: RunContext): string {
  const [id] = args
  const example = `Write {{${name}("id")}}, the id as written in "Security" of the environment.`
  if (args.length !== 1 || typeof id !== 'string') throw badArgument(name, 'takes the id of an authorization', example)
  if (tokens === undefined) throw new RunError('unknown-variable', `no "Security" found for ${name}`)
  const known = tokens.known(id, kind)
  if (known === undefined) {
    throw notLoaded(`${name}(${JSON.stringify(id)})`, '; write its id as a string, as in $auth.token("id")')
  }
  return known
}

function projectRoot(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git')) || existsSync(join(at, '.idea'))) return at
    if (dirname(at) === at) return directory
  }
}
