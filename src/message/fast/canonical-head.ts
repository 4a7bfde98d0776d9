/**
 * Creates the heads of canonical messages from the results of the fast path.
 *
 * State: the limits and rules of one set of options.
 *
 * Rules: this file turns the flags of a scan into framing and keep-alive; for all other heads, head/framing.ts and
 * head/connection-fields.ts decide these. Both agree on every head that the scan accepts. RFC 9112 sections 6.3 and
 * 9.3. declined-heads.ts replaces this file in builds where the fast path costs more than it saves.
 */
import { type Framing, neverHasContent } from '../head/framing.ts'
import { RequestHead, ResponseHead } from '../head/head.ts'
import { HeadOctets } from '../head/head-octets.ts'
import type { Repair } from '../syntax/errors.ts'
import type { ParserOptions } from '../syntax/options.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import {
  CHUNKED,
  CLOSE,
  CONTENT_LENGTH,
  DECLINED,
  found,
  HeadRules,
  HTTP_1_0,
  INCOMPLETE,
  KEEP_ALIVE,
  type Piece,
  scanHead,
} from './fast-head.ts'

/** `declined`: left to the reference path. `incomplete`: all bytes so far are valid. */
export type NoHead = 'declined' | 'incomplete'

const CHUNKED_FRAMING: Framing = Object.freeze({ type: 'chunked' })
const UNTIL_CLOSE: Framing = Object.freeze({ type: 'close' })

/** For heads whose content cannot need a repair. */
const NO_REPAIRS: readonly Repair[] = Object.freeze([])

/** The part of a reader's reporter that heads need. */
export interface HeadReporter {
  readonly repairList: readonly Repair[]
  giveRepairList(): readonly Repair[]
  endLines(count: number, lastLineBytes: number): void
}

type Role = 'server' | 'client'

export class CanonicalHeads {
  readonly #rules: HeadRules

  constructor(options: ParserOptions) {
    this.#rules = new HeadRules(options)
  }

  /** Number of bytes of the last head, including its empty line. */
  get sizeBytes(): number {
    return found.length
  }

  /** Reads the head at the start of the buffer and advances past it. Only for final messages that open no tunnel. */
  read(role: Role, buffer: ReceiveBuffer, reporter: HeadReporter, method: string): RequestHead | ResponseHead | NoHead {
    const { repairList } = reporter
    const head =
      role === 'server' ? this.readRequestHead(buffer, repairList) : this.readResponseHead(buffer, repairList, method)
    if (typeof head === 'string') return head
    if (head.repairs === repairList) reporter.giveRepairList()
    buffer.start += found.length
    reporter.endLines(found.markCount + 1, 2)
    return head
  }

  /** The request head at the start of a piece. Pass a `repairs` list that chunks or trailers may add to. */
  readRequestHead(piece: Piece, repairs: readonly Repair[]): RequestHead | NoHead {
    const length = scanHead(piece, true, this.#rules)
    if (length === DECLINED) return 'declined'
    if (length === INCOMPLETE) return 'incomplete'
    if (found.contentLength > this.#rules.maxBodyOctets) return 'declined'
    const framing = declaredFraming()
    return new RequestHead(headOctets(piece), undefined, framing, isKeptAlive(), listFor(framing, repairs))
  }

  /** The head of a final response to `method`, as for `readRequestHead`. CONNECT is left to the reference path. */
  readResponseHead(piece: Piece, repairs: readonly Repair[], method: string): ResponseHead | NoHead {
    if (method === 'CONNECT') return 'declined'
    const length = scanHead(piece, false, this.#rules)
    if (length === DECLINED) return 'declined'
    if (length === INCOMPLETE) return 'incomplete'
    const octets = headOctets(piece)
    if (neverHasContent(octets.status, method)) {
      return new ResponseHead(octets, undefined, undefined, isKeptAlive(), NO_REPAIRS)
    }
    if (found.contentLength > this.#rules.maxBodyOctets) return 'declined'
    const framing = declaredFraming() ?? UNTIL_CLOSE
    const keepAlive = framing !== UNTIL_CLOSE && isKeptAlive()
    return new ResponseHead(octets, undefined, framing, keepAlive, listFor(framing, repairs))
  }
}

function listFor(framing: Framing | undefined, repairs: readonly Repair[]): readonly Repair[] {
  return framing === CHUNKED_FRAMING ? repairs : NO_REPAIRS
}

function headOctets({ bytes, start }: Piece): HeadOctets {
  return new HeadOctets(bytes, start, found.marks.slice(0, found.markCount))
}

function declaredFraming(): Framing | undefined {
  if ((found.flags & CHUNKED) !== 0) return CHUNKED_FRAMING
  return (found.flags & CONTENT_LENGTH) !== 0 ? { type: 'length', length: found.contentLength } : undefined
}

function isKeptAlive(): boolean {
  return (found.flags & CLOSE) === 0 && (found.flags & (HTTP_1_0 | KEEP_ALIVE)) !== HTTP_1_0
}
