/**
 * The script interface of another tool: what its scripts call, and what the same is in scripts of request files.
 */

export interface Renamed {
  /** As written, without blanks; a call where it ends with a bracket. */
  readonly from: string
  /** `$0`, `$1` are the arguments of a call, `$*` all of them. Empty without equivalent: the statement is a loss. */
  readonly to: string
}

export interface ScriptDialect {
  /** Where one begins with another, the longer one counts. */
  readonly renamed: readonly Renamed[]
  /** Names without equivalent: a statement with one of them cannot run. */
  readonly unknownNames: ReadonlySet<string>
  /** The function that a test is given to: `pm.test`. */
  readonly test: string
  /** The function that begins a chain of Chai: `pm.expect`. */
  readonly expect: string
  /** The object that begins a chain about the response: `pm.response`; undefined where there is none. */
  readonly response: string | undefined
  /** Expressions for the time of the response, in milliseconds. */
  readonly responseTime: readonly string[]
}

/** The body of a response as text, whatever its type. */
export const bodyText = "(typeof response.body === 'string' ? response.body : JSON.stringify(response.body))"

/** A variable by name, wherever it is set. `$0` is the name. */
export const readVariable = '(client.global.get($0) ?? request.environment.get($0) ?? client.variables.file.get($0))'

export const consoleNames: readonly Renamed[] = ['log', 'info', 'warn', 'error', 'debug'].map((method) => ({
  from: `console.${method}(`,
  to: 'client.log($*)',
}))
