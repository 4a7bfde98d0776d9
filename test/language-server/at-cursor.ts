/** For tests of completion and hover: a document with a cursor, without a server. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { suggestionsAt } from '../../src/language-server/completion/completion.ts'
import type { Suggestion } from '../../src/language-server/completion/suggestion.ts'
import { type Cursor, cursorAt } from '../../src/language-server/cursor/cursor.ts'
import { Workspace } from '../../src/language-server/workspace/workspace.ts'
import { serverContext } from '../helpers/server-context.ts'

/** The sign for the cursor in a text. */
const CURSOR = '¦'

export interface Scene {
  /** Of the document; by default one that does not exist. */
  readonly directory?: string
  readonly environment?: string
  /** Chosen by a command, after the setting. */
  readonly chosen?: string
  readonly processEnvironment?: Readonly<Record<string, string>>
}

export interface PlacedCursor {
  readonly cursor: Cursor
  readonly workspace: Workspace
}

export function placeCursor(marked: string, scene: Scene = {}): PlacedCursor {
  const { directory = '/nowhere', environment, chosen, processEnvironment = {} } = scene
  const offset = marked.indexOf(CURSOR)
  const uri = pathToFileURL(join(directory, 'test.http')).href
  const document = TextDocument.create(uri, 'http', 1, marked.replace(CURSOR, ''))
  const documents = { get: (wanted: string) => (wanted === uri ? document : undefined), all: () => [document] }
  const workspace = new Workspace(documents, serverContext(directory, processEnvironment))
  workspace.folders = [directory]
  workspace.settings = { ...workspace.settings, environment }
  const analysis = workspace.analysis(uri)!
  if (chosen !== undefined) workspace.chooseEnvironment(chosen, analysis.path)
  return { cursor: cursorAt(analysis, analysis.lines.positionAt(offset)), workspace }
}

export async function suggestedAt(marked: string, scene?: Scene): Promise<readonly Suggestion[]> {
  const { cursor, workspace } = placeCursor(marked, scene)
  return (await suggestionsAt(cursor, workspace))?.list ?? []
}

export async function labelsAt(marked: string, scene?: Scene): Promise<readonly string[]> {
  return (await suggestedAt(marked, scene)).map(({ label }) => label)
}

/** The text after the suggestion of that label was taken. */
export async function completed(marked: string, label: string, scene?: Scene): Promise<string> {
  const { cursor, workspace } = placeCursor(marked, scene)
  const found = await suggestionsAt(cursor, workspace)
  const suggestion = found?.list.find((each) => each.label === label)
  if (found === undefined || suggestion === undefined) {
    throw new Error(`${label} is not among ${found?.list.map((each) => each.label).join(', ')}`)
  }
  const { text, lines } = cursor.analysis
  const start = lines.offsetAt(found.range.start)
  return text.slice(0, start) + (suggestion.insert ?? label) + text.slice(lines.offsetAt(found.range.end))
}
