/**
 * The documents show what really happens: every command, request file and piece of JSON of every page, with the built
 * command and real servers.
 *
 * Rules: a page has a separate directory in which its blocks come to life from top to bottom
 * (helpers/document-workspace.ts). An `http` block is run with the example server in the place of every host; a `text`
 * block after it shows what was sent. Every command ends with exit code 0, or shows another one. `ts` blocks are those
 * of library-docs.test.ts.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Block, type Page, pageAt, pages, projectRoot } from '../helpers/document.ts'
import {
  type DocumentServers,
  DocumentWorkspace,
  startDocumentServers,
  stopDocumentServers,
} from '../helpers/document-workspace.ts'
import type { RecordedRequest } from '../helpers/example-server.ts'
import { protoFile } from '../helpers/grpc-server.ts'
import { comparableLines, isExcerptOf, isShown, stepsOf } from '../helpers/shell-steps.ts'

/** The block of docs/serve-rules.md that shows a file. */
function rulesOf(name: string): string {
  const shownFile = pageAt('docs/serve-rules.md')
    .text.split(/^```.*$/m)
    .find((block) => block.startsWith(`\n# site/${name}\n`))
  if (shownFile === undefined) throw new Error(`docs/serve-rules.md shows no ${name}`)
  return shownFile
}

/** Files that pages describe in words. */
const filesOfPages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/cookbook-send.md': { 'api.mjs': readFileSync(join(projectRoot, 'examples/api.mjs'), 'utf8') },
  'docs/serve.md': {
    'site/notes.txt': 'hello\n',
    'site/report.html': '<p>3</p>\n',
    'site/report.json': '{"total": 3}\n',
    'site/404.html': '<h1>Not here</h1>\n',
    'site/app/index.html': '<h1>App</h1>\n',
    'site/data/values.csv': 'a,b\n',
  },
  'docs/grpc.md': {
    'protos/shop.proto': readFileSync(protoFile('shop.proto'), 'utf8'),
    'protos/types/money.proto': readFileSync(protoFile('types/money.proto'), 'utf8'),
  },
  'docs/serve-rules.md': {
    'site/index.html': '<h1>Start</h1>\n',
    'site/app.js': 'start()\n',
    'site/closed.html': '<h1>Closed</h1>\n',
    'site/private/plan.txt': 'secret plan\n',
    'site/_headers': rulesOf('_headers'),
    'site/_redirects': rulesOf('_redirects'),
  },
}

/** Languages of blocks that show something and cannot be run. */
const shown: ReadonlySet<string> = new Set([
  'text',
  'properties',
  'xml',
  'js',
  'yaml',
  'html',
  'csv',
  'hurl',
  'bru',
  'diff',
])

let servers: DocumentServers

beforeAll(async () => {
  servers = await startDocumentServers()
})

afterAll(() => stopDocumentServers(servers))

async function checkConsole({ text, isExcerpt }: Block, workspace: DocumentWorkspace): Promise<void> {
  for (const { command, output } of stepsOf(text)) {
    const printed = await workspace.perform(command)
    // Where a server is started, what it says need not be shown.
    if (command.startsWith('httpcli serve') && output.length === 0) continue
    const wanted = comparableLines(output.join('\n'))
    const found = (): readonly string[] => comparableLines(`${printed.trimEnd()}\n${workspace.log()}`)
    const isRight = (): boolean => (isExcerpt ? isExcerptOf : isShown)(wanted, found())
    // A server writes its log a moment later than the answer.
    if (!isRight() && command.startsWith('curl')) await vi.waitUntil(isRight, 2_000).catch(() => false)
    if (!isRight()) expect(`$ ${command}\n${found().join('\n')}`).toBe(`$ ${command}\n${wanted.join('\n')}`)
    workspace.forgetLog()
  }
}

/** Fields that are added to every request; run.md shows them. */
const defaults = /^(User-Agent: httpcli\/.*|Accept: \*\/\*|Accept-Encoding: gzip, deflate, br|Connection: .*)$/i

const wholeRequest = ({ line, headers, body }: RecordedRequest): string =>
  `${[line, ...headers.filter((header) => !defaults.test(header))].join('\n')}\n${body === '' ? '' : `\n${body}\n`}`

async function checkRequests({ text }: Block, sent: Block | undefined, workspace: DocumentWorkspace): Promise<void> {
  workspace.write('example.http', text)
  servers.api.takeRequests()
  const environment = text.includes('{{') ? '-e dev' : ''
  const options = `-i -p status --allow-exec --unix-socket ${servers.api.socketPath}`
  const printed = await workspace.perform(`httpcli run example.http ${environment} ${options}`)
  expect(printed).not.toContain('(ended with')
  const requests = servers.api.takeRequests()
  if (sent === undefined) return
  const lines = sent.text.trimEnd().split('\n')
  const isList = lines.every((line) => /^[A-Z]+ \S+ HTTP\/1\.1$/.test(line)) && lines.length > 1
  expect(requests.map(isList ? ({ line }) => `${line}\n` : wholeRequest).join('')).toBe(sent.text)
}

async function check(block: Block, next: Block | undefined, workspace: DocumentWorkspace): Promise<void> {
  if (block.file !== undefined) return workspace.write(block.file, block.text)
  switch (block.language) {
    case 'console':
      return checkConsole(block, workspace)
    case 'sh':
      return expect(await workspace.perform(`set -e\n${block.text}`)).not.toContain('(ended with')
    case 'http':
      return checkRequests(block, next?.language === 'text' && next.file === undefined ? next : undefined, workspace)
    case 'json':
      return void JSON.parse(block.text)
    default:
      expect(shown).toContain(block.language)
  }
}

const isRun = ({ notRun, language }: Block): boolean => notRun === undefined && language !== 'ts'

const examplesOf = ({ blocks }: Page) =>
  blocks.flatMap((block, index) =>
    isRun(block) ? [{ title: `${block.place} ${block.language}`, block, next: blocks[index + 1] }] : [],
  )

describe.each(pages.filter(({ blocks }) => blocks.some(isRun)))('$path', (page) => {
  let workspace: DocumentWorkspace
  beforeAll(() => {
    workspace = new DocumentWorkspace(servers, page.path, filesOfPages[page.path] ?? {})
  })
  afterAll(() => workspace.close())

  it.each(examplesOf(page))('$title', ({ block, next }) => check(block, next, workspace))
})

describe('blocks', () => {
  const marked = pages.flatMap(({ blocks }) => blocks).filter(({ notRun }) => notRun !== undefined)

  it.each(pages)('of $path have a language', ({ text }) => {
    const fences = [...text.matchAll(/^ *```(.*)$/gm)].map(([, info = '']) => info)
    expect(fences.filter((info, index) => index % 2 === 0 && info === '')).toEqual([])
  })

  it('that are not run are few', () => {
    expect(marked.length).toBeLessThan(20)
  })

  it.each(marked.map(({ place, notRun }) => [place, notRun]))(
    'that are not run have a reason: %s',
    (_place, reason) => {
      expect(reason?.length).toBeGreaterThan(10)
    },
  )
})
