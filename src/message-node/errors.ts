/** Errors between the library and the platform: files, pipes, the socket of a client. */
import { CodedError } from '../message/index.ts'

/** The set is closed. */
export type PlatformErrorCode =
  | 'connection-lost'
  | 'file-is-directory'
  | 'file-not-found'
  | 'file-not-readable'
  | 'output-failed'

declare module '../message/index.ts' {
  interface ErrorCodes {
    readonly 'message-node': PlatformErrorCode
  }
}

export class PlatformError extends CodedError<PlatformErrorCode> {}
