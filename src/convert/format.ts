/**
 * Which format a text is in, told by its content.
 *
 * Rules: the name of the file decides where its ending can be only one format; else the content does. A text that fits
 * nothing has no format.
 */
import { parseHttpFile, type Request, templateText } from '../http-file/index.ts'
import type { SourceText } from './errors.ts'

export const sourceFormats = ['curl', 'postman', 'openapi', 'har', 'hurl', 'http'] as const
export type SourceFormat = (typeof sourceFormats)[number]

export const targetFormats = ['http', 'curl'] as const
export type TargetFormat = (typeof targetFormats)[number]

const formatByEnding: Readonly<Record<string, SourceFormat>> = { hurl: 'hurl', har: 'har', http: 'http', rest: 'http' }

/** Marks of documents in JSON, of which the beginning may be all that can be read. */
const documentMarks: readonly (readonly [format: SourceFormat, pattern: RegExp])[] = [
  ['openapi', /"(?:openapi|swagger)"\s*:\s*"/],
  ['har', /^\s*\{\s*"log"\s*:/],
  ['postman', /"_postman_id"|schema\.(?:get)?postman\.com|"_postman_variable_scope"|"info"[\s\S]*"item"\s*:/],
]

/** The command at the start of a line, behind a prompt, an assignment, a keyword of the shell or another command. */
const curlMark =
  /(?:^|[|;&({!]|\b(?:if|then|elif|else|while|until|do|time|sudo)\b)[ \t]*(?:[$>][ \t]+)?(?:\w+=\S*[ \t]+)*(?:\S*[\\/])?curl(?:\.exe)?[\s\\^`]/im

/** Sections and responses, which only Hurl has. */
const hurlMark =
  /^[ \t]*(?:\[(?:Query(?:StringParams)?|Form(?:Params)?|Multipart(?:FormData)?|Cookies|BasicAuth|Options|Captures|Asserts)\]|HTTP(?:\/[\d.]+)?[ \t]+(?:\d{3}|\*)[ \t]*)(?:#.*)?$/m

/** Undefined where it is none that we know. */
export function formatOf({ path, text }: SourceText): SourceFormat | undefined {
  const byEnding = formatByEnding[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '']
  if (byEnding !== undefined) return byEnding
  const content = text.replace(/^\ufeff/, '')
  if (/^\s*\{/.test(content)) return documentMarks.find(([, pattern]) => pattern.test(content))?.[0]
  if (/^(?:["']?(?:openapi|swagger)["']?)\s*:/m.test(content)) return 'openapi'
  if (curlMark.test(content)) return 'curl'
  if (/\b(?:Invoke-WebRequest|Invoke-RestMethod)\b/i.test(content)) return 'curl'
  if (hurlMark.test(content)) return 'hurl'
  const { file, errors } = parseHttpFile(content)
  const requests = file.sections.flatMap(({ request }) => request ?? [])
  return errors.length === 0 && requests.length > 0 && requests.every(looksLikeRequest) ? 'http' : undefined
}

/** Two words are a request to the parser, and mostly none to people. */
function looksLikeRequest({ line }: Request): boolean {
  const { method } = line
  return method === undefined ? /:\/\/|\{\{/.test(templateText(line.target)) : method === method.toUpperCase()
}
