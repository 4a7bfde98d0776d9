/**
 * Reads and checks a request file.
 *
 * Rules: a file with errors is not returned, so nothing in it can be sent; a caller that looks for more errors can ask
 * for it.
 */
import { join, resolve } from 'node:path'
import { type HttpFile, parseHttpFile } from '../../http-file/index.ts'
import { collectWrittenSecrets, type SecretSink } from '../../secrets/index.ts'
import { InvalidFileError, type SourceText } from '../base/errors.ts'
import { decodeText, foreignFile, nulIn, type ReadFile, readTextFile, type TextFileKind } from '../files/text-file.ts'

const requestFile: TextFileKind = { name: 'request file', code: 'invalid-http-file' }

export interface LoadedHttpFile {
  readonly file: HttpFile
  readonly source: SourceText
  /** Absolute. */
  readonly path: string
  /** All errors of the file. Empty unless a file with errors was requested; then its content is incomplete. */
  readonly problem?: InvalidFileError
}

/**
 * Reads a request file.
 * @param directory base of a relative path
 * @param shown the path as the user knows it, for messages
 * @param secrets receives the credentials in the file, before an error can show them
 * @param read reads a file that the user did not name
 * @throws InvalidFileError with all errors of the file; HttpcliError `unreadable-file`.
 */
export function loadHttpFile(
  path: string,
  directory: string,
  shown: string = path,
  secrets?: SecretSink,
  read?: ReadFile,
): LoadedHttpFile {
  return valid(loadAnyHttpFile(path, directory, shown, secrets, read))
}

/** Like `loadHttpFile`, but a file with errors is returned with them. @throws HttpcliError `unreadable-file`. */
export function loadAnyHttpFile(
  path: string,
  directory: string,
  shown: string = path,
  secrets?: SecretSink,
  read?: ReadFile,
): LoadedHttpFile {
  const absolute = resolve(directory, path)
  return parsedFile({ path: shown, text: readTextFile(absolute, shown, requestFile, read) }, absolute, secrets)
}

function valid(loaded: LoadedHttpFile): LoadedHttpFile {
  if (loaded.problem !== undefined) throw loaded.problem
  return loaded
}

/**
 * Parses a request file from its bytes, such as those of standard input.
 * @param shown its name in messages
 * @param directory base of relative paths in it
 * @throws InvalidFileError with all errors of the file.
 */
export function readHttpFile(
  bytes: Uint8Array,
  shown: string,
  directory: string,
  secrets?: SecretSink,
): LoadedHttpFile {
  return valid(readAnyHttpFile(bytes, shown, directory, secrets))
}

/** Like `readHttpFile`, but a file with errors is returned with them. */
export function readAnyHttpFile(
  bytes: Uint8Array,
  shown: string,
  directory: string,
  secrets?: SecretSink,
): LoadedHttpFile {
  const source = { path: shown, text: decodeText(bytes, shown, requestFile) }
  return parsedFile(source, join(directory, shown), secrets)
}

/**
 * Like `readHttpFile`, but the text is that of an editor, and a file with errors is returned with them.
 * @param path absolute; also its name in messages
 */
export function openHttpFile(text: string, path: string, secrets?: SecretSink, shown: string = path): LoadedHttpFile {
  return parsedFile({ path: shown, text }, path, secrets)
}

function parsedFile(source: SourceText, path: string, secrets: SecretSink | undefined): LoadedHttpFile {
  if (secrets !== undefined) collectWrittenSecrets(source.text, secrets)
  const { file, errors } = parseHttpFile(source.text)
  if (errors.length === 0) return { file, source, path }
  // For a file that is not a request file, one error is clearer than one for each line.
  const single = nulIn(source.text) ?? foreignFile(source.path)
  return { file, source, path, problem: new InvalidFileError('invalid-http-file', source, single ? [single] : errors) }
}
