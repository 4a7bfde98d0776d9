/** A failure told on standard error by a command that goes on, or has others to tell. */
import type { CommandContext } from '../frame/command.ts'
import type { ExitCode } from '../frame/exit-codes.ts'
import type { CommandSpecification } from '../options/specification.ts'

/**
 * @param command the sub-command that failed
 * @returns what the command would end with because of it
 */
export async function printFailure(
  { arguments: given, stderr }: CommandContext,
  error: unknown,
  command: CommandSpecification,
): Promise<ExitCode> {
  const { describeFailure } = await import('./failure.ts')
  const { text, exitCode } = describeFailure(error, {
    program: `httpcli ${command.name}`,
    debug: given.has('debug'),
    colors: stderr.colors,
    command,
  })
  await stderr.write(text)
  return exitCode
}
