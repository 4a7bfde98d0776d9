/**
 * Access to the files that a request file names: every read and write of such a file goes through here.
 *
 * Rules: the real path of a file must be below the file root, and is checked again once the file is open, because links
 * may change in between. Only regular files are read and written, so that no device is affected and no pipe blocks.
 * Unless the user named the root, a Git repository's own files, environment files and request files are never written.
 * Errors describe the path; callers add the place in the request file that names it.
 */
import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { HttpcliError, type HttpcliErrorCode } from '../../message/index.ts'
import { systemReason, unreadableFile } from '../../message-node/index.ts'
import { RunError } from '../base/errors.ts'
import { optionHints } from '../base/option-hints.ts'
import { pathOfDescriptor } from './confined-directory.ts'
import type { FileRoot } from './file-root.ts'
import { isInside, pathPlatform, pathProblem, protectedKind } from './path-rules.ts'
import { wholeText } from './text-file.ts'

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** The same limit as in Linux. */
const MAX_LINKS = 40

export type FileUse = 'read' | 'write'

/** Errors of a path that do not depend on its variables: an unknown value is treated as one segment. */
export const forbiddenCodes: ReadonlySet<HttpcliErrorCode> = new Set(['outside-file-root', 'protected-file'])

export interface ConfinedFilesOptions {
  /** Files that must not be written, in addition to those protected by their names. */
  readonly protectedFiles?: readonly string[]
  /** Called with the absolute path of each file that a request file names, allowed or not. */
  readonly onUse?: (use: FileUse, path: string) => void
}

/** A file that is open and checked; the caller closes it. */
export interface OpenedFile {
  readonly descriptor: number
  readonly stats: Stats
}

export class ConfinedFiles {
  readonly root: FileRoot
  readonly #protected: ReadonlySet<string>
  readonly #onUse: (use: FileUse, path: string) => void

  constructor(root: FileRoot, { protectedFiles = [], onUse = () => undefined }: ConfinedFilesOptions = {}) {
    this.root = root
    this.#protected = new Set(protectedFiles.map((path) => endOfPath(path)))
    this.#onUse = onUse
  }

  /** Reads a file. @throws as `open` */
  read(path: string): Buffer {
    const { descriptor } = this.open(path)
    try {
      return readFileSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }

  /**
   * Reads a file as UTF-8, without a byte order mark. @throws as `open`; HttpcliError `not-utf-8`, `unreadable-file`.
   */
  readText(path: string): string {
    const bytes = this.read(path)
    if (!isUtf8(bytes)) {
      throw new RunError('not-utf-8', `the file ${path} is not UTF-8 text`, { hint: 'Save it as UTF-8' })
    }
    return wholeText(bytes, `the file ${path}`).replace(/^\ufeff/, '')
  }

  /** Reads a file anywhere, because the user named it. @throws as `open` */
  readAnywhere(path: string): Buffer {
    this.#onUse('read', path)
    checkKind(path, statSync(path))
    return readFileSync(path)
  }

  /**
   * Opens a file for reading.
   * @param path absolute
   * @throws HttpcliError `outside-file-root`, `unreadable-file`; errors of the file system.
   */
  open(path: string): OpenedFile {
    this.#onUse('read', path)
    const real = this.#realPath(path)
    checkKind(path, lstatSync(real))
    const descriptor = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stats = fstatSync(descriptor)
      checkKind(path, stats)
      this.#checkOpened(path, descriptor, stats)
      return { descriptor, stats }
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }

  /** @throws HttpcliError `outside-file-root` for a path that leads out of the root, even if it does not exist. */
  checkReadable(path: string): void {
    this.#onUse('read', path)
    checkText(path, this.root)
    try {
      this.#checkInside(path, endOfPath(path))
    } catch (error) {
      throw unreadable(`the file ${path}`, error)
    }
  }

  /** Whether the file exists. @throws HttpcliError `outside-file-root`, whether or not it exists. */
  isFile(path: string): boolean {
    try {
      return statSync(this.#realPath(path)).isFile()
    } catch (error) {
      if (error instanceof HttpcliError || !isMissing(error)) throw error
      return false
    }
  }

  /**
   * The path that will be written, with all links resolved.
   * @param path absolute
   * @param shouldReplace whether an existing file is replaced, including the target of a link
   * @throws HttpcliError `outside-file-root`, `protected-file`, `unwritable-file`; errors of the file system.
   */
  writablePath(path: string, shouldReplace: boolean): string {
    this.#onUse('write', path)
    checkText(path, this.root)
    try {
      const target = shouldReplace ? endOfPath(path) : join(endOfPath(dirname(path)), basename(path))
      this.checkWritten(path, target)
      const old = statSync(target, { throwIfNoEntry: false })
      if (old === undefined || old.isFile() || (!shouldReplace && old.isDirectory())) return target
      throw unwritable(path, `it is ${kindOf(old)}, expected a file`)
    } catch (error) {
      if (error instanceof HttpcliError) throw error
      throw unwritable(path, systemReason(error), error)
    }
  }

  /** @param real the real path of `path`. @throws HttpcliError `outside-file-root`, `protected-file`. */
  checkWritten(path: string, real: string): void {
    this.#checkInside(path, real)
    if (this.root.isExplicit) return
    const kind = protectedKind(real) ?? (this.#protected.has(real) ? 'a file that the run reads' : undefined)
    if (kind === undefined) return
    throw new RunError('protected-file', `cannot write to ${path}: it is ${kind}`, {
      hint: optionHints.protectedFile,
    })
  }

  /** @throws HttpcliError `outside-file-root` */
  #realPath(path: string): string {
    checkText(path, this.root)
    let real: string
    try {
      real = realpathSync.native(path)
    } catch (error) {
      // Outside the root, an error must not reveal whether the file exists.
      this.#checkInside(path, endOfPath(path))
      throw error
    }
    this.#checkInside(path, real)
    return real
  }

  #checkInside(path: string, real: string): void {
    const { directory } = this.root
    if (directory !== undefined && isInside(real, directory)) return
    throw outside(path, real, directory)
  }

  /** A link may have changed between the check and the opening. */
  #checkOpened(path: string, descriptor: number, opened: Stats): void {
    const known = pathOfDescriptor(descriptor)
    if (known !== undefined) {
      this.#checkInside(path, known)
      return
    }
    const real = this.#realPath(path)
    const { dev, ino } = lstatSync(real)
    if (dev === opened.dev && ino === opened.ino) return
    throw new RunError('unreadable-file', `the file ${path} was replaced while it was opened`)
  }
}

/** The target of a path, whether or not it exists. @throws errors of the file system */
function endOfPath(path: string, links = 0): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || links > MAX_LINKS || dirname(path) === path) throw error
  }
  const parent = endOfPath(dirname(path), links)
  const own = join(parent, basename(path))
  if (lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return own
  return endOfPath(resolve(parent, readlinkSync(own)), links + 1)
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function checkText(path: string, { directory }: FileRoot): void {
  const problem = pathProblem(path, pathPlatform)
  if (problem === undefined) return
  throw new RunError('outside-file-root', `${JSON.stringify(path)} ${problem}; ${rootText(directory)}`)
}

function outside(path: string, real: string, directory: string | undefined): HttpcliError {
  const place = real === path ? '' : ` leads to ${real} and`
  return new RunError(
    'outside-file-root',
    `the file ${path}${place} is outside of the file root; ${rootText(directory)}`,
    { hint: directory === undefined ? optionHints.noFileRoot : optionHints.outsideFileRoot },
  )
}

function rootText(directory: string | undefined): string {
  return directory === undefined ? 'this request file has no file root' : `the file root is ${directory}`
}

/** Anything other than a regular file may block forever, or have an effect when it is opened. */
function checkKind(path: string, stats: Stats): void {
  if (stats.isFile()) return
  throw new RunError('unreadable-file', `the file ${path} is ${kindOf(stats)}, expected a file`)
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return stats.isSymbolicLink() ? 'a symbolic link' : 'a device'
}

function unwritable(path: string, reason: string, cause?: unknown): HttpcliError {
  return new RunError('unwritable-file', `cannot write to ${path}: ${reason}`, cause === undefined ? {} : { cause })
}

/** Describes a file system error; returns any other error unchanged. @param what such as `the file x` */
export function unreadable(what: string, cause: unknown): unknown {
  if (cause instanceof HttpcliError || (cause as NodeJS.ErrnoException).code === undefined) return cause
  return new RunError('unreadable-file', ...unreadableFile(what, cause))
}
