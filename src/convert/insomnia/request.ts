/**
 * Converts one request of an Insomnia export to a draft.
 *
 * Rules: headers, authorization, environments and scripts of enclosing folders apply to it. Format 4 has settings
 * beside the request, format 5 in members of it. `:name` in the path is a parameter.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../draft/document.ts'
import { draftOf, type Entry, type NamedValue, type RequestDraft, tagsOf } from '../draft/draft.ts'
import { literal, mapText, oneLine, variableName } from '../draft/literal-text.ts'
import type { Losses } from '../draft/losses.ts'
import type { OAuth2Block } from '../draft/oauth2.ts'
import { filledLines, withAdded, withoutAuthorization } from '../draft/request-parts.ts'
import { encodedComponent } from '../draft/request-url.ts'
import { ScriptTranslator, type TranslatedScripts } from '../script/translated-scripts.ts'
import { insomniaAuthorization } from './auth.ts'
import { insomniaBody } from './body.ts'
import { insomniaScripts } from './script-names.data.ts'
import { insomniaText, type TemplateSettings } from './template.ts'
import type { InsomniaItem } from './tree.ts'

export interface RequestSettings {
  readonly capture: TemplateSettings['capture']
  /** Names in the environments, which override those of a folder. */
  readonly environmentNames: ReadonlySet<string>
  readonly oauth2: OAuth2Block
  readonly losses: Losses
}

export function requestDraft(placed: InsomniaItem, settings: RequestSettings): RequestDraft {
  const { path, item, around } = placed
  const notes: string[] = []
  const prompts = new Map<string, string>()
  const lose = (message: string, where = path): void => {
    notes.push(settings.losses.add(where, oneLine(message)))
  }
  const templates: TemplateSettings = {
    lose,
    prompt: (name, question) => prompts.set(name, oneLine(question)),
    capture: settings.capture,
  }
  const textWith = (text: string): string => insomniaText(text, templates)
  const levels = [...around, item]
  const auth = levels.map(({ authentication }) => objectOf(authentication)).findLast(({ type }) => textOf(type) !== '')
  const authorization = insomniaAuthorization(auth ?? {}, textOf(item.name), settings.oauth2, textWith)
  if (authorization.lost !== undefined) lose(authorization.lost, `${path}.authentication`)
  const nested = objectOf(item.settings)
  const rendersBody = item.settingDisableRenderRequestBody !== true && nested.renderRequestBody !== false
  const method = textOf(item.method).toUpperCase() || 'GET'
  const body = insomniaBody(objectOf(item.body), rendersBody ? textWith : literal, method)
  const headers = withoutAuthorization(headersOf(levels, textWith), authorization.headers)
  const scripts = scriptsOf(levels, path, settings.losses)
  const { url, disabledQuery } = urlOf(item, authorization.query, textWith)
  if (textOf(item.url) === '') lose('a request without a URL')
  return draftOf({
    name: placed.names.filter((name) => name !== '').join(' / '),
    tags: [
      ...[...prompts].map(([name, question]) => ({ name: 'prompt', value: `${name} ${question}` })),
      ...settingTags(item, nested),
      ...tagsOf('assert', scripts.assertions),
    ],
    variables: folderVariables(around, settings.environmentNames, textWith, lose),
    scripts: scripts.before,
    method,
    url,
    disabledQuery,
    headers: withAdded(headers, authorization.headers, body.contentType),
    body: body.body,
    handlers: scripts.after,
    comments: [...filledLines(textOf(item.description) || textOf(objectOf(item.meta).description)), ...notes],
  })
}

/** Inner headers replace outer ones of the same name; a request may repeat its own. */
function headersOf(levels: readonly JsonObject[], textWith: (text: string) => string): readonly Entry[] {
  let headers: readonly Entry[] = []
  for (const { headers: list } of levels) {
    const own = objectsOf(list).flatMap((header): readonly Entry[] => {
      const name = oneLine(textOf(header.name))
      const isDisabled = header.disabled === true
      return name === '' ? [] : [{ name: textWith(name), value: textWith(textOf(header.value)), isDisabled }]
    })
    const names = new Set(own.filter(({ isDisabled }) => !isDisabled).map(({ name }) => name.toLowerCase()))
    headers = [...headers.filter(({ name }) => !names.has(name.toLowerCase())), ...own]
  }
  return headers
}

function urlOf(
  item: JsonObject,
  authorizationQuery: string | undefined,
  textWith: (text: string) => string,
): { readonly url: string; readonly disabledQuery: readonly string[] } {
  const [path = '', ...query] = (textOf(item.url) || 'http://localhost/').split('?')
  const values = new Map(objectsOf(item.pathParameters).map(({ name, value }) => [textOf(name), textOf(value)]))
  const withScheme = /^[\w.-]+(?::\d+)?(?:\/|$)/.test(path) ? `http://${path}` : path
  const address = mapText(textWith(withScheme), (plain) =>
    plain.replace(/\/:([^/:]+)/g, (whole, name: string) => {
      const value = values.get(name) ?? ''
      return value === '' ? whole : `/${mapText(textWith(value), encodedComponent)}`
    }),
  )
  const parameters = objectsOf(item.parameters).filter(({ name }) => textOf(name) !== '')
  const pair = ({ name, value }: JsonObject): string => `${queryText(name, textWith)}=${queryText(value, textWith)}`
  const pairs = parameters.filter(({ disabled }) => disabled !== true).map(pair)
  const written = [
    ...query.map((text) => textWith(text)),
    ...pairs,
    ...((authorizationQuery ?? '') ? [authorizationQuery] : []),
  ]
  return {
    url: written.length === 0 ? address : `${address}?${written.join('&')}`,
    disabledQuery: parameters.filter(({ disabled }) => disabled === true).map(pair),
  }
}

/** Escapes characters that would end the value; templates stay. */
function queryText(value: JsonValue | undefined, textWith: (text: string) => string): string {
  return mapText(textWith(textOf(value)), (plain) => plain.replace(/[&#+]/g, encodeURIComponent))
}

function settingTags(item: JsonObject, nested: JsonObject): readonly NamedValue[] {
  const cookies = objectOf(nested.cookies)
  const follows = (item.settingFollowRedirects ?? nested.followRedirects) !== 'off'
  const encodes = item.settingEncodeUrl !== false && nested.encodeUrl !== false
  const hasCookies = item.settingSendCookies !== false && cookies.send !== false
  return [
    ...(follows ? [] : [{ name: 'no-redirect', value: '' }]),
    ...(encodes ? [] : [{ name: 'no-auto-encoding', value: '' }]),
    ...(hasCookies ? [] : [{ name: 'no-cookie-jar', value: '' }]),
  ]
}

/** Values of the folders' environments: the inner one wins. */
function folderVariables(
  around: readonly JsonObject[],
  environmentNames: ReadonlySet<string>,
  textWith: (text: string) => string,
  lose: (message: string) => void,
): readonly NamedValue[] {
  const values = new Map<string, string>()
  for (const [key, value] of around.flatMap(({ environment }) => Object.entries(objectOf(environment)))) {
    const name = variableName(key)
    if (environmentNames.has(name)) lose(`the variable ${key} of a folder, which an environment also has`)
    else if (isObject(value)) lose(`the variable ${key} of a folder: its value is an object`)
    else if (name !== '') values.set(name, typeof value === 'string' ? textWith(value) : JSON.stringify(value))
  }
  return [...values].map(([name, value]) => ({ name, value }))
}

function scriptsOf(levels: readonly JsonObject[], path: string, losses: Losses): TranslatedScripts {
  const translator = new ScriptTranslator(insomniaScripts, losses)
  const translated = (name: string, nested: string): readonly string[] =>
    levels.flatMap((level) => {
      return translator.translated(textOf(level[name]) || textOf(objectOf(level.scripts)[nested]), `${path}.${name}`)
    })
  return {
    before: translated('preRequestScript', 'preRequest'),
    after: translated('afterResponseScript', 'afterResponse'),
    assertions: translator.assertions,
  }
}
