/**
 * All that a decoder, or a parser of whole messages, reports about bytes, as text that can be compared.
 *
 * Rules: nothing is omitted: every getter of a head, every method of its list, in two different orders of asking,
 * since a lazy list may answer differently before and after it has made its strings; errors with place, hint and
 * excerpt.
 */
import {
  type EagerBody,
  type EagerRequest,
  type EagerResponse,
  type HeaderList,
  HttpDecoder,
  type HttpEvent,
  HttpParseError,
  HttpRequest,
  HttpResponse,
  type ParserOptionsInit,
  parseRequest,
  parseResponse,
  type RequestHead,
  type ResponseHead,
  type Role,
} from '../../src/message/index.ts'

/** How an observation is made. */
export interface Look {
  readonly role: Role
  readonly options: ParserOptionsInit
  /** Methods of the requests that were sent, for the role client. */
  readonly methods: readonly string[]
  /** Also ask each head and list for everything it can tell. */
  readonly isThorough: boolean
}

export interface Trace {
  /** The reported events, data joined, for any pieces of bytes. */
  readonly reported: string
  /** The same with the pieces in which the bytes came: what was reported when. */
  readonly timed: string
}

export const octetsOf = (text: string): Uint8Array<ArrayBuffer> => {
  const octets = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) octets[i] = text.charCodeAt(i)
  return octets
}

export const textOf = (octets: Uint8Array): string =>
  Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1')

/** Pushes the pieces, ends the input, and writes down every event and the error at last. */
export function traceOf(look: Look, pieces: readonly Uint8Array[]): Trace {
  const decoder = new HttpDecoder(look.role, look.options)
  for (const method of look.methods) decoder.expect(method)
  let reported = ''
  let timed = ''
  let isUpgraded = false
  const report = (text: string): void => {
    reported += text
    timed += text
  }
  const add = (event: HttpEvent): void => {
    switch (event.type) {
      case 'data':
        if (event.chunk !== undefined) report(`\nchunk ${event.chunk.sizeBytes} ${event.chunk.extensions}\ndata `)
        report(textOf(event.bytes))
        break
      case 'end':
        report(`\nend ${event.lastChunkExtensions} ${describeList(event.trailers, look.isThorough)}`)
        // Bytes for the program that speaks another protocol from here on.
        timed += `\nleft: ${textOf(decoder.leftover)}`
        break
      case 'upgrade':
        report(`\nupgrade ${textOf(event.rest)}`)
        isUpgraded = true
        break
      default:
        report(`\n${event.type} ${describeHead(event.head, look.isThorough)}\ndata `)
    }
  }
  try {
    for (const piece of pieces) {
      // After an upgrade the bytes are the caller's: they come as `rest`, and what follows never gets here.
      if (isUpgraded) reported += textOf(piece)
      else for (const event of decoder.push(piece)) add(event)
      timed += '\n|'
    }
    for (const event of decoder.end()) add(event)
  } catch (error) {
    report(`\n${describeError(error)}`)
    report(`\n${describeError(thrownBy(() => decoder.push(new Uint8Array(1)).next()))}`)
  }
  return { reported, timed }
}

/** The same for one complete message. */
export function wholeTraceOf(look: Look, message: string | Uint8Array): string {
  try {
    if (look.role === 'server') {
      const request = parseRequest(message, look.options)
      const { method, target, form, url, version, keepAlive, expectContinue, upgrade } = request
      const line = [method, target, form, url?.href, version, keepAlive, expectContinue, upgrade]
      return `${JSON.stringify(line)} ${describeWhole(request, request.eagerly(), look.isThorough)}`
    }
    const options = { ...look.options, method: look.methods[0] ?? 'GET' }
    const response = parseResponse(message, options)
    const line = [response.status, response.reason, response.version, response.keepAlive]
    return `${JSON.stringify(line)} ${describeWhole(response, response.eagerly(), look.isThorough)}`
  } catch (error) {
    return describeError(error)
  }
}

function describeWhole(
  message: HttpRequest | HttpResponse,
  eager: EagerRequest | EagerResponse,
  isThorough: boolean,
): string {
  const { repairs, headers } = message
  const body = eager.content === undefined ? 'none' : describeBody(eager.content)
  return `${describeList(headers, isThorough)} ${JSON.stringify(repairs)} ${body}\n${textOf(eager.bytes)}\n${message}`
}

/** Not `bytes`, of which a transfer coding has to be decoded. */
function describeBody({ framing, wire, trailers, chunks }: EagerBody): string {
  const shown = chunks.map(({ data, extensions }) => [textOf(data), extensions])
  return JSON.stringify([framing, textOf(wire), [...trailers], shown])
}

function describeHead(head: RequestHead | ResponseHead, isThorough: boolean): string {
  const { version, framing, keepAlive, headers } = head
  const line =
    'method' in head
      ? [head.method, head.target, head.form, version, framing, keepAlive, head.expectContinue, head.upgrade]
      : [head.status, head.reason, version, framing, keepAlive]
  // In this order, so that a thorough look asks for single fields before there is a reason to read all of them.
  const single = isThorough ? [head.get('host'), head.get('content-length'), head.get('connection'), head.get('x')] : []
  const list = describeList(headers, isThorough)
  return `${JSON.stringify([line, single, head.repairs])} ${list} ${isThorough ? writtenAgain(head) : ''}`
}

/** The bytes of a message made of the head. */
function writtenAgain(head: RequestHead | ResponseHead): string {
  const isRequest = 'method' in head
  const message = isRequest ? HttpRequest.fromEvents(head, undefined) : HttpResponse.fromEvents(head, undefined)
  return textOf(message.encodeHead())
}

const askedFor = ['Host', 'accept', 'COOKIE', 'set-cookie', 'Content-Length', 'transfer-encoding', 'x', '', '__proto__']

function describeList(list: HeaderList, isThorough: boolean): string {
  if (!isThorough) return JSON.stringify([...list])
  const asked = askedFor.map((name) => [
    ...[list.has(name), list.first(name), list.get(name), list.all(name), list.lineOf(name), list.lineOf(name, 1)],
  ])
  const tokens = [list.has('connection', 'close'), list.has('connection', 'upgrade'), list.list('accept')]
  const changed = [list.with('Accept', 'x'), list.without('cookie', 'x'), list.append('X', 'y'), list.prepend('X', 'y')]
  const perName = list.names().map((name) => [list.has(name.toUpperCase()), list.first(name), list.all(name).length])
  return JSON.stringify([list.size, asked, tokens, changed.map(String), list.names(), perName, [...list], `${list}`])
}

/** @throws every error that is not a parse error: a parser may throw nothing else. */
function describeError(error: unknown): string {
  if (!(error instanceof HttpParseError)) throw error
  const { code, offset, line, column, status, message, excerpt, hint, where } = error
  return `error ${JSON.stringify([code, offset, line, column, status, message, excerpt, hint, where])}`
}

function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  return new Error('a decoder continued after its error')
}
