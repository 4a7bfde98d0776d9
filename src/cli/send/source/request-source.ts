/**
 * The source of the request of `send`: a file, an argument, standard input.
 *
 * Rules: bytes are used unchanged, an argument is encoded as UTF-8. Standard input is read up to the end of the request
 * (typed-request.ts). A small source is read as a whole; of a larger one only the beginning is read, so that a body of
 * gigabytes takes no memory. The signal of the context is not used: an interruption ends the process while nothing
 * needs cleanup.
 */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { concatBytes, utf8Bytes } from '../../../message/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { isUrlWord } from '../../frame/request-words.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { SendValues } from '../../options/send.ts'
import { TypedRequest } from './typed-request.ts'

/** Larger than any head that the parser accepts, but small enough to read as a whole. */
const WHOLE_OCTETS = 256 * 1024

export interface RequestSource {
  /** The file as the user named it; undefined for an argument and for standard input. */
  readonly file: string | undefined
  /** The first bytes: all of them without `rest`. */
  readonly first: Uint8Array
  readonly rest: RestOfSource | undefined
}

export interface RestOfSource {
  /** The bytes after `first`. Can be iterated once. */
  readonly pieces: AsyncIterable<Uint8Array>
  /** A regular file, whose size is known, can be read again from any position. */
  readonly file: { readonly path: string; readonly sizeBytes: number } | undefined
}

/** @throws errors of the file system, which name the file. */
export async function openRequestSource(context: CommandContext<SendValues>): Promise<RequestSource> {
  const text = context.arguments.value('text')
  if (text !== undefined) return { file: undefined, first: utf8Bytes(text), rest: undefined }
  const named = context.arguments.value('file') ?? context.arguments.positionals[0]
  const file = named ?? '-'
  checkTakenUrl(context, named === undefined)
  if (file !== '-') return fromFile(file, resolve(context.workingDirectory, file))
  if (context.arguments.value('body-file') === '-') {
    throw new UsageError('-g - reads the body from standard input, which is also the source of the request', {
      hint: 'Give the request as a URL, with -t or as a file',
    })
  }
  const isRaw = context.arguments.has('raw')
  if (context.stdin.isTTY === true) {
    const prompt = isRaw
      ? 'Type the bytes and end them with Ctrl-D:'
      : 'Type the request and end it with an empty line:'
    await context.stderr.write(`${prompt}\n`)
  }
  return beginning(undefined, context.stdin, { typed: isRaw ? undefined : new TypedRequest(context) })
}

/** Options that take a value here, but not in curl or HTTPie. */
const flagsElsewhere = ['file', 'body-text', 'body-file', 'cookiejar'] as const

/**
 * @throws UsageError for `-f :3000/users` and `-b :3000/users`, where the URL was taken as a value, so that the request
 * is missing.
 */
function checkTakenUrl(
  { arguments: args, stdin, workingDirectory }: CommandContext<SendValues>,
  isTyped: boolean,
): void {
  const isTakenUrl = (option: (typeof flagsElsewhere)[number]): boolean => {
    const value = args.value(option) ?? ''
    const isFile = (): boolean => existsSync(resolve(workingDirectory, value))
    if (!isUrlWord(value) || (option !== 'file' && !isTyped)) return false
    return option === 'body-text' ? stdin.isTTY === true : !isFile()
  }
  const option = flagsElsewhere.find(isTakenUrl)
  if (option === undefined) return
  throw new UsageError(`--${option} took "${args.value(option)}" as its value, and no URL is left`, {
    hint: 'Write the URL first',
    option,
  })
}

async function fromFile(file: string, path: string): Promise<RequestSource> {
  const sizeBytes = regularFileSize(path)
  if (sizeBytes === undefined) {
    const { FileBody } = await import('../../../message-node/index.ts')
    return beginning(file, new FileBody(path).open())
  }
  if (sizeBytes <= WHOLE_OCTETS) return { file, first: readFileSync(path), rest: undefined }
  const source = await beginning(file, createReadStream(path))
  return source.rest === undefined ? source : { ...source, rest: { ...source.rest, file: { path, sizeBytes } } }
}

/**
 * The size of a regular file; undefined for a pipe or a device. A pipe is not opened to find out, because its bytes
 * would be lost.
 */
function regularFileSize(path: string): number | undefined {
  const status = statSync(path)
  // Reading a directory fails with an error that names no file; opening it as text reports the same in plain words.
  if (status.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR', syscall: 'read', path })
  return status.isFile() ? status.size : undefined
}

export interface BeginningOptions {
  readonly typed?: TypedRequest | undefined
  /** After this time, all further input becomes the rest. Undefined for no limit. */
  readonly limitMs?: number | undefined
}

/** The first bytes of a stream, and the rest of it. */
export async function beginning(
  file: string | undefined,
  stream: AsyncIterable<Uint8Array>,
  { typed, limitMs }: BeginningOptions = {},
): Promise<RequestSource> {
  const iterator = stream[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []
  const limit = timeLimit(limitMs)
  let octets = 0
  while (octets <= WHOLE_OCTETS) {
    const next = iterator.next()
    const found = limit === undefined ? await next : await Promise.race([next, limit.reached])
    if (found === undefined) {
      return { file, first: concatBytes(pieces), rest: { pieces: continued(next, iterator), file: undefined } }
    }
    const { done, value } = found
    if (done === true) {
      limit?.cancel()
      return { file, first: concatBytes(pieces), rest: undefined }
    }
    pieces.push(value)
    octets += value.length
    if ((await typed?.endsWith(value)) !== true) continue
    await iterator.return?.()
    return { file, first: concatBytes(pieces), rest: undefined }
  }
  limit?.cancel()
  const rest = { [Symbol.asyncIterator]: () => iterator }
  return { file, first: concatBytes(pieces), rest: { pieces: rest, file: undefined } }
}

interface TimeLimit {
  readonly reached: Promise<undefined>
  readonly cancel: () => void
}

function timeLimit(limitMs: number | undefined): TimeLimit | undefined {
  if (limitMs === undefined) return undefined
  let timer: NodeJS.Timeout | undefined
  const reached = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs)
  })
  return { reached, cancel: () => clearTimeout(timer) }
}

/** @param next a step of the iterator that has already been requested */
async function* continued(
  next: Promise<IteratorResult<Uint8Array>>,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let step = await next; step.done !== true; step = await iterator.next()) yield step.value
}

/** All pieces of a source, in order. Can be iterated once. */
export async function* sourcePieces(source: RequestSource): AsyncGenerator<Uint8Array> {
  yield source.first
  if (source.rest !== undefined) yield* source.rest.pieces
}
