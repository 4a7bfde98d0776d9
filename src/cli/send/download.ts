/**
 * The file of -O, and the range of --continue.
 *
 * Rules: the name of -O is the last segment of the URL's path and cannot lead elsewhere. --continue requests the bytes
 * that the file lacks (RFC 9110 section 14); a server without range support sends the whole file, and any other answer
 * is an error that does not change the file. No validator is stored with a file; instead, Last-Modified shows whether
 * the server changed the file after the existing part was written.
 */
import { createReadStream, type Stats, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { decodedComponent } from '../../http-file/index.ts'
import type { HeaderList, HttpcliError, HttpRequest, HttpResponse } from '../../message/index.ts'
import type { FileOutput } from '../../message-node/index.ts'
import { counted } from '../../report/index.ts'
import { CliError } from '../frame/cli-error.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { SendValues } from '../options/send.ts'

/** @returns an absolute path @throws UsageError */
export function remoteFile({ workingDirectory }: CommandContext<SendValues>, { url }: HttpRequest): string {
  const name = decodedComponent(url?.pathname.split('/').at(-1) ?? '')
  if (name === '' || name === '.' || name === '..' || /[\x00-\x1f\x7f/\\:]/.test(name)) {
    throw new UsageError(`-O/--remote-name: the URL ${url?.href ?? ''} does not end in a file name`, {
      hint: 'Write -o <file>',
    })
  }
  return resolve(workingDirectory, name)
}

const wholeHint = 'Download all of it without --continue'

/** The content of a 202 or 204 is not the file. */
const wholeStatuses: ReadonlySet<number> = new Set([200, 203])

/** Without --continue, an error or a redirect would replace the file. */
function hintFor(status: number, headers: HeaderList): string {
  if (status >= 300 && status < 400 && headers.has('location')) return 'Add --follow'
  if (status === 206 || status === 416) return wholeHint
  return status >= 500 ? 'Repeat the command later' : 'Check the request'
}

/** HTTP dates have a resolution of one second, and the comparison uses two of them. */
const DATE_TOLERANCE_MS = 2000

/** The existing part of a file. */
export class Resumption {
  readonly #path: string
  /** The size of the existing part. */
  readonly sizeBytes: number
  readonly #modifiedMs: number
  /** The size of the complete file, once the response has stated it. */
  #completeBytes: number | undefined

  private constructor(path: string, { size, mtimeMs }: Stats) {
    this.#path = path
    this.sizeBytes = size
    this.#modifiedMs = mtimeMs
  }

  /** Undefined if the file is missing or empty, in which case the whole file is requested. */
  static of(path: string): Resumption | undefined {
    const status = statSync(path, { throwIfNoEntry: false })
    return status?.isFile() && status.size > 0 ? new Resumption(path, status) : undefined
  }

  /** @throws UsageError if the request asks for another range */
  ask(request: HttpRequest): HttpRequest {
    if (request.headers.has('range')) {
      throw new UsageError('--continue sets Range, which the request already has', {
        hint: 'Omit Range, or --continue',
      })
    }
    return request.withHeader('Range', `bytes=${this.sizeBytes}-`)
  }

  /**
   * Copies the existing part into the new file if the response continues it.
   * @returns whether the file was already complete
   * @throws HttpcliError `not-continued`
   */
  async begin({ status, headers }: HttpResponse, file: FileOutput): Promise<boolean> {
    const range = headers.first('content-range') ?? ''
    const isComplete = status === 416 && new RegExp(`^bytes \\*/${this.sizeBytes}$`, 'i').test(range)
    const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(range) ?? []
    const isContinued = status === 206 && Number(first) === this.sizeBytes
    if (isContinued && this.#isChangedSince(headers)) {
      // A file that grew, such as a log, is not distinguishable from one that was replaced.
      throw this.#error(
        `the file on the server has changed since (Last-Modified: ${headers.first('last-modified')})`,
        `${wholeHint}, or if the file only grew, append the rest: -H 'Range: bytes=${this.sizeBytes}-' -p body >> ${basename(this.#path)}`,
      )
    }
    if (isContinued && headers.has('content-encoding')) {
      throw this.#error('the server continues it in a content coding, which can be decoded only as a whole')
    }
    if (!isComplete && !isContinued) {
      if (wholeStatuses.has(status)) return false
      if (status === 416 && range === '') {
        throw this.#error(
          `the server has nothing from byte ${this.sizeBytes} on, and does not say how long the file is`,
          'the file may be complete: compare its size with the Content-Length of a HEAD request',
        )
      }
      throw this.#error(
        `the server answered ${status}${range === '' ? '' : ` with the range "${range}"`} to the request for the rest from byte ${this.sizeBytes} on`,
        hintFor(status, headers),
      )
    }
    if (isContinued) this.#completeBytes = total === '*' ? Number(last) + 1 : Number(total)
    for await (const bytes of createReadStream(this.#path, { end: this.sizeBytes - 1 })) await file.write(bytes)
    return isComplete
  }

  /** Called after the whole response was written. @throws HttpcliError `not-continued` if the file is incomplete */
  end({ writtenBytes }: FileOutput): void {
    const completeBytes = this.#completeBytes
    if (completeBytes === undefined || writtenBytes === completeBytes) return
    throw new CliError('not-continued', `${this.#path} has ${writtenBytes} of ${counted(completeBytes, 'byte')}`, {
      hint: writtenBytes < completeBytes ? 'Repeat the command for the rest' : wholeHint,
    })
  }

  /** Whether the file changed after the existing part was written, by the clock of the server in `Date`. */
  #isChangedSince(headers: HeaderList): boolean {
    const changedMs = Date.parse(headers.first('last-modified') ?? '')
    const nowMs = Date.now()
    const serverMs = Date.parse(headers.first('date') ?? '')
    const aheadMs = Number.isNaN(serverMs) ? 0 : serverMs - nowMs
    return changedMs > this.#modifiedMs + aheadMs + DATE_TOLERANCE_MS
  }

  #error(what: string, hint = wholeHint): HttpcliError {
    return new CliError('not-continued', `${this.#path} was not continued: ${what}`, { hint })
  }
}
