/**
 * Converts one URL of a curl transfer to a request.
 *
 * Rules (curl manual): a body makes the request a POST, `-T` a PUT, `-I` a HEAD; `-X` only replaces the method name.
 * A header that curl leaves out and `run` adds is a loss. Credentials in the URL count as `-u`. Without `-L` redirects
 * are not followed.
 */
import { decodedComponent, sentMethod } from '../../http-file/index.ts'
import { basic, digest, LOST_BASIC, LOST_DIGEST } from '../draft/authorization.ts'
import { draftOf, type Entry, type NamedValue, type PartContent, type RequestDraft } from '../draft/draft.ts'
import { isAdded, lostRemoval } from '../draft/header-removal.ts'
import { mapText } from '../draft/literal-text.ts'
import type { Losses } from '../draft/losses.ts'
import { withoutPassphrase, withoutPassword } from '../draft/passwords.ts'
import { encodedComponent, isSentAsTyped, withoutDotSegments } from '../draft/request-url.ts'
import { type FormSettings, formParts } from './form-option.ts'
import { type HeaderOptions, type HeaderRemoval, headerOptions } from './header-option.ts'
import type { GivenOption } from './option-reader.ts'
import { proxyOptions, secretOptions } from './options.data.ts'
import { escapedText, type RequestData, requestData } from './request-data.ts'
import type { Transfer } from './transfer.ts'

export interface DraftSettings {
  readonly comments: readonly string[]
  readonly name: string
  /** The standard input of the command. */
  readonly input: PartContent | undefined
  readonly losses: Losses
}

/** @param url one of the transfer's URLs, globs already expanded @param index its index */
export function curlDraft(transfer: Transfer, url: string, index: number, settings: DraftSettings): RequestDraft {
  const notes: string[] = []
  const lose = (place: { readonly line: number }, message: string): void => {
    notes.push(settings.losses.add(`line ${place.line}`, message))
  }
  for (const given of transfer.runOptions) notes.push(runNote(given, settings.losses))
  for (const given of [...transfer.lost, ...(transfer.followsRedirects ? transfer.redirectOptions : [])]) {
    const { long } = given.option
    const shown = secretOptions.has(long) ? '' : proxyOptions.has(long) ? withoutPassword(given.value) : given.value
    lose(given, `${given.spelling} ${shown}`.trim())
  }
  const { method } = transfer
  if (method !== undefined && sentMethod(method) !== method) {
    lose(transfer.urls[0] as GivenOption, `the method ${method}: "httpcli run" sends it in capitals`)
  }
  const whole = withScheme(url)
  const address = addressOf(transfer.shouldKeepDotSegments ? whole : withoutDotSegments(whole))
  const data = requestData(transfer, settings.input, lose)
  const upload = transfer.uploads[index] ?? (transfer.uploads.length === 1 ? transfer.uploads[0] : undefined)
  const body = bodyOf(transfer, data, upload, { input: settings.input, lose })
  const target = completeUrl(address.url, upload, [
    ...transfer.urlQueries.map((given) => queryOf(given, lose)),
    ...(transfer.isGet ? data.queries : []),
  ])
  const options = headerOptions(transfer.headers, body?.type === 'multipart', lose)
  const draft = draftOf({
    name: settings.name,
    tags: [...tagsOf(transfer, lose), ...(isSentAsTyped(target) ? [] : [{ name: 'no-auto-encoding', value: '' }])],
    method: method ?? methodFor(transfer, body !== undefined, upload !== undefined),
    url: target,
    version: transfer.version,
    headers: headersOf(options, defaultHeaders(transfer, { data, address, body, lose })),
    body,
    responseFile: outputOf(transfer.outputs[index], address.url),
  })
  for (const { name, given } of removalsIn(transfer, options)) if (isAdded(name, draft)) lose(given, lostRemoval(name))
  return { ...draft, comments: [...settings.comments, ...notes] }
}

/** These options correspond to options of `run`. Passwords are not repeated. */
function runNote({ option, spelling, value, line }: GivenOption, losses: Losses): string {
  const { detail = '' } = option
  const shown =
    option.long === 'cert' ? withoutPassphrase(value) : detail.startsWith('--proxy') ? withoutPassword(value) : value
  const advice = `${detail}${detail.endsWith('/') ? '' : ' '}${shown}`.trim()
  losses.add(`line ${line}`, `${`${spelling} ${shown}`.trim()}: give ${advice} to "httpcli run"`)
  return `Run with: httpcli run ${advice}`
}

/** Times and counts that are numbers: a tag cannot hold a variable. For curl, 0 means no limit. */
function tagsOf(transfer: Transfer, lose: FormSettings['lose']): readonly NamedValue[] {
  const { followsRedirects, maxTime, connectTimeout, retries, retryDelay } = transfer
  const known = (given: GivenOption | undefined): string | undefined => {
    if (given === undefined) return undefined
    if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(given.value)) lose(given, `${given.spelling} ${given.value}`)
    else if (Number(given.value) > 0) return given.value
    return undefined
  }
  const [time, connectTime, count, delay] = [maxTime, connectTimeout, retries, retryDelay].map(known)
  return [
    ...(followsRedirects ? [] : [{ name: 'no-redirect', value: '' }]),
    ...(time === undefined ? [] : [{ name: 'timeout', value: duration(time) }]),
    ...(connectTime === undefined ? [] : [{ name: 'connection-timeout', value: duration(connectTime) }]),
    ...(count === undefined
      ? []
      : [{ name: 'retry', value: delay === undefined ? count : `${count} ${duration(delay)}` }]),
  ]
}

function duration(seconds: string): string {
  return /^\d+$/.test(seconds) ? `${seconds} s` : `${Math.max(1, Math.round(Number(seconds) * 1000))} ms`
}

function methodFor({ isHead }: Transfer, hasBody: boolean, isUpload: boolean): string {
  if (isHead) return 'HEAD'
  if (isUpload) return 'PUT'
  return hasBody ? 'POST' : 'GET'
}

function bodyOf(
  transfer: Transfer,
  data: RequestData,
  upload: string | undefined,
  settings: FormSettings,
): RequestDraft['body'] {
  if (upload !== undefined) {
    if (!isStandardInput(upload)) return { type: 'file', path: upload }
    const { input = { text: '' } } = settings
    if (settings.input === undefined) settings.lose(transfer.urls[0] as GivenOption, 'the standard input')
    return 'path' in input ? { type: 'file', path: input.path } : { type: 'text', text: input.text }
  }
  if (transfer.forms.length > 0) {
    const parts = transfer.forms.flatMap((form) => formParts(form, settings))
    return { type: 'multipart', parts, ...(hasOtherMultipart(transfer) ? { disposition: 'attachment' } : {}) }
  }
  return transfer.isGet ? undefined : data.body
}

/** Whether the type is multipart but not that of a form: curl then sends the parts as attachments. */
function hasOtherMultipart({ headers }: Transfer): boolean {
  return headers.some(({ value }) => /^content-type:\s*multipart\/(?!form-data)/i.test(value))
}

function isStandardInput(upload: string): boolean {
  return upload === '-' || upload === '.'
}

interface Address {
  readonly url: string
  readonly user: string | undefined
}

/** With the scheme that curl guesses. */
function withScheme(url: string): string {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/|\{\{(?!\{))/.test(url.trim()) ? url.trim() : `http://${url.trim()}`
}

/** Without credentials. @param url with a scheme, or one that begins with a variable */
function addressOf(url: string): Address {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?(?:([^/?#@]*)@)?(.*)$/s.exec(url) as RegExpExecArray
  const [, start = '', user, rest = ''] = match
  const isBare = !/[/?#]/.test(rest) && !rest.includes('{{')
  return { url: `${start}${rest}${isBare ? '/' : ''}`, user: user === undefined ? undefined : decodedComponent(user) }
}

function completeUrl(url: string, upload: string | undefined, queries: readonly string[]): string {
  const [directory = '', rest = ''] = /^([^?#]*\/)((?:[?#].*)?)$/s.exec(url)?.slice(1) ?? []
  const isDirectory = upload !== undefined && !isStandardInput(upload) && directory !== ''
  const path = isDirectory ? directory + mapText(upload.split('/').at(-1) as string, encodedComponent) + rest : url
  const query = queries.filter((each) => each !== '').join('&')
  if (query === '') return path
  const [address = '', ...fragment] = path.split('#')
  const mark = address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?'
  return `${address}${mark}${query}${fragment.length === 0 ? '' : `#${fragment.join('#')}`}`
}

/** `--url-query`: as `--data-urlencode`; literal after a plus sign. A file would be read when it is sent. */
function queryOf(given: GivenOption, lose: HeaderSource['lose']): string {
  const text = given.value
  if (text.startsWith('+')) return text.slice(1)
  const equals = text.indexOf('=')
  if (equals === -1 && text.includes('@')) {
    lose(given, `the content of the file ${text.slice(text.indexOf('@') + 1)} in the query`)
    return ''
  }
  if (equals === -1) return mapText(text, escapedText)
  const name = text.slice(0, equals)
  return `${name === '' ? '' : `${name}=`}${mapText(text.slice(equals + 1), escapedText)}`
}

/** Names of devices and of standard output: nothing is saved there. */
const deviceOutput = /^(?:\/dev\/(?:null|stdout|stderr|tty)|nul|-)$/i

/** The file that the response is saved to; undefined for a device. */
function outputOf(path: string | undefined, url: string): string | undefined {
  if (path === undefined || deviceOutput.test(path)) return undefined
  if (path !== '') return path
  const name = url.replace(/[?#].*$/s, '').split('/')
  return name.length > 3 ? name.at(-1) || 'index.html' : 'index.html'
}

interface HeaderSource {
  readonly data: RequestData
  readonly address: Address
  readonly body: RequestDraft['body']
  readonly lose: (place: { readonly line: number }, message: string) => void
}

function headersOf({ written, removals }: HeaderOptions, defaults: readonly Entry[]): readonly Entry[] {
  const names = new Set([...written, ...removals].map(({ name }) => name.toLowerCase()))
  return [...defaults.filter(({ name }) => !names.has(name.toLowerCase())), ...written]
}

/** `-A ''` is a removal as well. */
function removalsIn({ userAgent }: Transfer, { removals }: HeaderOptions): readonly HeaderRemoval[] {
  return userAgent?.value === '' ? [...removals, { name: 'User-Agent', given: userAgent }] : removals
}

/** A variable alone is the text of cookies, unless its name is that of a file. */
const cookieVariable = /^\{\{(?!\w*(?:jar|file|path))\w+\}\}$/i

/** Headers that curl adds and `run` does not, in curl's order. */
function defaultHeaders(transfer: Transfer, { data, address, body, lose }: HeaderSource): readonly Entry[] {
  const headers: Entry[] = []
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) headers.push({ name, value })
  }
  const { authScheme } = transfer
  const user = authScheme === undefined ? undefined : (transfer.user?.value ?? address.user)
  add('Authorization', transfer.bearer === undefined ? undefined : `Bearer ${transfer.bearer}`)
  if (transfer.bearer === undefined && authScheme !== undefined) {
    const text = user === undefined ? undefined : credentials(authScheme, user)
    add('Authorization', text)
    const lost = authScheme === 'Digest' ? LOST_DIGEST : LOST_BASIC
    if (user !== undefined && text === undefined) lose(transfer.user ?? (transfer.urls[0] as GivenOption), lost)
  }
  add('User-Agent', transfer.userAgent?.value || undefined)
  add('Referer', transfer.referer?.value.replace(/;auto$/, '') || undefined)
  if (transfer.followsRedirects && transfer.referer?.value.endsWith(';auto')) {
    lose(transfer.referer, 'the Referer of redirects')
  }
  // A number alone is the start of the range.
  const open = /^\d+$/.test(transfer.range ?? '') ? '-' : ''
  add('Range', transfer.range === undefined ? undefined : `bytes=${transfer.range}${open}`)
  add('Accept-Encoding', transfer.isCompressed ? 'deflate, gzip, br' : undefined)
  if (data.isJson) add('Accept', 'application/json')
  if (body !== undefined && body === data.body) add('Content-Type', data.contentType)
  const cookies: string[] = []
  for (const given of transfer.cookies) {
    if (given.value.includes('=') || cookieVariable.test(given.value))
      cookies.push(given.value.trim().replace(/;$/, ''))
    else if (given.value !== '') lose(given, `cookies of the file ${given.value}: give -c to "httpcli run"`)
  }
  add('Cookie', cookies.length === 0 ? undefined : cookies.join('; '))
  return headers
}

function credentials(scheme: string, text: string): string | undefined {
  const colon = text.indexOf(':')
  const user = colon === -1 ? text : text.slice(0, colon)
  const password = colon === -1 ? '{{password}}' : text.slice(colon + 1)
  return scheme === 'Digest' ? digest(user, password) : basic(user, password)
}
