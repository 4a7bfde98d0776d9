/**
 * The context of a command with the outputs of one job, whose text may be held until its turn.
 *
 * Rules: earlier standard output is flushed before standard error is written.
 */
import type { CommandContext, Output } from '../../frame/command.ts'
import type { RunValues } from '../../options/run.ts'
import { LineOutput } from './line-output.ts'
import { outputLike, withOutputs } from './output-like.ts'

export interface JobOutputs {
  readonly stdout: Output
  readonly stderr: Output
}

export interface JobContext extends CommandContext<RunValues> {
  readonly stdout: LineOutput
}

export function jobContext(context: CommandContext<RunValues>, outputs: JobOutputs): JobContext {
  const stdout = new LineOutput(outputs.stdout)
  const stderr = outputLike(outputs.stderr, async (data) => {
    await stdout.flush()
    await outputs.stderr.write(data)
  })
  return withOutputs(context, stdout, stderr)
}
