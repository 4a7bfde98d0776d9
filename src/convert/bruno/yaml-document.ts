/**
 * Reads the content of a YAML file of a Bruno collection (OpenCollection 1.0): a request, a folder, a collection or an
 * environment.
 *
 * Rules: members that are missing or of another type are empty. Names of settings become those of Bru files.
 */
import { type JsonObject, listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import { readDocument } from '../draft/document-reader.ts'
import type { EnvironmentDraft, EnvironmentVariable } from '../draft/draft.ts'
import type { SourceText } from '../draft/errors.ts'
import {
  type BrunoBody,
  type BrunoCheck,
  type BrunoDocument,
  type BrunoEntry,
  type BrunoPart,
  emptyDocument,
  sequenceOf,
  typedValue,
} from './document.ts'

/**
 * @param shownPath path of the file, for losses
 * @throws ConvertSyntaxError with the place
 */
export async function yamlDocument(source: SourceText, shownPath: string): Promise<BrunoDocument> {
  const root = await readDocument(source, 'a Bruno request, folder or collection')
  const info = objectOf(root.info)
  const isRequest = root.http !== undefined || root.graphql !== undefined
  const http = objectOf(root.http ?? root.graphql)
  // Requests have two members, `http` and `runtime`, for what folders and collections have in `request` alone.
  const runtime = objectOf(isRequest ? root.runtime : root.request)
  const shared = isRequest ? http : runtime
  const params = objectsOf(http.params)
  const auth = authOf(shared.auth)
  const place = (path: string): string => `${shownPath} ${path}`
  return {
    ...emptyDocument,
    type: textOf(info.type) || (root.opencollection === undefined ? 'folder' : 'collection'),
    name: textOf(info.name),
    sequence: sequenceOf(textOf(info.seq)),
    tags: listOf(info.tags).map(textOf),
    method: textOf(http.method).toUpperCase(),
    url: textOf(http.url),
    query: params.filter(({ type }) => type !== 'path').map(entryOf),
    pathParameters: params.filter(({ type }) => type === 'path').map(entryOf),
    headers: objectsOf(shared.headers).map(entryOf),
    authType: auth.get('type') ?? '',
    auth,
    body: root.graphql === undefined ? bodyOf(objectOf(http.body)) : graphqlOf(objectOf(http.body)),
    variables: objectsOf(runtime.variables).flatMap(variableOf),
    captures: captures(objectsOf(runtime.actions), place),
    assertions: assertions(objectsOf(runtime.assertions), place),
    scriptsBefore: scripts(runtime, ['before-request'], place),
    scriptsAfter: scripts(runtime, ['after-response', 'tests'], place),
    docs: textOf(root.docs) || textOf(objectOf(root.docs).content),
    settings: new Map(Object.entries(objectOf(root.settings)).map(([name, value]) => [name, textOf(value)])),
  }
}

/** @throws ConvertSyntaxError with the place */
export async function yamlEnvironment(source: SourceText, name: string): Promise<EnvironmentDraft> {
  const root = await readDocument(source, 'an environment with "variables"')
  return { name: textOf(root.name) || name, variables: objectsOf(root.variables).flatMap(variableOf) }
}

function entryOf(entry: JsonObject): BrunoEntry {
  return {
    name: textOf(entry.name),
    value: textOf(entry.value),
    isDisabled: entry.disabled === true || entry.enabled === false,
  }
}

function variableOf(entry: JsonObject): readonly EnvironmentVariable[] {
  const { name, isDisabled } = entryOf(entry)
  if (name === '' || isDisabled) return []
  const { type, data } = objectOf(entry.value)
  const value = data === undefined ? textOf(entry.value) : typedValue(textOf(data), textOf(type))
  return [{ name, value, isSecret: entry.secret === true }]
}

const oauth2Names: Readonly<Record<string, string>> = {
  flow: 'grant_type',
  accessTokenUrl: 'access_token_url',
  authorizationUrl: 'authorization_url',
  callbackUrl: 'callback_url',
  clientId: 'client_id',
  clientSecret: 'client_secret',
}

/** `type` with the settings: nested ones by their last name. */
function authOf(value: JsonObject[string] | undefined): ReadonlyMap<string, string> {
  if (value === 'inherit') return new Map([['type', 'inherit']])
  const auth = objectOf(value)
  const entries = ['resourceOwner', 'credentials'].flatMap((name) => Object.entries(objectOf(auth[name])))
  const all = [...Object.entries(auth), ...entries].filter(([, setting]) => textOf(setting) !== '')
  return new Map(all.map(([name, setting]) => [oauth2Names[name] ?? name, textOf(setting)]))
}

function bodyOf(body: JsonObject): BrunoBody {
  const none = emptyDocument.body
  const mode = textOf(body.type) || 'none'
  if (typeof body.data === 'string') return { ...none, mode, text: body.data }
  return { ...none, mode, parts: objectsOf(body.data).map(partOf) }
}

function graphqlOf(body: JsonObject): BrunoBody {
  return {
    ...emptyDocument.body,
    mode: 'graphql',
    text: textOf(body.query),
    graphqlVariables: textOf(body.variables),
  }
}

/** Only the selected file of a file body is sent. */
function partOf(entry: JsonObject): BrunoPart {
  const known = { ...entryOf(entry), contentType: textOf(entry.contentType) }
  const path = textOf(entry.filePath)
  if (path !== '') return { ...known, isDisabled: entry.selected === false, paths: [path] }
  if (entry.type !== 'file') return { ...known, paths: undefined }
  return { ...known, paths: typeof entry.value === 'string' ? [entry.value] : listOf(entry.value).map(textOf) }
}

type PlaceOf = (path: string) => string

function captures(actions: readonly JsonObject[], place: PlaceOf): readonly BrunoCheck[] {
  return actions.flatMap(({ type, disabled, selector, variable }, index) => {
    if (type !== 'set-variable' || disabled === true) return []
    const target = textOf(objectOf(variable).name)
    return [{ place: place(`actions[${index}]`), expression: textOf(objectOf(selector).expression), target }]
  })
}

function assertions(list: readonly JsonObject[], place: PlaceOf): readonly BrunoCheck[] {
  return list.flatMap(({ disabled, expression, operator, value }, index) => {
    if (disabled === true) return []
    const target = `${textOf(operator)} ${textOf(value)}`.trim()
    return [{ place: place(`assertions[${index}]`), expression: textOf(expression), target }]
  })
}

function scripts(
  { scripts: list }: JsonObject,
  types: readonly string[],
  place: PlaceOf,
): BrunoDocument['scriptsAfter'] {
  return types.flatMap((type) =>
    objectsOf(list).flatMap((script, index) => {
      const code = textOf(script.code)
      return script.type !== type || code.trim() === '' ? [] : [{ place: place(`scripts[${index}]`), code }]
    }),
  )
}
