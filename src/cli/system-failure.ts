/**
 * Errors of the operating system, as Node.js reports them, in plain words.
 *
 * Rules: they name the file or the address and what was tried. Sub-commands and rooms that know more (which option
 * named the file) say so in an HttpcliError of their own; this is what the others become.
 */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EBUSY: 'it is in use',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EEXIST: 'it exists already',
  EHOSTUNREACH: 'the host cannot be reached',
  EIO: 'input/output error',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENETUNREACH: 'the network cannot be reached',
  ENFILE: 'too many open files on this machine',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a part of the path is not a directory',
  ENOTFOUND: 'the name is not known',
  ENXIO: 'no such device',
  EPERM: 'not permitted',
  EPIPE: 'the other side has closed',
  EROFS: 'the file system is read-only',
  ETIMEDOUT: 'it took too long',
}

const verbs: Readonly<Record<string, string>> = {
  access: 'open',
  close: 'close',
  connect: 'connect to',
  fstat: 'read',
  fsync: 'write',
  ftruncate: 'write',
  getaddrinfo: 'find',
  listen: 'listen on',
  lstat: 'read',
  mkdir: 'make the directory',
  open: 'open',
  read: 'read',
  realpath: 'open',
  rename: 'rename',
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

/** `cannot open "x.http": no such file or directory`; undefined where it is no error of the operating system. */
export function systemFailure(error: unknown): string | undefined {
  if (!isSystemError(error)) return undefined
  const verb = verbs[error.syscall] ?? error.syscall
  const reason = reasons[error.code] ?? error.code
  return `cannot ${verb}${object(error)}: ${reason}`
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
