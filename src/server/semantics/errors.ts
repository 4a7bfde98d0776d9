/** Errors while a directory is served, and invalid settings. */
import { CodedError, HttpcliError } from '../../message/index.ts'

/** The set is closed. */
export type ServerErrorCode =
  // Settings
  | 'allowed-host'
  | 'application-page'
  | 'backend'
  | 'cache-control'
  | 'credentials'
  | 'directory'
  | 'directory-access'
  | 'field'
  | 'listen'
  | 'media-types-syntax'
  | 'not-utf-8'
  | 'origin'
  | 'root-path'
  | 'rules-conflict'
  | 'rules-public'
  | 'rules-syntax'
  // Requests and their clients
  | 'busy'
  | 'file-changed'
  | 'incomplete'
  | 'internal'
  | 'peer-gone'
  | 'request-timeout'
  | 'worker'
  | 'wrong-length'
  // Backends
  | 'invalid-response'
  | 'loop'
  | 'request-unforwardable'

declare module '../../message/index.ts' {
  interface ErrorCodes {
    readonly server: ServerErrorCode
  }
}

export class ServerError extends CodedError<ServerErrorCode> {}

/** Whether a file changed while it was sent, which editors do at any time. */
export function isFileChanged(error: unknown): boolean {
  return error instanceof HttpcliError && error.code === 'file-changed'
}
