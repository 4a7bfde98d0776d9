/**
 * Reads the settings of a Postman request (`protocolProfileBehavior`).
 *
 * Rules: a request has the settings of the collection and of its folders too; the innermost wins. A setting without an
 * equivalent is a loss at the place where it is set, unless it has its default value.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { type JsonObject, objectOf } from '../draft/document.ts'

/** Settings by name, with the path of the object that sets them. */
export type BehaviorSettings = Readonly<Record<string, { readonly value: JsonValue; readonly path: string }>>

export interface Behavior {
  /** Names of tags of the request. */
  readonly tags: readonly string[]
  /** Whether methods such as GET have their body. */
  readonly sendsEveryBody: boolean
  /** Headers that Postman would add, in the path `disabledSystemHeaders`. */
  readonly disabledHeaders: readonly string[]
  readonly path: string
  readonly lost: readonly { readonly path: string; readonly message: string }[]
}

/** The settings of an item, and of the folders that contain it. @param path path of the item, with a trailing dot */
export function behaviorSettings(item: JsonObject, path: string, around: BehaviorSettings): BehaviorSettings {
  const own = Object.entries(objectOf(item.protocolProfileBehavior))
  const place = `${path}protocolProfileBehavior`
  return { ...around, ...Object.fromEntries(own.map(([name, value]) => [name, { value, path: place }])) }
}

const tagOf: Readonly<Record<string, readonly [unusual: boolean, tag: string]>> = {
  followRedirects: [false, 'no-redirect'],
  disableUrlEncoding: [true, 'no-auto-encoding'],
  disableCookies: [true, 'no-cookie-jar'],
}
const known: ReadonlySet<string> = new Set(['disableBodyPruning', 'disabledSystemHeaders', ...Object.keys(tagOf)])
/** Settings that are on by default. */
const usual: ReadonlySet<string> = new Set(['strictSSL', 'removeRefererHeaderOnRedirect'])

/** @param path path of the item in the document */
export function behaviorOf(settings: BehaviorSettings, path: string): Behavior {
  const { disableBodyPruning, disabledSystemHeaders } = settings
  return {
    tags: Object.entries(tagOf).flatMap(([name, [unusual, tag]]) => (settings[name]?.value === unusual ? [tag] : [])),
    sendsEveryBody: disableBodyPruning?.value === true,
    disabledHeaders: Object.entries(objectOf(disabledSystemHeaders?.value)).flatMap(([name, isOff]) =>
      isOff === true ? [name] : [],
    ),
    path: disabledSystemHeaders?.path ?? `${path}.protocolProfileBehavior`,
    lost: Object.entries(settings).flatMap(([name, { value, path }]) =>
      known.has(name) || isDefault(name, value) ? [] : [{ path: `${path}.${name}`, message: lostSetting(name) }],
    ),
  }
}

function isDefault(name: string, value: JsonValue): boolean {
  if (usual.has(name)) return value !== false
  return value === false || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function lostSetting(name: string): string {
  return name === 'strictSSL' ? 'unverified certificates: give -i to "httpcli run"' : `the setting ${name}`
}
