/**
 * An HTTP/2 request in the form that the steps of the server use.
 *
 * Rules: the platform has checked names and values. It does not check the meaning of the pseudo fields, so this file
 * does: they are valid if the same request over HTTP/1.1 is, and there is only one host. RFC 9113 sections 8.2 and 8.3.
 */
import type { IncomingHttpHeaders } from 'node:http2'
import { HttpDecoder, HttpParseError } from '../../message/index.ts'
import type { ServerRequest } from '../semantics/hooks.ts'

export interface RequestFault {
  /** Of the answer. */
  readonly status: number
  readonly text: string
}

export class Http2Request implements ServerRequest {
  readonly method: string
  readonly target: string
  /** As the platform provides them, including the pseudo fields. */
  readonly fields: IncomingHttpHeaders

  constructor(fields: IncomingHttpHeaders) {
    this.method = fields[':method'] ?? ''
    this.target = fields[':path'] ?? ''
    this.fields = fields
  }

  get(lowerCaseName: string): string | undefined {
    if (lowerCaseName.startsWith(':')) return undefined
    const value = this.fields[lowerCaseName]
    if (value !== undefined) return typeof value === 'string' ? value : value.join(', ')
    return lowerCaseName === 'host' ? this.fields[':authority'] : undefined
  }

  /** For the log. */
  get line(): string {
    return `${this.method} ${this.target} HTTP/2.0`
  }

  /** The fault of the request, if it has one. CONNECT has no path, and methods are checked elsewhere. */
  get fault(): RequestFault | undefined {
    const { host } = this.fields
    const authority = this.fields[':authority']
    if (host === undefined && authority === undefined) return { status: 400, text: 'no host found' }
    // RFC 9113 section 8.3.1.
    if (host !== undefined && authority !== undefined && host.toLowerCase() !== authority.toLowerCase())
      return { status: 400, text: 'two hosts found' }
    return this.method === 'CONNECT' ? undefined : faultOf(this.method, this.target, authority ?? host!)
  }
}

/** What nearly every client sends. */
const plainTarget = /^\/[\w\-.~!$&'()*+,;=:@/?]*$/
const plainHost = /^[\w\-.]+(?::\d{1,4})?$/

/** Far below the limit for a start line, which the parser checks. */
const longestPlainTarget = 8192

/** The error in the same request over HTTP/1.1, if there is one. */
function faultOf(method: string, target: string, host: string): RequestFault | undefined {
  if (target.length <= longestPlainTarget && plainTarget.test(target) && plainHost.test(host)) return undefined
  try {
    const head = Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 'latin1')
    new HttpDecoder('server').push(head).next()
    return undefined
  } catch (error) {
    return { status: error instanceof HttpParseError ? error.status : 400, text: (error as Error).message }
  }
}
