/**
 * Converts one request of a Bruno collection to a draft.
 *
 * Rules: headers, authorization, variables and scripts of enclosing folders and of the collection apply to it. Scripts
 * before the request run from the outside in, those after it from the inside out. `:name` in the path is a parameter.
 */
import { draftOf, type Entry, type NamedValue, type RequestDraft, tagsOf } from '../draft/draft.ts'
import { oneLine, variableName } from '../draft/literal-text.ts'
import type { Losses } from '../draft/losses.ts'
import type { OAuth2Block } from '../draft/oauth2.ts'
import { filledLines, withAdded, withoutAuthorization, withQuery } from '../draft/request-parts.ts'
import { ScriptTranslator, type TranslatedScripts } from '../script/translated-scripts.ts'
import { brunoAuthorization } from './auth.ts'
import { brunoBody } from './body.ts'
import { assertionResult, type CheckResult, captureResult } from './checks.ts'
import type { BrunoDocument, BrunoEntry, BrunoScript } from './document.ts'
import { brunoScripts } from './script-names.data.ts'
import { type BrunoNames, brunoText, brunoValue, silentReport } from './variables.ts'

export interface RequestSettings {
  /** The file, for losses. */
  readonly place: string
  /** Including the names of its folders. */
  readonly title: string
  /** From the collection to the folder of the request. */
  readonly around: readonly BrunoDocument[]
  readonly names: BrunoNames
  /** Names in the environments, which override those of the request. */
  readonly environmentNames: ReadonlySet<string>
  readonly oauth2: OAuth2Block
  readonly losses: Losses
}

export function requestDraft(request: BrunoDocument, settings: RequestSettings): RequestDraft {
  const { place, around, names, losses, oauth2 } = settings
  const notes: string[] = []
  const prompts = new Map<string, string>()
  const lose = (message: string, where = place): void => {
    notes.push(losses.add(where, message))
  }
  const textWith = (text: string): string =>
    brunoText(text, names, {
      onUnknown: (name) => lose(`the dynamic variable ${name}`),
      onPrompt: (name, question) => prompts.set(name, question),
    })
  const disabledText = (text: string): string => brunoText(text, names, silentReport)
  const entryText = (text: string, isDisabled: boolean): string => (isDisabled ? disabledText(text) : textWith(text))
  const levels = [...around, request]
  const authorization = authorizationOf(levels, request.name, oauth2, textWith)
  if (authorization.lost !== undefined) lose(authorization.lost)
  const method = request.method || 'GET'
  const body = brunoBody(request.body, textWith, method)
  for (const message of [...body.lost, ...lostSettings(request)]) lose(message)
  for (const { place: where, name } of request.unknown) lose(`the block ${name}`, where)
  // The collection's own checks apply to the whole file.
  const checked = levels.slice(1)
  const captures = checked
    .flatMap(({ captures: list }) => list)
    .map((check) => captureResult(check, variableName(check.target)))
  const assertions = request.assertions.map((check) => assertionResult(check, textWith))
  const scripts = scriptsOf(levels.slice(1), [...captures, ...assertions], place, losses)
  const headers = withoutAuthorization(headersOf(levels, entryText), authorization.headers)
  const { url, variables } = urlOf(request, textWith)
  if (request.url === '') lose('a request without a URL')
  const draft = draftOf({
    name: settings.title,
    tags: [
      ...settingTags(request),
      ...tagsOf('tag', request.tags),
      ...captures.flatMap(({ tags }) => tagsOf('capture', tags)),
      ...tagsOf('assert', [...assertions.flatMap(({ tags }) => tags), ...scripts.assertions]),
    ],
    variables: [...ownVariables(checked, settings, textWith, lose), ...variables],
    scripts: scripts.before,
    method,
    url: withQuery(url, authorization.query ?? ''),
    disabledQuery: request.query
      .filter(({ isDisabled }) => isDisabled)
      .map(({ name, value }) => disabledText(`${name}=${value}`)),
    headers: withAdded(headers, authorization.headers, body.contentType),
    body: body.body,
    handlers: scripts.after,
  })
  const asked = [...prompts].map(([name, question]) => ({ name: 'prompt', value: `${name} ${question}` }))
  return { ...draft, tags: [...asked, ...draft.tags], comments: [...filledLines(request.docs), ...notes] }
}

/** The innermost setting: of the request, a folder or the collection. */
function authorizationOf(
  levels: readonly BrunoDocument[],
  name: string,
  oauth2: OAuth2Block,
  textWith: (text: string) => string,
): ReturnType<typeof brunoAuthorization> {
  const nearest = levels.findLast(
    ({ authType }, index) => authType !== 'inherit' && (authType !== '' || index === levels.length - 1),
  )
  const { authType = '', auth = new Map<string, string>() } = nearest ?? {}
  return brunoAuthorization({ type: authType, settings: auth, name, oauth2 }, textWith)
}

/** Inner headers replace outer ones of the same name. */
function headersOf(
  levels: readonly BrunoDocument[],
  entryText: (text: string, isDisabled: boolean) => string,
): readonly Entry[] {
  const headers = new Map<string, BrunoEntry>()
  for (const header of levels.flatMap(({ headers: list }) => list)) {
    const key = header.name.toLowerCase()
    if (oneLine(header.name) !== '' && !(header.isDisabled && headers.has(key))) headers.set(key, header)
  }
  return [...headers.values()].map(({ name, value, isDisabled }) => ({
    name: entryText(oneLine(name), isDisabled),
    value: entryText(value, isDisabled),
    isDisabled,
  }))
}

/** A segment of OData with keys: `Users(':id')`. */
const keyedSegment = /^[\w.-]+\([^)]*\)$/

/** The URL contains the query; the list adds only the disabled parameters. */
function urlOf(
  { url, pathParameters }: BrunoDocument,
  textWith: (text: string) => string,
): { readonly url: string; readonly variables: readonly NamedValue[] } {
  const variables: NamedValue[] = []
  const [path = '', ...query] = url === '' ? ['http://localhost/'] : url.split('?')
  const filledName = (whole: string, name: string): string => {
    const parameter = pathParameters.find((each) => each.name === name && !each.isDisabled)
    if (parameter === undefined) return whole
    if (parameter.value !== '') return parameter.value
    variables.push({ name: variableName(name), value: whole })
    return `{{${name}}}`
  }
  const filled = path.replace(/(?<=\/)[^/]+/g, (segment) => {
    if (segment.startsWith(':')) return filledName(segment, segment.slice(1))
    return keyedSegment.test(segment) ? segment.replace(/:([A-Za-z_]\w*)/g, filledName) : segment
  })
  return { url: textWith([filled, ...query].join('?')), variables }
}

/** Variables of the request and its folders: the inner one wins. */
function ownVariables(
  levels: readonly BrunoDocument[],
  { names, environmentNames }: RequestSettings,
  textWith: (text: string) => string,
  lose: (message: string) => void,
): readonly NamedValue[] {
  const values = new Map<string, string>()
  for (const { name, value } of levels.flatMap(({ variables }) => variables)) {
    if (environmentNames.has(name)) lose(`the variable ${name}, which an environment also has`)
    else if (typeof value === 'string') values.set(variableName(name), textWith(value))
    else values.set(variableName(name), JSON.stringify(brunoValue(value, names, silentReport)))
  }
  return [...values].map(([name, value]) => ({ name, value }))
}

function settingTags({ settings }: BrunoDocument): readonly NamedValue[] {
  const follows = settings.get('followRedirects') !== 'false' && settings.get('maxRedirects') !== '0'
  const timeout = Number(settings.get('timeout') ?? 0)
  return [
    ...(follows ? [] : [{ name: 'no-redirect', value: '' }]),
    ...(settings.get('encodeUrl') === 'false' ? [{ name: 'no-auto-encoding', value: '' }] : []),
    ...(timeout > 0 ? [{ name: 'timeout', value: `${Math.ceil(timeout)} ms` }] : []),
  ]
}

const knownSettings: ReadonlySet<string> = new Set(['encodeUrl', 'timeout', 'followRedirects', 'maxRedirects'])
/** Bruno's default; `run` follows 10. */
const DEFAULT_REDIRECTS = '5'

function lostSettings({ settings }: BrunoDocument): readonly string[] {
  const unknown = [...settings].filter(([name, value]) => !knownSettings.has(name) && value !== 'false' && value !== '')
  const redirects = settings.get('maxRedirects') ?? DEFAULT_REDIRECTS
  return [
    ...unknown.map(([name]) => `the setting ${name}`),
    ...(redirects === DEFAULT_REDIRECTS || redirects === '0' ? [] : ['the setting maxRedirects']),
  ]
}

/** @param checks their code runs before the scripts after the response */
export function scriptsOf(
  levels: readonly BrunoDocument[],
  checks: readonly CheckResult[],
  place: string,
  losses: Losses,
): TranslatedScripts {
  const translator = new ScriptTranslator(brunoScripts, losses)
  const translated = (script: BrunoScript): readonly string[] => translator.translated(script.code, script.place)
  const code = checks.flatMap((check) => (check.code === '' ? [] : [check.code])).join('\n')
  const checking = translated({ place, code })
  return {
    before: levels.flatMap(({ scriptsBefore }) => scriptsBefore).flatMap(translated),
    after: [
      ...checking,
      ...levels
        .toReversed()
        .flatMap(({ scriptsAfter }) => scriptsAfter)
        .flatMap(translated),
    ],
    assertions: translator.assertions,
  }
}
