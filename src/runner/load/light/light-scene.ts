/**
 * The variables and the response as scripts of a light load test see them, in the form of load-response.ts.
 *
 * Rules: the exporter passes no scripts that use the request or set headers for later requests.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import { isLineStream, parseMediaType } from '../../request/media-type.ts'
import type { HandlerScene, ScriptScene } from '../../scripting/operations/script-scene.ts'
import type { ScriptVariables, VariableScope } from '../../variables/variable-scopes.ts'
import { randomBytes } from '../platform/crypto.ts'
import { responseFields } from '../platform/k6-fields.ts'
import type { LightExtras } from './light-extras.ts'
import type { LightAnswer } from './light-response.ts'
import { empty, type LightValues, plain } from './light-values.ts'
import { linesOf, scriptCookie } from './script-response.ts'

/** Before the request is sent. */
export function scriptScene(values: LightValues, extras: () => LightExtras): ScriptScene {
  return { variables: scriptVariables(values, extras) } as unknown as ScriptScene
}

export function handlerScene(scene: ScriptScene, { response, url }: LightAnswer): HandlerScene {
  const headers = responseFields(response)
  const content = new Uint8Array(response.body ?? new ArrayBuffer(0))
  const [, hostname = ''] = /^[^/]*\/\/(\[[^\]]*\]|[^/:]*)/.exec(url) ?? []
  const cookies = headers.filter(([name]) => name === 'Set-Cookie').map(([, field]) => scriptCookie(field, hostname))
  const isStream = isLineStream(parseMediaType(response.headers['Content-Type'] ?? ''))
  const stream = isStream ? { stream: linesOf(content) } : {}
  return { ...scene, response: { status: response.status, headers, body: () => content, cookies, ...stream } }
}

function scriptVariables(values: LightValues, extras: () => LightExtras): ScriptVariables {
  const changed = (): void => {
    values.texts = empty()
  }
  const scope = (store: 'globals' | 'ofRequest'): VariableScope => ({
    get: (name) => values[store][name],
    isEmpty: () => Object.values(values[store]).every((value) => value === undefined),
    set: (name, value) => {
      values[store][name] = value
      changed()
    },
    clear: (name) => {
      delete values[store][name]
      changed()
    },
    clearAll: () => {
      values[store] = empty()
      changed()
    },
  })
  const variables: Pick<ScriptVariables, 'sources' | 'scopes' | 'dynamic' | 'dynamicKind' | 'globalHeaders'> = {
    sources: { now: () => values.now(), randomBytes },
    scopes: {
      global: scope('globals'),
      request: scope('ofRequest'),
      environment: {
        get: (name) => {
          const given = values.given(name)
          return typeof given === 'string' ? values.joined(given, 0).value : given
        },
        isEmpty: () => values.isWithoutEnvironment(),
      },
      file: {
        get: (name) => {
          const template = values.inPlace[name]
          return template === undefined ? undefined : values.defined(name, template, 0).value
        },
        isEmpty: () => Object.values(values.inPlace).every((value) => value === undefined),
        set: (name, value) => {
          values.define(name, '')
          values.made[name] = plain(value)
        },
        clear: (name) => {
          delete values.inPlace[name]
          changed()
        },
        clearAll: () => {
          values.inPlace = empty()
          changed()
        },
      },
    },
    dynamic: (expression) => {
      const { value, isDynamicText } = extras().dynamic(expression, () => values.now())
      return isDynamicText ? value : (JSON.parse(value as string) as JsonValue)
    },
    dynamicKind: (name) => extras().dynamicKind(name),
    globalHeaders: { set: refuseHeaders, clear: refuseHeaders },
  }
  return variables as ScriptVariables
}

function refuseHeaders(): never {
  throw new Error('headers of later requests are not available in this script: convert the file again')
}
