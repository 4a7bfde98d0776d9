/**
 * Converts PowerShell's `Invoke-WebRequest` and `Invoke-RestMethod`, as copied from developer tools, to requests.
 *
 * Rules: parameter names are case-insensitive. Of `$session` the user agent and the cookies are used. A variable that
 * was assigned a text or a table is replaced by it, any other becomes a variable of the request file. A table is a
 * query with GET and otherwise a form. Computed bodies are lost, except for the bytes of a text.
 */
import { type BodyDraft, draftOf, type Entry, type RequestDraft } from '../draft/draft.ts'
import { mapText } from '../draft/literal-text.ts'
import type { Losses } from '../draft/losses.ts'
import { withQuery } from '../draft/request-parts.ts'
import { powerShellString, webRequest } from './powershell.ts'
import { type TableEntry, tableEntries } from './powershell-table.ts'
import { escapedText } from './request-data.ts'
import { draftText, type ShellCommand, ShellSyntaxError, type ShellWord } from './shell-word.ts'

/** Parameters without a value. */
const switches: ReadonlySet<string> = new Set([
  'allowunencryptedauthentication',
  'usebasicparsing',
  'skipcertificatecheck',
  'passthru',
  'disablekeepalive',
])

/** The requests of a script. Other commands are left to the caller. */
export function webRequestDrafts(commands: readonly ShellCommand[], losses: Losses): readonly RequestDraft[] {
  const drafts: RequestDraft[] = []
  const values = new Map<string, string>()
  const session: Entry[] = []
  for (const { words } of commands) {
    const start = words.findIndex(({ text }) => webRequest.test(text))
    if (start === -1) {
      for (const header of sessionHeaders(words)) session.push(header)
      remember(words, values)
    } else {
      const args = words.slice(start + 1).map((word) => withValue(word, values))
      drafts.push(draftFor(words[start] as ShellWord, args, session, losses))
    }
  }
  return drafts
}

/** `$name = "…"`, `$name = @{…}` and `$name.Add("field", "value")`. */
function remember(words: readonly ShellWord[], values: Map<string, string>): void {
  const [target, sign, value] = words.map(({ text }) => text)
  const name = /^\$(\w+)$/.exec(target ?? '')?.[1]
  if (name !== undefined && sign === '=' && value !== undefined && words.length === 3) values.set(name, value)
  const added = /^\$(\w+)\.Add(\(.*\))$/is.exec(words.map(({ text }) => text).join(' '))
  if (added !== null) values.set(added[1] as string, `${values.get(added[1] as string) ?? '@{'}${added[2]}`)
}

/** Replaces a variable by its earlier value, or by a variable of the request file. */
function withValue(word: ShellWord, values: ReadonlyMap<string, string>): ShellWord {
  const name = /^\$(\w+)$/.exec(word.text)?.[1]
  if (name === undefined) return word
  const value = values.get(name) ?? `{{${name}}}`
  return { ...word, text: value, isCode: /^(?:\(|@\{)/.test(value) }
}

/** `$session.UserAgent = "…"` and `$session.Cookies.Add((New-Object System.Net.Cookie("name", "value", …)))`. */
function sessionHeaders(words: readonly ShellWord[]): readonly Entry[] {
  const text = words.map((word) => word.text).join(' ')
  const agent = /^\$\w+\.UserAgent = (.*)$/is.exec(text)
  if (agent !== null) return [{ name: 'User-Agent', value: agent[1] as string }]
  const call = /\.Cookies\.Add\(/i.exec(text)
  const cookie = call === null ? null : /System\.Net\.Cookie\(\s*(".*)$/is.exec(text.slice(call.index))
  if (cookie === null) return []
  const [name = '', value = ''] = strings(cookie[1] as string)
  return [{ name: 'Cookie', value: `${name}=${value}` }]
}

function draftFor(
  command: ShellWord,
  words: readonly ShellWord[],
  session: readonly Entry[],
  losses: Losses,
): RequestDraft {
  const args = new Map<string, ShellWord>()
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as ShellWord
    const name = /^-([A-Za-z]+):?$/.exec(word.text)?.[1]?.toLowerCase()
    if (name === undefined) args.set('uri', word)
    else if (!switches.has(name)) args.set(name, isValue(words[index + 1]) ? (words[++index] as ShellWord) : word)
  }
  const value = (name: string): string | undefined => {
    const word = args.get(name)
    return word === undefined ? undefined : draftText(word)
  }
  for (const [name, { line }] of args) {
    const isKnown = knownParameters.has(name) || (name === 'maximumredirection' && value(name) === '0')
    if (!isKnown) losses.add(`line ${line}`, `-${name}`)
  }
  const url = value('uri')?.trim() ?? ''
  if (url === '') throw new ShellSyntaxError(`${command.text} without a URL`, command)
  const cookies = session.filter(({ name }) => name === 'Cookie').map((cookie) => cookie.value)
  const type = value('contenttype')
  const method = (value('custommethod') ?? value('method'))?.toUpperCase() ?? 'GET'
  const table = tableEntries(args.get('body')?.text ?? '')
  const isQuery = table !== undefined && method === 'GET'
  const hasSession = args.has('websession')
  return draftOf({
    method,
    url: isQuery ? withQuery(url, table.map(queryPair).join('&')) : url,
    tags: value('maximumredirection') === '0' ? [{ name: 'no-redirect', value: '' }] : [],
    headers: [
      ...(hasSession ? session.filter(({ name }) => name !== 'Cookie') : []),
      ...(value('useragent') === undefined ? [] : [{ name: 'User-Agent', value: value('useragent') as string }]),
      ...hashTable(args.get('headers')?.text ?? ''),
      ...(type === undefined ? [] : [{ name: 'Content-Type', value: type }]),
      ...(hasSession && cookies.length > 0 ? [{ name: 'Cookie', value: cookies.join('; ') }] : []),
    ],
    body: isQuery ? undefined : bodyOf(args, table, value('infile'), losses),
  })
}

/** A word that is not the next parameter. */
function isValue(word: ShellWord | undefined): boolean {
  return word !== undefined && !/^-[A-Za-z]+:?$/.test(word.text)
}

function queryPair({ name, value }: TableEntry): string {
  return `${mapText(name, escapedText)}=${mapText(value, escapedText)}`
}

function bodyOf(
  args: ReadonlyMap<string, ShellWord>,
  table: readonly TableEntry[] | undefined,
  file: string | undefined,
  losses: Losses,
): BodyDraft | undefined {
  if (file !== undefined) return { type: 'file', path: file }
  const form = args.get('form')
  const parts = tableEntries(form?.text ?? '', true)
  if (form !== undefined && parts === undefined) losses.add(`line ${form.line}`, `the form ${form.text}`)
  if (parts !== undefined) {
    return {
      type: 'multipart',
      parts: parts.map(({ name, value, isFile }) =>
        isFile
          ? { name, content: { path: value }, contentType: 'application/octet-stream' }
          : { name, content: { text: value } },
      ),
    }
  }
  const type = args.get('contenttype')?.text ?? ''
  if (table !== undefined && /^$|x-www-form-urlencoded/i.test(type)) return { type: 'form', entries: table }
  if (table !== undefined) return { type: 'text', text: table.map(queryPair).join('&') }
  const text = bodyText(args.get('body'), losses)
  return text === undefined ? undefined : { type: 'text', text }
}

/** `([System.Text.Encoding]::UTF8.GetBytes("…"))` is how browsers write a text beyond ASCII. */
function bodyText(word: ShellWord | undefined, losses: Losses): string | undefined {
  if (word === undefined) return undefined
  if (!/^(?:\(|@\{)/.test(word.text)) return draftText(word)
  const [text] = /^\(\s*\[System\.Text\.Encoding\]::UTF8\.GetBytes\(/i.test(word.text) ? strings(word.text) : []
  if (text === undefined) losses.add(`line ${word.line}`, `the body ${word.text}`)
  return text
}

const knownParameters: ReadonlySet<string> = new Set([
  ...['uri', 'method', 'headers', 'body', 'contenttype', 'infile', 'useragent', 'websession', 'outfile', 'timeoutsec'],
  ...['custommethod', 'form'],
])

/** `@{ "name"="value"; … }`. HTTP/2 pseudo-header fields, which browsers copy, are left out. */
function hashTable(text: string): readonly Entry[] {
  const words = strings(text)
  const entries: Entry[] = []
  for (let index = 0; index + 1 < words.length; index += 2) {
    const name = words[index] as string
    if (!/^:|^(?:authority|method|path|scheme)$/.test(name)) entries.push({ name, value: words[index + 1] as string })
  }
  return entries
}

/** All strings of a text, in order, and bare names before `=`. */
function strings(text: string): readonly string[] {
  const found: string[] = []
  let index = text.startsWith('@{') ? 2 : 0
  while (index < text.length) {
    const bare = /^([A-Za-z][\w-]*)(\s*=)?/.exec(text.slice(index))
    if (bare !== null) {
      if (bare[2] !== undefined) found.push(bare[1] as string)
      index += bare[0].length
    } else if (text[index] === '"' || text[index] === "'") {
      const { text: value, end } = powerShellString(text, index)
      found.push(value)
      index = end
    } else {
      index++
    }
  }
  return found
}
