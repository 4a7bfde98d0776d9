/**
 * The arguments of a command: the URI of a document, a line, and an object with options.
 *
 * Rules: each argument is recognised by its type, and null is skipped, so that a command without a line may have
 * options. Lines count from 0, as everywhere in the protocol. A wrong argument is answered by an error that names it.
 */
import { ErrorCodes, ResponseError } from 'vscode-languageserver-protocol'

export interface CommandOptions {
  /** null: no environment, even if one is chosen. */
  readonly environment?: string | null
  /** These override all other variables. */
  readonly variables?: ReadonlyMap<string, string>
  /** For `httpcli.copyAsCurl`: variables become shell variables. */
  readonly keepsVariables?: boolean
}

export interface CommandArguments extends CommandOptions {
  /** The URI of the document. */
  readonly uri?: string
  readonly line?: number
}

/** @throws ResponseError */
export function readArguments(given: readonly unknown[] = []): CommandArguments {
  return Object.assign({}, ...given.map(readArgument))
}

function readArgument(given: unknown): CommandArguments {
  if (given === null || given === undefined) return {}
  if (typeof given === 'string') return { uri: given }
  if (typeof given === 'number') {
    if (!Number.isInteger(given) || given < 0) throw wrong('the line', 'a number from 0')
    return { line: given }
  }
  if (typeof given === 'object' && !Array.isArray(given)) return readOptions(given as Record<string, unknown>)
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

function readVariables(given: unknown): ReadonlyMap<string, string> {
  const pairs = typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.entries(given) : undefined
  if (pairs?.every((pair): pair is [string, string] => typeof pair[1] === 'string') !== true) {
    throw wrong('"variables"', 'an object of texts such as { "name": "value" }')
  }
  return new Map(pairs)
}

function wrong(what: string, expected: string): ResponseError<void> {
  return new ResponseError(ErrorCodes.InvalidParams, `${what} of the command is wrong: expected ${expected}`)
}
