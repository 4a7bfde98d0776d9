/**
 * Commands of the machine that scripts run: `exec`, `execFile`, `spawn`, `execSync`.
 *
 * Rules: refused unless the user allowed commands. A command is killed at the script's time limit and when the run is
 * interrupted. Output is text, and limited in size.
 */
import { type ExecFileOptions, execFile, spawnSync } from 'node:child_process'
import type { JsonValue } from '../../../http-file/index.ts'
import type { Operations, ScriptLimits } from '../engine/script-engine.ts'

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024

/** Options of a command, from the script. */
interface CommandOptions {
  readonly cwd?: unknown
  readonly env?: unknown
  readonly timeout?: unknown
  readonly input?: unknown
}

/** Whether commands are allowed, and for how long they may run. */
export interface ShellRules {
  readonly allowExec: boolean
  /** Whether commands are refused even if `allowExec` is set. */
  readonly isDryRun?: boolean
  readonly limits: ScriptLimits
}

export const shellOperations: Operations<ShellRules> = {
  'shell-sync': (rules, command: string, options: CommandOptions) => {
    checkAllowed(rules)
    const { limits } = rules
    const { input, ...settings } = settingsOf(options, limits)
    const { status, signal, stdout, stderr, error } = spawnSync(command, { ...settings, input, shell: true })
    if (error !== undefined) throw new Error(`the command ${command} cannot be run: ${error.message}`)
    return { exitCode: status, signal, stdout, stderr }
  },
}

/** @param args the command, its arguments (null if the command is a whole command line), the options */
export async function runCommand(rules: ShellRules, ending: AbortSignal, args: readonly unknown[]): Promise<JsonValue> {
  checkAllowed(rules)
  const { limits } = rules
  const [command, words, options] = args as [string, readonly string[] | null, CommandOptions]
  return run(command, words, { ...settingsOf(options, limits), signal: ending })
}

function checkAllowed({ allowExec, isDryRun }: ShellRules): void {
  if (isDryRun === true) throw new Error('scripts may not run commands while nothing is sent')
  if (!allowExec) throw new Error('scripts may not run commands: allow it with --allow-exec')
}

type Settings = Pick<ExecFileOptions, 'cwd' | 'env' | 'timeout' | 'maxBuffer'> & {
  readonly encoding: 'utf8'
  readonly input: string
}

function settingsOf({ cwd, env, timeout, input }: CommandOptions, { timeoutMs }: ScriptLimits): Settings {
  return {
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, timeoutMs) : timeoutMs,
    input: input === undefined ? '' : String(input),
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof env === 'object' && env !== null ? { env: env as Record<string, string> } : {}),
  }
}

function run(
  command: string,
  words: readonly string[] | null,
  { input, ...settings }: Settings & { readonly signal: AbortSignal },
): Promise<JsonValue> {
  return new Promise((resolve, reject) => {
    const options = { ...settings, shell: words === null }
    const child = execFile(command, words ?? [], options, (error, stdout, stderr) => {
      const code = error?.code ?? 0
      // If the code is a text, it is a system error: the command was never started.
      if (typeof code === 'string') return reject(new Error(`the command ${command} cannot be run: ${code}`))
      resolve({ exitCode: error?.killed === true ? null : code, signal: child.signalCode, stdout, stderr })
    })
    // A program that does not read its input may close it.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
