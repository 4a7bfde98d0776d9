/**
 * Asks for values on the terminal, for `# @prompt`.
 *
 * Rules: the question goes to stderr, so that stdout has only the requested output. A secret is not echoed. The end of
 * the input and Ctrl-C mean no answer.
 */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Prompt } from '../../runner/index.ts'
import type { CommandContext } from '../frame/command.ts'

/** Undefined if the user gives no answer. */
export async function askOnTerminal(
  { stdin, stderr, signal }: CommandContext,
  { question, isSecret }: Prompt,
): Promise<string | undefined> {
  await stderr.write(`${question}: `)
  // Replaces the terminal as the output, because the terminal would echo each key.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output, terminal: isSecret, signal })
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => resolve(undefined))
    lines.once('close', () => resolve(undefined))
  })
  lines.close()
  if (isSecret || answer === undefined) await stderr.write('\n')
  return answer
}
