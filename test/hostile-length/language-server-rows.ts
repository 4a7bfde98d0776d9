/** Texts at the cursor of an editor. */
import { suggestionsAt } from '../../src/language-server/completion/completion.ts'
import { fixesOf } from '../../src/language-server/fixes/fix-table.ts'
import { hoverAt } from '../../src/language-server/hover/hover.ts'
import { signatureAt } from '../../src/language-server/hover/signature-help.ts'
import { placeCursor } from '../language-server/at-cursor.ts'
import { repeated } from './hostile-values.ts'
import type { Row } from './row.ts'

async function look(text: string): Promise<void> {
  const { cursor, workspace } = placeCursor(`${text}¦`)
  await suggestionsAt(cursor, workspace)
  hoverAt(cursor, workspace)
  signatureAt(cursor)
}

/** Fixes of a finding that is the text from `offset` on. */
function fix(code: string, text: string, offset: number): void {
  const { cursor, workspace } = placeCursor(`${text}¦`)
  const place = { offset, length: text.length - offset, text: text.slice(offset) }
  fixesOf({ analysis: cursor.analysis, workspace, code, message: '', hint: undefined, ...place })
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
  {
    name: 'completion of a duration',
    call: look,
    prefixes: [],
    also: [repeated('# @timeout 1', '1', '!')],
    maxLength: 1000,
  },
  {
    name: 'the fix of a header below empty lines',
    call: (text) => fix('header-in-body', text, text.length),
    prefixes: [],
    also: [repeated('GET http://a/\r\n', '\r\n', 'x\r\n'), repeated('GET http://a/\n', '\n', 'x\n')],
    // It was exponential.
    maxLength: 48,
  },
  {
    name: 'the fix of an unknown variable',
    call: (text) => fix('unknown-variable', text, 0),
    prefixes: ['{{', '{{a'],
  },
]
