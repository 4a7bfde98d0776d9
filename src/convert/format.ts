/**
 * Detects the format of a text.
 *
 * Rules: the file extension decides if it is unambiguous, otherwise the content. The result is undefined if no format
 * matches.
 */
import { parseHttpFile, type Request, templateText } from '../http-file/index.ts'
import type { SourceText } from './draft/errors.ts'

export const sourceFormats = ['curl', 'postman', 'bruno', 'insomnia', 'openapi', 'har', 'hurl', 'http'] as const
export type SourceFormat = (typeof sourceFormats)[number]

export type TargetFormat = 'http' | 'curl' | 'k6' | 'k6-operator'

const formatByEnding: Readonly<Record<string, SourceFormat>> = {
  ...{ hurl: 'hurl', har: 'har', http: 'http', rest: 'http', bru: 'bruno' },
}

/** Marks of JSON documents; only the beginning of a document may be readable. */
const documentMarks: readonly (readonly [format: SourceFormat, ...patterns: readonly RegExp[]])[] = [
  ['openapi', /"(?:openapi|swagger)"\s*:\s*"/],
  ['insomnia', /\b__export_format"?\s*:|"type"\s*:\s*"\w+\.insomnia\.rest\//],
  ['har', /^\s*\{\s*"log"\s*:/],
  ['postman', /"_postman_id"|schema\.(?:get)?postman\.com|"_postman_variable_scope"/],
  ['postman', /"info"\s*:/, /"item"\s*:/],
  // An environment of Postman's API, or one that was written by hand.
  ['postman', /"values"\s*:\s*\[/, /"key"\s*:/, /"enabled"\s*:/],
]

/** Shell keywords that a command may follow. */
const shellKeywords: ReadonlySet<string> = new Set([
  ...['if', 'then', 'elif', 'else', 'while', 'until', 'do', 'time', 'sudo'],
])

/** A line of an Insomnia export in YAML. */
const insomniaYaml = /^(?:__export_format[ \t]*:|type[ \t]*:[ \t]*["']?\w+\.insomnia\.rest\/)/m

/** The file that makes a directory a Bruno collection. */
const brunoFile = /^(?:bruno\.json|opencollection\.yml|collection\.bru)$/

const curlWord = /^(?:.*[\\/])?curl(?:\.exe)?(?:[\\^`].*)?$/is

/** Sections and responses, which only Hurl has. */
const hurlMark =
  /^[ \t]*(?:\[(?:Query(?:StringParams)?|Form(?:Params)?|Multipart(?:FormData)?|Cookies|BasicAuth|Options|Captures|Asserts)\]|HTTP(?:\/[\d.]+)?[ \t]+(?:\d{3}|\*)[ \t]*)(?:#.*)?$/m

/** Undefined for an unknown format. */
export function formatOf({ path, text, files }: SourceText): SourceFormat | undefined {
  if (files !== undefined) return files.some((file) => brunoFile.test(file.path)) ? 'bruno' : undefined
  const byEnding = formatByEnding[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '']
  if (byEnding !== undefined) return byEnding
  const content = text.replace(/^\ufeff/, '')
  if (/^\s*\{/.test(content))
    return documentMarks.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(content)))?.[0]
  if (insomniaYaml.test(content)) return 'insomnia'
  if (isOpenapiYaml(content)) return 'openapi'
  if (content.split(/[\r\n]+/).some(callsCurl)) return 'curl'
  if (/\b(?:Invoke-WebRequest|Invoke-RestMethod)\b/i.test(content)) return 'curl'
  if (hurlMark.test(content)) return 'hurl'
  const { file, errors } = parseHttpFile(content)
  const requests = file.sections.flatMap(({ request }) => request ?? [])
  return errors.length === 0 && requests.length > 0 && requests.every(looksLikeRequest) ? 'http' : undefined
}

/** A whole document may be indented under its `---`. */
function isOpenapiYaml(content: string): boolean {
  const keys = content.matchAll(/^( *)["']?(openapi|swagger)?["']?[ \t]*(:?)[^\r\n]*/gm)
  let outermost: string | undefined
  for (const [line, indent = '', name, colon] of keys) {
    if (/^[ \t]*(?:$|#|%|---)/.test(line)) continue
    outermost ??= indent
    if (indent === outermost && name !== undefined && colon === ':') return true
  }
  return false
}

/**
 * Whether the command is at the start of a line, or after a prompt, an assignment, a keyword of the shell or another
 * command. Each word is examined once: one regular expression for the line would take quadratic time.
 */
function callsCurl(line: string): boolean {
  let isCommandDue = true
  for (const word of line.split(/[ \t]+/)) {
    const last = word.slice(commandStart(word))
    const isCommand: boolean = isCommandDue || last !== word
    if (isCommand && curlWord.test(last)) return true
    const isBeforeCommand: boolean = isCommand && (/^[$>]?$/.test(last) || /^\w+=/.test(last))
    isCommandDue = isBeforeCommand || (isCommandDue && /^\w+=/.test(word)) || shellKeywords.has(last.toLowerCase())
  }
  return false
}

/** Index after the last command separator in a word. */
function commandStart(word: string): number {
  return Math.max(...['|', ';', '&', '(', '{', '!'].map((separator) => word.lastIndexOf(separator))) + 1
}

/** The parser accepts any two words as a request, but two words are seldom meant as one. */
function looksLikeRequest({ line }: Request): boolean {
  const { method } = line
  return method === undefined ? /:\/\/|\{\{/.test(templateText(line.target)) : method === method.toUpperCase()
}
