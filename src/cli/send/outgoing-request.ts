/**
 * The request that `send` sends: from a text, or from a URL and items, with the options applied.
 *
 * Rules: the code for requests from URLs is loaded at the start, because loading a further module on demand costs more
 * than the code itself.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { HttpRequest } from '../../message/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { isUrlWord, withSlashes } from '../frame/request-words.ts'
import type { SendValues } from '../options/send.ts'
import { type AuthorizedRequest, withHeaderOptions } from './building/header-options.ts'
import type { ItemBody } from './building/item-body.ts'
import { overTls } from './building/over-tls.ts'
import { requestLineWords } from './building/request-line.ts'
import { type BuiltRequest, itemRequest } from './source/item-request.ts'
import { readRequest } from './source/request-input.ts'
import { openRequestSource } from './source/request-source.ts'

export interface OutgoingRequest extends AuthorizedRequest {
  readonly itemBody: ItemBody | undefined
}

const headerOptions = ['header', 'user', 'bearer', 'digest'] as const
/** `Basic user password`, `Digest user:password`. */
const shortForm = /^(?:Basic|Digest)[ \t]+(?:\S+[ \t]+\S|[^\s=,":]+:)/i

/** @throws UsageError; HttpParseError; errors of the file system */
export async function outgoingRequest(context: CommandContext<SendValues>): Promise<OutgoingRequest> {
  const built = await fromWords(context)
  const request = built?.request ?? (await fromText(context))
  const hasShortForm = shortForm.test(request.headers.first('authorization') ?? '')
  if (built?.credentials === undefined && !hasShortForm && !headerOptions.some((name) => context.arguments.has(name))) {
    return { request, digest: undefined, itemBody: built?.body }
  }
  return { ...(await withHeaderOptions(context, request, built)), itemBody: built?.body }
}

async function fromText(context: CommandContext<SendValues>): Promise<HttpRequest> {
  const request = await readRequest(context, await openRequestSource(context))
  return context.arguments.has('https') ? overTls(request) : request
}

/** Undefined if the words are not a request. */
async function fromWords(context: CommandContext<SendValues>): Promise<BuiltRequest | undefined> {
  const { positionals } = context.arguments
  const [first] = positionals
  if (first === undefined) return undefined
  const isUrl = isUrlWord(first) || withSlashes(first) !== undefined
  if (positionals.length === 1 && !isUrl && !/^[A-Z]+(?: |$)/.test(first)) return undefined
  // This must not throw, because a URL may be longer than the path of a file can be.
  const isFile = (name: string): boolean => existsSync(resolve(context.workingDirectory, name))
  const words = requestLineWords(positionals, isFile)
  if (words === undefined) return undefined
  // Importing node:crypto here would cost each request an additional file of the program.
  return itemRequest(context, words, () =>
    Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(BOUNDARY_BYTES))).toString('hex'),
  )
}

/** Enough to be unpredictable and unique. */
const BOUNDARY_BYTES = 16
