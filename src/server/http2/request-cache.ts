/**
 * Caches requests by their heads, since clients repeat themselves: an equal head gives an equal request and plan.
 *
 * Rules: the key is every field line as the client sent it, in order. No name or value contains a line feed: the
 * platform refuses such fields (RFC 9113 section 8.2.1). Memory is bounded as for HTTP/1.1 (head-cache.ts).
 */
import type { IncomingHttpHeaders } from 'node:http2'
import { HeadCache } from '../http1/head-cache.ts'
import type { Plan } from '../semantics/plan.ts'
import type { Service } from '../service.ts'
import { Http2Request } from './request.ts'

export interface KnownHttp2Request {
  readonly request: Http2Request
  /** The fault of the request, if it has one. */
  readonly fault: string | undefined
  /** Undefined if the request has a fault. */
  readonly plan: Plan | undefined
}

/** Shared by all connections of a server. */
export class Http2RequestCache {
  readonly #heads = new HeadCache<KnownHttp2Request>()
  readonly #plan: Service['plan']

  constructor(plan: Service['plan']) {
    this.#plan = plan
  }

  /** `lines`: names and values alternating, as received; undefined if the platform does not provide them. */
  of(fields: IncomingHttpHeaders, lines: readonly string[] | undefined): KnownHttp2Request {
    if (lines === undefined) return this.#read(fields)
    const key = lines.join('\n')
    const known = this.#heads.get(key)
    if (known !== undefined) return known
    const made = this.#read(fields)
    this.#heads.set(key, made)
    return made
  }

  #read(fields: IncomingHttpHeaders): KnownHttp2Request {
    const request = new Http2Request(fields)
    const { fault } = request
    return { request, fault, plan: fault === undefined ? this.#plan(request) : undefined }
  }
}
