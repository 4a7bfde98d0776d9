/**
 * Runs the built command as a user does: in a separate process, with real pipes, sharing nothing with this process.
 *
 * Rules: HTTPCLI_COMMAND names another executable to test (a second distribution); without it `dist/cli/main.cjs` runs
 * on the Node.js that runs the tests. Variables that change the command's behaviour are removed from the environment,
 * and so is NODE_EXTRA_CA_CERTS, which slows every start. The caller stops the processes that it starts. JSON output is
 * checked against its schema.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { checkJsonOutput } from './json-output.ts'

/** The built entry of the command. */
export const builtCommand: string = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url))

/** The directory in which the commands of tests cache compiled code. */
const compiledCodeDirectory: string = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

const cleaned = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NO_COLOR',
  'FORCE_COLOR',
  'HTTP_PROXY',
  'http_proxy',
  'HTTPS_PROXY',
  'https_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
  'GITHUB_ACTIONS',
]

export interface CommandOptions {
  /** Written to standard input, which is then closed. If undefined, standard input is closed immediately. */
  readonly stdin?: string | Uint8Array
  /** Added to the cleaned environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** Limits of the process, as the shell sets them: `ulimit -n 64`. */
  readonly limits?: string
  /** Kills the process (SIGKILL) when aborted. */
  readonly signal?: AbortSignal
}

export interface CommandResult {
  /** Exit code; null if a signal ended the process. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** The environment in which tests run the command. */
export function commandEnvironment(additions: CommandOptions['env'] = {}): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env }
  for (const name of cleaned) delete environment[name]
  // Compiled code is cached beside the build, separate from that of the user's own command.
  environment.XDG_CACHE_HOME = compiledCodeDirectory
  for (const [name, value] of Object.entries(additions)) {
    if (value === undefined) delete environment[name]
    else environment[name] = value
  }
  return environment
}

/** Whether the stand-alone executable is tested instead of the npm package: its runtime differs in a few details. */
export const isStandalone: boolean = (process.env.HTTPCLI_COMMAND ?? '') !== ''

/**
 * Program and first arguments that start the command, for tests that spawn it themselves (in a shell pipe, on a
 * terminal).
 */
export function commandLine(): readonly [program: string, ...words: string[]] {
  const other = process.env.HTTPCLI_COMMAND
  return other === undefined || other === '' ? [process.execPath, builtCommand] : [other]
}

/** Runs the command to its end and collects its output. */
export async function runCommand(words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const child = spawnCommand(words, options)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  endStdin(child, options.stdin)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const result = { code, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }
  checkJsonOutput(words, result, options.cwd)
  return result
}

export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams
  /** The match of the awaited line; its groups contain the port and so on. */
  readonly match: RegExpMatchArray
  /** The output so far. */
  stdout(): string
  stderr(): string
  /** Sends the signal and waits for the end. May be called again after the end. */
  stop(signal?: NodeJS.Signals): Promise<CommandResult>
}

/**
 * Starts a command that does not end by itself and waits for a matching line on stdout. Rejects with all output if the
 * command ends first.
 */
export async function startCommand(
  words: readonly string[],
  line: RegExp,
  options: CommandOptions = {},
): Promise<RunningCommand> {
  const child = spawnCommand(words, options)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString()
  endStdin(child, options.stdin)
  const closed = once(child, 'close').then(([code, signal]): CommandResult => {
    return { code, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }
  })
  const match = await new Promise<RegExpMatchArray>((resolve, reject) => {
    child.stdout.on('data', () => {
      const complete = text(stdout).split('\n').slice(0, -1)
      const found = complete.map((candidate) => candidate.match(line)).find((result) => result !== null)
      if (found) resolve(found)
    })
    closed.then(({ code }) => {
      reject(new Error(`the command ended with ${code} before ${line} appeared:\n${text(stdout)}${text(stderr)}`))
    }, reject)
  })
  return {
    child,
    match,
    stdout: () => text(stdout),
    stderr: () => text(stderr),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return closed
    },
  }
}

function spawnCommand(words: readonly string[], options: CommandOptions): ChildProcessWithoutNullStreams {
  const line = [...commandLine(), ...words]
  const [program, ...rest] =
    options.limits === undefined ? line : ['sh', '-c', `${options.limits}; exec "$@"`, 'sh', ...line]
  return spawn(program!, rest, {
    cwd: options.cwd,
    env: commandEnvironment(options.env),
    signal: options.signal,
    killSignal: 'SIGKILL',
    stdio: 'pipe',
  })
}

function collect(stream: NodeJS.ReadableStream): Buffer[] {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return chunks
}

function endStdin(child: ChildProcessWithoutNullStreams, stdin: string | Uint8Array | undefined): void {
  // A command that ends without reading its input closes the pipe, which is allowed and not a failure of the test.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') child.emit('error', error)
  })
  child.stdin.end(stdin)
}
