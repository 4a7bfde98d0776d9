/** Prints a failure on standard error for a command that continues, or has more failures to report. */
import type { RequestIdentity } from '../../runner/index.ts'
import type { CommandContext, Output } from '../frame/command.ts'
import type { ExitCode } from '../frame/exit-codes.ts'
import type { CommandSpecification } from '../options/specification.ts'
import { OutputClosedError } from '../streams/output.ts'

export type FailedRequest = Pick<RequestIdentity, 'file' | 'line' | 'name' | 'method' | 'target'>

function subjectOf({ file, line, name, method, target }: FailedRequest): string {
  return `${file}:${line}: ${name === '' ? `${method} ${target}` : name}: `
}

/**
 * @param command the sub-command that failed
 * @param request which request failed, for errors without a position
 * @returns the exit code for this failure
 */
export async function printFailure(
  { arguments: args, stderr }: CommandContext,
  error: unknown,
  command: CommandSpecification,
  request?: FailedRequest,
): Promise<ExitCode> {
  const { describeFailure } = await import('./failure.ts')
  const { text, exitCode } = describeFailure(error, {
    program: `httpcli ${command.name}`,
    isDebug: args.has('debug'),
    colors: stderr.colors,
    command,
    subject: request === undefined ? undefined : subjectOf(request),
  })
  await writeFailureText(stderr, text)
  return exitCode
}

/** If the reader of stderr is gone, the text is lost, but not the failure. */
export function writeFailureText(stderr: Output, text: string): Promise<void> {
  return stderr.write(text).catch((closed: unknown) => {
    if (!(closed instanceof OutputClosedError)) throw closed
  })
}
