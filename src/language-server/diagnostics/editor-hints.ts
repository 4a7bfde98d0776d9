/** Hints as an editor shows them: with what can be done there, in place of options of the command. */
import { sentence } from '../../report/index.ts'
import { optionHints } from '../../runner/index.ts'

const editorHints: Readonly<Record<keyof typeof optionHints, string>> = {
  chosenEnvironment: 'Choose an environment in the editor, or define it above the request: @name = value.',
  definingEnvironment: 'Choose an environment that has it in the editor:',
  authSettings:
    'Describe it in the environment file: "Security": { "Auth": { … } }, and choose the environment in the editor.',
  nullValue: 'Give it a value.',
  processVariable: 'Set it for the process that starts the editor.',
  outsideFileRoot: 'Move it below the file root; only httpcli run can reach other files, with --file-root <dir>.',
  noFileRoot: 'Open a folder that holds both files and is not the home directory.',
  protectedFile: 'Choose another file.',
  untrustedRepository: 'Change its owner or permissions.',
  untrustedEnvironment: 'Change its owner or permissions.',
}

const hintNames = Object.keys(optionHints) as (keyof typeof optionHints)[]

/** The hint as a sentence. Names may follow it. */
export function editorHint(hint: string): string {
  const text = sentence(hint)
  const name = hintNames.find((each) => text.startsWith(optionHints[each]))
  return name === undefined ? text : editorHints[name] + text.slice(optionHints[name].length)
}
