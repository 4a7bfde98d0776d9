/**
 * Runs a shell command on a pseudo terminal, created by script(1), for behaviour that tools have only on a terminal.
 *
 * Rules: standard input, output and error of the command are one terminal; its lines end in CR LF. A test waits for
 * output, never for time.
 */
import { spawn, spawnSync } from 'node:child_process'
import { commandEnvironment } from './command.ts'

/** Whether this machine has script(1) with the options of util-linux. */
export const hasTerminals: boolean = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

export interface TerminalSession {
  /** The output so far. */
  readonly shown: string
  /** Resolves when the output matches; rejects if the command ends first. */
  waitFor(pattern: RegExp): Promise<void>
  /** Types these characters; \x03 is Ctrl-C. */
  press(keys: string): void
  /** The exit code of the command. */
  readonly exited: Promise<number>
}

export function openTerminal(
  command: string,
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): TerminalSession {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: options.cwd,
    env: commandEnvironment({ TERM: 'xterm', ...options.env }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  const waiting = new Set<() => void>()
  child.stdout.on('data', (bytes: Buffer) => {
    shown += bytes.toString()
    for (const check of waiting) check()
  })
  const exited = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  return {
    get shown() {
      return shown
    },
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!pattern.test(shown)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
        void exited.then(() => reject(new Error(`the command ended without ${pattern}: ${shown}`)))
      }),
    press: (keys) => void child.stdin.write(keys),
    exited,
  }
}
