/**
 * Reads the input of `convert` and `fmt`: a file, standard input or a text, as UTF-8.
 *
 * Rules: a byte order mark is kept; bytes that are not UTF-8 are an error, since writing them back would change the
 * text.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SourceText } from '../../convert/index.ts'
import { fileBytes, unreadableFile } from '../../message-node/index.ts'
import { CliError } from '../frame/cli-error.ts'
import type { CommandContext } from '../frame/command.ts'

/** @throws errors of the file system, which name the file; HttpcliError `unreadable-file`, `not-utf-8`. */
export async function readTextFile({ workingDirectory }: CommandContext, path: string): Promise<SourceText> {
  const file = resolve(workingDirectory, path)
  let bytes: Uint8Array
  try {
    bytes = await fileBytes(file)
  } catch (cause) {
    // The system's error for reading a directory does not name it.
    throw new CliError('unreadable-file', ...unreadableFile(`the file ${path}`, cause))
  }
  return { path, text: decoded(bytes, path) }
}

/** Limits for the files below one directory. */
const MAX_FILES = 20_000
const MAX_BYTES = 256 * 1024 * 1024

/**
 * The files below a directory with matching names, ordered by path. Symbolic links and hidden directories are omitted.
 * Paths have slashes on every system.
 * @throws errors of the file system, which name the file; HttpcliError `unreadable-file`, `not-utf-8`.
 */
export function readDirectory({ workingDirectory }: CommandContext, path: string, names: RegExp): SourceText {
  const root = resolve(workingDirectory, path)
  const files: SourceText[] = []
  let sizeBytes = 0
  const pending = ['']
  while (pending.length > 0) {
    const directory = pending.pop() as string
    const entries = readdirSync(join(root, directory), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = directory === '' ? entry.name : `${directory}/${entry.name}`
      if (entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name)) pending.push(below)
      if (!entry.isFile() || !names.test(entry.name)) continue
      const bytes = readFileSync(join(root, below))
      sizeBytes += bytes.length
      if (files.length >= MAX_FILES || sizeBytes > MAX_BYTES) {
        const message = `cannot read "${path}": expected at most ${MAX_FILES} files with ${MAX_BYTES} bytes in all`
        throw new CliError('unreadable-file', message)
      }
      files.push({ path: below, text: decoded(bytes, join(path, below)) })
    }
  }
  return { path, text: '', files }
}

/** @throws HttpcliError `not-utf-8`. */
export async function readStandardInput({ stdin, stderr }: CommandContext): Promise<SourceText> {
  if (stdin.isTTY === true) await stderr.write('Type the text and end it with Ctrl-D:\n')
  const pieces: Uint8Array[] = []
  for await (const piece of stdin as AsyncIterable<Uint8Array>) pieces.push(piece)
  return { path: 'standard input', text: decoded(Buffer.concat(pieces), 'standard input') }
}

/** @throws HttpcliError `not-utf-8`. */
export function decoded(octets: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  } catch (cause) {
    throw new CliError('not-utf-8', `${name} is not UTF-8 text`, { cause })
  }
}
