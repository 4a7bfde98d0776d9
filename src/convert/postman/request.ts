/**
 * Converts one request of a Postman collection to a draft.
 *
 * Rules: a request without a URL keeps an empty one and a comment. Disabled headers become comments.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { authorizationOf, noAuthorization } from '../draft/authorization.ts'
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../draft/document.ts'
import { type BodyDraft, draftOf, type Entry, type RequestDraft, tagsOf } from '../draft/draft.ts'
import { isAdded, lostRemoval } from '../draft/header-removal.ts'
import { oneLine, variableName } from '../draft/literal-text.ts'
import type { Losses } from '../draft/losses.ts'
import { withAdded, withQuery } from '../draft/request-parts.ts'
import type { TranslatedScripts } from '../script/translated-scripts.ts'
import type { Behavior } from './behavior.ts'
import { postmanBody } from './body.ts'
import { postmanUrl } from './url.ts'
import { postmanText } from './variables.ts'

export interface RequestSettings {
  /** Path of the request in the document. */
  readonly path: string
  readonly name: string
  readonly comments: readonly string[]
  readonly auth: JsonObject
  readonly scripts: TranslatedScripts
  readonly behavior: Behavior
  readonly losses: Losses
}

export function requestDraft(request: JsonObject, settings: RequestSettings): RequestDraft {
  const notes: string[] = []
  const lose = (path: string, message: string): void => {
    notes.push(settings.losses.add(path, message))
  }
  const textWith = (text: string): string => postmanText(text, (message) => lose(settings.path, message))
  const { url, disabledQuery, openVariables } = postmanUrl(request.url)
  const authType = textOf(settings.auth.type)
  const authSettings = settingsOf(settings.auth, authType)
  // Postman sends no header for a bearer token that is empty.
  const isEmptyToken = authType === 'bearer' && (authSettings.get('token') ?? '') === ''
  const authorization = isEmptyToken
    ? noAuthorization
    : authorizationOf(authType, (name) => authSettings.get(name) ?? (name === 'headerPrefix' ? 'Bearer' : ''))
  if (authorization.lost !== undefined) lose(`${settings.path}.auth`, authorization.lost)
  const method = textOf(request.method).toUpperCase() || 'GET'
  const { behavior } = settings
  const headers = headersOf(request.header, textWith)
  const body = postmanBody(objectOf(request.body), textWith, {
    method,
    writtenType: headers.find(({ name, isDisabled }) => !isDisabled && /^content-type$/i.test(name))?.value ?? '',
    sendsEveryBody: behavior.sendsEveryBody,
  })
  for (const message of body.lost) lose(`${settings.path}.body`, message)
  for (const { path, message } of behavior.lost) lose(path, message)
  if (url === '') lose(`${settings.path}.url`, 'a request without a URL')
  const authorizing = authorization.headers.map(({ name, value }) => ({ name: textWith(name), value: textWith(value) }))
  const hasType = body.contentType !== undefined && !behavior.disabledHeaders.includes('content-type')
  const draft = draftOf({
    name: settings.name,
    tags: [...behavior.tags.map((name) => ({ name, value: '' })), ...tagsOf('assert', settings.scripts.assertions)],
    variables: openVariables.map((name) => ({ name: variableName(name), value: `:${name}` })),
    scripts: settings.scripts.before,
    method,
    url: withQuery(textWith(url || 'http://localhost/'), textWith(authorization.query ?? '')),
    disabledQuery: disabledQuery.map(textWith),
    headers: withAdded(
      headers.filter((header) => !isReplaced(header, body.body, behavior.disabledHeaders)),
      authorizing,
      hasType ? textWith(body.contentType) : undefined,
    ),
    body: body.body,
    handlers: settings.scripts.after,
  })
  for (const name of behavior.disabledHeaders) {
    if (isAdded(name, draft)) lose(`${behavior.path}.disabledSystemHeaders`, lostRemoval(name))
  }
  return { ...draft, comments: [...settings.comments, ...notes] }
}

/** The media types that Postman keeps for a form; it replaces any other one in the headers, such as that of JSON. */
const formTypes: Readonly<Record<string, RegExp>> = {
  form: /^application\/x-www-form-urlencoded\b|\{\{/i,
  multipart: /multipart|\{\{/i,
}

function isReplaced(header: Entry, body: BodyDraft | undefined, disabledHeaders: readonly string[]): boolean {
  if (body?.type !== 'form' && body?.type !== 'multipart') return false
  // A form whose fields are all disabled is not sent.
  if (!(body.type === 'form' ? body.entries : body.parts).some((each) => each.isDisabled !== true)) return false
  const kept = formTypes[body.type]
  const isType = header.name.toLowerCase() === 'content-type' && header.isDisabled !== true
  return isType && kept?.test(header.value) === false && !disabledHeaders.includes('content-type')
}

/** A list of names and values; v2.0 also has them as one text. */
function headersOf(value: JsonValue | undefined, textWith: (text: string) => string): readonly Entry[] {
  if (typeof value === 'string') {
    return value.split(/\r\n|\n|\r/).flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 1
        ? []
        : [{ name: textWith(line.slice(0, colon).trim()), value: textWith(line.slice(colon + 1).trim()) }]
    })
  }
  return objectsOf(value).flatMap((header) => {
    const name = oneLine(textOf(header.key))
    if (name === '') return []
    return [{ name: textWith(name), value: textWith(textOf(header.value)), isDisabled: header.disabled === true }]
  })
}

/** The settings of an authorization: a list of keys and values in v2.1, an object in v2.0. */
function settingsOf(auth: JsonObject, type: string): ReadonlyMap<string, string> {
  const written = auth[type]
  if (isObject(written)) return new Map(Object.entries(written).map(([name, value]) => [name, textOf(value)]))
  return new Map(objectsOf(written).map((setting) => [textOf(setting.key), textOf(setting.value)]))
}
