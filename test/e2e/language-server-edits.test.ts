/**
 * Request files opened in the server, edited at random, formatted, restored and closed: the server stays up, and in the
 * end it finds in each file what check finds.
 *
 * Rules: the files are those of this directory's neighbours; REQUEST_FILES names another directory, EDITS_PER_FILE how
 * often each is edited. The edits follow from a fixed seed.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Range, TextEdit } from 'vscode-languageserver-protocol'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { runCommand } from '../helpers/command.ts'
import { LanguageClient } from '../helpers/language-client.ts'

const source = process.env.REQUEST_FILES ?? fileURLToPath(new URL('../mistakes', import.meta.url))
const editsPerFile = Number(process.env.EDITS_PER_FILE ?? 4)
/** What people type, and what breaks files. */
const pieces = [
  ...[
    '\n',
    '\r\n',
    '\r',
    ' ',
    '{{',
    '}}',
    '{%',
    '%}',
    '###',
    '### x\n',
    'GET http://localhost/\n',
    '# @name x\n',
    '@a = b\n',
  ],
  ...[
    '< a.json\n',
    '> {% client.test( %}\n',
    'X-A: b\n',
    '"',
    '\u0000',
    '\u{1f600}',
    '\ud800',
    '\ufeff',
    '$',
    'run #x\n',
    '<',
  ],
]

let client: LanguageClient
let directory: string

/** A small generator of numbers below 1, from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 0x1_0000_0000
  }
}

const random = randomFrom(20)
const below = (count: number): number => Math.floor(random() * count)

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'httpcli-edits-'))
  cpSync(source, directory, { recursive: true })
  client = await LanguageClient.start({ folders: [pathToFileURL(directory).href], limitMs: 120_000 })
})

afterAll(async () => {
  expect(await client.stop()).toBe(0)
  expect(client.errors).toBe('')
  rmSync(directory, { recursive: true, force: true })
})

function requestFiles(): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.(?:http|rest)$/.test(name) && isText(join(directory, name))).toSorted()
}

/** An editor opens text as text: what is not UTF-8 reaches the server in another form than check reads. */
function isText(path: string): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
    return true
  } catch {
    return false
  }
}

function randomEdit(document: TextDocument): TextEdit {
  const length = document.getText().length
  const from = below(length + 1)
  const to = random() < 0.6 ? from : Math.min(length, from + below(40))
  const range: Range = { start: document.positionAt(from), end: document.positionAt(to) }
  return { range, newText: random() < 0.3 ? '' : (pieces[below(pieces.length)] as string) }
}

async function editAtRandom(uri: string, text: string): Promise<void> {
  const document = TextDocument.create(uri, 'http', 1, text)
  for (let count = 1; count <= editsPerFile; count++) {
    const { range, newText } = randomEdit(document)
    TextDocument.update(document, [{ range, text: newText }], count + 1)
    await client.change(uri, { range, text: newText })
    await client.connection.sendRequest('textDocument/formatting', {
      textDocument: { uri },
      options: { tabSize: 2, insertSpaces: true },
    })
  }
  // Changes apply to the same text on both sides: the diagnostics of the whole text can be compared below.
  await client.change(uri, { text })
}

interface Found {
  readonly file: string
  readonly errors: readonly { readonly code: string; readonly file?: string; readonly line?: number }[]
}

it('survives edits, and reports what check reports', { timeout: 600_000 }, async () => {
  const names = requestFiles()
  expect(names.length).toBeGreaterThan(50)
  const { stdout } = await runCommand(['check', '--json', ...names], { cwd: directory })
  const checked = new Map(
    stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Found)
      .map((found) => [found.file, found.errors]),
  )
  for (const name of names) {
    const path = join(directory, name)
    const uri = pathToFileURL(path).href
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(path))
    await client.open(uri, text)
    await editAtRandom(uri, text)
    const here = (checked.get(name) ?? []).filter(({ file }) => file === undefined || file === name)
    const wanted = here.map(({ code, line = 1 }) => `${line} ${code}`).toSorted()
    await client.diagnostics(uri, (all) => {
      const errors = all.filter(({ severity, relatedInformation }) => severity === 1 && !relatedInformation)
      const found = errors.map(({ code, range }) => `${range.start.line + 1} ${String(code)}`).toSorted()
      return JSON.stringify(found) === JSON.stringify(wanted)
    })
    await client.close(uri)
  }
})
