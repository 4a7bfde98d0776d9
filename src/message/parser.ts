/**
 * Parses messages from texts, bytes and streams.
 *
 * How bytes are read, in reading/: line-reader.ts finds lines, head-reader.ts reads heads, content-reader.ts and
 * chunked-reader.ts read content by its framing, and reporter.ts records repairs and errors with their positions.
 * message-reader.ts combines them, and decoder.ts is their public interface. Bytes are pushed, events are pulled;
 * nothing waits. fast/fast-head.ts scans canonical heads, canonical-message.ts whole messages; strings are made on
 * demand (head/head-octets.ts).
 *
 * Rules: `parse…` takes one complete message and returns at once; `read…` waits for the head and leaves the body on its
 * source; `requests` and `responses` iterate over all messages of a connection. A string is parsed as its UTF-8 bytes.
 * All of them use the same reader (message-reader.ts), fed differently.
 */
import { type Content, ContentCollector, memoryContent } from './body/content.ts'
import type { ByteSource } from './body/message-body.ts'
import { CanonicalHeads } from './fast/canonical-head.ts'
import { readWholeRequest, readWholeResponse, type WholeMessage } from './fast/canonical-message.ts'
import type { RequestHead, ResponseHead } from './head/head.ts'
import { MessageParts } from './messages/message-parts.ts'
import { HttpRequest } from './messages/request.ts'
import { HttpResponse } from './messages/response.ts'
import { completeText } from './reading/complete-text.ts'
import { Connection } from './reading/connection.ts'
import { MessageReader } from './reading/message-reader.ts'
import { checkKeys, checkList, checkType, type KeyTypes, typeName } from './syntax/checked-input.ts'
import { HttpParseError, MessageError } from './syntax/errors.ts'
import { excerptAt, positionAt } from './syntax/excerpt.ts'
import { parsedBytes } from './syntax/octets.ts'
import { ParserOptions, type ParserOptionsInit } from './syntax/options.ts'

/** Information that a response does not contain. */
export interface ResponseContext {
  /** Method of the request that it answers: responses to HEAD and CONNECT are framed differently. */
  readonly method?: string
}

/**
 * Reads messages with one set of options; it keeps no state between them.
 *
 *   const parser = new HttpParser({ preset: 'strict' })
 *   const request = parser.parseRequest(text)
 *   for await (const response of parser.responses(socket, ['GET', 'HEAD'])) await response.body?.text()
 */
export class HttpParser {
  readonly options: ParserOptions
  readonly #canonical: CanonicalHeads

  /**
   * @param options lenient by default.
   * @throws HttpcliError `invalid-option`, as `ParserOptions.of` does.
   */
  constructor(options: ParserOptions | ParserOptionsInit = ParserOptions.LENIENT) {
    this.options = ParserOptions.of(options)
    this.#canonical = new CanonicalHeads(this.options)
  }

  /**
   * One complete request. Bytes after its end are ignored; the lenient preset reports them as a repair.
   * @throws HttpParseError with code, offset, line, column, excerpt and the status that a server would answer.
   */
  parseRequest(message: string | Uint8Array): HttpRequest<'memory'> {
    const bytes = octetsFor(message)
    const { fastPath, limits } = this.options
    const canonical = fastPath ? readWholeRequest(bytes, this.#canonical, limits.body) : undefined
    if (canonical !== undefined) return new HttpRequest<'memory'>(new MessageParts(canonical.head, canonical.content))
    const { head, content } = parse(bytes, new MessageReader('server', this.options, completeText))
    return new HttpRequest<'memory'>(new MessageParts(head as RequestHead, content))
  }

  /**
   * One complete response. Interim responses (1xx) before it are skipped.
   * @throws HttpParseError with code, offset, line, column and excerpt.
   */
  parseResponse(message: string | Uint8Array, context?: ResponseContext): HttpResponse<'memory'> {
    if (context !== undefined) checkKeys(context, contextTypes, 'the context of a response')
    const bytes = octetsFor(message)
    const method = context?.method ?? 'GET'
    const { fastPath, limits } = this.options
    const canonical = fastPath ? readWholeResponse(bytes, this.#canonical, limits.body, method) : undefined
    if (canonical !== undefined) return new HttpResponse<'memory'>(new MessageParts(canonical.head, canonical.content))
    const reader = new MessageReader('client', this.options, completeText)
    reader.expect(method)
    const { head, content } = parse(bytes, reader)
    return new HttpResponse<'memory'>(new MessageParts(head as ResponseHead, content))
  }

  /**
   * Waits for the head of a request; its body is read from the source on demand. A socket or an `OctetSource` keeps the
   * bytes after the message: the next read skips the unread rest of the body and continues there.
   * @throws HttpParseError, also from reading the body; `INCOMPLETE` if the source ends before a head; errors of the
   * source.
   */
  async readRequest(source: ByteSource): Promise<HttpRequest<'stream'>> {
    const connection = Connection.of(source, 'server', this.options, true)
    const head = ((await connection.readHead()) as RequestHead).own()
    return HttpRequest.fromEvents(head, connection.body())
  }

  /**
   * Waits for the head of a response and skips interim ones; its body is read from the source on demand.
   * @throws as `readRequest` does.
   */
  async readResponse(source: ByteSource, context?: ResponseContext): Promise<HttpResponse<'stream'>> {
    if (context !== undefined) checkKeys(context, contextTypes, 'the context of a response')
    const connection = Connection.of(source, 'client', this.options, true)
    connection.expect(context?.method ?? 'GET')
    const head = ((await connection.readHead()) as ResponseHead).own()
    return HttpResponse.fromEvents(head, connection.body())
  }

  /**
   * All requests of a connection. Requesting the next one skips the unread rest of a body.
   * @throws as `readRequest` does, except that the iteration ends if the source ends between two messages.
   */
  async *requests(source: ByteSource): AsyncGenerator<HttpRequest<'stream'>> {
    const connection = Connection.of(source, 'server', this.options, false)
    try {
      for (let head = await connection.nextHead(); head !== undefined; head = await connection.nextHead()) {
        yield HttpRequest.fromEvents((head as RequestHead).own(), connection.body())
      }
    } finally {
      await connection.leave()
    }
  }

  /**
   * All final responses of a connection. `methods` are the methods of the requests, in order; GET if there are fewer.
   */
  async *responses(source: ByteSource, methods: Iterable<string> = []): AsyncGenerator<HttpResponse<'stream'>> {
    const connection = Connection.of(source, 'client', this.options, false)
    for (const method of checkList(methods, 'the methods')) connection.expect(method)
    try {
      for (let head = await connection.nextHead(); head !== undefined; head = await connection.nextHead()) {
        yield HttpResponse.fromEvents((head as ResponseHead).own(), connection.body())
      }
    } finally {
      await connection.leave()
    }
  }
}

const contextTypes: KeyTypes = { method: 'string' }

function octetsFor(message: string | Uint8Array): Uint8Array {
  if (typeof message === 'string') return parsedBytes(message)
  if (message instanceof Uint8Array) return message
  throw new MessageError('invalid-option', `the message is ${typeName(message)}, expected a string or a Uint8Array`)
}

function parse(bytes: Uint8Array, reader: MessageReader): WholeMessage<RequestHead | ResponseHead> {
  reader.push(bytes)
  reader.end()
  try {
    return readAll(reader)
  } catch (error) {
    throw error instanceof HttpParseError ? relocated(error, bytes, reader.messageStart) : error
  }
}

/** One complete message, in memory. */
function readAll(reader: MessageReader): WholeMessage<RequestHead | ResponseHead> {
  const collector = new ContentCollector(false)
  let head: RequestHead | ResponseHead | undefined
  for (let event = reader.next(); event !== undefined; event = reader.next()) {
    if (event.type === 'upgrade') break
    if (event.type === 'data' || event.type === 'end') collector.add(event)
    else head = event.head
    if (event.type === 'end') break
  }
  // The reader ends without an event only after an interim response, which is then the message.
  if (head === undefined) throw new Error('a complete text gave no head')
  reader.reportTrailingData()
  return { head, content: contentFor(head, collector) }
}

function contentFor(head: RequestHead | ResponseHead, collector: ContentCollector): Content | undefined {
  if (head.framing === undefined) return undefined
  return memoryContent(collector.content())
}

/** The reader counts only protocol lines; for a text in memory, lines of content count too. */
function relocated(error: HttpParseError, bytes: Uint8Array, messageStart: number): HttpParseError {
  const offset = messageStart + error.offset
  const position = positionAt(bytes, offset)
  return new HttpParseError(error.code, error.message, position, excerptAt(bytes, offset), error.status, error.hint)
}

const lenient = new HttpParser()

/** One complete request; lenient unless the options say otherwise. @throws as `HttpParser.parseRequest` does. */
export function parseRequest(message: string | Uint8Array, options?: ParserOptionsInit): HttpRequest<'memory'> {
  return (options === undefined ? lenient : new HttpParser(options)).parseRequest(message)
}

/**
 * One complete response; `method` is the method of the request that it answers, GET by default.
 * @throws as `HttpParser.parseResponse` does.
 */
export function parseResponse(
  message: string | Uint8Array,
  options?: ParserOptionsInit & ResponseContext,
): HttpResponse<'memory'> {
  if (options === undefined) return lenient.parseResponse(message)
  const { method, ...parserOptions } = checkType(options, 'object', 'the options')
  return new HttpParser(parserOptions).parseResponse(message, method === undefined ? {} : { method })
}
