/** Chooses the program that executes a command line: `send` and `run`, which are started most often, have their own. */
import { isRequestLine } from '../frame/request-words.ts'

export type ProgramName = 'command' | 'send' | 'run'

/** The program of each sub-command that has its own program. */
const programs: ReadonlyMap<string | undefined, ProgramName> = new Map([
  ['send', 'send'],
  ['run', 'run'],
  ['check', 'run'],
  ['lsp', 'run'],
])

/** @param isFile whether a name is an existing file, which is never taken for a host */
export function programFor(words: readonly string[], isFile: (name: string) => boolean): ProgramName {
  const [first] = words
  const named = programs.get(first) ?? programs.get(first?.toLowerCase())
  return named ?? (isRequestLine(words, isFile) ? 'send' : 'command')
}
