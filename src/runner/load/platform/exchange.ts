/**
 * Replaces wire/exchange.ts: sends one request with k6, for tokens.
 *
 * Rules: the connection options do not apply, because k6 has its own.
 */
import { HeaderList, type HttpRequest } from '../../../message/index.ts'
import type { K6Http } from '../k6.ts'
import { Buffer } from './buffer.ts'

let platform: K6Http | undefined

/** Call this once, before anything else here is used. */
export function useHttp(http: K6Http): void {
  platform = http
}

export async function exchange(request: HttpRequest): Promise<unknown> {
  const url = request.url as unknown as { readonly origin: string }
  const bytes = await request.body?.bytes()
  const body = bytes === undefined ? null : (Buffer.from(bytes).buffer as ArrayBuffer)
  const fields = [...request.headers].filter(([name]) => name.toLowerCase() !== 'content-length')
  // An empty value: otherwise k6 would send its own name.
  const headers = { 'User-Agent': '', ...Object.fromEntries(fields) }
  const answer = (platform as K6Http).request(
    request.method,
    url.origin + request.target.replace(/^https?:\/\/[^/?#]*/i, ''),
    body,
    {
      headers,
      responseType: 'binary',
      redirects: 0,
      tags: { name: 'token' },
    },
  )
  if (answer.status === 0) throw new Error(answer.error)
  const content = new Uint8Array(answer.body ?? new ArrayBuffer(0))
  return {
    request,
    response: { status: answer.status, headers: HeaderList.EMPTY, body: { decoded: () => [content] } },
    close: () => undefined,
  }
}

export function verifyTlsOptions(): void {
  // k6 has checked its own options.
}
