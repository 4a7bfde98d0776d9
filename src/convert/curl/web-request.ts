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
import { powerShellCommands, powerShellString, webRequest } from './powershell.ts'
import { type TableEntry, tableEntries, tableMembers } from './powershell-table.ts'
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
  for (const { words, notes } of commands) {
    const start = words.findIndex(({ text }) => webRequest.test(text))
    const isUsed = start !== -1 || words[1]?.text === '='
    for (const { line, message } of isUsed ? notes : []) losses.add(`line ${line}`, message)
    if (start === -1) {
      for (const header of sessionHeaders(words)) session.push(header)
      remember(words, values)
    } else {
      const args = words.slice(start + 1).flatMap((word) => splatted(word, values) ?? [withValue(word, values)])
      drafts.push(draftFor(words[start] as ShellWord, args, { session, values, losses }))
    }
  }
  return drafts
}

/** `$name = "…"`, `$name = @{…}` and `$name.Add("field", "value")`. */
function remember(words: readonly ShellWord[], values: Map<string, string>): void {
  const [target, sign, value] = words.map(({ text }) => text)
  const name = /^\$(\w+)$/.exec(target ?? '')?.[1]
  if (name !== undefined && sign === '=' && value !== undefined && words.length === 3) values.set(name, value)
  const [, table, field, added] = /^\$(\w+)\.Add\(([^,]*),(.*)\)$/is.exec(words.map(({ text }) => text).join(' ')) ?? []
  if (table === undefined) return
  values.set(table, `${values.get(table) ?? '@{'};${field} = ${added}}`)
}

/** The parameters of `@name`, a table with their values (about_Splatting). */
function splatted(word: ShellWord, values: ReadonlyMap<string, string>): readonly ShellWord[] | undefined {
  const table = values.get(/^@(\w+)$/.exec(word.text)?.[1] ?? '')
  return tableMembers(table ?? '', { values })?.flatMap(({ name, code }) => {
    const parameter = { ...word, text: `-${name}` }
    if (/^\$(?:true|false)$/i.test(code)) return /true$/i.test(code) ? [parameter] : []
    const value = powerShellCommands(code)[0]?.words[0]
    return value === undefined ? [] : [parameter, { ...withValue(value, values), line: word.line, column: word.column }]
  })
}

/** Replaces a variable with its earlier value, or with a variable of the request file. */
function withValue(word: ShellWord, values: ReadonlyMap<string, string>): ShellWord {
  const name = /^\$(?:\w+:)?(\w+)$/.exec(word.text)?.[1]
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

interface ScriptState {
  readonly session: readonly Entry[]
  readonly values: ReadonlyMap<string, string>
  readonly losses: Losses
}

function draftFor(
  command: ShellWord,
  words: readonly ShellWord[],
  { session, values, losses }: ScriptState,
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
    const isKnown =
      knownParameters.has(name) ||
      (name === 'maximumredirection' && value(name) === '0') ||
      (timeoutParameters.includes(name) && isTime(value(name)))
    if (!isKnown) losses.add(`line ${line}`, `-${name}`)
  }
  const timeout = timeoutParameters.map(value).find((text) => text !== undefined)
  const url = value('uri')?.trim() ?? ''
  if (url === '') throw new ShellSyntaxError(`${command.text} without a URL`, command)
  const cookies = session.filter(({ name }) => name === 'Cookie').map((cookie) => cookie.value)
  const type = value('contenttype')
  const method = (value('custommethod') ?? value('method'))?.toUpperCase() ?? 'GET'
  const table = tableEntries(args.get('body')?.text ?? '', { values })
  const isQuery = table !== undefined && method === 'GET'
  const hasSession = args.has('websession')
  return draftOf({
    method,
    url: isQuery ? withQuery(url, table.map(queryPair).join('&')) : url,
    tags: [
      ...(value('maximumredirection') === '0' ? [{ name: 'no-redirect', value: '' }] : []),
      ...(isTime(timeout) && Number(timeout) > 0 ? [{ name: 'timeout', value: `${timeout} s` }] : []),
    ],
    headers: [
      ...(hasSession ? session.filter(({ name }) => name !== 'Cookie') : []),
      ...(value('useragent') === undefined ? [] : [{ name: 'User-Agent', value: value('useragent') as string }]),
      ...headersOf(args.get('headers'), { values, losses }),
      ...(type === undefined ? [] : [{ name: 'Content-Type', value: type }]),
      ...(hasSession && cookies.length > 0 ? [{ name: 'Cookie', value: cookies.join('; ') }] : []),
    ],
    body: isQuery ? undefined : bodyOf(args, table, value('infile'), { values, losses }),
    responseFile: value('outfile'),
  })
}

/** Two names of one parameter. */
const timeoutParameters = ['timeoutsec', 'operationtimeoutseconds']

function isTime(text: string | undefined): boolean {
  return text !== undefined && /^\d+$/.test(text)
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
  { values, losses }: Omit<ScriptState, 'session'>,
): BodyDraft | undefined {
  if (file !== undefined) return { type: 'file', path: file }
  const form = args.get('form')
  const parts = tableEntries(form?.text ?? '', { values, allowsFiles: true })
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

/** `([System.Text.Encoding]::UTF8.GetBytes("…"))` is how browsers write non-ASCII text. */
function bodyText(word: ShellWord | undefined, losses: Losses): string | undefined {
  if (word === undefined) return undefined
  if (!/^(?:\(|@\{)/.test(word.text)) return draftText(word)
  const [text] = /^\(\s*\[System\.Text\.Encoding\]::UTF8\.GetBytes\(/i.test(word.text) ? strings(word.text) : []
  if (text === undefined) losses.add(`line ${word.line}`, `the body ${word.text}`)
  return text
}

const knownParameters: ReadonlySet<string> = new Set([
  ...['uri', 'method', 'headers', 'body', 'contenttype', 'infile', 'useragent', 'websession', 'outfile'],
  ...['custommethod', 'form'],
])

/** HTTP/2 pseudo-header fields, which browsers copy, are left out. */
function headersOf(word: ShellWord | undefined, { values, losses }: Omit<ScriptState, 'session'>): readonly Entry[] {
  if (word === undefined) return []
  const members = tableMembers(word.text, { values })
  if (members === undefined) losses.add(`line ${word.line}`, 'the headers, which are not a table')
  return (members ?? []).flatMap(({ name, value }) => {
    if (/^:|^(?:authority|method|path|scheme)$/.test(name)) return []
    if (value === undefined) losses.add(`line ${word.line}`, `the header ${name}: its value is computed`)
    return value === undefined ? [] : [{ name, value }]
  })
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
