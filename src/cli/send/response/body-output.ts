/**
 * Writes a body to standard output or to a file.
 *
 * Rules: the body is written piece by piece, as fast as the output accepts it. A file or a pipe gets the bytes
 * unchanged. A terminal gets a note instead of binary content, UTF-8 without control characters, and formatted JSON.
 * Content codings are decoded for display; with an unknown content or transfer coding, the bytes are unchanged.
 */
import {
  type Chunk,
  canDecode,
  contentCodings,
  type HeaderList,
  type HttpResponse,
  octetString,
  octetsOf,
} from '../../../message/index.ts'
import type { Output } from '../../frame/command.ts'
import type { CharsetText } from './terminal-text.ts'

/** The content of a response for display. `warn` is called for a coding that cannot be decoded. */
export async function shownBody(
  response: HttpResponse,
  shouldDecode: boolean,
  warn: (text: string) => Promise<void>,
): Promise<AsyncIterable<Uint8Array>> {
  const { body } = response
  if (body === undefined) return nothing()
  if (response.headers.has('transfer-encoding')) {
    const unknown = await unknownTransferCoding(response.headers)
    if (unknown !== undefined) {
      await warn((await import('./response-warnings.ts')).unknownCodingText('transfer', unknown))
      return unframed(body.chunks())
    }
  }
  const codings = shouldDecode ? contentCodings(response.headers) : []
  if (codings.length === 0) return body
  // Loading this module registers the decoders of the platform.
  await import('../../../message-node/index.ts')
  const unknown = codings.find((coding) => !canDecode(coding))
  if (unknown === undefined) return body.decoded({ limitBytes: Number.POSITIVE_INFINITY })
  await warn((await import('./response-warnings.ts')).unknownCodingText('content', unknown))
  return body
}

/** The first coding besides `chunked` that cannot be decoded (RFC 9112 section 7). */
async function unknownTransferCoding(headers: HeaderList): Promise<string | undefined> {
  const names = headers.list('transfer-encoding').map((name) => name.toLowerCase())
  const codings = names.filter((name) => name !== 'chunked' && name !== 'identity')
  if (codings.length === 0) return undefined
  await import('../../../message-node/index.ts')
  return codings.find((coding) => !canDecode(coding))
}

/** The content, without decoding its content codings. */
async function* unframed(chunks: AsyncIterable<Chunk>): AsyncGenerator<Uint8Array> {
  for await (const { data } of chunks) yield data
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** application/json, text/json, application/problem+json and similar types (RFC 6839 section 3.1). */
export function isJson(headers: HeaderList): boolean {
  const [name = ''] = (headers.get('content-type') ?? '').split(';', 1)
  return name.includes('/') && /[/+]json$/i.test(name.trimEnd())
}

/** How a terminal shows the content. */
interface TerminalContent {
  /** The value of Content-Type; empty without one. */
  readonly contentType: string
  /** Whether it is JSON to format. */
  readonly isLaidOut: boolean
}

/** Makes bytes of a body safe for a terminal. */
interface TerminalFilter {
  write(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** Writes bytes to an output and tracks how they end. */
export class BodyOutput {
  readonly #output: Output
  readonly #content: TerminalContent
  #charset: CharsetText | undefined
  #filter: TerminalFilter | undefined
  #hasFinalNewline = true
  #isBinary: boolean | undefined
  #hiddenBytes = 0

  constructor(output: Output, content: TerminalContent = { contentType: '', isLaidOut: false }) {
    this.#output = output
    this.#content = content
  }

  write(bytes: Uint8Array): void | Promise<void> {
    if (bytes.length === 0) return
    return this.#output.isTerminal ? this.#writeToTerminal(bytes) : this.#writeText(bytes)
  }

  async #writeToTerminal(bytes: Uint8Array): Promise<void> {
    if (this.#charset === undefined) {
      const { CharsetText } = await import('./terminal-text.ts')
      this.#charset = new CharsetText(this.#content.contentType)
    }
    const text = this.#charset.write(bytes)
    this.#isBinary ??= isBinary(text)
    if (this.#isBinary) this.#hiddenBytes += bytes.length
    else await this.#writeFiltered(text)
  }

  async #writeFiltered(text: Uint8Array): Promise<void> {
    this.#filter ??= await terminalFilter(this.#content.isLaidOut, this.#output.colors)
    await this.#writeText(this.#filter.write(text))
  }

  #writeText(bytes: Uint8Array): void | Promise<void> {
    if (bytes.length === 0) return
    this.#hasFinalNewline = bytes.at(-1) === LF
    return this.#output.write(bytes)
  }

  /** Reports binary content that was not shown, and ends the line if output follows or the output is a terminal. */
  async end(isFollowed: boolean): Promise<void> {
    if (this.#filter !== undefined) {
      if (this.#charset !== undefined) await this.#writeFiltered(this.#charset.end())
      await this.#writeText(this.#filter.end())
    }
    if (this.#hiddenBytes > 0) {
      await this.#output.write(
        `binary body of ${this.#hiddenBytes === 1 ? '1 byte' : `${this.#hiddenBytes} bytes`} not shown; use -o <file>\n`,
      )
    } else if (!this.#hasFinalNewline && (isFollowed || this.#output.isTerminal)) {
      await this.#output.write('\n')
    }
  }
}

async function terminalFilter(isLaidOut: boolean, colors: boolean): Promise<TerminalFilter> {
  const { TerminalText } = await import('./terminal-text.ts')
  const text = new TerminalText()
  if (!isLaidOut) return text
  const { JsonLayout } = await import('./json-layout.ts')
  const layout = new JsonLayout(colors)
  return {
    write: (bytes) => octetsOf(layout.write(octetString(text.write(bytes)))),
    end: () => octetsOf(layout.write(octetString(text.end())) + layout.end()),
  }
}

const LF = 0x0a
const EXAMINED_OCTETS = 8192

/** Text never contains NUL. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, EXAMINED_OCTETS).includes(0)
}
