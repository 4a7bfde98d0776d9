/**
 * Converts curl commands to requests: from a shell script, a documentation page or the developer tools of a browser.
 *
 * Rules: the shell is recognised by its syntax; a prompt (`$ `) before a command is omitted. Each URL is a request;
 * other commands are reported, not converted. Assignments become variables of the file. A comment above a command is
 * its name.
 */
import { type Conversion, conversionOf, type NamedValue, type PartContent, type RequestDraft } from '../draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import { usesEmpty } from '../draft/literal-text.ts'
import { Losses } from '../draft/losses.ts'
import { readCurlOptions } from './option-reader.ts'
import { posixCommands } from './posix-shell.ts'
import { isPowerShellCommand, powerShellCommands, webRequest } from './powershell.ts'
import { curlDraft } from './request-draft.ts'
import { draftText, type ShellCommand, ShellSyntaxError, type ShellWord } from './shell-word.ts'
import { transfersOf } from './transfer.ts'
import { expandGlobs, MAX_URLS } from './url-glob.ts'
import { webRequestDrafts } from './web-request.ts'
import { isWindowsCommand, windowsCommands } from './windows-shell.ts'

/** @throws ConvertSyntaxError with the place */
export function readCurl(source: SourceText): Conversion {
  try {
    return read(source)
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
    throw ConvertSyntaxError.at(source, error, error.message)
  }
}

function read(source: SourceText): Conversion {
  const losses = new Losses()
  const text = source.text.replace(/^\ufeff/, '').replace(/^([ \t]*)[$>][ \t]+(?=curl\b)/gm, '$1')
  const isPowerShell = !isWindowsCommand(text) && isPowerShellCommand(text)
  const commands = commandsIn(text, isPowerShell).map((command) => withoutKeywords(command, losses))
  const requests: RequestDraft[] = isPowerShell ? [...webRequestDrafts(commands, losses)] : []
  const variables: NamedValue[] = []
  for (const [index, command] of commands.entries()) {
    for (const assignment of command.assignments) variables.push(assignment)
    const [name] = command.words
    if (name === undefined) reportNotes(command, losses)
    if (name === undefined || (isPowerShell && webRequest.test(name.text))) continue
    const before = command.isPiped ? commands[index - 1] : undefined
    if (isCurl(name.text)) {
      const input = command.input ?? outputOf(before)
      for (const request of requestsOf({ ...command, input }, losses)) requests.push(request)
    } else if (!isPowerShell && !isQuiet(name.text, before) && !commands[index + 1]?.isPiped) {
      losses.add(`line ${name.line}`, `the command ${name.text}`)
    }
  }
  if (requests.length === 0) {
    throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, 'expected a curl command with a URL, found none')
  }
  return conversionOf({ variables, requests, losses: losses.all })
}

const keywords: ReadonlySet<string> = new Set([
  ...['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', 'time', 'sudo', 'exec', 'command'],
])
/** Keywords that decide whether, and how often, a command runs. */
const conditions: ReadonlySet<string> = new Set(['if', 'elif', 'else', 'while', 'until'])

/** The command after keywords such as `if` and `do`, or in a function. */
function withoutKeywords(command: ShellCommand, losses: Losses): ShellCommand {
  const words = [...command.words]
  if (words[1]?.text === '{') words.splice(0, 2)
  while (keywords.has(words[0]?.text ?? '')) {
    const [word] = words.splice(0, 1) as [ShellWord]
    if (conditions.has(word.text)) losses.add(`line ${word.line}`, `the condition "${word.text}"`)
  }
  return { ...command, words }
}

function isCurl(name: string): boolean {
  return /^(?:.*[\\/])?curl(?:\.exe)?$/i.test(name)
}

/** Whether a command affects no request: settings of the shell, and programs that read the answer. */
function isQuiet(name: string, before: ShellCommand | undefined): boolean {
  return (
    before !== undefined ||
    ['set', 'echo', 'printf', 'true', 'cd', 'export', 'sleep', 'exit', 'fi', 'done', '}'].includes(name)
  )
}

/** The output of a command that only prints a text or a file. */
function outputOf(command: ShellCommand | undefined): PartContent | undefined {
  const [name, ...words] = command?.words ?? []
  if (name?.text === 'cat') {
    const [file] = words
    if (file === undefined || (file.text === '-' && words.length === 1)) return command?.input
    return words.length === 1 && !file.text.startsWith('-') ? { path: draftText(file) } : undefined
  }
  const isBare = words[0]?.text === '-n'
  const text = words
    .slice(isBare ? 1 : 0)
    .map((word) => word.text)
    .join(' ')
  if (name?.text === 'echo') return { text: `${text}${isBare ? '' : '\n'}` }
  const printed = name?.text === 'printf' && words.length === 1 ? printedText(text) : undefined
  return printed === undefined ? undefined : { text: printed }
}

const printfEscapes: Readonly<Record<string, string>> = {
  ...{ '\\n': '\n', '\\t': '\t', '\\r': '\r', '\\\\': '\\', '\\"': '"', "\\'": "'", '%%': '%' },
}

/** The output of `printf` for a format alone (bash manual, "printf"); undefined for other escapes and conversions. */
function printedText(format: string): string | undefined {
  const isKnown = [...format.matchAll(/[\\%].?/gs)].every(([written]) => Object.hasOwn(printfEscapes, written))
  return isKnown ? format.replace(/[\\%]./gs, (written) => printfEscapes[written] as string) : undefined
}

function commandsIn(text: string, isPowerShell: boolean): readonly ShellCommand[] {
  if (isPowerShell) return powerShellCommands(text)
  return isWindowsCommand(text) ? windowsCommands(text) : posixCommands(text)
}

function reportNotes({ notes }: ShellCommand, losses: Losses): void {
  for (const { line, message } of notes) losses.add(`line ${line}`, message)
}

function requestsOf(command: ShellCommand, losses: Losses): readonly RequestDraft[] {
  reportNotes(command, losses)
  const [name = '', ...comments] = [...command.comments].reverse()
  const given = readCurlOptions(command.words.slice(1).map((word) => ({ ...word, text: draftText(word) })))
  for (const { option, value, line } of given) {
    if (option.use !== 'url' || !usesEmpty(value)) continue
    losses.add(`line ${line}`, 'the braces "{{" in the URL: curl has no variables, so they are sent')
  }
  const first = command.words[0] as ShellCommand['words'][number]
  const drafts = transfersOf(given).flatMap((transfer) => {
    const urls = transfer.urls.flatMap(({ value, line }) => {
      const expanded = transfer.isGlobbing ? expandGlobs(value) : [value]
      if (expanded.length <= MAX_URLS) return expanded
      losses.add(`line ${line}`, `the URLs of ${value} after the first ${MAX_URLS}`)
      return expanded.slice(0, MAX_URLS)
    })
    return urls.map((url, index) => {
      const settings = { name: '', comments: [], input: command.input, losses }
      return curlDraft(transfer, url, index, settings)
    })
  })
  if (drafts.length === 0) throw new ShellSyntaxError('a curl command without a URL', first)
  return drafts.map((draft, index) =>
    index === 0 ? { ...draft, name, comments: [...comments.reverse(), ...draft.comments] } : { ...draft, name },
  )
}
