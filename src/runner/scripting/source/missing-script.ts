/** The problem of a script whose file does not exist. */
import type { ScriptNode } from '../../../http-file/index.ts'
import type { Problem } from '../../base/errors.ts'

/** A handler `> file` looks like `>> file`, which saves the response. */
export function missingScript(phase: ScriptNode['phase'], name: string): Problem {
  const isScript = phase !== 'handler' || /\.[cm]?js$/i.test(name)
  return {
    code: 'unreadable-file',
    message: `the script ${name} does not exist`,
    hint: isScript ? 'Check the path.' : `Write ">> ${name}" to save the response in a file.`,
  }
}
