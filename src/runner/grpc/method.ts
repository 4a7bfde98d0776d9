/**
 * The properties of the types of a call. The Protocol Buffers library, which reads the types, is loaded with the first
 * call.
 */
import type { GrpcStatus } from './status.ts'

/** A service by its full name, and a method. */
export interface MethodName {
  readonly service: string
  readonly method: string
}

export interface GrpcMethod {
  /** Whether the client may send any number of messages. */
  readonly sendsStream: boolean
  /** Whether the server may send any number of messages. */
  readonly receivesStream: boolean
  /**
   * Encodes the message of a JSON text; empty text means a message without fields. @throws HttpcliError
   * `invalid-request`
   */
  encoded(json: string): Uint8Array
  /** Decodes a message to JSON. @throws HttpcliError `grpc-message` */
  decoded(bytes: Uint8Array): string
  /** A status as the JSON of google.rpc.Status, with its details. */
  statusJson(status: GrpcStatus): string
}

export interface GrpcTypes {
  /**
   * @param from the source of the types, for the error
   * @throws HttpcliError `invalid-request` that suggests the most similar name
   */
  method(name: MethodName, from: string): GrpcMethod
}

/** The types of a run, by their source. */
export type GrpcTypeCache = Map<string, Promise<GrpcTypes>>
