/**
 * Reads text files of the user.
 *
 * Rules: the text must be UTF-8; invalid bytes are an ordinary error, with their place.
 */
import { constants, isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { excerptAt } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { unreadableFile } from '../../message-node/index.ts'
import type { FileDiagnostic, InvalidFileCode } from '../base/error-codes.ts'
import { InvalidFileError, RunError, wholeFile } from '../base/errors.ts'

export interface TextFileKind {
  /** Its name in messages: `request file`. */
  readonly name: string
  /** The code of errors in it. */
  readonly code: InvalidFileCode
  /** Messages do not show its lines. */
  readonly isSecret?: boolean
}

const SAVE_IT = 'Save the file as UTF-8'

/** Reads a file by its absolute path. @throws errors of the file system; HttpcliError. */
export type ReadFile = (absolute: string) => Uint8Array

/**
 * @param shown the path as the user knows it
 * @param read reads a file that the user did not name
 * @throws InvalidFileError; HttpcliError `unreadable-file`; those of `read`.
 */
export function readTextFile(
  absolute: string,
  shown: string,
  kind: TextFileKind,
  read: ReadFile = (path) => readFileSync(path),
): string {
  let bytes: Uint8Array
  try {
    bytes = read(absolute)
  } catch (cause) {
    if (cause instanceof HttpcliError) throw cause
    throw new RunError('unreadable-file', ...unreadableFile(`the ${kind.name} ${shown}`, cause))
  }
  return decodeText(bytes, shown, kind)
}

/**
 * Decodes a text file of the user.
 * @param shown the path as the user knows it
 * @throws InvalidFileError; HttpcliError `unreadable-file` if it is larger than a text can be
 */
export function decodeText(bytes: Uint8Array, shown: string, kind: TextFileKind): string {
  const text = wholeText(bytes, `the ${kind.name} ${shown}`)
  if (!isUtf8(bytes)) throw new InvalidFileError(kind.code, { path: shown, text }, [notUtf8(text, bytes, kind)])
  return text
}

/** The bytes as a text, decoded as UTF-8. @param what the file, as in messages */
export function wholeText(bytes: Uint8Array, what: string): string {
  try {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_STRING_TOO_LONG') throw cause
    const limit = Math.floor(constants.MAX_STRING_LENGTH / 1e6)
    throw new RunError('unreadable-file', `${what} is larger than ${limit} MB`, { cause, hint: 'Divide it' })
  }
}

/** The first bytes that are not valid UTF-8. `text` has U+FFFD in their place. */
function notUtf8(text: string, bytes: Uint8Array, { code, isSecret = false }: TextFileKind): FileDiagnostic {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { ...notTextAt(text, 0, 'the file is UTF-16 text, expected UTF-8'), hint: SAVE_IT, excerpt: '' }
  }
  let offset = 0
  let octet = 0
  for (const character of text) {
    const isReal = bytes[octet] === 0xef && bytes[octet + 1] === 0xbf && bytes[octet + 2] === 0xbd
    if (character === '\ufffd' && !isReal) break
    offset += character.length
    octet += Buffer.byteLength(character)
  }
  const found = `0x${(bytes[octet] ?? 0).toString(16).padStart(2, '0').toUpperCase()}`
  const diagnostic = notTextAt(text, offset, `the byte ${found} is not UTF-8 text`)
  return {
    ...diagnostic,
    ...(code === 'invalid-http-file' ? {} : { hint: SAVE_IT }),
    ...(isSecret ? { excerpt: '' } : {}),
  }
}

/** The first NUL of a text. No text has one, but images, archives and UTF-16 do. */
export function nulIn(text: string): FileDiagnostic | undefined {
  const offset = text.indexOf('\0')
  return offset === -1 ? undefined : notTextAt(text, offset, 'the byte 0x00 is not text')
}

function notTextAt(text: string, offset: number, message: string): FileDiagnostic {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  const span = { offset, line: before.length, column: (before.at(-1) ?? '').length + 1, length: 1 }
  return {
    code: 'not-utf-8',
    message,
    hint: `${SAVE_IT}; put other bytes into a separate file: < path.`,
    span,
    excerpt: excerptAt(text, span),
  }
}

/** Files of other tools by their extension, for messages. A request file may have any extension. */
const foreignFiles: Readonly<Record<string, string>> = {
  '.hurl': 'a Hurl file',
  '.bru': 'a request of Bruno',
  '.har': 'an HTTP archive',
  '.json': 'a JSON document',
  '.yaml': 'a YAML document',
  '.yml': 'a YAML document',
}
/** Files that may contain requests as examples. */
const documentations: Readonly<Record<string, string>> = {
  '.md': 'a Markdown document',
  '.markdown': 'a Markdown document',
  '.adoc': 'an AsciiDoc document',
}

/** The error for a file of another tool that was given as a request file; undefined unless its name says so. */
export function foreignFile(path: string): FileDiagnostic | undefined {
  const extension = extname(path).toLowerCase()
  const documentation = documentations[extension]
  const what = documentation ?? foreignFiles[extension]
  if (what === undefined) return undefined
  const converted = `To convert it: httpcli convert ${path.endsWith('.bru') ? 'DIRECTORY' : path} -o requests.http`
  return {
    code: 'foreign-syntax',
    message: `this is ${what}, expected a request file`,
    hint: documentation === undefined ? converted : 'Copy its requests into a request file, separated by "###"',
    span: wholeFile,
    excerpt: '',
  }
}
