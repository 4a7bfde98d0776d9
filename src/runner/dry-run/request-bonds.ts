/**
 * Decides whether the requests of a file can be divided among several machines.
 *
 * Rules: they can if no request can affect another one: no capture, no script that may set a variable, no cookie, no
 * value of a variable that is computed once, no saved file, no call, no reference to a response. Anything that the text
 * alone cannot rule out counts as such an effect: a script that is not plain, a body from a file with variables.
 */
import { type Request, type Section, type Template, templateText } from '../../http-file/index.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import { PlainScripts } from '../scripting/plain/plain-scripts.ts'
import { scriptTokens } from '../scripting/source/script-tokens.ts'
import { referenceOffset } from '../variables/request-references.ts'

/** Why the requests of a file must run on one machine. */
export interface RequestBond {
  readonly line: number
  /** A predicate for the line: `sets a variable`. */
  readonly reason: string
}

/**
 * @param values texts from outside the file whose variables are replaced
 * @returns undefined if each request can be sent without the others
 */
export function findBond({ source, file }: LoadedHttpFile, values: readonly string[]): RequestBond | undefined {
  const requests = file.sections.flatMap(({ request }) => request ?? [])
  if (requests.length < 2) return undefined
  const scripts = [...file.common.code, ...file.common.preRequestScripts, ...file.common.handlers]
  const bonds = [
    ...scripts.flatMap((script) => scriptBond(script) ?? []),
    ...file.sections.flatMap(sectionBonds),
    ...cookieBond(requests),
    ...referenceBond(source.text),
    ...(values.some((value) => referenceOffset(value) !== undefined)
      ? [{ line: 1, reason: 'is in a file whose environment refers to a response' }]
      : []),
  ]
  return bonds.toSorted((a, b) => a.line - b.line)[0]
}

function sectionBonds({ variables, directives, request }: Section): readonly RequestBond[] {
  return [
    ...variables
      .filter(({ value }) => isMadeOnce(value))
      .map(({ span, name }) => ({ line: span.line, reason: `gives @${name} a value that all requests share` })),
    ...directives.map(({ span, directive }) => ({
      line: span.line,
      reason: `has ${directive}, which names other requests`,
    })),
    ...(request === undefined ? [] : requestBonds(request)),
  ]
}

function requestBonds(request: Request): readonly RequestBond[] {
  const { captures, preRequestScripts, handlers, redirects, body, headers } = request
  return [
    ...captures.map(({ span, name }) => ({ line: span.line, reason: `sets the variable ${name}` })),
    ...[...preRequestScripts, ...handlers].flatMap((script) => scriptBond(script) ?? []),
    ...redirects.map(({ span }) => ({ line: span.line, reason: 'saves a file that other requests may read' })),
    ...body
      .filter((part) => 'substitutes' in part && part.substitutes)
      .map(({ span }) => ({ line: span.line, reason: 'reads a file that may refer to other requests' })),
    ...headers
      .filter(
        ({ name, value }) => /^authorization$/i.test(templateText(name)) && /^digest\b/i.test(templateText(value)),
      )
      .map(({ span }) => ({ line: span.line, reason: 'uses a challenge that an earlier request has received' })),
  ]
}

const plainScripts = new PlainScripts()

/** A plain handler can set only global variables, by calling one of these methods. */
const setters = /(?<![\w$])(?:set|clear|clearAll)(?![\w$])/

function scriptBond(script: Request['handlers'][number]): RequestBond | undefined {
  const { source, span, phase } = script
  const reason = 'has a script that may set variables'
  if (phase !== 'handler' || source.type !== 'inline' || !plainScripts.isPlain(script))
    return { line: span.line, reason }
  const mayCall = scriptTokens(source.code).some(
    ({ kind, text }) => /^(?:name|template)$/.test(kind) && setters.test(text),
  )
  return mayCall ? { line: span.line, reason } : undefined
}

/** The second request that uses the jar may send a cookie that the first one received. */
function cookieBond(requests: readonly Request[]): readonly RequestBond[] {
  const [, second] = requests.filter(({ tags }) => tags.every(({ name }) => name !== 'no-cookie-jar'))
  const reason = 'may send a cookie that an earlier request has received (# @no-cookie-jar prevents that)'
  return second === undefined ? [] : [{ line: second.line.span.line, reason }]
}

function referenceBond(text: string): readonly RequestBond[] {
  const offset = referenceOffset(text)
  if (offset === undefined) return []
  return [{ line: text.slice(0, offset).split(/\r\n|\n|\r/).length, reason: 'refers to another request' }]
}

/** Values that are the same at each use and on every machine. */
const steady = /^\$(?:env\.|processEnv\b|dotenv\b|projectRoot$|historyFolder$|exampleServer$|auth\.)/

/** A dynamic value in a definition is computed once and shared by all requests. */
function isMadeOnce({ parts }: Template): boolean {
  return parts.some(
    (part) => part.type === 'variable' && part.expression.startsWith('$') && !steady.test(part.expression),
  )
}
