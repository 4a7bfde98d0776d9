/** What a call needs of its types. The library for Protocol Buffers that reads them is loaded with the first call. */
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
  /** The message of a JSON text; an empty text is a message without fields. @throws HttpcliError `invalid-request` */
  encoded(json: string): Uint8Array
  /** The JSON of a message. @throws HttpcliError `grpc-message` */
  decoded(bytes: Uint8Array): string
  /** A status as the JSON of google.rpc.Status, with its details. */
  statusJson(status: GrpcStatus): string
}

export interface GrpcTypes {
  /**
   * @param from what the types were read from, for the error
   * @throws HttpcliError `invalid-request` that names what is nearest
   */
  method(name: MethodName, from: string): GrpcMethod
}

/** The types of a run, by what they were read from. */
export type GrpcTypeCache = Map<string, Promise<GrpcTypes>>
