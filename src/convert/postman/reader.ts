/**
 * Converts Postman collections (v2.0, v2.1) and environments to requests.
 *
 * Rules: names of folders become part of request names. Variables of the collection apply in every environment; those
 * that scripts set stay in the file, because the environment would override them. Scripts of a folder apply to each
 * request in it. Losses are reported with their path in the document.
 */
import type { JsonValue } from '../../http-file/index.ts'
import {
  isObject,
  type JsonObject,
  jsonText,
  listOf,
  objectOf,
  objectsOf,
  readJson,
  textOf,
} from '../draft/document.ts'
import {
  type Conversion,
  conversionOf,
  type EnvironmentVariable,
  type NamedValue,
  type RequestDraft,
} from '../draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import { Losses } from '../draft/losses.ts'
import { filledLines } from '../draft/request-parts.ts'
import { namesSet } from '../script/set-variables.ts'
import { ScriptTranslator, type TranslatedScripts } from '../script/translated-scripts.ts'
import { type BehaviorSettings, behaviorOf, behaviorSettings } from './behavior.ts'
import { requestDraft } from './request.ts'
import { postmanScripts } from './script-names.data.ts'
import { variablesOf } from './variables.ts'

/** @throws ConvertSyntaxError */
export function readPostman(source: SourceText): Conversion {
  const parsed = objectOf(readJson(source))
  // Answers of Postman's API have the collection or environment in a member.
  const root = isObject(parsed.collection)
    ? parsed.collection
    : isObject(parsed.environment)
      ? parsed.environment
      : parsed
  if (itemsIn(root) !== undefined) return readCollection(root)
  if (Array.isArray(root.values)) return readEnvironment(root)
  const message = Array.isArray(root.requests)
    ? 'a Postman collection of version 1: export it as version 2.1'
    : 'expected a Postman collection with "item", or an environment with "values"'
  throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, message)
}

/** The items of a collection or folder, which may be one item instead of a list; undefined for a request. */
function itemsIn({ item }: JsonObject): readonly JsonValue[] | undefined {
  return isObject(item) ? [item] : Array.isArray(item) ? item : undefined
}

function readEnvironment(root: JsonObject): Conversion {
  const isGlobal = root._postman_variable_scope === 'globals'
  const name = isGlobal ? '$shared' : textOf(root.name) || 'postman'
  const losses = new Losses()
  const variables = variablesOf(root.values, (message) => losses.add('values', message))
  // An empty value here would override the one that a script sets.
  const isEmpty = ({ value }: EnvironmentVariable): boolean => value === ''
  for (const variable of variables.filter(isEmpty)) losses.add(`values ${variable.name}`, 'a variable without a value')
  const environments = [{ name, variables: variables.filter((variable) => !isEmpty(variable)) }]
  return conversionOf({ title: textOf(root.name), environments, losses: losses.all })
}

function readCollection(root: JsonObject): Conversion {
  const info = objectOf(root.info)
  const losses = new Losses()
  const scripts = eventScripts(root.event, 'event', losses)
  const variables = variablesOf(root.variable, (message) => losses.add('variable', message))
  const walk = new CollectionWalk(losses, new Set(variables.map(({ name }) => name)))
  walk.items(root, {
    path: '',
    names: [],
    auth: objectOf(root.auth),
    scripts: noScripts,
    variables: [],
    behavior: behaviorSettings(root, '', {}),
  })
  const set = namesSet(walk.requests, [...scripts.before, ...scripts.after])
  const isSet = ({ name }: EnvironmentVariable): boolean => set.has(name)
  const kept = variables.filter(isSet).map(asText)
  return conversionOf({
    title: textOf(info.name),
    comments: [textOf(info.name), ...description(info.description)].filter((line) => line !== ''),
    variables: kept,
    scripts: scripts.before,
    handlers: scripts.after,
    requests: walk.requests,
    environments: [{ name: '$shared', variables: variables.filter((each) => !isSet(each)) }],
    losses: losses.all,
  })
}

function asText({ name, value }: EnvironmentVariable): NamedValue {
  return { name, value: jsonText(value) }
}

function description(value: JsonValue | undefined): readonly string[] {
  return filledLines(textOf(value) || textOf(objectOf(value).content))
}

const noScripts: TranslatedScripts = { before: [], after: [], assertions: [] }

/** The values that an item inherits from enclosing folders. */
interface Surroundings {
  /** Path in the document, up to the folder: `item[0].`. */
  readonly path: string
  readonly names: readonly string[]
  readonly auth: JsonObject
  readonly scripts: TranslatedScripts
  /** Those of folders apply to the requests in them. */
  readonly variables: readonly NamedValue[]
  readonly behavior: BehaviorSettings
}

class CollectionWalk {
  readonly requests: RequestDraft[] = []
  readonly #losses: Losses
  /** Names of the collection's own variables. */
  readonly #outer: ReadonlySet<string>

  constructor(losses: Losses, outer: ReadonlySet<string>) {
    this.#losses = losses
    this.#outer = outer
  }

  items(folder: JsonObject, around: Surroundings): void {
    for (const [index, item] of objectsOf(itemsIn(folder)).entries()) {
      const path = `${around.path}item[${index}]`
      const names = [...around.names, textOf(item.name)]
      const scripts = joined(around.scripts, eventScripts(item.event, `${path}.event`, this.#losses))
      const auth = isObject(item.auth) ? item.auth : around.auth
      const variables = this.#variablesOf(item, around, path)
      const behavior = behaviorSettings(item, `${path}.`, around.behavior)
      if (itemsIn(item) !== undefined) {
        this.items(item, { path: `${path}.`, names, auth, scripts, variables, behavior })
        continue
      }
      const request = typeof item.request === 'string' ? { url: item.request } : objectOf(item.request)
      const draft = requestDraft(request, {
        path: `${path}.request`,
        name: names.filter((name) => name !== '').join(' / '),
        comments: description(request.description),
        auth: isObject(request.auth) ? request.auth : auth,
        scripts,
        behavior: behaviorOf(behavior, path),
        losses: this.#losses,
      })
      this.requests.push({ ...draft, variables: [...variables, ...draft.variables] })
    }
  }

  /** A variable that the collection also has is overridden there: the environment comes before the file. */
  #variablesOf(item: JsonObject, { variables }: Surroundings, path: string): readonly NamedValue[] {
    const place = `${path}.variable`
    const own = variablesOf(item.variable, (message) => this.#losses.add(place, message)).map(asText)
    for (const { name } of own) {
      if (this.#outer.has(name)) this.#losses.add(place, `the variable ${name}, which the collection also has`)
    }
    const names = new Set(own.map(({ name }) => name))
    return [...variables.filter(({ name }) => !names.has(name)), ...own.filter(({ name }) => !this.#outer.has(name))]
  }
}

function joined(outer: TranslatedScripts, inner: TranslatedScripts): TranslatedScripts {
  return {
    before: [...outer.before, ...inner.before],
    after: [...outer.after, ...inner.after],
    assertions: [...outer.assertions, ...inner.assertions],
  }
}

/** @param path path of the list in the document */
function eventScripts(events: JsonValue | undefined, path: string, losses: Losses): TranslatedScripts {
  const before: string[] = []
  const after: string[] = []
  const translator = new ScriptTranslator(postmanScripts, losses)
  for (const [index, event] of objectsOf(events).entries()) {
    if (event.disabled === true) continue
    const { exec, src } = objectOf(event.script)
    const lines = exec ?? event.script
    const source = typeof lines === 'string' ? lines : listOf(lines).map(textOf).join('\n')
    if (source === '' && src !== undefined) losses.add(`${path}[${index}].script.src`, 'a script in another file')
    const code = translator.translated(source, `${path}[${index}].script`)
    ;(event.listen === 'prerequest' ? before : after).push(...code)
  }
  return { before, after, assertions: translator.assertions }
}
