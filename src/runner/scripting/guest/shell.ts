/**
 * `exec`, `execFile`, `spawn` and `execSync`: run commands on this machine, if the user allowed them.
 *
 * Rules: the host refuses commands that are not allowed. Results have `exitCode`, `stdout` and `stderr`; `execSync`
 * returns the standard output alone and throws if the command fails. A callback receives error, stdout, stderr, as in
 * Node.js.
 */
import { ask } from './host.ts'
import { lazyGlobal } from './libraries.ts'
import { askLater } from './timers.ts'

const { Error: ErrorClass } = globalThis

interface CommandResult {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

type Callback = (error: Error | null, stdout: string, stderr: string) => unknown

function failureOf(result: CommandResult, command: string): Error | null {
  if (result.exitCode === 0) return null
  const how = result.exitCode === null ? `was terminated by ${result.signal}` : `ended with ${result.exitCode}`
  const error = new ErrorClass(
    `the command ${command} ${how}${result.stderr === '' ? '' : `: ${result.stderr.trim()}`}`,
  )
  return Object.assign(error, result)
}

async function run(command: string, words: readonly string[] | null, rest: readonly unknown[]): Promise<CommandResult> {
  const options = rest.find((each) => typeof each === 'object' && each !== null) ?? {}
  const callback = rest.find((each) => typeof each === 'function') as Callback | undefined
  const result = (await askLater('shell', command, words, options)) as CommandResult
  if (callback !== undefined) await callback(failureOf(result, command), result.stdout, result.stderr)
  return result
}

const listOf = (words: unknown): string[] => (Array.isArray(words) ? words.map(String) : [])

function execFile(command: unknown, words?: unknown, ...rest: unknown[]): Promise<CommandResult> {
  return run(String(command), listOf(words), Array.isArray(words) ? rest : [words, ...rest])
}

function execSync(command: unknown, options?: unknown): string {
  const result = ask('shell-sync', String(command), options ?? {}) as CommandResult
  const error = failureOf(result, String(command))
  if (error !== null) throw error
  return result.stdout
}

/** The names are always defined, so that the error says what is not allowed. */
export function defineShellNames(): void {
  lazyGlobal(
    'exec',
    () =>
      (command: unknown, ...rest: unknown[]) =>
        run(String(command), null, rest),
  )
  lazyGlobal('execFile', () => execFile)
  lazyGlobal('spawn', () => execFile)
  lazyGlobal('execSync', () => execSync)
}
