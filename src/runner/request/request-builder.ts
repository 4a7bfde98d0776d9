/**
 * Builds the messages of a request, and the settings for sending them.
 *
 * Rules: variables are replaced first, in the order of the text: target, headers, body, files. A request that uses
 * arrays is built again for each iteration, after the previous one has finished. Only Host, framing, and the
 * Content-Type of GraphQL are added. Errors of the message library are reported at the line of the file that caused
 * them.
 */
import {
  type HeaderNode,
  type JsonValue,
  type RedirectNode,
  type Request,
  type RequestVersion,
  type Span,
  sentMethod,
  templateText,
} from '../../http-file/index.ts'
import { BytesBody, HeaderList, type HttpcliError, HttpRequest, octetString, utf8Bytes } from '../../message/index.ts'
import { basicAuthorization, type Credentials } from '../../wire/index.ts'
import { placed } from '../base/errors.ts'
import { parseAuthorization } from './authorization.ts'
import { graphqlWarnings } from './graphql-body.ts'
import { type GrpcRequest, grpcFields, grpcRequest, grpcTarget } from './grpc-request.ts'
import { type MediaType, parseMediaType } from './media-type.ts'
import { type BodyForm, inOrder, messageContent, type RequestBody, requestBody } from './request-body.ts'
import type { RequestContext } from './request-context.ts'
import { type RequestTags, readTags } from './request-tags.ts'
import { refuseEmptyHost, renderTarget } from './request-target.ts'
import { sentTemplates } from './request-templates.ts'
import { type RequestAddress, refuseHost, requestAddress } from './request-url.ts'

/** A file that the body of a response is saved to. */
export interface ResponseFile {
  /** Absolute. */
  readonly path: string
  readonly shouldOverwrite: boolean
}

export interface WebSocketMessage {
  /** The number of server messages to await before this one is sent. */
  readonly waitsForServer: number
  /** Undefined if this item sends nothing and only waits; only the last item may do so. */
  readonly data: string | Uint8Array | undefined
}

/** One of the requests that an array variable expands to. */
export interface RequestIteration {
  /** From 0. */
  readonly iteration: number
  readonly iterations: number
  /** The values of the expressions in the request, in order. */
  readonly templateValues: readonly JsonValue[]
}

export interface PreparedRequest extends RequestIteration, Omit<RequestTags, 'shouldEncode'> {
  readonly kind: 'http' | 'websocket' | 'grpc'
  /** For a WebSocket its GET, for gRPC its POST with the JSON of a single message; over http or https. */
  readonly message: HttpRequest
  /** The text of the body as sent, for scripts; empty for files. */
  readonly bodyText: string
  /** As written in the request line. The message itself is HTTP/1. */
  readonly version: RequestVersion | undefined
  /** `Authorization: Digest user password`; the field is omitted from the message. */
  readonly digest: Credentials | undefined
  readonly webSocketMessages: readonly WebSocketMessage[]
  readonly grpc: GrpcRequest | undefined
  /** `>>` and `>>!` */
  readonly responseFiles: readonly ResponseFile[]
  /** The file for the whole response: the first `<>`, if requested. Absolute. */
  readonly savedResponse: string | undefined
}

/**
 * The iterations of a request, each to be built; a single one for a request without arrays.
 * @param shouldSaveResponses whether the first `<>` will be written
 */
export function requestRounds(context: RequestContext, shouldSaveResponses = false): Iterable<Round<PreparedRequest>> {
  return roundsOf(context, () => prepare(context, shouldSaveResponses))
}

/** An iteration of a request that is still to be built. If that fails, the others are built nevertheless. */
export interface Round<Made> {
  /** From 0. */
  readonly iteration: number
  /**
   * Call this once, before the next iteration is requested.
   * @throws HttpcliError with the place in the request file.
   */
  readonly build: () => Promise<Made>
}

/** Calls `make` to build each iteration of a request. Their number is known once the first has been built. */
export function* roundsOf<Made>(
  { request, variables }: RequestContext,
  make: () => Promise<Omit<Made, keyof RequestIteration>>,
): Generator<Round<Made>> {
  const { rounds } = variables
  for (let iteration = 0; iteration < rounds.count; iteration++) {
    const build = async (): Promise<Made> => {
      await variables.load(sentTemplates(request))
      rounds.begin(iteration, variables.shared.options.sources.now())
      variables.beginExpansion()
      let made: Omit<Made, keyof RequestIteration>
      try {
        made = await make()
      } finally {
        rounds.end()
      }
      return { ...made, iteration, iterations: rounds.count, templateValues: rounds.values } as Made
    }
    yield { iteration, build }
  }
}

/** Methods of the format that are not HTTP methods, and those that cannot be sent. */
const methods: Readonly<Record<string, 'GET' | 'POST' | undefined>> = {
  WEBSOCKET: 'GET',
  GRAPHQL: 'POST',
  GRPC: 'POST',
  RSOCKET: undefined,
  SSE: undefined,
  EVENTSOURCE: undefined,
  WS: undefined,
  MQTT: undefined,
  AMQP: undefined,
  RABBITMQ: undefined,
  KAFKA: undefined,
  CONNECT: undefined,
}

/** How those methods change a request; all other methods are HTTP. */
const kinds: Readonly<Record<string, PreparedRequest['kind']>> = { WEBSOCKET: 'websocket', GRPC: 'grpc' }

/** Replacements for methods that cannot be sent; the first three are those of httpYac. */
const methodHints: Readonly<Record<string, string>> = {
  SSE: 'Write GET, and "Accept: text/event-stream".',
  EVENTSOURCE: 'Write GET, and "Accept: text/event-stream".',
  WS: 'Write WEBSOCKET.',
  CONNECT: 'Use run --proxy <url>, which opens a tunnel through the proxy if one is needed.',
}

/** Builds the request of one iteration. @throws HttpcliError with the place in the request file. */
export async function prepare(
  context: RequestContext,
  shouldSaveResponses: boolean,
): Promise<Omit<PreparedRequest, keyof RequestIteration>> {
  const { request } = context
  const tags = readTags(context)
  const written = sentMethod(request.line.method ?? 'GET')
  const method = Object.hasOwn(methods, written) ? methods[written] : written
  if (method === undefined) throw notSupported(context, written)
  const target = renderTarget(context)
  const rendered = renderHeaders(context)
  const isGraphql = written === 'GRAPHQL' || rendered.isGraphql
  const { headers, digest } = rendered
  const { url, scheme, fields } = address(context, rendered, webTarget(context, target), tags)
  const type = parseMediaType(headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '')
  const kind = Object.hasOwn(kinds, written) ? (kinds[written] as PreparedRequest['kind']) : 'http'
  const { shouldFollowRedirects, hasCookieJar, warnings, isLogged, timeouts, retry } = tags
  const grpc = kind === 'grpc' ? await grpcRequest(context, pathOf(url), timeouts.firstByteMs) : undefined
  const form = { type, shouldEncode: tags.shouldEncode, isGraphql }
  const body =
    kind === 'http' ? await bodyFor(context, method, fields, form) : grpc === undefined ? undefined : onlyMessage(grpc)
  if (isGraphql && type.name === '') fields.push(['Content-Type', 'application/json'])
  const message = context.within(placeOfError(request), () => {
    return new HttpRequest({
      method,
      url,
      version: request.line.version === 'HTTP/1.0' ? 'HTTP/1.0' : 'HTTP/1.1',
      headers: grpc === undefined ? fields : grpcFields(fields, grpc.deadlineMs),
      allowsAnyTarget: !tags.shouldEncode,
      ...(scheme === undefined ? {} : { scheme }),
      ...(body === undefined ? {} : { body: body.body }),
    })
  })
  if (message.url === undefined) {
    context.within(request.line.targetSpan, () => refuseHost(url === '*' ? (message.headers.first('host') ?? '') : url))
  }
  return {
    kind,
    message,
    bodyText: body?.text ?? '',
    version: request.line.version,
    shouldFollowRedirects: shouldFollowRedirects && kind !== 'grpc',
    hasCookieJar: hasCookieJar && kind !== 'grpc',
    warnings: [...warnings, ...(kind === 'http' && !isGraphql ? graphqlWarnings(context, type, body?.text ?? '') : [])],
    isLogged,
    timeouts,
    retry,
    digest,
    webSocketMessages: kind === 'websocket' ? await webSocketMessages(context, type) : [],
    grpc,
    responseFiles: request.redirects.map((redirect) => responseFile(redirect, context)),
    savedResponse: shouldSaveResponses && isLogged ? await savedResponse(context) : undefined,
  }
}

/** The fields that an error of the message is about, by its code. */
const fieldsOfErrors: Readonly<Record<string, RegExp>> = {
  HOST: /^host$/i,
  framing: /^(?:content-length|transfer-encoding)$/i,
}

/** The place of the error in the request file: the last of its fields in the file, the URL, or the request line. */
function placeOfError({ line, headers }: Request): (error: HttpcliError) => Span {
  return ({ code }) => {
    const pattern = fieldsOfErrors[code]
    const field = pattern && headers.findLast(({ name }) => pattern.test(templateText(name)))
    return field?.valueSpan ?? (code === 'TARGET' || code === 'HOST' ? line.targetSpan : line.span)
  }
}

function webSocketMessages(context: RequestContext, type: MediaType): Promise<readonly WebSocketMessage[]> {
  return inOrder(context.request.messages, async (each) => ({
    waitsForServer: each.waitsForServer,
    data: each.body.length === 0 ? undefined : await messageContent(each, context, type),
  }))
}

/** Several messages do not form a body. */
function onlyMessage({ messages }: GrpcRequest): RequestBody | undefined {
  const texts = messages.flatMap(({ json }) => json ?? [])
  const [text = ''] = texts
  return texts.length > 1 ? undefined : { body: new BytesBody(utf8Bytes(text)), text }
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '')
}

/** @throws HttpcliError with the place, for a file that must not be written */
export function responseFile({ path, shouldOverwrite, span }: RedirectNode, context: RequestContext): ResponseFile {
  return { path: writablePath(context.variables.pathOf(path), shouldOverwrite, span, context), shouldOverwrite }
}

/** Absolute path of the first `<>`. An unknown variable in it does not prevent the request from being sent. */
async function savedResponse(context: RequestContext): Promise<string | undefined> {
  const { request, variables } = context
  const [first] = request.references
  if (first === undefined) return undefined
  await variables.load([first.path], true)
  return writablePath(variables.pathOf(first.path, true), true, first.span, context)
}

/** The path, checked before anything is sent. */
function writablePath(path: string, shouldOverwrite: boolean, span: Span, context: RequestContext): string {
  try {
    context.variables.files.writablePath(path, shouldOverwrite)
    return path
  } catch (error) {
    throw placed(error, context.at(span))
  }
}

function notSupported(context: RequestContext, method: string): HttpcliError {
  const message = `${method} requests cannot be sent: HTTP, GraphQL over HTTP, WebSocket and gRPC are supported`
  const hint = Object.hasOwn(methodHints, method) ? { hint: methodHints[method] as string } : {}
  return context.error(context.request.line.span, { code: 'not-supported', message, ...hint })
}

/** The target over http or https. */
function webTarget(context: RequestContext, target: string): string {
  const { line } = context.request
  const scheme = /^ws(s?):\/\//i.exec(target)
  if (line.method === 'WEBSOCKET')
    return scheme === null ? target : `http${scheme[1]}${target.slice(scheme[0].length - 3)}`
  if (line.method === 'GRPC') return grpcTarget(target)
  if (scheme === null) return target
  const isGraphql = line.method === 'GRAPHQL'
  throw context.error(line.targetSpan, {
    code: isGraphql ? 'not-supported' : 'invalid-request',
    message: isGraphql
      ? 'GraphQL over WebSocket is not supported'
      : `${JSON.stringify(scheme[0])} is the scheme of a WebSocket`,
    hint: isGraphql ? 'Use the http or https address of the server.' : 'Write "WEBSOCKET" in place of the method.',
  })
}

interface RenderedHeader {
  readonly name: string
  readonly value: string
  readonly span: Span
}

interface RenderedHeaders {
  readonly headers: readonly RenderedHeader[]
  /** `X-Request-Type: GraphQL` of REST Client; the field is omitted. */
  readonly isGraphql: boolean
  readonly digest: Credentials | undefined
}

function renderHeaders(context: RequestContext): RenderedHeaders {
  const { request, variables } = context
  const headers: RenderedHeader[] = []
  let digest: Credentials | undefined
  let isGraphql = false
  for (const node of request.headers) {
    const name = variables.render(node.name)
    const value = name.toLowerCase() === 'authorization' ? authorization(node, context) : variables.render(node.value)
    if (typeof value === 'string' && /^x-request-type$/i.test(name) && /^graphql$/i.test(value)) isGraphql = true
    else if (typeof value === 'string') headers.push({ name, value, span: node.span })
    else digest = value
  }
  return { headers, digest, isGraphql }
}

function authorization(node: HeaderNode, context: RequestContext): string | Credentials {
  try {
    const { value, digest } = parseAuthorization(node.value, (expression, span) => {
      return context.variables.resolve(expression, span).text
    })
    return value ?? (digest as Credentials)
  } catch (error) {
    throw placed(error, context.at(node.valueSpan))
  }
}

/** The URL, and the fields as binary strings. */
function address(
  context: RequestContext,
  { headers, digest }: RenderedHeaders,
  target: string,
  tags: RequestTags,
): Pick<RequestAddress, 'url' | 'scheme'> & { readonly fields: (readonly [string, string])[] } {
  const host = headers.find(({ name }) => name.toLowerCase() === 'host')
  refuseEmptyHost(context, target, host?.value)
  const found = context.within(context.request.line.targetSpan, () =>
    requestAddress(target, host?.value, tags.shouldEncode),
  )
  const fields = headers.map(({ name, value, span }): readonly [string, string] => {
    const written = name.toLowerCase() === 'host' ? (found.host ?? value) : value
    const field = [name, octetString(utf8Bytes(written))] as const
    context.within(span, () => HeaderList.of([field]))
    return field
  })
  // As in other clients, a written field overrides the credentials in the URL.
  const isAuthorized = digest !== undefined || headers.some(({ name }) => name.toLowerCase() === 'authorization')
  if (found.credentials !== undefined && !isAuthorized) {
    fields.push(['Authorization', basicAuthorization(found.credentials)])
  }
  return { ...found, fields }
}

async function bodyFor(
  context: RequestContext,
  method: string,
  fields: readonly (readonly [string, string])[],
  form: BodyForm,
): Promise<RequestBody | undefined> {
  const found = (await requestBody(context, form)) ?? emptyBody(method)
  const isChunked = fields.some(([name, value]) => /^transfer-encoding$/i.test(name) && /\bchunked\b/i.test(value))
  if (found === undefined || !isChunked) return found
  const { body, text } = found
  return { body: { open: () => body.open() }, text }
}

/** RFC 9110 section 8.6: if the method defines a meaning for a body, a missing body is sent with length 0. */
function emptyBody(method: string): RequestBody | undefined {
  const isExpected = method === 'POST' || method === 'PUT' || method === 'PATCH'
  return isExpected ? { body: new BytesBody(new Uint8Array(0)), text: '' } : undefined
}
