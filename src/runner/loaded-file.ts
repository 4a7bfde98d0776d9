/**
 * A request file, read and found to be right.
 *
 * Rules: a file with errors is never given out, so nothing of it can be sent. The text is UTF-8; octets that are not are
 * an error like any other, with their place.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Diagnostic, excerptAt, type HttpFile, parseHttpFile } from '../http-file/index.ts'
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
 * @param directory where a relative path begins
 * @param shown the path as the user knows it; messages show it so
 * @throws InvalidFileError with all errors of the file; HttpcliError `unreadable-file`.
 */
export function loadHttpFile(path: string, directory: string, shown: string = path): LoadedHttpFile {
  const absolute = resolve(directory, path)
  const source = { path: shown, text: readText(shown, absolute) }
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
  } catch {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    throw new InvalidFileError('invalid-http-file', { path, text }, [notUtf8(text, bytes)])
  }
}

/** The first octets that are no UTF-8. `text` has U+FFFD in their place. */
function notUtf8(text: string, bytes: Uint8Array): Diagnostic {
  let offset = 0
  let octet = 0
  for (const character of text) {
    const isReal = bytes[octet] === 0xef && bytes[octet + 1] === 0xbf && bytes[octet + 2] === 0xbd
    if (character === '\ufffd' && !isReal) break
    offset += character.length
    octet += Buffer.byteLength(character)
  }
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  const span = { offset, line: before.length, column: (before.at(-1) ?? '').length + 1, length: 1 }
  const found = `0x${(bytes[octet] ?? 0).toString(16).padStart(2, '0').toUpperCase()}`
  return {
    code: 'not-utf-8',
    message: `the octet ${found} is no UTF-8 text`,
    hint: 'Save the request file as UTF-8; octets of another kind go into a file of their own: < path.',
    span,
    excerpt: excerptAt(text, span),
  }
}
