/**
 * What assertions and captures are given of a response.
 *
 * Rules: plain data; of the content as much as a check looks into: a download that nobody looks into is not kept.
 */
import type { X509Certificate } from 'node:crypto'
import type { HeaderList } from '../../message/index.ts'
import type { RemoteAddress } from '../../wire/index.ts'

export interface CheckedResponse {
  /** `HTTP/1.1`, `HTTP/2`, … */
  readonly version: string
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
  /** Of the request that was answered, behind all redirects. */
  readonly url: string
  readonly remote: RemoteAddress
  /** The URLs that redirects led to, in their order. */
  readonly locations: readonly string[]
  /** From the beginning, redirects included, to the last octet. */
  readonly durationMs: number
  /** Octets of the content as it came, its codings not undone. */
  readonly sizeBytes: number
  /** Of the server; undefined without TLS. */
  readonly certificate: X509Certificate | undefined
  /** Codings undone; undefined where it was too much to be kept. */
  readonly content: Uint8Array | undefined
}
