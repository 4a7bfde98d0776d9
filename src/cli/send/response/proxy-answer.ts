/** Detects that a proxy answered instead of the server: 407 (RFC 9110 section 15.5.8). */
import type { HeaderList } from '../../../message/index.ts'
import { proxyAuthenticationHint, type WireOptions } from '../../../wire/index.ts'

/** A proxy that forwards http requests answers like the server; only the status reveals the proxy. */
export function proxyAnswerNote(
  target: string | URL | undefined,
  { status, headers }: { readonly status: number; readonly headers: HeaderList },
  wire: WireOptions,
): string | undefined {
  if (status !== 407 || target === undefined || wire.unixSocket !== undefined) return undefined
  const url = new URL(target)
  const proxy = url.protocol === 'http:' ? wire.proxy?.(url) : undefined
  if (proxy === undefined) return undefined
  return `the proxy ${proxy.host} answered, not the server. ${proxyAuthenticationHint(proxy, headers, wire.proxyDigest !== undefined)}`
}
