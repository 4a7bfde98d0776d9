/**
 * What `convert` and `fmt` read: a file, standard input or a text, as UTF-8.
 *
 * Rules: a byte order mark stays; octets that are no UTF-8 are an error, since what is written back would be another text.
 */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { HttpcliError } from '../../message/index.ts'
import type { CommandContext } from '../frame/command.ts'

export interface NamedText {
  /** As messages name it. */
  readonly path: string
  readonly text: string
}

/** @throws errors of the file system, which name the file; HttpcliError `unreadable-file`, `not-utf-8`. */
export function readTextFile({ workingDirectory }: CommandContext, path: string): NamedText {
  const file = resolve(workingDirectory, path)
  // Reading a directory is an error that names none.
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new HttpcliError('unreadable-file', `cannot read "${path}": it is a directory`)
  }
  return { path, text: decoded(readFileSync(file), path) }
}

/** @throws HttpcliError `not-utf-8`. */
export async function readStandardInput({ stdin, stderr }: CommandContext): Promise<NamedText> {
  if (stdin.isTTY === true) await stderr.write('Type the text and end it with Ctrl-D:\n')
  const pieces: Uint8Array[] = []
  for await (const piece of stdin as AsyncIterable<Uint8Array>) pieces.push(piece)
  return { path: 'standard input', text: decoded(Buffer.concat(pieces), 'standard input') }
}

function decoded(octets: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  } catch (cause) {
    throw new HttpcliError('not-utf-8', `${name} is no UTF-8 text`, { cause })
  }
}
