/**
 * Errors of the operating system, as Node.js reports them, in plain words.
 *
 * Rules: the text names the file or the address and the failed operation. Sub-commands and rooms that know more (which
 * option named the file) throw an HttpcliError instead; this file describes all other errors.
 */
import { systemReason, unreadableFile } from '../../message-node/index.ts'
import { byWord } from './by-word.ts'

/** What is read, by the operation. */
const readObjects = byWord({
  'access fstat lstat open read readlink realpath stat': 'the file',
  'opendir scandir': 'the directory',
})

const verbs = byWord({
  chmod: 'change the permissions of',
  close: 'close',
  connect: 'connect to',
  'fsync ftruncate link write': 'write',
  getaddrinfo: 'find',
  listen: 'listen on',
  mkdir: 'create the directory',
  rename: 'rename',
  'rmdir unlink': 'delete',
})

interface SystemError {
  readonly code: string
  readonly syscall: string
  readonly path?: string
  readonly hostname?: string
  readonly address?: string
  readonly port?: number
}

/**
 * `the file x.http does not exist` and what to do about it, if there is advice; undefined if it is not an error of the
 * operating system.
 */
export function systemFailure(error: unknown): readonly [message: string, advice?: string | undefined] | undefined {
  if (!isSystemError(error)) return undefined
  if (error.syscall === 'uv_cwd') return ['the working directory does not exist', 'Change to an existing directory']
  const read = readObjects[error.syscall]
  // The platform replaces bytes of a name that are not UTF-8 with U+FFFD, and then cannot find the file.
  if (error.code === 'ENOENT' && error.path?.includes('\ufffd') === true) {
    return [`the name ${error.path} is not UTF-8 text`, 'Rename the file or the directory']
  }
  if (read !== undefined && error.path !== undefined) {
    const [message, { hint }] = unreadableFile(`${read} ${error.path}`, error)
    return [message, hint]
  }
  const verb = verbs[error.syscall] ?? error.syscall
  return [
    `cannot ${verb}${object(error)}: ${systemReason(error)}`,
    error.code === 'ENOENT' ? 'Check the path' : undefined,
  ]
}

function isSystemError(error: unknown): error is Error & SystemError {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as Partial<SystemError>
  return typeof code === 'string' && typeof syscall === 'string'
}

function object({ path, hostname, address, port }: SystemError): string {
  if (path !== undefined) return ` "${path}"`
  if (hostname !== undefined) return ` "${hostname}"`
  if (address === undefined) return ''
  return port === undefined ? ` ${address}` : ` ${address.includes(':') ? `[${address}]` : address}:${port}`
}
