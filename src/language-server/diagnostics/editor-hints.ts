/** Hints as an editor shows them: with what can be done there, in place of options of the command. */
import { sentence } from '../../report/index.ts'
import { optionHints } from '../../runner/index.ts'

const editorHints: Readonly<Record<keyof typeof optionHints, string>> = {
  chosenEnvironment: 'Choose an environment in the editor, or define it above the request: @name = value.',
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

const hintsByText: ReadonlyMap<string, string> = new Map(
  (Object.keys(optionHints) as (keyof typeof optionHints)[]).map((name) => [optionHints[name], editorHints[name]]),
)

/** The hint as a sentence. */
export function editorHint(hint: string): string {
  const text = sentence(hint)
  return hintsByText.get(text) ?? text
}
