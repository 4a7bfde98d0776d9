/**
 * Files that a response is written to: `>> file`, `>>! file`, and `<> file` where that is asked for.
 *
 * Rules: a file is there completely or not at all. `>>` never replaces one: -1, -2, … goes before the extension. The
 * body is written with its content codings undone, since the file says nothing of them; a response as a whole has its
 * head before it.
 */
import { canDecode, contentCodings, octetsOf } from '../message/index.ts'
import { type BodyTap, decodingTap, fileTap, freePath } from './body-tap.ts'
import type { RunResponse } from './events.ts'
import type { PreparedRequest } from './request-builder.ts'

export interface OpenResponseFile {
  /** Absolute. */
  readonly path: string
  readonly tap: BodyTap
}

/**
 * Opens the files of a request.
 * @param savesResponse whether the first `<>` is written
 * @throws errors of the file system, which name the file.
 */
export async function openResponseFiles(
  prepared: PreparedRequest,
  response: Omit<RunResponse, 'body'>,
  savesResponse: boolean,
): Promise<readonly OpenResponseFile[]> {
  const reference = savesResponse ? prepared.references[0] : undefined
  if (prepared.responseFiles.length === 0 && reference === undefined) return []
  await import('../message-node/index.ts')
  const written = contentCodings(response.headers)
  const codings = written.every(canDecode) ? written : []
  const files: OpenResponseFile[] = []
  try {
    for (const { path, overwrites } of prepared.responseFiles) {
      const target = overwrites ? path : freePath(path)
      files.push({ path: target, tap: decodingTap(codings, await fileTap(target)) })
    }
    if (reference !== undefined) {
      const tap = await fileTap(reference.path, [headOctets(response)])
      files.push({ path: reference.path, tap: decodingTap(codings, tap) })
    }
  } catch (error) {
    for (const { tap } of files) await tap.fail()
    throw error
  }
  return files
}

function headOctets({ version, status, reason, headers }: Omit<RunResponse, 'body'>): Uint8Array {
  return octetsOf(`${version} ${status}${reason === '' ? '' : ` ${reason}`}\r\n${headers}\r\n`)
}
