/**
 * The call of a GRPC request: its URL, its fields, its messages as JSON texts.
 *
 * Rules: `host:port/package.Service/Method` is sent in plain text, as `grpc://`; `grpcs://` over TLS. grpcurl's form,
 * with a blank before the service, is accepted. Fields of the request are metadata; those that gRPC reserves are set
 * here. The value of a field whose name ends in `-bin` is base64, sent as written.
 */
import type { Span } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { type Problem, placed } from '../base/errors.ts'
import type { GrpcTypes, MethodName } from '../grpc/method.ts'
import { parseMediaType } from './media-type.ts'
import { inOrder, messageContent } from './request-body.ts'
import type { RequestContext } from './request-context.ts'

export interface GrpcMessage {
  /** The number of server messages to await before this one is sent. */
  readonly waitsForServer: number
  /** Undefined: only waits, and sends nothing. At most the last one. */
  readonly json: string | undefined
  /** Adds the place of the message to an error. */
  readonly placed: (error: unknown) => unknown
}

export interface GrpcRequest {
  readonly name: MethodName
  readonly messages: readonly GrpcMessage[]
  /** Of the whole call; undefined or 0: no limit. */
  readonly deadlineMs: number | undefined
  /** Undefined: the server is asked by reflection. */
  readonly types: GrpcTypes | undefined
  /** Adds the place of the request line to an error. */
  readonly placed: (error: unknown) => unknown
}

/** Fields that are set here whatever the file has: Content-Type in a file is that of the JSON. */
const ownFields: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'grpc-accept-encoding'],
  ...['grpc-timeout', 'te', 'transfer-encoding'],
])

/** The codings of messages that are read here. */
const ACCEPTED_CODINGS = 'identity,gzip,deflate'

/** The largest number that `grpc-timeout` takes, in its unit. */
const MAX_TIMEOUT = 99_999_999

/** The target over http or https. */
export function grpcTarget(target: string): string {
  return target.replace(/^grpc(s?):\/\//i, 'http$1://').replace(/^(\S+?)\/?[ \t]+(?=\S+$)/, '$1/')
}

/** The fields of a call. @param deadlineMs of the whole call; undefined or 0: none */
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
  return rounded <= MAX_TIMEOUT ? `${rounded}m` : `${Math.min(MAX_TIMEOUT, Math.ceil(milliseconds / 1000))}S`
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
      message: `a gRPC request needs the service and the method in its path: found ${JSON.stringify(path)}`,
      hint: 'Write "GRPC host:port/package.Service/Method".',
    })
  }
  const messages = await inOrder(request.messages, async (each): Promise<GrpcMessage> => {
    const [first] = each.body
    const content =
      first === undefined ? undefined : await messageContent(each, context, parseMediaType('application/json'))
    if (content instanceof Uint8Array) throw notText(context, first?.span ?? request.line.span)
    return {
      waitsForServer: each.waitsForServer,
      json: content,
      placed: (error) => (first === undefined ? error : placed(error, context.at(first.span))),
    }
  })
  return {
    name: { service, method },
    messages,
    deadlineMs,
    types: undefined,
    placed: (error) => placed(error, context.at(request.line.targetSpan)),
  }
}

function notText(context: RequestContext, span: Span): HttpcliError {
  const problem: Problem = { code: 'invalid-request', message: 'the message is not UTF-8: expected JSON' }
  return context.error(span, problem)
}
