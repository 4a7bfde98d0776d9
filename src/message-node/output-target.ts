/**
 * The output target of a path: a file that is replaced atomically, or a target that is written to directly.
 */
import { fstatSync, type Stats, writev } from 'node:fs'
import { access, constants, type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { forgetPartial, newPartialPath, sweepPartials } from './partial-files.ts'
import { openPipeSink } from './pipes.ts'
import { outputFailure } from './system-reasons.ts'

export interface FileOutputOptions {
  /** Mode of a new file, before the process's umask. */
  readonly mode?: number
  /** Whether to keep an existing file: the new one gets -1, -2, … before its extension. */
  readonly shouldKeepExisting?: boolean
  /**
   * Another path of the file's directory that stays valid even if the names above it change. If set, no symbolic link
   * is followed, and only a regular file is replaced.
   */
  readonly directory?: string
}

/** Where bytes go: a file handle, or a descriptor that the caller closes. */
export type Sink = Pick<FileHandle, 'sync' | 'close'> & {
  writev(pieces: readonly Uint8Array[]): Promise<{ readonly bytesWritten: number }>
}

export interface OutputTarget {
  readonly sink: Sink
  /** The path after all symbolic links. */
  readonly path: string
  /** Undefined if the target is written to directly. */
  readonly partialPath: string | undefined
  /** The path by which the directory of the file is looked up. */
  readonly directory: string
}

/** @throws errors of the file system; HttpcliError `output-failed` */
export async function openTarget(path: string, options: FileOutputOptions): Promise<OutputTarget> {
  const { mode, shouldKeepExisting, directory } = options
  if (directory !== undefined) return openIn(directory, path, options)
  const end = await endOfLinks(path)
  const descriptor = ownDescriptor(end)
  if (descriptor !== undefined && fstatSync(descriptor).isFile()) {
    return { sink: descriptorSink(descriptor), path, partialPath: undefined, directory: dirname(path) }
  }
  const old = await stat(path).catch(unlessMissing)
  const isReplaced = old?.isFile() === true || (shouldKeepExisting === true && old?.isDirectory() === true)
  if (old !== undefined && !isReplaced) {
    const sink = old.isFIFO() ? await openPipeSink(path) : await open(path, 'w')
    return { sink, path, partialPath: undefined, directory: dirname(path) }
  }
  const kept = shouldKeepExisting === true ? undefined : old
  if (kept !== undefined) await access(path, constants.W_OK)
  const target = kept !== undefined ? await realpath(path) : shouldKeepExisting === true ? path : end
  return openPartial(target, dirname(target), kept, mode)
}

/** No link is followed: the old file is inspected and replaced by its name in the directory. */
async function openIn(
  directory: string,
  path: string,
  { mode, shouldKeepExisting }: FileOutputOptions,
): Promise<OutputTarget> {
  const place = join(directory, basename(path))
  const old = shouldKeepExisting === true ? undefined : await lstat(place).catch(unlessMissing)
  if (old?.isFile() === false) {
    const code = old.isDirectory() ? 'EISDIR' : old.isSymbolicLink() ? 'ELOOP' : 'ENXIO'
    throw Object.assign(new Error(code), { code, syscall: 'open' })
  }
  if (old !== undefined) await access(place, constants.W_OK)
  return openPartial(path, directory, old, mode)
}

async function openPartial(
  path: string,
  directory: string,
  old: Stats | undefined,
  mode: number = NEW_FILE_MODE,
): Promise<OutputTarget> {
  await sweepPartials(directory, dirname(path))
  const partialPath = newPartialPath(directory)
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const sink = await open(partialPath, flags, old?.mode ?? mode)
    if (old !== undefined) await copyAttributes(old, sink)
    return { sink, path, partialPath, directory }
  } catch (error) {
    forgetPartial(partialPath)
    throw outputFailure(path, error, `cannot create a file in "${dirname(path)}"`)
  }
}

const PERMISSIONS = 0o777
const NEW_FILE_MODE = 0o666

async function copyAttributes(old: Stats, file: FileHandle): Promise<void> {
  const made = await file.stat()
  // Only the superuser can change the owner of a file.
  if (made.uid !== old.uid || made.gid !== old.gid) await file.chown(old.uid, old.gid).catch(() => undefined)
  // The umask, applied when the file was opened, is for new files.
  const wanted = old.mode & PERMISSIONS
  if ((made.mode & PERMISSIONS) !== wanted) await file.chmod(wanted)
}

/** The same limit as in Linux. */
const MAX_LINKS = 40

/** Resolves the links of a path, whether or not the target exists; stops at an open file of a process. */
async function endOfLinks(path: string): Promise<string> {
  let end = path
  for (let count = 0; count < MAX_LINKS; count++) {
    if (ownDescriptor(end) !== undefined) return end
    let next: string
    try {
      next = await readlink(end)
    } catch {
      return end
    }
    end = resolve(dirname(end), next)
  }
  throw Object.assign(new Error('ELOOP'), { code: 'ELOOP', syscall: 'open' })
}

const standardDescriptors: Readonly<Record<string, number>> = { '/dev/stdout': 1, '/dev/stderr': 2 }

function ownDescriptor(path: string): number | undefined {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1]
  return number === undefined ? standardDescriptors[path] : Number(number)
}

function descriptorSink(descriptor: number): Sink {
  const writeTo = promisify(writev)
  return {
    writev: (pieces) => writeTo(descriptor, pieces),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
