/** The error for an unknown variable: with similar names, or where it could be defined. */
import { isJsonObject, type JsonValue, nearestNames } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { errorAt, type Place, type SourceText } from '../base/errors.ts'
import { optionHints } from '../base/option-hints.ts'
import { contextNames } from './dynamic/context-variables.ts'
import { namesLike } from './dynamic/dynamic-variables.ts'
import { editorNames } from './dynamic/editor-variables.ts'
import { parseReference } from './request-references.ts'
import type { SharedVariables, VariableOptions } from './shared-variables.ts'
import { parseVariablePath } from './variable-path.ts'

/** @param known names that have a value here */
export function unknownVariable(
  name: string,
  known: readonly string[],
  { options, answers, setterOf }: SharedVariables,
  place: Place,
): HttpcliError {
  const reference = parseReference(name)
  if (reference !== undefined && !known.includes(reference.name)) {
    const message = `no request of this run is called ${JSON.stringify(reference.name)}`
    return unknown(message, place, nameHint(reference.name, answers.names, place.source))
  }
  const root = parseVariablePath(name)?.root
  if (root !== undefined && known.includes(root)) {
    return unknown(`the variable ${JSON.stringify(root)} has nothing at ${JSON.stringify(name)}`, place)
  }
  if (root !== undefined && answers.has(root)) {
    const message = `the variable ${JSON.stringify(root)} is not defined, but a request has that name`
    return unknown(message, place, referenceHint(root, name.slice(name.indexOf(root) + root.length).replace(/^\./, '')))
  }
  if (isProgram(name)) return programError(name, place)
  if (root === 'response') return responseError(name, place)
  if (name.startsWith('%') && known.includes(name.slice(1))) return encodedError(name, place)
  if (options.nullNames?.has(root ?? name) === true) return nullError(name, place)
  const message = `the variable ${JSON.stringify(name)} is not defined`
  const setter = setterOf(root ?? name, place)
  if (setter !== undefined) {
    return unknown(message, place, `The request ${setter} sets it: it must be sent before, and succeed.`)
  }
  const bare = name.replace(name.startsWith('$') ? /[ \t(].*$/s : /\(.*$/s, '')
  const nearest = nearestNames(bare, [...known, ...namesLike(name), ...contextNames, ...editorNames])
  const hint =
    definingHint(root ?? name, options) ??
    (nearest.length > 0 ? `Did you mean ${nearest.join(' or ')}?` : environmentHint(name, options))
  return unknown(message, place, hint)
}

function unknown(message: string, { source, span }: Place, hint?: string): HttpcliError {
  return errorAt(source, span, { code: 'unknown-variable', message, hint })
}

/** How to give a request the name. If the text has the name but no request does, its section has no request. */
function nameHint(name: string, requests: readonly string[], source: SourceText): string {
  const line = namedLines(source).get(name)
  if (line !== undefined) return `Put "# @name ${name}" (line ${line}) below the line "###" of its request.`
  // A reference cannot have any other name.
  const [near] = nearestNames(
    name,
    requests.filter((each) => /^[\w-]+$/.test(each)),
  )
  return near === undefined ? 'Name the request: "# @name login".' : `Did you mean ${near}?`
}

/** Of texts with an error: a text may have thousands of them. */
const linesByName: WeakMap<SourceText, ReadonlyMap<string, number>> = new WeakMap()

/** The line of each tag `@name`. */
function namedLines(source: SourceText): ReadonlyMap<string, number> {
  const known = linesByName.get(source)
  if (known !== undefined) return known
  const lines = new Map<string, number>()
  for (const [index, line] of source.text.split(/\r\n|[\r\n]/).entries()) {
    const [, name] = /^[ \t]*(?:#|\/\/)[ \t]*@name(?:[ \t]*=[ \t]*|[ \t]+)([\w-]+)/.exec(line) ?? []
    if (name !== undefined) lines.set(name, index + 1)
  }
  linesByName.set(source, lines)
  return lines
}

/** How to refer to what other tools have after the name of a request. */
function referenceHint(request: string, written: string): string {
  // httpYac's variable of a request is its body, and its response has the body as `parsedBody`.
  const rest = written.replace(/^(?:response\.)?parsedBody\./, '')
  const [, side, header] = /^(request|response)\.headers\[["']?([^"'\]]+)/.exec(rest) ?? []
  if (header !== undefined) return `Write {{${request}.${side}.headers.${header}}}.`
  const [, cookie] = /^response\.cookies[.[]["']?([\w-]+)/.exec(rest) ?? []
  if (cookie !== undefined) return `Write "# @capture name = cookie ${cookie}" above the request ${request}.`
  return /^(?:request|response)\b/.test(rest)
    ? `Write {{${request}.response.body.$.path}} or {{${request}.response.headers.Name}}; # @capture stores other values.`
    : `Write {{${request}.response.body.$.${rest}}}.`
}

/** What a name never contains: a call, a quoted text, or an operator between two values. */
const programSigns: readonly RegExp[] = [
  /^\$global\b|^(?:new|require|await)\b|^[`'"]|\+\+|\w[ \t]*\(/,
  /[)\]"'`\w][ \t]+[-/?][ \t]/,
  /[)\]"'`\w][ \t]*(?:[+*]|\|\||&&|\?\?|\?[^?:]*:|[=!]==?)[ \t]*[(["'`\w]/,
]

/** Whether the braces contain JavaScript, as in httpYac, rather than a name or a path. */
function isProgram(name: string): boolean {
  return !/^\$(?!global)/.test(name) && programSigns.some((sign) => sign.test(name))
}

function programError(name: string, place: Place): HttpcliError {
  const [, global] = /^\$global\.([\w$]+)$/.exec(name) ?? []
  const message = `${JSON.stringify(name)} is JavaScript, which httpYac runs between braces, and not a variable`
  const hint =
    global === undefined
      ? 'Set a variable in a script above the request: < {% request.variables.set("name", value) %}.'
      : `Write {{${global}}}, and set it in a script of an earlier request: client.global.set("${global}", value).`
  return unknown(message, place, hint)
}

/** httpYac sets `@id = {{response.parsedBody.id}}` after the request. */
function responseError(name: string, place: Place): HttpcliError {
  const [, path] = /^response\.(?:parsedBody|body)\.?(?=[[\w])(.*)$/s.exec(name) ?? []
  const captured = path === undefined ? '$.path' : `$${path.startsWith('[') ? '' : '.'}${path}`
  const message = `${JSON.stringify(name)} is a value of the response, which httpYac reads after the request, and not a variable`
  return unknown(message, place, `Write "# @capture name = ${captured}" above the request line.`)
}

/** REST Client writes `{{%name}}` for a value that is encoded. */
function encodedError(name: string, place: Place): HttpcliError {
  const message = `{{${name}}}, an encoded value of VS Code REST Client, is not supported`
  const hint = `Write {{${name.slice(1)}}}: a URL encodes what it cannot contain. To encode more, set a variable with encodeURIComponent in a script above the request.`
  return unknown(message, place, hint)
}

/** The environments that have exactly this name: a better answer than a name that is only similar. */
function definingHint(name: string, { environmentsWith }: VariableOptions): string | undefined {
  const defining = environmentsWith?.(name) ?? []
  return defining.length > 0 ? `${optionHints.definingEnvironment} ${defining.join(', ')}` : undefined
}

function environmentHint(name: string, { environment }: VariableOptions): string {
  if (name.startsWith('$')) return dynamicHint(name)
  return environment.size > 0
    ? 'Define it in the environment file or above the request: @name = value.'
    : optionHints.chosenEnvironment
}

/** A name that begins with `$` cannot be defined. `$date` is Kulala's. */
function dynamicHint(name: string): string {
  return name === '$date'
    ? 'Write {{$datetime "YYYY-MM-DD"}}.'
    : 'Dynamic variables are $uuid, $timestamp, $isoTimestamp, $datetime, $randomInt, $random.…, $env.NAME and others.'
}

function nullError(name: string, place: Place): HttpcliError {
  return unknown(`the variable ${JSON.stringify(name)} is null, expected a value`, place, optionHints.nullValue)
}

/** The text of null, which has no sensible one. @throws HttpcliError, unless unknown variables are empty */
export function textOfNull(name: string, place: Place, { options }: SharedVariables): string {
  if (options.isLenient === true) return ''
  throw nullError(name, place)
}

/** The stores from which Visual Studio fetches the secret that such an object describes. */
const providers: ReadonlySet<unknown> = new Set(['AspnetUserSecrets', 'AzureKeyVault', 'Encrypted'])

/** @throws HttpcliError for a value of an environment that says only where Visual Studio finds the secret */
export function refuseProvider(name: string, value: JsonValue, place: Place): void {
  if (!isJsonObject(value) || !providers.has(value.provider)) return
  const message = `the variable ${JSON.stringify(name)} is a secret of ${value.provider}, which only Visual Studio can read`
  throw unknown(message, place, 'Put its value into http-client.private.env.json.')
}
