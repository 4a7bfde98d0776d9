/**
 * Runs `send` and gives its outcome as text, one character for each byte of standard output.
 */
import { type CommandOptions, runCommand } from '../helpers/command.ts'

export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export async function send(words: readonly string[], options?: CommandOptions): Promise<Outcome> {
  const { code, stdout, stderr } = await runCommand(['send', ...words], options)
  return { code, out: stdout.toString('latin1'), err: stderr.toString() }
}

export const responseHead = 'HTTP/1.1 200 OK\r\nx-FIRST: 1\r\nContent-Length: 5\r\nX-Last: 2\r\n\r\n'
export const response: string = `${responseHead}hello`
