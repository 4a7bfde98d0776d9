/**
 * Files that a response is written to: `>> file`, `>>! file`, and `<> file` where that is asked for.
 *
 * Rules: a file is there completely or not at all. `>>` never replaces one: -1, -2, … goes before the extension. The
 * body is written with its content codings undone, since the file says nothing of them; a response as a whole has its
 * head before it.
 */
import { canDecode, contentCodings, octetsOf } from '../../message/index.ts'
import type { RunResponse } from '../base/events.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import { type BodyTap, decodingTap, type FileTap, fileTap } from './body-tap.ts'

export interface OpenResponseFile {
  readonly file: FileTap
  /** What the body as it comes goes to. */
  readonly tap: BodyTap
}

/**
 * Opens the files of a request.
 * @throws as `ConfinedOutput.open`
 */
export async function openResponseFiles(
  prepared: PreparedRequest,
  response: Omit<RunResponse, 'body' | 'repairs'>,
  confined: ConfinedFiles,
): Promise<readonly OpenResponseFile[]> {
  const { responseFiles, savedResponse } = prepared
  if (responseFiles.length === 0 && savedResponse === undefined) return []
  const written = contentCodings(response.headers)
  const codings = written.every(canDecode) ? written : []
  const files: OpenResponseFile[] = []
  try {
    for (const { path, overwrites } of responseFiles) {
      const file = await fileTap(path, overwrites, confined)
      files.push({ file, tap: decodingTap(codings, file) })
    }
    if (savedResponse !== undefined) {
      const file = await fileTap(savedResponse, true, confined, [headOctets(response)])
      files.push({ file, tap: decodingTap(codings, file) })
    }
  } catch (error) {
    for (const { tap } of files) await tap.fail()
    throw error
  }
  return files
}

function headOctets({ version, status, reason, headers }: Omit<RunResponse, 'body' | 'repairs'>): Uint8Array {
  return octetsOf(`${version} ${status}${reason === '' ? '' : ` ${reason}`}\r\n${headers}\r\n`)
}
