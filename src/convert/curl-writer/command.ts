/**
 * Converts one request to curl options.
 *
 * Rules: an option and its value make one line. The method is left out if curl would choose it anyway; headers that
 * curl would add and `run` does not send are removed.
 */
import {
  type HeaderNode,
  type Request,
  sentMethod,
  type Template,
  targetPart,
  targetPlaces,
  templateText,
} from '../../http-file/index.ts'
import { escapedUrl, hasDotSegments } from '../draft/request-url.ts'
import { dataWords } from './data.ts'
import { hasTag, isGraphqlField, isNamed, type ReportLoss } from './request-parts.ts'
import { type ShellVariables, shellWord, unsafeValue } from './shell-text.ts'

const versionOptions: Readonly<Record<string, string>> = {
  'HTTP/1.0': '--http1.0',
  'HTTP/1.1': '--http1.1',
  'HTTP/2': '--http2',
  'HTTP/2 (Prior Knowledge)': '--http2-prior-knowledge',
}

const foreignMethods = ['WEBSOCKET', 'GRPC', 'RSOCKET']

/** The units of a time tag in seconds. */
const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, '': 1, m: 60 }

/** Lines of a command after `curl`, the first with method and URL; undefined if curl cannot send the request. */
export function curlWords(request: Request, shell: ShellVariables, report: ReportLoss): readonly string[] | undefined {
  const written = request.line.method ?? 'GET'
  if (foreignMethods.includes(written)) {
    report(request.line.span, `a ${written} request`)
    return undefined
  }
  const data = dataWords(request, shell, report)
  const url = targetUrl(request, shell, report)
  if (url === undefined) return undefined
  const word = (text: string): string => shellWord(text, shell)
  const start = [
    ...(hasTag(request, 'no-redirect') ? [] : ['-L']),
    ...(/[[\]{}]/.test(url.replace(/\{\{[^{}]*\}\}/g, '')) ? ['-g'] : []),
    ...(hasDotSegments(url) ? ['--path-as-is'] : []),
    ...methodWords(written, data.length > 0),
    word(url),
  ]
  return [
    start.join(' '),
    ...(url.endsWith('*') && templateText(request.line.target) === '*' ? ["--request-target '*'"] : []),
    ...(request.line.version === undefined ? [] : [versionOptions[request.line.version] as string]),
    ...timeWords(request),
    ...retryWords(request),
    ...request.headers.flatMap((header) => headerWords(header, request, shell)),
    ...data,
    ...request.redirects.slice(0, 1).map(({ path }) => `-o ${word(templateText(path))}`),
  ]
}

function methodWords(written: string, hasData: boolean): readonly string[] {
  if (written === 'GRAPHQL') return []
  const method = sentMethod(written)
  if (method === 'HEAD' && !hasData) return ['-I']
  return method === (hasData ? 'POST' : 'GET') ? [] : [`-X ${method}`]
}

/** A path takes its host from the Host field. Undefined if a value would make the URL name another host. */
function targetUrl(request: Request, shell: ShellVariables, report: ReportLoss): string | undefined {
  const { target: written, span } = request.line
  let target: string
  try {
    target = filledTarget(written, shell)
  } catch (error) {
    report(span, (error as Error).message)
    return undefined
  }
  if (target !== '*' && !target.startsWith('/')) {
    const scheme = /^(?:[A-Za-z][\w+.-]*:\/\/|\{\{)/.test(target) ? '' : 'http://'
    return escaped(request, scheme + target)
  }
  const host = templateText(request.headers.find((header) => isNamed(header, 'host'))?.value ?? { parts: [] })
  const origin = /^(?:[A-Za-z][\w+.-]*:\/\/|\{\{)/.test(host) ? host : `http://${host}`
  return escaped(request, origin.replace(/\/$/, '') + (target === '*' ? '/*' : target))
}

/** Text that curl would refuse, expand or send without the escapes of `run`, and segments that it would remove. */
const unsafeInUrl = /[^\w\-.~:/?#@!$&'()*+,;=%]|%(?![\dA-Fa-f]{2})|(?:^|\/)\.\.?(?:\/|$)/

/**
 * With known values, whose braces are escaped because they do not begin a variable. A shell does not escape the value of a
 * variable, so a value that needs escapes is written as text.
 * @throws as `targetPart` does
 */
function filledTarget(template: Template, shell: ShellVariables): string {
  const places = targetPlaces(template)
  const parts = template.parts.map((part, index) => {
    const value =
      part.type === 'variable'
        ? (shell.values.get(part.expression) ?? unsafeValue(part.expression, shell, unsafeInUrl))
        : undefined
    if (part.type === 'text' || value === undefined) return part
    const text = targetPart(value, places?.[index], part.expression).replace(/[{}]/g, encodeURIComponent)
    return { type: 'text' as const, text }
  })
  return templateText({ parts })
}

function escaped(request: Request, url: string): string {
  return hasTag(request, 'no-auto-encoding') ? url.replace(/#.*$/s, '') : escapedUrl(url)
}

/** `# @retry 3 500 ms` */
function retryWords({ tags }: Request): readonly string[] {
  const match = /^(\d+)(?:[ \t]+(\d+)[ \t]*(ms|s|m|))?$/.exec(
    tags.findLast(({ name }) => name === 'retry')?.value ?? '',
  )
  if (match === null) return []
  const [, count, wait, unit = ''] = match
  return [`--retry ${count}`, ...(wait === undefined ? [] : [`--retry-delay ${seconds(wait, unit)}`])]
}

/** In curl's format. */
function seconds(count: string, unit: string): number {
  return Number((Number(count) * (unitSeconds[unit] as number)).toFixed(3))
}

function timeWords({ tags }: Request): readonly string[] {
  const options: Readonly<Record<string, string>> = {
    timeout: '--max-time',
    'connection-timeout': '--connect-timeout',
  }
  return tags.flatMap((tag) => {
    const option = Object.hasOwn(options, tag.name) ? options[tag.name] : undefined
    const match = /^(\d+)[ \t]*(ms|s|m|)$/.exec(tag.value)
    if (option === undefined || match === null) return []
    return [`${option} ${seconds(match[1] as string, match[2] as string)}`]
  })
}

function headerWords(header: HeaderNode, request: Request, shell: ShellVariables): readonly string[] {
  const word = (text: string): string => shellWord(text, shell)
  const name = templateText(header.name)
  const value = templateText(header.value)
  if (isNamed(header, 'content-length') || isGraphqlField(header)) return []
  if (isNamed(header, 'host') && /^[A-Za-z][\w+.-]*:\/\//.test(value)) return []
  if (isNamed(header, 'host') && /^[/*]/.test(templateText(request.line.target))) return []
  // curl chooses the boundary.
  if (isNamed(header, 'content-type') && /^multipart\/form-data/i.test(value) && request.body.length > 0) return []
  const credentials = isNamed(header, 'authorization') ? credentialWords(header, word) : undefined
  if (credentials !== undefined) return credentials
  const field = isEmpty(header, shell) ? `${name};` : `${name}: ${value}`
  return [...(isNamed(header, 'accept-encoding') ? ['--compressed'] : []), `-H ${word(field)}`]
}

/** curl leaves out a field without a value, unless its name ends in a semicolon. */
function isEmpty({ value }: HeaderNode, { values }: ShellVariables): boolean {
  return value.parts.every((part) => (part.type === 'text' ? part.text : values.get(part.expression)) === '')
}

/** User and password with a blank between them. Digest excludes the parameters of a complete field. */
const separatedBasic = /^(Basic)[ \t]+((?=\S)[^\s{]*(?:(?:\{\{[^{}]*\}\}|\{(?=\{\{|[^{]))[^\s{]*)*)[ \t]+(\S.*)$/is
const separatedDigest =
  /^(Digest)[ \t]+((?=[^\s=,])[^\s=,{]*(?:(?:\{\{[^{}]*\}\}|\{(?=\{\{|[^{]))[^\s=,{]*)*)[ \t]+(\S.*)$/is

/** User and password with a colon between them. */
const joinedBasic =
  /^(Basic)[ \t]+([^\s:{]*(?:\{\{[^{}]*\}\}[^\s:{]*)*):([^\s{]*(?:(?:\{\{[^{}]*\}\}|\{(?!\{[^{}]*\}\}))[^\s{]*)*)$/i
const joinedDigest =
  /^(Digest)[ \t]+((?=[^\s=,":])[^\s=,":{]*(?:\{\{[^{}]*\}\}[^\s=,":{]*)*):([^\s{]*(?:(?:\{\{[^{}]*\}\}|\{(?!\{[^{}]*\}\}))[^\s{]*)*)$/i
const shortForms: readonly RegExp[] = [separatedBasic, separatedDigest, joinedBasic, joinedDigest]

/** The short forms of Basic and Digest. */
function credentialWords({ value }: HeaderNode, word: (text: string) => string): readonly string[] | undefined {
  const text = templateText(value)
  const match = shortForms.map((form) => form.exec(text)).find((each) => each !== null)
  if (match === undefined) return undefined
  const [, scheme = '', user = '', password = ''] = match
  return [...(/^digest$/i.test(scheme) ? ['--digest'] : []), `-u ${word(`${user}:${password}`)}`]
}
