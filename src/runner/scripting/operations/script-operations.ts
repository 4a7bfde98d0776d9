/**
 * The calls that a script can make to the runner, by name: variables, its request, its response.
 *
 * Rules: the script controls the arguments, so only texts and numbers are accepted; results are plain data. The names
 * are those that the sandbox uses, see src/runner/scripting/guest.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import { isToken } from '../../../message/index.ts'
import { readableField } from '../../../secrets/index.ts'
import { decodeLeniently } from '../../request/charset.ts'
import { parseMediaType } from '../../request/media-type.ts'
import { randomFraction } from '../../variables/dynamic/random-numbers.ts'
import type { VariableScope } from '../../variables/variable-scopes.ts'
import type { Operations } from '../engine/script-engine.ts'
import type { HandlerScene, ScriptResponse, ScriptScene } from './script-scene.ts'

/** Waiting for a server does not count as the script's time. */
export const untimedOperations: ReadonlySet<string> = new Set(['stream-next'])

export const sceneOperations: Operations<ScriptScene> = {
  'variable-get': (scene, store, name) => scopeOf(scene, store).get(String(name)),
  'variable-is-empty': (scene, store) => scopeOf(scene, store).isEmpty(),
  'variable-set': (scene, store, name, json: string) =>
    writableScope(scene, store).set?.(String(name), JSON.parse(json) as JsonValue),
  'variable-clear': (scene, store, name) => writableScope(scene, store).clear?.(String(name)),
  'variable-clear-all': (scene, store) => writableScope(scene, store).clearAll?.(),
  'global-header-set': ({ variables }, name, value) =>
    variables.globalHeaders.set(fieldName(name), fieldValue(name, value)),
  'global-header-clear': ({ variables }, name) => variables.globalHeaders.clear(String(name)),
  dynamic: ({ variables }, expression) => {
    const value = variables.dynamic(String(expression))
    if (value === undefined) throw new Error(`unknown variable ${expression}`)
    return value
  },
  'dynamic-kind': ({ variables }, path) => variables.dynamicKind(String(path)),
  now: ({ variables }) => variables.sources.now(),
  'random-number': ({ variables }) => randomFraction(variables.sources.randomBytes),
  'utf8-decode': (_scene, binary) => Buffer.from(String(binary), 'latin1').toString('utf8'),
  'request-method': ({ request }) => request.method,
  'request-raw': ({ request }, what) => (what === 'body' ? request.body : request.url).raw,
  'request-substituted': ({ request }, what) => (what === 'body' ? request.body : request.url).substituted(),
  'request-header-names': ({ request }) => request.headers.map(({ name }) => name),
  'request-header-raw': ({ request }, index) => request.headers[Number(index)]?.raw,
  'request-header-substituted': ({ request }, index) => request.headers[Number(index)]?.substituted(),
  'request-iteration': ({ request }) => request.iteration,
  'request-template-value': ({ request }, index) => request.templateValue(Number(index)) ?? null,
}

export const responseOperations: Operations<HandlerScene> = {
  'response-head': ({ response }) => ({
    status: response.status,
    ...contentType(response),
    headers: response.headers.map(([name, value]) => [name, readableField(value)]),
    stream: response.stream?.kind ?? null,
  }),
  'response-body': ({ response }) => {
    const content = response.body()
    if (content === undefined) throw new Error('the response body is too large for a script')
    return decodeLeniently(content, contentType(response).charset)
  },
  'response-cookies': ({ response }) =>
    response.cookies.map((cookie) => ({ ...cookie, expiresAt: cookie.expiresAt ?? null })),
  'stream-close': ({ response }) => response.stream?.close(),
  'stream-send': ({ response: { stream } }, message) => {
    if (stream?.send === undefined) throw new Error('nothing can be sent over this response')
    stream.send(String(message))
  },
}

/** The same for slow operations. */
export const laterOperations: Operations<HandlerScene> = {
  'stream-next': ({ response }) => response.stream?.next(),
}

function scopeOf({ variables }: ScriptScene, name: unknown): VariableScope {
  const key = String(name) as keyof typeof variables.scopes
  if (!Object.hasOwn(variables.scopes, key)) throw new Error(`variables ${JSON.stringify(key)} not found`)
  return variables.scopes[key]
}

function writableScope(scene: ScriptScene, name: unknown): VariableScope {
  const scope = scopeOf(scene, name)
  if (scope.set === undefined) throw new Error(`the variables of ${name} cannot be changed by a script`)
  return scope
}

function contentType({ headers }: ScriptResponse): { readonly mimeType: string; readonly charset: string } {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const { name: mimeType, charset = '' } = parseMediaType(type)
  return { mimeType, charset }
}

/** RFC 9110 sections 5.1 and 5.5: a field of a message must be valid. */
function fieldName(name: unknown): string {
  const text = String(name)
  if (!isToken(text)) throw new Error(`${JSON.stringify(text)} is not a header name`)
  return text
}

function fieldValue(name: unknown, value: unknown): string {
  const text = String(value).trim()
  if (/[\0\r\n]/.test(text)) throw new Error(`the value of the header ${name} contains a line break`)
  return text
}
