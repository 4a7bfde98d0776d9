/**
 * Finds the destination of --raw in the bytes themselves.
 *
 * Rules: the host is in a full URL in the first line, otherwise in a line `Host:`; the bytes need not be HTTP, so they
 * are searched, not parsed. Bytes without a host go to the first --resolve entry. The scheme of the URL decides about
 * TLS; without a scheme, TLS is used only on port 443.
 */
import { octetString } from '../../../message/index.ts'
import type { RawTarget, WireOptions } from '../../../wire/index.ts'
import { UsageError } from '../../frame/usage-error.ts'

const SEARCHED_OCTETS = 64 * 1024

/** @throws UsageError if no host is found. */
export function rawTarget(bytes: Uint8Array, options: WireOptions): RawTarget {
  const text = octetString(bytes, 0, Math.min(bytes.length, SEARCHED_OCTETS))
  const head = text.split(/\r?\n\r?\n/, 1)[0] ?? ''
  const method = /^([A-Za-z]+) /.exec(head)?.[1]
  const place = fromUrl(head) ?? fromHost(head) ?? fromOptions(options)
  if (place === undefined) {
    throw new UsageError('--raw: the bytes do not name a host', {
      hint: 'Write a full URL in the first line or a Host line, or give --resolve <host:port:addr>',
    })
  }
  return method === undefined ? place : { ...place, method }
}

function fromUrl(head: string): RawTarget | undefined {
  const match = /^[^\r\n]*?\b(https?):\/\/([^\s/?#]+)/i.exec(head)
  if (match === null) return undefined
  return fromAuthority(match[2] as string, match[1]?.toLowerCase() === 'https')
}

function fromHost(head: string): RawTarget | undefined {
  const match = /^host[ \t]*:[ \t]*([^\s]+)[ \t]*$/im.exec(head)
  return match === null ? undefined : fromAuthority(match[1] as string, undefined)
}

function fromAuthority(authority: string, secure: boolean | undefined): RawTarget | undefined {
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(authority.slice(authority.lastIndexOf('@') + 1))
  if (match === null) return undefined
  const [, host = '', port] = match
  const portNumber = port === undefined ? (secure === true ? 443 : 80) : Number(port)
  return portNumber > 65535 ? undefined : { host, port: portNumber, secure: secure ?? portNumber === 443 }
}

function fromOptions(options: WireOptions): RawTarget | undefined {
  const entry = options.resolve?.[0]
  if (entry !== undefined) return { host: entry.host, port: entry.port, secure: entry.port === 443 }
  return options.unixSocket === undefined ? undefined : { host: 'localhost', port: 80, secure: false }
}
