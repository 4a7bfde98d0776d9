/**
 * Reads and parses the request that `send` sends, with the body of -b or -g.
 *
 * Rules: handwritten text is parsed leniently and surprising repairs are reported; a body that -b or -g replaces is not
 * read. A text without framing fields gets the length of its content: for a large file it is known without reading the
 * file, for a large pipe only after reading it to its end.
 */
import { createReadStream } from 'node:fs'
import {
  concatBytes,
  HttpDecoder,
  HttpParseError,
  HttpParser,
  type HttpRequest,
  type MessageBody,
  octetsOf,
  type Repair,
  type RepairCode,
  type RequestHead,
  type SourcePlace,
} from '../../../message/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import type { SendValues } from '../../options/send.ts'
import { overTls } from '../building/over-tls.ts'
import { optionBody } from './option-body.ts'
import { type RequestSource, type RestOfSource, sourcePieces } from './request-source.ts'

const parser = new HttpParser()

/** `#`, or the name of a tool in place of a method: a comment or a command. */
const foreignMethod = /^(?:#|(?:curl|https?|wget|xhs?)$)/

/**
 * @throws HttpParseError with the file's name in `where`; errors of the file system for the body file.
 */
export async function readRequest(context: CommandContext<SendValues>, source: RequestSource): Promise<HttpRequest> {
  await checkSingle(source)
  try {
    const request = await parsedRequest(context, source)
    if (!foreignMethod.test(request.method)) return request
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    return await readRepaired(context, source, error)
  }
  throw await explained(source, undefined)
}

/** @throws HttpParseError for a file with the separators of request files. */
async function checkSingle(source: RequestSource): Promise<void> {
  const { file = '', first } = source
  if (!/\.(?:http|rest)$/i.test(file) || !Buffer.from(first).includes('\n###')) return
  const { separatorError } = await import('../building/request-file-error.ts')
  const error = separatorError(source)
  if (error !== undefined) throw named(error, source)
}

async function parsedRequest(context: CommandContext<SendValues>, source: RequestSource): Promise<HttpRequest> {
  const { arguments: args } = context
  if (args.value('body-text') !== undefined || args.value('body-file') !== undefined) {
    const request = await readHead(source)
    const body = await optionBody(context, request.headers.has('content-type'))
    return request.withBody(body ?? null)
  }
  return source.rest === undefined ? parser.parseRequest(source.first) : await readLarge(source, source.rest)
}

/**
 * Repairs text copied from browsers or request files, with a notice. If that is impossible, the error explains the
 * text.
 */
async function readRepaired(
  context: CommandContext<SendValues>,
  source: RequestSource,
  error: HttpParseError,
): Promise<HttpRequest> {
  if (source.rest !== undefined) throw named(error, source)
  const { repairedText } = await import('../building/pasted-text.ts')
  const repaired = repairedText(source.first, { needsNoHost: context.arguments.has('unix-socket') })
  if (repaired === undefined) throw await explained(source, error)
  let request: HttpRequest
  try {
    request = await parsedRequest(context, { ...source, first: repaired.bytes })
  } catch (second) {
    throw second instanceof HttpParseError ? await explained(source, error) : second
  }
  for (const notice of repaired.notices) await context.stderr.write(`note: ${notice}\n`)
  return repaired.isOverTls ? overTls(request) : request
}

/** Adds an explanation of the text to the error; `error` is undefined if a comment was read as a request. */
async function explained(source: RequestSource, error: HttpParseError | undefined): Promise<HttpParseError> {
  const { requestFileError } = await import('../building/request-file-error.ts')
  const found = requestFileError(source, error)
  return named(found, source)
}

function named(error: HttpParseError, { file }: RequestSource): HttpParseError {
  return file === undefined ? error : new RequestFileError(error, file)
}

/** A parse error that also names the file. */
class RequestFileError extends HttpParseError {
  override readonly where: SourcePlace

  constructor(error: HttpParseError, file: string) {
    super(error.code, error.message, error, error.excerpt, error.status, error.hint)
    this.where = { file, line: error.line, column: error.column }
  }
}

const emptyLine = octetsOf('\r\n\r\n')

/** The request without its body, which is replaced: a text may end after its last header line. */
function readHead(source: RequestSource): Promise<HttpRequest> {
  return parser.readRequest([source.first, emptyLine])
}

async function readLarge(source: RequestSource, rest: RestOfSource): Promise<HttpRequest> {
  const decoder = new HttpDecoder('server', parser.options)
  const head = headOf(decoder, source.first)
  const hasFraming = head?.framing !== undefined
  // If these bytes contain no head, the parser reads on and reports the error.
  if (head === undefined || hasFraming) return parser.readRequest(sourcePieces(source))
  const headOctets = source.first.length - decoder.leftover.length
  if (rest.file === undefined) {
    const pieces: Uint8Array[] = []
    for await (const piece of sourcePieces(source)) pieces.push(piece)
    return parser.parseRequest(concatBytes(pieces))
  }
  // The file is read again when it is sent.
  await rest.pieces[Symbol.asyncIterator]().return?.()
  const { path, sizeBytes } = rest.file
  const request = await parser.readRequest([source.first])
  return request.withBody(fileEnd(path, headOctets, sizeBytes))
}

function headOf(decoder: HttpDecoder, bytes: Uint8Array): RequestHead | undefined {
  for (const event of decoder.push(bytes)) if (event.type === 'request') return event.head
  return undefined
}

function fileEnd(path: string, start: number, sizeBytes: number): MessageBody {
  return { contentLength: sizeBytes - start, open: () => createReadStream(path, { start }) }
}

/** Repairs that users expect when they type a request. */
const expected: readonly RepairCode[] = [
  'bare-lf',
  'bom',
  'fragment',
  'leading-empty-line',
  'missing-content-length',
  'missing-empty-line',
  'missing-host',
  'missing-scheme',
  'missing-version',
]
/** Repairs that drop part of the text: always reported. */
const lossy: readonly RepairCode[] = ['trailing-data', 'userinfo']

/** Reports repairs on stderr, once for each kind: dropped data always, other repairs only on a terminal. */
export async function reportRepairs(context: CommandContext<SendValues>, repairs: readonly Repair[]): Promise<void> {
  const reported = new Set<RepairCode>()
  for (const { code, line, message } of repairs) {
    if (reported.has(code) || expected.includes(code)) continue
    const isLossy = lossy.includes(code)
    if (!isLossy && !context.stderr.isTerminal && !context.arguments.has('debug')) continue
    reported.add(code)
    await context.stderr.write(`${isLossy ? 'warning' : 'hint'}: line ${line}: ${message}\n`)
  }
}
