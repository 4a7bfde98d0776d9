/**
 * Reads and writes the messages of a gRPC stream: a flag, a length of four bytes, the message.
 *
 * Rules: a message is compressed with the coding of `grpc-encoding` if its flag is 1. The limit applies to the message
 * both as sent and decompressed, and is checked before anything is kept. See Length-Prefixed-Message in "gRPC over
 * HTTP2".
 */
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { RunError } from '../base/errors.ts'

/** The maximum size of a received message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

const PREFIX_BYTES = 5
const COMPRESSED = 1

type Decompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array

const decompressors: Readonly<Record<string, Decompress>> = { gzip: gunzipSync, deflate: inflateSync }

/** The codings that a server may use, as `grpc-accept-encoding` names them. */
const acceptedCodings = ['identity', ...Object.keys(decompressors)].join(',')

/** @param coding `gzip`; undefined for no compression */
export function frame(message: Uint8Array, coding: 'gzip' | undefined): Uint8Array {
  const content = coding === undefined ? message : gzipSync(message)
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + content.length)
  framed.writeUInt8(coding === undefined ? 0 : COMPRESSED, 0)
  framed.writeUInt32BE(content.length, 1)
  framed.set(content, PREFIX_BYTES)
  return framed
}

/** Splits the bytes of a stream into messages. */
export class FrameReader {
  readonly #place: string
  readonly #coding: string
  readonly #prefix = Buffer.alloc(PREFIX_BYTES)
  #prefixBytes = 0
  #content: Uint8Array[] = []
  #contentBytes = 0

  /**
   * @param place of the server, for errors
   * @param coding of `grpc-encoding`
   */
  constructor(place: string, coding: string) {
    this.#place = place
    this.#coding = coding.toLowerCase()
  }

  /** The messages that these bytes complete. @throws HttpcliError `grpc-message`. */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    let rest = bytes
    while (rest.length > 0) {
      if (this.#prefixBytes < PREFIX_BYTES) {
        const taken = rest.subarray(0, PREFIX_BYTES - this.#prefixBytes)
        this.#prefix.set(taken, this.#prefixBytes)
        this.#prefixBytes += taken.length
        rest = rest.subarray(taken.length)
        if (this.#prefixBytes < PREFIX_BYTES) return
        this.#checkPrefix()
      }
      const taken = rest.subarray(0, this.#lengthBytes - this.#contentBytes)
      if (taken.length > 0) this.#content.push(taken)
      this.#contentBytes += taken.length
      rest = rest.subarray(taken.length)
      if (this.#contentBytes === this.#lengthBytes) yield this.#take()
    }
  }

  /** @throws HttpcliError `grpc-message` if the stream ended inside a message. */
  end(): void {
    if (this.#prefixBytes === 0) return
    throw this.#error('ended within a message', 'Check the log of the server.')
  }

  get #lengthBytes(): number {
    return this.#prefix.readUInt32BE(1)
  }

  #checkPrefix(): void {
    const [flag] = this.#prefix
    if (flag !== 0 && flag !== COMPRESSED) {
      throw this.#error(`has a message with the flag ${flag}, expected 0 or 1`, 'Check that the server speaks gRPC.')
    }
    if (this.#lengthBytes > MAX_MESSAGE_BYTES) {
      throw this.#error(`has a message of ${this.#lengthBytes} bytes; the limit is ${MAX_MESSAGE_BYTES}`)
    }
  }

  #take(): Uint8Array {
    const content = this.#content.length === 1 ? (this.#content[0] as Uint8Array) : Buffer.concat(this.#content)
    const isCompressed = this.#prefix[0] === COMPRESSED
    this.#content = []
    this.#contentBytes = 0
    this.#prefixBytes = 0
    return isCompressed ? this.#decompressed(content) : content
  }

  #decompressed(content: Uint8Array): Uint8Array {
    const decompress = Object.hasOwn(decompressors, this.#coding) ? decompressors[this.#coding] : undefined
    if (decompress === undefined) {
      const coding = this.#coding === '' ? 'without grpc-encoding' : `with the coding ${JSON.stringify(this.#coding)}`
      throw this.#error(`has a compressed message ${coding}; expected one of ${acceptedCodings}`)
    }
    try {
      return decompress(content, { maxOutputLength: MAX_MESSAGE_BYTES })
    } catch (cause) {
      const isLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      throw this.#error(
        isLarge
          ? `has a message that decompresses to more than ${MAX_MESSAGE_BYTES} bytes`
          : `has a message that is not valid ${this.#coding}`,
      )
    }
  }

  #error(problem: string, hint?: string): RunError {
    return new RunError('grpc-message', `the answer of ${this.#place} ${problem}`, { hint })
  }
}
