/** Replaces modules whose libraries are not in an exported script: the exporter reports features that need them. */
import { RunError } from '../../base/errors.ts'

function absent(): never {
  throw new RunError('not-supported', 'this is not supported in k6')
}

export const fakeNames: readonly string[] = []
export const operations: object = {}
export const isChosen = (): boolean => true

export class DotenvFiles {
  value(): never {
    return absent()
  }
}

/** Only the files of files.ts exist. */
export const existsSync = (): boolean => false
export const realpathSync = (path: string): string => path

export {
  absent as authorizationCode,
  absent as fakeValue,
  absent as grpcFields,
  absent as grpcRequest,
  absent as grpcTarget,
  absent as loadHttpFile,
  absent as loadLanguages,
  absent as parseDocument,
  absent as runCommand,
  absent as valueAtXPath,
  operations as shellOperations,
  operations as subtleOperations,
}
export const takesArguments = (): boolean => false
