/**
 * Converts one operation of a document to a draft.
 *
 * Rules: path parameters are variables with an example as their value; required query parameters and headers are part
 * of the request, others become comments. Tags of the operation are tags of the request.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../draft/document.ts'
import { draftOf, type Entry, type EnvironmentVariable, type NamedValue, type RequestDraft } from '../draft/draft.ts'
import { exactLine, literal, literalUrl, oneLine, variableName } from '../draft/literal-text.ts'
import type { Losses } from '../draft/losses.ts'
import { bodyOf, oldBodyOf } from './body.ts'
import { type Parameter, parameterOf, pathText, queryPairs, simpleText } from './parameters.ts'
import type { Schemas } from './sample.ts'
import { securityOf } from './security.ts'
import { BASE_URL, serverUrl, withHost } from './servers.ts'

export interface OperationSettings extends Schemas {
  readonly root: JsonObject
  /** As in the document: `/users/{id}`. */
  readonly path: string
  readonly method: string
  readonly item: JsonObject
  readonly losses: Losses
}

export interface OperationDraft {
  readonly draft: RequestDraft
  /** Variables that the environment must define for it. */
  readonly variables: readonly EnvironmentVariable[]
}

export function operationDraft(operation: JsonObject, settings: OperationSettings): OperationDraft {
  const { root, path, method, references, losses } = settings
  const place = `paths.${path}.${method}`
  const written = allParameters(operation, settings)
  const parameters = written
    .filter(({ name, in: place }) => place !== 'body' && place !== 'formData' && textOf(name) !== '')
    .map((parameter) => parameterOf(parameter, settings))
  const security = securityOf(operation.security ?? root.security, schemesOf(root), references)
  const notes = security.lost.map((message) => losses.add(`${place}.security`, message))
  const body = bodyFor(operation, written, settings)
  const inPlace = (name: string): readonly Parameter[] => parameters.filter((parameter) => parameter.in === name)
  const query = inPlace('query')
  const required = query.filter(({ isRequired }) => isRequired).flatMap(queryPairs)
  const draft = draftOf({
    name: oneLine(textOf(operation.summary)) || textOf(operation.operationId) || `${method.toUpperCase()} ${path}`,
    comments: [...(operation.deprecated === true ? ['Deprecated.'] : []), ...notes],
    tags: listOf(operation.tags).map((tag) => ({ name: 'tag', value: oneLine(textOf(tag)).replace(/[\s,]+/g, '-') })),
    variables: [
      ...inPlace('path').map((parameter) => ({ name: variableName(parameter.name), value: pathText(parameter) })),
      ...undeclared(path, inPlace('path')),
    ],
    method: method.toUpperCase(),
    url: urlOf(path, [...required.map(literalUrl), ...security.query], operation, settings),
    disabledQuery: query
      .filter(({ isRequired }) => !isRequired)
      .flatMap(queryPairs)
      .map(literalUrl),
    headers: [
      ...(body?.contentType === undefined ? [] : [{ name: 'Content-Type', value: literal(body.contentType) }]),
      ...acceptOf(operation, settings),
      ...security.headers,
      ...inPlace('header').filter(isOwnHeader).map(headerEntry),
      ...cookieHeaders(inPlace('cookie'), security.cookies),
    ],
    body: body?.body,
  })
  return { draft, variables: security.variables }
}

/** Those of the operation override those of the path. */
function allParameters(operation: JsonObject, { item, references }: OperationSettings): readonly JsonObject[] {
  const own = references.resolveAll(operation.parameters)
  const isOwn = ({ name, in: place }: JsonObject): boolean =>
    own.some((each) => each.name === name && each.in === place)
  return [...references.resolveAll(item.parameters).filter((parameter) => !isOwn(parameter)), ...own]
}

function schemesOf(root: JsonObject): JsonObject {
  return root.swagger === undefined
    ? objectOf(objectOf(root.components).securitySchemes)
    : objectOf(root.securityDefinitions)
}

function bodyFor(
  operation: JsonObject,
  parameters: readonly JsonObject[],
  settings: OperationSettings,
): ReturnType<typeof bodyOf> {
  if (settings.root.swagger === undefined) {
    return bodyOf(settings.references.resolve(operation.requestBody), settings)
  }
  const consumes = listOf(operation.consumes ?? settings.root.consumes).map(textOf)
  return oldBodyOf(parameters, consumes, settings)
}

/** Names in the path that no parameter describes. */
function undeclared(path: string, parameters: readonly Parameter[]): readonly NamedValue[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)]
    .map((match) => match[1] as string)
    .filter((name) => !parameters.some((parameter) => parameter.name === name))
    .map((name) => ({ name: variableName(name), value: '1' }))
}

function urlOf(path: string, query: readonly string[], operation: JsonObject, { item }: OperationSettings): string {
  const [own] = [...listOf(operation.servers), ...listOf(item.servers)]
  const base = own === undefined ? `{{${BASE_URL}}}` : literalUrl(withHost(serverUrl(objectOf(own))))
  // Some documents omit the slash that every path must begin with.
  const filled = (path.startsWith('/') ? path : `/${path}`)
    .split(/(\{[^{}]+\})/)
    .map((piece, index) => (index % 2 === 1 ? `{{${variableName(piece.slice(1, -1))}}}` : literalUrl(piece)))
    .join('')
  return `${base}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

/** Header parameters with these names are ignored (OpenAPI 3.x, "Parameter Object"). */
function isOwnHeader({ name }: Parameter): boolean {
  return !/^(?:accept|content-type|authorization)$/i.test(name)
}

function headerEntry(parameter: Parameter): Entry {
  return {
    name: literal(parameter.name),
    value: literal(exactLine(simpleText(parameter))),
    isDisabled: !parameter.isRequired,
  }
}

function cookieHeaders(parameters: readonly Parameter[], cookies: readonly string[]): readonly Entry[] {
  const pairs = (isRequired: boolean): readonly string[] =>
    parameters
      .filter((each) => each.isRequired === isRequired)
      .map((each) => literal(exactLine(`${each.name}=${simpleText(each)}`)))
  const header = (all: readonly string[], isDisabled: boolean): readonly Entry[] =>
    all.length === 0 ? [] : [{ name: 'Cookie', value: all.join('; '), isDisabled }]
  return [...header([...pairs(true), ...cookies], false), ...header(pairs(false), true)]
}

/** The media type of the successful response. */
function acceptOf(operation: JsonObject, { root, references }: OperationSettings): readonly Entry[] {
  const responses = objectOf(operation.responses)
  const status = Object.keys(responses).find((each) => /^2/.test(each)) ?? 'default'
  const response = references.resolve(responses[status] as JsonValue | undefined)
  const types =
    root.swagger === undefined
      ? Object.keys(objectOf(response.content))
      : listOf(operation.produces ?? root.produces).map(textOf)
  const type = types.find((each) => /[/+]json\b/i.test(each)) ?? types[0]
  return type === undefined ? [] : [{ name: 'Accept', value: literal(type) }]
}
