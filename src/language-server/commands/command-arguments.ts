/**
 * The arguments of a command: the URI of a document, a line, and an object with options.
 *
 * Rules: each argument is recognised by its type, and null is skipped, so that a command without a line may have
 * options. Lines count from 0, as everywhere in the protocol. An invalid argument is answered by an error that names
 * it.
 */
import { ErrorCodes, ResponseError } from 'vscode-languageserver-protocol'

export interface CommandOptions {
  /** null for no environment, even if one is chosen. */
  readonly environment?: string | null
  /** These override all other variables. */
  readonly variables?: ReadonlyMap<string, string>
  /** For `httpcli.copyAsCurl`: variables become shell variables. */
  readonly keepsVariables?: boolean
}

export interface CommandArguments extends CommandOptions {
  readonly uri?: string
  readonly line?: number
}

/** @throws ResponseError */
export function readArguments(args: readonly unknown[] = []): CommandArguments {
  return Object.assign({}, ...args.map(readArgument))
}

function readArgument(args: unknown): CommandArguments {
  if (args === null || args === undefined) return {}
  if (typeof args === 'string') return { uri: args }
  if (typeof args === 'number') {
    if (!Number.isInteger(args) || args < 0) throw wrong('the line', 'a number from 0')
    return { line: args }
  }
  if (typeof args === 'object' && !Array.isArray(args)) return readOptions(args as Record<string, unknown>)
  throw wrong('an argument', 'the URI of a document, a line, or an object with options')
}

function readOptions({ environment, variables, keepsVariables }: Readonly<Record<string, unknown>>): CommandOptions {
  if (environment !== undefined && environment !== null && typeof environment !== 'string') {
    throw wrong('"environment"', 'the name of an environment, or null')
  }
  if (keepsVariables !== undefined && typeof keepsVariables !== 'boolean') {
    throw wrong('"keepsVariables"', 'true or false')
  }
  return {
    ...(environment === undefined ? {} : { environment }),
    ...(variables === undefined ? {} : { variables: readVariables(variables) }),
    ...(keepsVariables === undefined ? {} : { keepsVariables }),
  }
}

function readVariables(args: unknown): ReadonlyMap<string, string> {
  const pairs = typeof args === 'object' && args !== null && !Array.isArray(args) ? Object.entries(args) : undefined
  if (pairs?.every((pair): pair is [string, string] => typeof pair[1] === 'string') !== true) {
    throw wrong('"variables"', 'an object of strings such as { "name": "value" }')
  }
  return new Map(pairs)
}

function wrong(what: string, expected: string): ResponseError<void> {
  return new ResponseError(ErrorCodes.InvalidParams, `${what} of the command is wrong: expected ${expected}`)
}
