/**
 * Describes error codes of the operating system: what happened, and what the user can do about a failed read or write.
 *
 * Rules: one table for the whole product. Codes that are not listed are shown unchanged.
 */
import { constants } from 'node:os'
import type { HttpcliError, HttpcliErrorDetails } from '../message/index.ts'
import { PlatformError } from './errors.ts'

interface Row {
  readonly reason: string
  /** Advice for a file that cannot be written. One sentence. */
  readonly advice?: string
}

const rows: Readonly<Record<string, Row>> = {
  EACCES: { reason: 'permission denied', advice: 'Change its permissions, or choose another path.' },
  EADDRINUSE: { reason: 'the address is in use' },
  EADDRNOTAVAIL: { reason: 'this machine does not have that address' },
  EBUSY: {
    reason: 'it is in use',
    advice: 'Close the program that uses it; a file that is a mount point cannot be replaced.',
  },
  ECONNREFUSED: { reason: 'connection refused' },
  ECONNRESET: { reason: 'the connection was reset' },
  EDQUOT: { reason: 'the disk quota is used up', advice: 'Delete files, or choose another file system.' },
  EEXIST: { reason: 'it already exists' },
  EFBIG: {
    reason: 'the file would become too large',
    advice: 'Raise the limit of the shell (ulimit -f), or choose a file system without one.',
  },
  EHOSTUNREACH: { reason: 'the host cannot be reached' },
  EIO: { reason: 'input/output error', advice: 'Check the disk and the log of the system.' },
  EISDIR: { reason: 'it is a directory', advice: 'Give the path of a file.' },
  ELOOP: { reason: 'too many symbolic links', advice: 'Check where the link leads.' },
  EMFILE: { reason: 'too many open files', advice: 'Raise the limit of the shell (ulimit -n).' },
  ENAMETOOLONG: { reason: 'the name is too long', advice: 'Choose a shorter name.' },
  ENETUNREACH: { reason: 'the network cannot be reached' },
  ENFILE: { reason: 'too many open files on this machine' },
  ENOENT: { reason: 'no such file or directory', advice: 'Create its directory, or choose another path.' },
  ENOSPC: { reason: 'no space left on the device', advice: 'Delete files, or choose another file system.' },
  ENOTDIR: { reason: 'a part of the path is not a directory', advice: 'Choose another path.' },
  ENOTFOUND: { reason: 'the name was not found' },
  ENOTSUP: { reason: 'the file system does not support it', advice: 'Choose another file system.' },
  ENXIO: { reason: 'no such device' },
  EPERM: { reason: 'not permitted', advice: 'Change its permissions or attributes, or choose another path.' },
  EPIPE: { reason: 'the other side closed the connection' },
  EROFS: { reason: 'the file system is read-only', advice: 'Choose another file system.' },
  ESTALE: { reason: 'the network drive no longer has it', advice: 'Check the network drive.' },
  ETIMEDOUT: { reason: 'timed out' },
  ETXTBSY: { reason: 'it is a running program', advice: 'Stop the program, or choose another path.' },
  EXDEV: { reason: 'it is on another file system', advice: 'Choose another path.' },
}

interface ReadRow {
  /** What follows the name of the file; undefined: that it cannot be read, and the reason. */
  readonly fact?: string
  /** One sentence. */
  readonly advice: string
}

const readRows: Readonly<Record<string, ReadRow>> = {
  EACCES: { advice: 'Give this user permission to read it.' },
  EFBIG: { fact: 'is larger than 512 MiB', advice: 'Divide it.' },
  EISDIR: { fact: 'is a directory', advice: 'Give the path of a file.' },
  ELOOP: { advice: 'Check where the link leads.' },
  EMFILE: { advice: 'Raise the limit of the shell (ulimit -n).' },
  ENOENT: { fact: 'does not exist', advice: 'Check the path.' },
  ENOTDIR: { advice: 'Check the path.' },
  EPERM: { advice: 'Give this user permission to read it.' },
}

/** `permission denied`; the code if the table does not list it, the message of any other error. */
export function systemReason(error: unknown): string {
  const code = codeOf(error)
  if (code !== undefined) return rows[code]?.reason ?? code
  return error instanceof Error ? error.message : String(error)
}

/**
 * Message and details of the error for a file or directory that cannot be read, one form for the whole product.
 * @param what such as `the file x`
 */
export function unreadableFile(what: string, cause: unknown): readonly [message: string, details: HttpcliErrorDetails] {
  const row = readRows[codeOf(cause) ?? '']
  const message = `${what} ${row?.fact ?? `cannot be read: ${systemReason(cause)}`}`
  return [message, { cause, ...(row === undefined ? {} : { hint: row.advice }) }]
}

/** @param step the step that failed, if it was not the file itself */
export function outputFailure(path: string, cause: unknown, step?: string): HttpcliError {
  const advice = rows[codeOf(cause) ?? '']?.advice
  const reason = `${step === undefined ? '' : `${step}: `}${systemReason(cause)}`
  return new PlatformError('output-failed', `cannot write to "${path}": ${reason}`, {
    cause,
    ...(advice === undefined ? {} : { hint: advice }),
  })
}

/** The code of an operating system error. Codes without a name in Node.js have one in the system's table. */
function codeOf(error: unknown): string | undefined {
  const { code, syscall, errno } = (error ?? {}) as Partial<NodeJS.ErrnoException>
  if (typeof code !== 'string' || syscall === undefined) return undefined
  if (errno === undefined || !code.startsWith('Unknown system error')) return code
  return Object.entries(constants.errno).find(([, number]) => number === -errno)?.[0] ?? code
}
