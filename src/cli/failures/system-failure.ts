/**
 * Errors of the operating system, as Node.js reports them, in plain words.
 *
 * Rules: the text names the file or the address and the failed operation. Sub-commands and rooms that know more (which
 * option named the file) throw an HttpcliError instead; this file describes all other errors.
 */
import { systemReason } from '../../message-node/index.ts'

const verbs: Readonly<Record<string, string>> = {
  access: 'open',
  chmod: 'change the permissions of',
  close: 'close',
  connect: 'connect to',
  fstat: 'read',
  fsync: 'write',
  ftruncate: 'write',
  getaddrinfo: 'find',
  listen: 'listen on',
  link: 'write',
  lstat: 'read',
  mkdir: 'create the directory',
  open: 'open',
  opendir: 'list',
  read: 'read',
  readlink: 'read',
  realpath: 'open',
  rename: 'rename',
  rmdir: 'delete',
  scandir: 'list',
  stat: 'open',
  unlink: 'delete',
  write: 'write',
}

interface SystemError {
  readonly code: string
  readonly syscall: string
  readonly path?: string
  readonly hostname?: string
  readonly address?: string
  readonly port?: number
}

/** `cannot open "x.http": no such file or directory`; undefined if it is not an error of the operating system. */
export function systemFailure(error: unknown): string | undefined {
  if (!isSystemError(error)) return undefined
  const verb = verbs[error.syscall] ?? error.syscall
  return `cannot ${verb}${object(error)}: ${systemReason(error)}`
}

/** Advice on an error of the operating system; undefined if there is none to give. */
export function systemAdvice(error: unknown): string | undefined {
  return isSystemError(error) && error.code === 'ENOENT' ? 'Check the path' : undefined
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
