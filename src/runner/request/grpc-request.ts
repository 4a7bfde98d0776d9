/**
 * The call of a GRPC request: its URL, its fields, its messages as JSON texts.
 *
 * Rules: `host:port/package.Service/Method` is sent in plain text, as `grpc://` is; `grpcs://` is sent over TLS.
 * grpcurl's form, with a blank before the service, is accepted. Fields of the request are metadata; the fields that
 * gRPC reserves are set here. The value of a field whose name ends in `-bin` is base64, sent as written.
 */
import { parseTemplate } from '../../http-file/index.ts'
import { placed } from '../base/errors.ts'
import type { GrpcMethod, GrpcTypes, MethodName } from '../grpc/method.ts'
import { parseMediaType } from './media-type.ts'
import { inOrder, messageContent } from './request-body.ts'
import type { RequestContext } from './request-context.ts'

export interface GrpcMessage {
  /** The number of server messages to await before this one is sent. */
  readonly waitsForServer: number
  /** Undefined if this item sends nothing and only waits; only the last item may do so. */
  readonly json: string | undefined
  /** Adds the place of the message to an error. */
  readonly placed: (error: unknown) => unknown
}

export interface GrpcRequest {
  readonly name: MethodName
  readonly messages: readonly GrpcMessage[]
  /** The time limit of the whole call; undefined or 0: no limit. */
  readonly deadlineMs: number | undefined
  /** Undefined if the types come from the server's reflection. */
  readonly types: GrpcTypes | undefined
  /** Adds the place of the request line to an error. */
  readonly placed: (error: unknown) => unknown
}

/** Fields that are set here regardless of the file: a Content-Type in the file describes the JSON. */
const ownFields: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'grpc-accept-encoding'],
  ...['grpc-timeout', 'te', 'transfer-encoding'],
])

/** The codings that received messages may have. */
const ACCEPTED_CODINGS = 'identity,gzip,deflate'

/** The largest number that `grpc-timeout` allows, in its unit. */
const MAX_TIMEOUT_VALUE = 99_999_999

/** The target over http or https. */
export function grpcTarget(target: string): string {
  return target.replace(/^grpc(s?):\/\//i, 'http$1://').replace(/^(\S+?)\/?[ \t]+(?=\S+$)/, '$1/')
}

/** The fields of a call. @param deadlineMs the time limit of the whole call; undefined or 0: none */
export function grpcFields(
  fields: readonly (readonly [name: string, value: string])[],
  deadlineMs: number | undefined,
): (readonly [string, string])[] {
  return [
    ...fields.filter(([name]) => !ownFields.has(name.toLowerCase())),
    ['Content-Type', 'application/grpc'],
    ['TE', 'trailers'],
    ['grpc-accept-encoding', ACCEPTED_CODINGS],
    ...(deadlineMs === undefined || deadlineMs === 0 ? [] : [['grpc-timeout', timeoutText(deadlineMs)] as const]),
  ]
}

function timeoutText(milliseconds: number): string {
  const rounded = Math.ceil(milliseconds)
  return rounded <= MAX_TIMEOUT_VALUE
    ? `${rounded}m`
    : `${Math.min(MAX_TIMEOUT_VALUE, Math.ceil(milliseconds / 1000))}S`
}

/**
 * Reads the call.
 * @param path of the URL
 * @throws HttpcliError with the place; a message that does not fit its type, if the request names its types
 */
export async function grpcRequest(
  context: RequestContext,
  path: string,
  deadlineMs: number | undefined,
): Promise<GrpcRequest> {
  const { request } = context
  const [, service, method] = /^\/([\w.]+)\/(\w+)$/.exec(path) ?? []
  if (service === undefined || method === undefined) {
    throw context.error(request.line.targetSpan, {
      code: 'invalid-request',
      message: `a gRPC request needs the service and the method in its path, found ${JSON.stringify(path)}`,
      hint: 'Write "GRPC host:port/package.Service/Method".',
    })
  }
  const messages = await inOrder(request.messages, async (each): Promise<GrpcMessage> => {
    const [first] = each.body
    const content =
      first === undefined ? undefined : await messageContent(each, context, parseMediaType('application/json'))
    if (content instanceof Uint8Array) {
      const message = 'the message is not UTF-8: expected JSON'
      throw context.error(first?.span ?? request.line.span, { code: 'invalid-request', message })
    }
    return {
      waitsForServer: each.waitsForServer,
      json: content,
      placed: (error) => (first === undefined ? error : placed(error, context.at(first.span))),
    }
  })
  const types = await namedTypes(context)
  const name = { service, method }
  const withPlace = (error: unknown): unknown => placed(error, context.at(request.line.targetSpan))
  if (types !== undefined) {
    let found: GrpcMethod
    try {
      found = types.method(name, NAMED_TYPES)
    } catch (error) {
      throw withPlace(error)
    }
    checkMessages(context, found, messages)
  }
  return { name, messages, deadlineMs, types, placed: withPlace }
}

/** The name of the types of these tags in messages. */
export const NAMED_TYPES = 'the named types'

/** Tags that name files with types. */
const typeTags: ReadonlySet<string> = new Set(['grpc-proto', 'grpc-protoset'])

/** Undefined if the request names no files. */
async function namedTypes(context: RequestContext): Promise<GrpcTypes | undefined> {
  const { variables, request } = context
  const named = request.tags.find(({ name }) => typeTags.has(name))
  if (named === undefined) return undefined
  const paths = (wanted: string): Promise<string[]> => {
    const tags = request.tags.filter(({ name }) => name === wanted)
    return inOrder(tags, async ({ value }) => {
      const path = parseTemplate(value)
      await variables.load([path])
      return variables.pathOf(path)
    })
  }
  try {
    const files = {
      protoFiles: await paths('grpc-proto'),
      importPaths: await paths('grpc-import-path'),
      descriptorSets: await paths('grpc-protoset'),
    }
    const { typesOfFiles } = await import('../grpc/named-types.ts')
    return typesOfFiles(files, variables.files)
  } catch (error) {
    throw placed(error, context.at(named.span))
  }
}

/** A message with values that only a run can know is not checked in advance. @throws HttpcliError with the place */
function checkMessages(
  { request, variables }: RequestContext,
  method: GrpcMethod,
  messages: readonly GrpcMessage[],
): void {
  for (const [index, { json, placed: withPlace }] of messages.entries()) {
    const parts = request.messages[index]?.body ?? []
    const templates = parts.map((part) => (part.kind === 'body-text' ? part.template : part.path))
    if (json === undefined || variables.hasForeseen(templates)) continue
    try {
      method.encoded(json)
    } catch (error) {
      throw withPlace(error)
    }
  }
}
