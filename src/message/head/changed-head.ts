/**
 * Heads with some of their parts replaced.
 *
 * Rules: parts that are not replaced are unchanged, repairs included. This is not in head.ts, so that a program that
 * only reads messages does not load it.
 */
import type { HttpVersion } from '../syntax/start-line.ts'
import type { Target } from '../syntax/target.ts'
import type { Framing } from './framing.ts'
import { RequestHead, ResponseHead } from './head.ts'
import type { HeaderList } from './headers.ts'

/** The parts of a request head that a change may replace. */
interface RequestHeadChange {
  readonly method?: string
  readonly target?: Target
  readonly version?: HttpVersion
  readonly headers?: HeaderList
  readonly framing?: Framing | undefined
}

/** The parts of a response head that a change may replace. */
interface ResponseHeadChange {
  readonly status?: number
  readonly reason?: string
  readonly headers?: HeaderList
  readonly framing?: Framing | undefined
  readonly keepAlive?: boolean
}

export function changedRequestHead(head: RequestHead, change: RequestHeadChange): RequestHead {
  const { method, targetParts: target, version, headers, framing, keepAlive, repairs } = head
  const parts = { method, target, version, headers, framing, ...change }
  const line = { method: parts.method, target: parts.target, version: parts.version }
  return new RequestHead(line, parts.headers, parts.framing, keepAlive, repairs)
}

export function changedResponseHead(head: ResponseHead, change: ResponseHeadChange): ResponseHead {
  const { status, reason, version, headers, framing, keepAlive, repairs } = head
  const parts = { status, reason, headers, framing, keepAlive, ...change }
  const line = { status: parts.status, reason: parts.reason, version }
  return new ResponseHead(line, parts.headers, parts.framing, parts.keepAlive, repairs)
}
