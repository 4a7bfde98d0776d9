/**
 * The pages of docs/api, as text: the exports of the message library from `import 'httpcli'`.
 *
 * Rules: there is a page for each file of the library, in the order in which a reader encounters them; each exported
 * name has a heading, with its doc comment, its examples as code, and its members in a table or one by one. Names on
 * other pages are links.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Declaration, type Member, readDeclarations } from './declarations.ts'

interface Page {
  /** Path of the file in dist/lib, without extension. */
  readonly file: string
  readonly title: string
}

/**
 * Pages in the order in which they are best read. A file that exports a public name and is missing here is an error.
 */
const pages: readonly Page[] = [
  { file: 'message/parser', title: 'Reading messages' },
  { file: 'message/messages/constructors', title: 'Constructors of messages' },
  { file: 'message/messages/request', title: 'Requests' },
  { file: 'message/messages/response', title: 'Responses' },
  { file: 'message/head/headers', title: 'Header lists' },
  { file: 'message/body/message-body', title: 'Bodies to send' },
  { file: 'message-node/file-body', title: 'Bodies from files' },
  { file: 'message/body/body-init', title: 'What may be a body' },
  { file: 'message/body/octet-source', title: 'Sources of bytes' },
  { file: 'message/body/received-body', title: 'Bodies that were read' },
  { file: 'message/body/chunk-list', title: 'Chunks' },
  { file: 'message/syntax/options-builder', title: 'The builder of options' },
  { file: 'message/syntax/options', title: 'Options of the parser' },
  { file: 'message/syntax/errors', title: 'Errors and repairs' },
  { file: 'message/reading/decoder', title: 'The decoder' },
  { file: 'message/head/events', title: 'Events of the decoder' },
  { file: 'message/connection/connection', title: 'Connections' },
  { file: 'message-node/serve-requests', title: 'Servers for tests' },
  { file: 'message/connection/outgoing', title: 'What a connection sends and reads' },
  { file: 'message/connection/states', title: 'States of a connection' },
  { file: 'message/connection/forwarding', title: 'Heads that a proxy passes on' },
  { file: 'message/head/connection-fields', title: 'Fields about the connection' },
  { file: 'message/connection/violations', title: 'Messages that are wrong on purpose' },
  { file: 'message/connection/protocol-error', title: 'Faults of the program' },
  { file: 'message/head/head', title: 'Heads' },
  { file: 'message/head/description', title: 'Heads and messages in JSON' },
  { file: 'message/head/framing', title: 'Framing' },
  { file: 'message/reading/head-reader', title: 'Roles' },
  { file: 'message/syntax/start-line', title: 'Versions' },
  { file: 'message/syntax/target', title: 'Forms of a target' },
  { file: 'message/syntax/grammar', title: 'Tokens' },
  { file: 'message/body/content-coding', title: 'Content codings' },
  { file: 'message/syntax/reason-phrases', title: 'Reason phrases' },
  { file: 'message/syntax/octets', title: 'Bytes and strings' },
  { file: 'message/body/octet-joiner', title: 'Joining bytes' },
  { file: 'message/syntax/excerpt', title: 'Text for people' },
]

const pageName = (file: string): string => `${file.split('/').at(-1)}.md`

/** Paths of the pages in reading order, without the index. */
export const apiDocuments: readonly string[] = pages.map(({ file }) => `docs/api/${pageName(file)}`)

/** The text of each page by its file name. @throws Error for a public name that is on no page. */
export function apiPages(library: string): ReadonlyMap<string, string> {
  const exported = new Set(exportedNames(library))
  const declared = pages.map((page) => {
    const text = readFileSync(join(library, `${page.file}.d.ts`), 'utf8')
    return { page, declarations: readDeclarations(text).filter(({ name }) => exported.has(name)) }
  })
  const places = new Map(
    declared.flatMap(({ page, declarations }) => declarations.map(({ name }) => [name, page] as const)),
  )
  const missing = [...exported].filter((name) => !places.has(name))
  if (missing.length > 0) throw new Error(`on no page of docs/api: ${missing.join(', ')}`)
  const written = new Map<string, string>()
  for (const { page, declarations } of declared) written.set(pageName(page.file), writePage(page, declarations, places))
  written.set('README.md', writeIndex(declared))
  return written
}

/** The names that `httpcli` exports: those of the portable part, and those in its own index. */
function exportedNames(library: string): readonly string[] {
  return ['message/index.d.ts', 'index.d.ts'].flatMap((file) => {
    const text = readFileSync(join(library, file), 'utf8')
    return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap((match) =>
      (match[1] as string)
        .split(',')
        .map((name) => name.trim().replace(/^type /, ''))
        .filter((name) => name !== ''),
    )
  })
}

type Places = ReadonlyMap<string, Page>

function writeIndex(
  declared: readonly { readonly page: Page; readonly declarations: readonly Declaration[] }[],
): string {
  const rows = declared.flatMap(({ page, declarations }) =>
    declarations.map(
      (declaration) =>
        `| [\`${declaration.name}\`](${pageName(page.file)}#${declaration.name.toLowerCase()}) | ${declaration.kind} | ${firstSentence(declaration.comment)} |`,
    ),
  )
  const intro = `# The message library: every exported name

Written from the doc comments by \`npm run docs\`. \`import { … } from 'httpcli'\`; all but \`FileBody\` also from
\`httpcli/message\`, which needs nothing of Node.js. [The guide](../library.md) shows how they are used.`
  return `${intro}\n\n| Name | Kind | What it is |\n|---|---|---|\n${rows.join('\n')}\n`
}

function writePage(page: Page, declarations: readonly Declaration[], places: Places): string {
  const parts = declarations.map((declaration) => writeDeclaration(declaration, page, places))
  return `# ${page.title}\n\n${parts.join('\n\n')}\n`
}

function writeDeclaration(declaration: Declaration, page: Page, places: Places): string {
  const { name, kind, code, comment, members } = declaration
  const isList = kind === 'class' || kind === 'interface'
  const shown = isList ? `${code.slice(0, code.indexOf('\n') === -1 ? undefined : code.indexOf('\n'))} … }` : code
  const mentioned = [...places].filter(
    ([other, at]) => at !== page && other !== name && new RegExp(`\\b${other}\\b`).test(code),
  )
  const links = mentioned.map(([other, at]) => `[${other}](${pageName(at.file)}#${other.toLowerCase()})`)
  const parts = [
    `## ${name}`,
    markdown(comment),
    fenced(withoutExport(shown)),
    ...(links.length === 0 ? [] : [`See ${links.join(', ')}.`]),
    ...members.map(writeMember),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function writeMember({ name, code, comment }: Member): string {
  const title = name.startsWith('[')
    ? name
    : /^(?:static )?(?:async )?\*?\w+(?:<[^(]*>)?\(/.test(code)
      ? `${name}()`
      : name
  return [`### ${title}`, fenced(code), markdown(comment)].filter((part) => part !== '').join('\n\n')
}

const withoutExport = (code: string): string => code.replace(/^export (?:declare )?/, '')

const fenced = (code: string): string => `\`\`\`ts\n${code.replace(/;$/, '')}\n\`\`\``

/** A doc comment as Markdown: indented lines are examples, `@throws` and `@param` begin paragraphs. */
function markdown(comment: string): string {
  const tagged = comment.replace(/(^|\s)@throws /g, '\n\n**Throws** ').replace(/(^|\s)@param (\w+) /g, '\n\n`$2`: ')
  const paragraphs = tagged.split(/\n\n+/)
  return paragraphs
    .map((paragraph) => paragraph.replace(/^\n+/, ''))
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => (/^ {2}/.test(paragraph) ? fenced(paragraph.replace(/^ {2}/gm, '')) : paragraph.trim()))
    .join('\n\n')
}

function firstSentence(comment: string): string {
  const text = comment.split('\n\n')[0]?.replaceAll('\n', ' ') ?? ''
  return (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replaceAll('|', '\\|')
}
