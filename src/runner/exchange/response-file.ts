/**
 * Files that a response is saved to: `>> file`, `>>! file`, and `<> file` if requested.
 *
 * Rules: a file is written atomically. `>>` never replaces a file: it adds -1, -2, … before the extension. The body is
 * saved with its content codings decoded, since the file does not record them; a whole response begins with its head.
 */
import { canDecode, contentCodings, octetsOf } from '../../message/index.ts'
import type { RunResponse } from '../base/events.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import { type BodyTap, decodingTap, type FileTap, fileTap } from './body-tap.ts'

export interface OpenResponseFile {
  readonly file: FileTap
  /** Receives the body as it arrives. */
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
    for (const { path, shouldOverwrite } of responseFiles) {
      const file = await fileTap(path, shouldOverwrite, confined)
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
