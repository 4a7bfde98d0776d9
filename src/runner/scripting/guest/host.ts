/**
 * The way out of the sandbox: one function of the host that takes and returns text.
 *
 * Rules: everything in this folder runs inside the script engine, before and around the user's script, and is passed in
 * as text. It keeps references to the built-ins that it needs when it is loaded, before any script runs, so a script
 * that replaces JSON or gives Object.prototype a `toJSON` affects only its own values. No object of the host ever comes
 * in.
 */
const { parse, stringify } = JSON
const { setPrototypeOf } = Object
const { Error: ErrorClass } = globalThis
const { slice } = String.prototype
const { apply } = Reflect

/**
 * An answer begins with its kind: `v` JSON, `t` plain text, `e` the text of an error. An empty answer means undefined.
 */
export type HostCall = (operation: string, argumentsJson: string) => string

let hostCall: HostCall | undefined

/** Called once, before anything else in this file is used. */
export function connect(call: HostCall): void {
  hostCall = call
}

/** Calls the host. Arguments are plain data. @throws Error if the host refuses. */
export function ask(operation: string, ...args: unknown[]): unknown {
  const answer = (hostCall as HostCall)(operation, stringify(setPrototypeOf(args, null)))
  if (answer === '') return undefined
  const kind = answer[0]
  const rest = apply(slice, answer, [1]) as string
  if (kind === 'v') return parse(rest)
  if (kind === 't') return rest
  throw new ErrorClass(rest)
}
