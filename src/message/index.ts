/**
 * The message library, portable part: parses, repairs, changes and writes HTTP/1.1 messages (RFC 9110, RFC 9112).
 *
 * Rules: no dependencies and nothing specific to a platform, so it runs in Node.js, Bun, Deno, workers and browsers.
 * Other rooms import this file only.
 */
export type { ImmediateBody, MemoryBodyInit, MessageBodyInit } from './body/body-init.ts'
export type { Chunk } from './body/chunk-list.ts'
export {
  aboveLimit,
  type ContentDecoder,
  canDecode,
  contentCodings,
  type DecodeOptions,
  damagedContent,
  decodeContent,
  hasZlibHeader,
  type ImmediateDecoder,
  type PeekedContent,
  peekContent,
  registerContentDecoder,
} from './body/content-coding.ts'
export {
  type ByteSource,
  BytesBody,
  ChunkedBody,
  type ChunkedBodyOptions,
  type MessageBody,
  StringBody,
} from './body/message-body.ts'
export { OctetJoiner } from './body/octet-joiner.ts'
export { OctetSource } from './body/octet-source.ts'
export type { EagerBody, ReceivedBody } from './body/received-body.ts'
export { HttpConnection, type HttpConnectionOptions } from './connection/connection.ts'
export { forwardedRequest, forwardedResponse, forwardedTrailers } from './connection/forwarding.ts'
export type {
  ConnectionEvent,
  OutgoingEvent,
  OutgoingRequestHead,
  OutgoingResponseHead,
} from './connection/outgoing.ts'
export { LocalProtocolError } from './connection/protocol-error.ts'
export type { ConnectionEventType, Side, SideState } from './connection/states.ts'
export { brokenMessage, type ViolationName, violationNames } from './connection/violations.ts'
export { withoutHopByHop } from './head/connection-fields.ts'
export type { RequestDescription, ResponseDescription } from './head/description.ts'
export type { BodyEvent, ChunkStart, HttpEvent } from './head/events.ts'
export type { Framing } from './head/framing.ts'
export type { RequestHead, ResponseHead } from './head/head.ts'
export { type HeaderChange, type HeaderInit, HeaderList } from './head/headers.ts'
export {
  HttpRequest,
  type HttpRequestConstructor,
  HttpResponse,
  type HttpResponseConstructor,
} from './messages/constructors.ts'
export {
  EagerRequest,
  type EncodeRequestOptions,
  type HttpRequestInit,
  type Origin,
  type RequestLineChange,
} from './messages/request.ts'
export { type AnsweredRequest, EagerResponse, type HttpResponseInit } from './messages/response.ts'
export { HttpParser, parseRequest, parseResponse, type ResponseContext } from './parser.ts'
export { HttpDecoder } from './reading/decoder.ts'
export type { Role } from './reading/head-reader.ts'
export {
  type AnswerStatus,
  type BuildErrorCode,
  CodedError,
  type ErrorCode,
  type ErrorCodes,
  HttpBuildError,
  HttpcliError,
  type HttpcliErrorCode,
  type HttpcliErrorDetails,
  HttpParseError,
  type LocalProtocolErrorCode,
  type MessageErrorCode,
  type Position,
  type Repair,
  type RepairCode,
  RestatedError,
  type SourcePlace,
} from './syntax/errors.ts'
export { excerptOf, visible } from './syntax/excerpt.ts'
export { isToken } from './syntax/grammar.ts'
export { concatBytes, type OwnOctets, octetString, octetsOf, utf8Bytes } from './syntax/octets.ts'
export type { ParserLimits, ParserOptionsInit, Preset } from './syntax/options.ts'
export {
  ParserOptions,
  type ParserOptionsBuilder,
  type ParserOptionsConstructor,
} from './syntax/options-builder.ts'
export { reasonPhrase } from './syntax/reason-phrases.ts'
export type { HttpVersion } from './syntax/start-line.ts'
export type { TargetForm } from './syntax/target.ts'
