/**
 * Reads a password from somewhere other than the command line, where every user of the machine could see it.
 *
 * Rules: `@file` is the first line of a file, `env:NAME` is an environment variable, and any other text is the password
 * itself. No error ever shows a password.
 */
import { resolve } from 'node:path'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'

/** @throws UsageError if the variable is not set; errors of the file system, which name the file. */
export async function readSecret(
  text: string,
  { environment, workingDirectory }: Pick<CommandContext, 'environment' | 'workingDirectory'>,
): Promise<string> {
  if (text.startsWith('@')) return firstLineOf(resolve(workingDirectory, text.slice(1)))
  if (!text.startsWith('env:')) return text
  const name = text.slice('env:'.length)
  const value = environment[name]
  if (value !== undefined) return value
  throw new UsageError(`the environment variable ${JSON.stringify(name)} is not set`, { hint: 'Set and export it' })
}

async function firstLineOf(file: string): Promise<string> {
  // Loaded on demand, because it takes a millisecond.
  const { fileBytes } = await import('../../message-node/index.ts')
  let content: string
  try {
    content = Buffer.from(await fileBytes(file)).toString()
  } catch (error) {
    // A directory can be opened but not read; the system's error then has no path.
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
  return content.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? ''
}
