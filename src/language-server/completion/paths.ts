/**
 * Completion of paths: `< file`, `> script.js`, `>> file`, `import file`, `run file` and `run #name`.
 *
 * Rules: entries of one directory are offered at a time, hidden entries only after a dot was typed.
 */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import type { Cursor } from '../cursor/cursor.ts'
import { typedToken } from '../cursor/token.ts'
import { entriesOf } from '../variables/file-paths.ts'
import { namedRequests } from '../variables/request-names.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Suggestion, Suggestions } from './suggestion.ts'

type FileKind = 'request-file' | 'script' | 'proto' | 'directory' | 'any'

const patterns: Readonly<Record<FileKind, RegExp>> = {
  'request-file': /\.(?:http|rest)$/i,
  script: /\.[cm]?js$/i,
  proto: /\.proto$/i,
  directory: /(?!)/,
  any: /(?:)/,
}

/** `< path`, `<@latin1 path`, `> path`, `>> path`, `>>! path`, `<> path`. */
const pathLine = /^[ \t\f]*(<>|>>!?|<@[\w.-]*|<|>)[ \t\f]+([^{}%]*)$/

/** Undefined unless the cursor is after the marker of such a line. */
export function pathLineSuggestions(cursor: Cursor, workspace: Workspace): Suggestions | undefined {
  const [, sign = '', written = ''] = pathLine.exec(cursor.before) ?? []
  if (sign === '') return undefined
  const isScript = sign === '>' || (sign === '<' && cursor.zone === 'start')
  return pathSuggestions(cursor, written, isScript ? 'script' : 'any', workspace)
}

/** Undefined unless the cursor is after `import` or `run`. */
export function directiveSuggestions(cursor: Cursor, workspace: Workspace): Suggestions | undefined {
  const match = /^[ \t\f]*(import|run)[ \t\f]+(.*)$/.exec(cursor.before)
  if (match === null || cursor.zone !== 'start') return undefined
  const [, directive, written = ''] = match
  if (directive === 'import' || !/^(?:#|$)/.test(written)) {
    return pathSuggestions(cursor, written, 'request-file', workspace)
  }
  const names = requestNames(cursor, workspace)
  if (written === '') {
    const files = pathSuggestions(cursor, '', 'request-file', workspace)
    return { range: files.range, list: [...names, ...files.list] }
  }
  return { range: typedToken(cursor, /#[^(]*$/, /^[^\s(]*/).range, list: names }
}

function requestNames({ analysis, section }: Cursor, workspace: Workspace): readonly Suggestion[] {
  return namedRequests(analysis, workspace)
    .filter((each) => each.section !== section)
    .map(({ name, analysis: file }) => ({
      label: `#${name}`,
      kind: CompletionItemKind.Reference,
      ...(file === analysis ? {} : { detail: file.path }),
    }))
}

/** @param written the path up to the cursor */
export function pathSuggestions(cursor: Cursor, written: string, kind: FileKind, workspace: Workspace): Suggestions {
  const name = written.slice(written.lastIndexOf('/') + 1)
  const isWanted = patterns[kind]
  const { range } = typedToken(cursor, name === '' ? /$/ : /[^/\s]*$/, /^[^/\s]*/)
  const list = entriesOf(written.slice(0, written.length - name.length), cursor.analysis, workspace)
    .filter((entry) => entry.isDirectory || isWanted.test(entry.name))
    .filter((entry) => !entry.name.startsWith('.') || name.startsWith('.'))
    .map((entry): Suggestion => {
      const { Folder, File } = CompletionItemKind
      const label = entry.isDirectory ? `${entry.name}/` : entry.name
      return { label, kind: entry.isDirectory ? Folder : File }
    })
  return { range, list }
}
