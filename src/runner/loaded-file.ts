/**
 * A request file, read and found to be right.
 *
 * Rules: a file with errors is never given out, so nothing of it can be sent. The text is UTF-8.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type HttpFile, parseHttpFile } from '../http-file/index.ts'
import { HttpcliError } from '../message/index.ts'
import { InvalidFileError, type SourceText } from './errors.ts'

export interface LoadedHttpFile {
  readonly file: HttpFile
  readonly source: SourceText
  /** Absolute. */
  readonly path: string
}

/**
 * Reads a request file.
 * @param path as the user knows it; messages show it so
 * @param directory where a relative path begins
 * @throws InvalidFileError with all errors of the file; HttpcliError `unreadable-file`.
 */
export function loadHttpFile(path: string, directory: string): LoadedHttpFile {
  const absolute = resolve(directory, path)
  const source = { path, text: readText(path, absolute) }
  const { file, errors } = parseHttpFile(source.text)
  if (errors.length > 0) throw new InvalidFileError('invalid-http-file', source, errors)
  return { file, source, path: absolute }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory, expected a request file',
  EACCES: 'may not be read',
}

function readText(path: string, absolute: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(absolute)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new HttpcliError(
      'unreadable-file',
      `the request file ${path} ${reasons[code] ?? `cannot be read (${code})`}`,
      {
        cause,
      },
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new HttpcliError('unreadable-file', `the request file ${path} is not UTF-8 text`, { cause })
  }
}
