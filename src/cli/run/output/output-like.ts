/** Outputs that look like another one, and pass on what is written in their own way. */
import type { Output } from '../../frame/command.ts'

/** What is known of `output` is asked when somebody asks for it. */
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
