/**
 * The input of assertions and captures.
 *
 * Rules: plain data; the content is kept only if a check needs it.
 */
import type { X509Certificate } from 'node:crypto'
import type { RemoteAddress } from '../../wire/index.ts'
import type { RunResponseHead } from '../base/events.ts'

export interface CheckedResponse extends RunResponseHead {
  /** The URL of the request that was answered, after all redirects. */
  readonly url: string
  readonly remote: RemoteAddress
  /** The URLs that redirects led to, in order. */
  readonly locations: readonly string[]
  /** From the start, including redirects, to the last byte. */
  readonly durationMs: number
  /** Bytes of the content as received, codings not decoded. */
  readonly sizeBytes: number
  /** The server's certificate; undefined without TLS. */
  readonly certificate: X509Certificate | undefined
  /** Codings decoded; undefined if it was too large to keep. */
  readonly content: Uint8Array | undefined
}
