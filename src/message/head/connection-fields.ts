/**
 * What the fields of a head say about its connection: whether it stays open, waits or switches protocols.
 *
 * Rules: the fields are lists, compared without regard to case. For HTTP/1.0, features that it lacks are ignored. RFC
 * 9112 section 9.3, RFC 9110 sections 7.6.1, 7.8 and 10.1.1.
 */
import { checkInstance } from '../syntax/checked-input.ts'
import { asciiLowerCase } from '../syntax/octets.ts'
import type { HttpVersion } from '../syntax/start-line.ts'
import { HeaderList } from './headers.ts'

/**
 * Whether the sender keeps the connection open after this message (RFC 9112 section 9.3, RFC 9110 section 7.6.1).
 *
 * - `Connection = #connection-option`
 * - `connection-option = token`
 *
 * Canonical heads: `isKeptAlive` of fast/canonical-head.ts, based on `isConnectionTaken` of fast/fast-head.ts and on
 * fast/head-scan.wat.
 */
export function wantsKeepAlive(version: HttpVersion, headers: HeaderList): boolean {
  if (headers.has('connection', 'close')) return false
  return version === 'HTTP/1.1' || headers.has('connection', 'keep-alive')
}

/** RFC 9110 section 10.1.1, `Expect = #expectation`: whether the client waits for 100 (Continue) before sending. */
export function waitsForContinue(version: HttpVersion, headers: HeaderList): boolean {
  return version === 'HTTP/1.1' && headers.has('expect', '100-continue')
}

/** RFC 9110 section 7.8, `Upgrade = #protocol`: the protocols of Upgrade; empty if Connection does not name it. */
export function upgradeProtocols(version: HttpVersion, headers: HeaderList): readonly string[] {
  return version === 'HTTP/1.1' && headers.has('connection', 'upgrade') ? headers.list('upgrade') : []
}

/** RFC 9110 section 7.6.1: fields for the next hop, whether Connection names them or not. */
export const hopByHop: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]

/** By naming these in Connection, a sender would move a message boundary for the next reader. */
const alwaysKept: ReadonlySet<string> = new Set(['content-length', 'host'])

/**
 * The fields without those about one connection: Connection, the fields that it names, Upgrade and similar ones. Host
 * and Content-Length stay even if Connection names them: without them, the message would mean something else.
 */
export function withoutHopByHop(headers: HeaderList): HeaderList {
  const named = checkInstance(headers, HeaderList, 'the list of fields').list('connection').map(asciiLowerCase)
  const dropped = new Set([...hopByHop, ...named.filter((name) => !alwaysKept.has(name))])
  return HeaderList.of([...headers].filter(([name]) => !dropped.has(asciiLowerCase(name))))
}
