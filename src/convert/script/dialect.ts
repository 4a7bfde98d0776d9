/** The script interface of another tool: its calls, and their equivalents in scripts of request files. */

export interface Renamed {
  /** As written, without blanks; a call if it ends with a bracket. */
  readonly from: string
  /** `$0`, `$1` are the arguments of a call, `$*` all of them. Empty without an equivalent: the statement is a loss. */
  readonly to: string
  /** Whether the first argument is the name of a variable, which request files may write differently. */
  readonly takesName?: boolean
}

export interface ScriptDialect {
  /** If one begins with another, the longer one counts. */
  readonly renamed: readonly Renamed[]
  /** Names without equivalent: a statement with one of them cannot run. */
  readonly unknownNames: ReadonlySet<string>
  /** The function that a test is passed to: `pm.test`. */
  readonly test: string
  /** The function that begins a Chai chain: `pm.expect`. */
  readonly expect: string
  /** The object that begins a chain about the response, if there is one: `pm.response`. */
  readonly response: string | undefined
  /** The object with the headers of the response by name, if there is one: `responseHeaders`. */
  readonly headers: string | undefined
  /** The function that replaces the variables of a text: `pm.variables.replaceIn`. */
  readonly replaceIn: string
  /** Expressions for the response time, in milliseconds. */
  readonly responseTime: readonly string[]
}

/** The body of a response as text, for every media type. */
export const bodyText = 'response.text()'

/** The value of a response with JSON, whatever its media type says; an error for any other body. */
export const bodyJson: string = `JSON.parse(${bodyText})`

/** The same, but the text for any other body. A helper of the script (script-helpers.ts). */
export const bodyValue = 'bodyValue'

/** A variable by name, from any scope; undefined if there is none. `$0` is the name. */
export const readVariable =
  '(client.global.get($0) ?? request.environment.get($0) ?? client.variables.file.get($0) ?? undefined)'

export const consoleNames: readonly Renamed[] = ['log', 'info', 'warn', 'error', 'debug'].map((method) => ({
  from: `console.${method}(`,
  to: 'client.log($*)',
}))
