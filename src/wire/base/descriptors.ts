/**
 * Distinguishes a lack of file descriptors from other connection failures.
 *
 * Some platforms report such a lack as a refused connection or an unknown name, so after every failure this opens a
 * file to find out.
 */
import { closeSync, openSync } from 'node:fs'
import { platformCode, WireError } from './errors.ts'

const limits: Readonly<Record<string, string>> = {
  EMFILE: 'this process has reached its limit of open files',
  ENFILE: 'this machine has reached its limit of open files',
}

/**
 * @param place what the connection was for
 * @param cause what the platform reported
 * @returns undefined if descriptors are not the reason
 */
export function shortageError(place: string, cause: unknown): WireError | undefined {
  const reason = limits[platformCode(cause)] ?? limits[shortage()]
  if (reason === undefined) return undefined
  const hint = 'Raise the limit of open files (ulimit -n)'
  return new WireError('too-many-open-files', `${place}: no connection can be opened, ${reason}`, { hint, cause })
}

/** The system's error code if no file can be opened, otherwise an empty string. */
function shortage(): string {
  try {
    closeSync(openSync('/', 'r'))
    return ''
  } catch (error) {
    return platformCode(error)
  }
}
