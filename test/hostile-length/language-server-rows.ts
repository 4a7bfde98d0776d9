/** Texts at the cursor of an editor. */
import { suggestionsAt } from '../../src/language-server/completion/completion.ts'
import { hoverAt } from '../../src/language-server/hover/hover.ts'
import { signatureAt } from '../../src/language-server/hover/signature-help.ts'
import { placeCursor } from '../language-server/at-cursor.ts'
import type { Row } from './row.ts'

async function look(text: string): Promise<void> {
  const { cursor, workspace } = placeCursor(`${text}¦`)
  await suggestionsAt(cursor, workspace)
  hoverAt(cursor, workspace)
  signatureAt(cursor)
}

export const languageServerRows: readonly Row[] = [
  {
    name: 'completion and hover at the end of a text',
    call: look,
    prefixes: [
      '',
      'GET http://h/{{',
      'GET http://h/\nAccept: ',
      '# @assert header ',
      'GET h\n\n',
      'GET h\n\n> {% client.test(',
    ],
  },
]
