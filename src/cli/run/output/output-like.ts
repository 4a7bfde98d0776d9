/** Outputs that copy the properties of another output but write differently, and contexts that use them. */
import type { CommandContext, Output } from '../../frame/command.ts'

/** Properties of `output` are read lazily. */
export function outputLike(output: Output, write: Output['write']): Output {
  return {
    get isTerminal() {
      return output.isTerminal
    },
    get columns() {
      return output.columns
    },
    get colors() {
      return output.colors
    },
    write,
  }
}

/** The same context with other outputs. Lazy properties stay lazy. */
export function withOutputs<Values, Stdout extends Output>(
  context: CommandContext<Values>,
  stdout: Stdout,
  stderr: Output,
): CommandContext<Values> & { readonly stdout: Stdout } {
  const { arguments: args, environment, workingDirectory, openFileLimit } = context
  return {
    arguments: args,
    get stdin() {
      return context.stdin
    },
    stdout,
    stderr,
    environment,
    workingDirectory,
    get signal() {
      return context.signal
    },
    ...(openFileLimit === undefined ? {} : { openFileLimit }),
  }
}
