/** Outputs with the properties of another one and a different way of writing. */
import type { Output } from '../../frame/command.ts'

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
