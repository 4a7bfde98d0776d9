/** Third-party servers and proxies, started for a test. A test is skipped if its program is not installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { commandEnvironment } from './command.ts'

export function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** The program ends with the test. */
export function startProgram(program: string, words: readonly string[], cwd: string): ChildProcess {
  const child = spawn(program, words, { cwd, stdio: 'ignore', env: commandEnvironment() })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'close')
  })
  return child
}

/** Waits until connections are accepted on the port or Unix domain socket; fails if the server ends first. */
export async function accepting(place: number | string, server: ChildProcess): Promise<void> {
  const target = typeof place === 'number' ? { port: place, host: '127.0.0.1' } : { path: place }
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`)
    const socket = connect(target)
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
