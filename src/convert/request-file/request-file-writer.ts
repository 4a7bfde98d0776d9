/**
 * Writes drafts as the text of a request file.
 *
 * Rules: the text is formatted like `httpcli fmt`, and `run` sends the draft byte for byte. A section is written from
 * top to bottom: name, comments, tags, variables, scripts, request, handlers. Bytes that are not text become files
 * beside the request file. No text of a source becomes a line with another meaning: what a request file cannot contain
 * (a method or a header name that is not a token, an empty URL) is left out and reported.
 */
import { boundaryOf, encodeForm, parseHttpFile, parseTemplate, percentEscapes } from '../../http-file/index.ts'
import { isToken } from '../../message/index.ts'
import type { Conversion, Entry, Loss, NamedValue, RequestDraft } from '../draft/draft.ts'
import { fileNameOf } from '../draft/file-name.ts'
import {
  controlsIn,
  EMPTY,
  exactLine,
  mapText,
  oneLine,
  pathText,
  usesEmpty,
  withoutMarks,
} from '../draft/literal-text.ts'
import { escapedUrl } from '../draft/request-url.ts'
import { isContentType, type WrittenBody, writtenBody } from './body-writer.ts'

export interface CompanionFile {
  readonly name: string
  readonly octets: Uint8Array
}

export interface WrittenRequestFile {
  readonly text: string
  readonly companions: readonly CompanionFile[]
  readonly losses: readonly Loss[]
}

/** A method that is valid in the request line. */
const methodPattern = /^[A-Za-z][A-Za-z0-9_-]*$/
/** Methods of the format that are not sent as they are. */
const formatMethods: ReadonlySet<string> = new Set(['GRAPHQL', 'WEBSOCKET', 'GRPC', 'RSOCKET'])

/** @param variables variables of the file, in addition to those of the conversion */
export function writeRequestFile(conversion: Conversion, variables: readonly NamedValue[]): WrittenRequestFile {
  const companions: CompanionFile[] = []
  const addCompanion = (request: RequestDraft, octets: Uint8Array): string => {
    const name = `${fileNameOf(request.name) || 'body'}-${companions.length + 1}.bin`
    companions.push({ name, octets })
    return `./${name}`
  }
  const losses: Loss[] = []
  const requests = conversion.requests.filter((request) => hasMethod(request, losses) && hasTarget(request, losses))
  const needsSeparator = requests.length > 1 || conversion.scripts.length > 0 || conversion.handlers.length > 0
  const sections = requests.map((request) =>
    section(withFieldNames(request, losses), (octets) => addCompanion(request, octets), needsSeparator),
  )
  const isEmpty = requests.length === 0
  const top = isEmpty
    ? conversion.comments.map(comment).join('\n')
    : head(conversion, [...variables, ...conversion.variables])
  const text = `${[...(top === '' ? [] : [top]), ...sections].join('\n\n')}\n`
  return { text: text === '\n' ? '' : text, companions, losses }
}

/** Whether the method of a request can be written; otherwise a loss. */
function hasMethod({ name, url, method, body }: RequestDraft, losses: Loss[]): boolean {
  const isOfFormat = body?.type === 'graphql' || body?.type === 'messages'
  if (isOfFormat || (methodPattern.test(method) && !formatMethods.has(method))) return true
  losses.push({ place: placeOf(name, url), message: `the whole request: its method is ${JSON.stringify(method)}` })
  return false
}

/** Whether the URL of a request can be written; otherwise a loss: it is empty, or would be read as something else. */
function hasTarget(request: RequestDraft, losses: Loss[]): boolean {
  const { file, errors } = parseHttpFile(`${requestLine(request, targetText(request.url))}\n`)
  if (errors.length === 0 && file.sections.filter((each) => each.request !== undefined).length === 1) return true
  const url = JSON.stringify(withoutMarks(request.url))
  losses.push({
    place: placeOf(request.name, request.url) || 'a request',
    message: `the whole request: its URL is ${url}`,
  })
  return false
}

/** The request without headers whose names cannot be written; each is a loss. */
function withFieldNames(draft: RequestDraft, losses: Loss[]): RequestDraft {
  const headers = draft.headers.filter(({ name }) => {
    const isWritable = isFieldName(name)
    const message = `the header ${JSON.stringify(withoutMarks(name))}: a request file cannot hold its name`
    if (!isWritable) losses.push({ place: placeOf(draft.name, draft.url), message })
    return isWritable
  })
  return { ...draft, headers }
}

/**
 * A token, possibly with variables (RFC 9110 section 5.1). A leading `#` would make it a comment, `&` a part of the
 * URL.
 */
function isFieldName(name: string): boolean {
  const { parts } = parseTemplate(name)
  return parts.length > 0 && !/^[#&]/.test(name) && parts.every((part) => part.type !== 'text' || isToken(part.text))
}

function placeOf(name: string, url: string): string {
  return oneLine(name) || oneLine(url).slice(0, 60)
}

const emptyVariable: NamedValue = { name: EMPTY, value: '' }

/** Comments, variables and scripts of the whole file; a separate section if it has scripts. */
function head({ comments, scripts, handlers }: Conversion, variables: readonly NamedValue[]): string {
  const isTypable = ({ value }: NamedValue): boolean => value === oneLine(value)
  const setByScript = variables.filter((variable) => !isTypable(variable))
  const settings = setByScript.length === 0 ? [] : [setting(setByScript)]
  const typed = variables.filter(isTypable)
  const empty = typed.some(({ value }) => usesEmpty(value)) ? [emptyVariable] : []
  return [
    ...comments.map(comment),
    ...[...typed, ...empty].map(variableLine),
    ...[...settings, ...scripts].map((code) => script('<', code)),
    ...handlers.map((code) => script('>', code)),
  ].join('\n')
}

function section(draft: RequestDraft, addCompanion: (octets: Uint8Array) => string, needsSeparator: boolean): string {
  const body = writtenBody(draft, addCompanion)
  const url = targetText(draft.url)
  const headers = withContentType(draft, body)
  const entries = [...headers, ...draft.tags, ...draft.variables]
  const texts = [url, body.text, draft.responseFile ?? '', ...entries.map(({ value }) => value)]
  const empty = texts.some(usesEmpty) ? [emptyVariable] : []
  const controls = [...controlsIn(body.source)].map(([name, value]) => ({ name, value }))
  const keepsForm = isForm(headers) && body.isRaw && encodeForm([{ text: body.text, isValue: false }]) !== body.text
  const isTagged = draft.tags.some((tag) => tag.name === 'no-auto-encoding')
  const needsTag = keepsForm && !isTagged
  const tags = [...draft.tags, ...(needsTag ? [{ name: 'no-auto-encoding', value: '' }] : [])]
  const name = separatorName(draft.name)
  const lines = [
    ...(name === '' && !needsSeparator ? [] : [`### ${name}`.trimEnd()]),
    ...draft.comments.map(comment),
    ...tags.map(tagLine),
    ...[...draft.variables, ...empty].map(variableLine),
    ...[...(controls.length === 0 ? [] : [setting(controls)]), ...draft.scripts].map((code) => script('<', code)),
    requestLine(draft, needsTag ? escapedUrl(url) : url),
    ...draft.disabledQuery.map((entry) => `    # &${oneLine(entry)}`),
    ...headers.map(headerLine),
  ]
  return [
    lines.join('\n'),
    ...(body.text === '' ? [] : [body.text]),
    ...draft.handlers.map((code) => script('>', code)),
    ...(draft.responseFile === undefined ? [] : [`>>! ${pathText(draft.responseFile)}`]),
  ].join('\n\n')
}

function requestLine({ method, body, version }: RequestDraft, url: string): string {
  const verb = body?.type === 'graphql' ? 'GRAPHQL' : body?.type === 'messages' ? 'WEBSOCKET' : method
  return `${verb} ${url}${version === undefined ? '' : ` ${version}`}`
}

/** White space would end the target or the line. */
function targetText(url: string): string {
  return mapText(url.trim(), (plain) => plain.replace(/[\x00-\x20\x7f]/g, percentEscapes))
}

/** The headers with the media type of the body, if they lack it or its boundary. */
function withContentType({ headers }: RequestDraft, { contentType, boundary }: WrittenBody): readonly Entry[] {
  const given = headers.find(({ name, isDisabled }) => !isDisabled && isContentType(name))
  if (given === undefined)
    return contentType === undefined ? headers : [...headers, { name: 'Content-Type', value: contentType }]
  const lacksBoundary =
    boundary !== undefined && /^\s*multipart\//i.test(given.value) && boundaryOf(given.value) === undefined
  if (!lacksBoundary) return headers
  const complete = { ...given, value: `${given.value}; boundary=${boundary}` }
  return headers.map((header) => (header === given ? complete : header))
}

function isForm(headers: readonly Entry[]): boolean {
  const type = headers.find(({ name, isDisabled }) => !isDisabled && isContentType(name))?.value ?? ''
  return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)
}

function headerLine({ name, value, isDisabled }: Entry): string {
  return `${isDisabled ? '# ' : ''}${name}: ${value.replace(/[\x00-\x08\x0a-\x1f\x7f]+/g, ' ').trim()}`.trimEnd()
}

/** Number signs at its edges belong to the separator. */
function separatorName(name: string): string {
  return oneLine(name)
    .replace(/^[#\s]+/, '')
    .replace(/\s#{3,}$/, '')
}

function comment(text: string): string {
  // A comment that looks like a tag would be one, and three number signs a separator.
  return `# ${oneLine(text).replace(/^[#@\s]+/, '')}`.trimEnd()
}

function tagLine({ name, value }: NamedValue): string {
  return `# @${name} ${exactLine(value)}`.trimEnd()
}

function variableLine({ name, value }: NamedValue): string {
  return `@${name} = ${value}`.trimEnd()
}

function script(mark: '<' | '>', code: string): string {
  const closed = code.replaceAll('%}', '% }').replace(/^\s*\n|(?<!\s)\s+$/g, '')
  return closed.includes('\n') ? `${mark} {%\n${closed}\n%}` : `${mark} {% ${closed.trim()} %}`
}

/** Sets variables whose values cannot be in a line. Values that scripts set are not templates. */
function setting(variables: readonly NamedValue[]): string {
  return variables
    .map(({ name, value }) => `request.variables.set(${quoted(name)}, ${quoted(withoutMarks(value))})`)
    .join('\n')
}

/** A JavaScript string without characters that end the script. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('%}', '%\\u007d')
}
