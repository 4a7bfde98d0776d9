/**
 * The variables and the response as scripts of a light load test see them, in the form of load-response.ts.
 *
 * Rules: the exporter passes no scripts that set headers for later requests.
 */
import type { JsonValue } from '../../../../http-file/index.ts'
import { isLineStream, parseMediaType } from '../../../request/media-type.ts'
import type { HandlerScene, ScriptScene } from '../../../scripting/operations/script-scene.ts'
import type { ScriptVariables, VariableScope } from '../../../variables/variable-scopes.ts'
import { randomBytes } from '../../platform/crypto.ts'
import { responseFields } from '../../platform/k6-fields.ts'
import type { LightDynamic } from '../light-dynamic.ts'
import type { LightAnswer } from '../light-response.ts'
import { empty, type Values } from '../light-scopes.ts'
import { type LightValues, plain } from '../light-values.ts'
import { linesOf, scriptCookie } from './script-response.ts'

/** Before the request is sent. */
export function scriptScene(values: LightValues, dynamic: () => LightDynamic): ScriptScene {
  return { variables: scriptVariables(values, dynamic) } as unknown as ScriptScene
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

function scriptVariables(values: LightValues, dynamic: () => LightDynamic): ScriptVariables {
  const { scopes } = values
  const changed = (): void => {
    scopes.texts = empty()
  }
  const scope = (store: 'globals' | 'ofRequest'): VariableScope => ({
    get: (name) => scopes[store][name],
    isEmpty: () => isEmpty(scopes[store]),
    set: (name, value) => {
      scopes[store][name] = value
      changed()
    },
    clear: (name) => {
      delete scopes[store][name]
      changed()
    },
    clearAll: () => {
      scopes[store] = empty()
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
        isEmpty: () => isEmpty({ ...scopes.environment, ...scopes.row }),
      },
      file: {
        get: (name) => {
          const template = scopes.inPlace[name]
          return template === undefined ? undefined : values.defined(name, template, 0).value
        },
        isEmpty: () => isEmpty(scopes.inPlace),
        set: (name, value) => {
          // Not plain: the value is in `made`.
          scopes.inPlace[name] = '{{}}'
          values.made[name] = plain(value)
          changed()
        },
        clear: (name) => {
          delete scopes.inPlace[name]
          changed()
        },
        clearAll: () => {
          scopes.inPlace = empty()
          changed()
        },
      },
    },
    dynamic: (expression) => {
      const { value, isDynamicText } = values.dynamic(expression)
      return isDynamicText ? value : (JSON.parse(value as string) as JsonValue)
    },
    dynamicKind: (name) => dynamic().kind(name),
    globalHeaders: { set: refuseHeaders, clear: refuseHeaders },
  }
  return variables as ScriptVariables
}

function isEmpty(values: Values): boolean {
  return Object.values(values).every((value) => value === undefined)
}

function refuseHeaders(): never {
  throw new Error('headers of later requests are not available in this script: convert the file again')
}
