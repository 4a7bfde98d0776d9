/**
 * The words in which the RFC checklist is written: rules, cases and outcomes.
 *
 * Rules: bytes are written as one character per byte; a case says what each preset does with a complete text; the
 * decoder does the same in the strict and server presets unless the case says otherwise.
 */
import type { ErrorCode, RepairCode } from '../../src/message/index.ts'

/**
 * The properties to check in an accepted message. Only the keys that are given are compared, `body` and `repairs`
 * always.
 */
export interface View {
  readonly method?: string
  readonly target?: string
  readonly form?: 'origin' | 'absolute' | 'authority' | 'asterisk'
  readonly url?: string
  readonly version?: string
  readonly status?: number
  readonly reason?: string
  /** Field lines, `Name: value`. */
  readonly headers?: readonly string[]
  /** Bytes of the body without its framing; default: none. */
  readonly body?: string
  readonly trailers?: readonly string[]
  /** Chunk extensions of each chunk that has data, without the first semicolon. */
  readonly extensions?: readonly string[]
  readonly keepAlive?: boolean
  readonly expectContinue?: boolean
  readonly upgrade?: readonly string[]
  /** First line that `toString()` writes. */
  readonly line?: string
  /** Which repairs are reported, each code once; default: none. `any` where no rule says. */
  readonly repairs?: readonly RepairCode[] | 'any'
}

export interface Accepted {
  readonly accept: View
}

export interface Rejected {
  readonly reject: ErrorCode
  /** The status with which a server answers; `any` where no rule says. */
  readonly status: number | 'any'
}

/** Both are allowed by the rule: nothing is compared but that whole and cut input agree. */
export type Outcome = Accepted | Rejected | 'free'

export interface Case {
  readonly title: string
  readonly role: 'request' | 'response'
  readonly octets: string
  /** Method of the request that a response answers. */
  readonly answers?: string
  readonly lenient: Outcome
  readonly strict: Outcome
  readonly server: Outcome
  /** The result of the decoder where it differs from the complete text: more input could follow. */
  readonly decoder?: Outcome
}

export interface Rule {
  readonly rule: string
  /** Number of the RFC and the section. */
  readonly rfc: string
  readonly cases: readonly Case[]
}

export const accepted = (view: View = {}): Accepted => ({ accept: view })

export const repaired = (repairs: RepairCode | readonly RepairCode[], view: View = {}): Accepted => ({
  accept: { ...view, repairs: typeof repairs === 'string' ? [repairs] : repairs },
})

export const rejected = (code: ErrorCode, status: number | 'any' = 400): Rejected => ({ reject: code, status })

export const incomplete: Rejected = rejected('INCOMPLETE', 'any')

interface Presets {
  readonly lenient: Outcome
  readonly strict: Outcome
  /** Default: as strict. */
  readonly server?: Outcome
  readonly decoder?: Outcome
  readonly answers?: string
}

function presets(outcomes: Outcome | Presets): Omit<Case, 'title' | 'role' | 'octets'> {
  if (outcomes === 'free' || !('lenient' in outcomes)) {
    return { lenient: outcomes, strict: outcomes, server: outcomes }
  }
  return { ...outcomes, server: outcomes.server ?? outcomes.strict }
}

export const request = (title: string, octets: string, outcomes: Outcome | Presets): Case => ({
  title,
  role: 'request',
  octets,
  ...presets(outcomes),
})

export const response = (title: string, octets: string, outcomes: Outcome | Presets): Case => ({
  title,
  role: 'response',
  octets,
  ...presets(outcomes),
})

/** A GET request with this start line and a Host field. */
export const line = (startLine: string): string => `${startLine}\r\nHost: a\r\n\r\n`

/** A GET request with these field lines after Host. */
export const fields = (...lines: readonly string[]): string =>
  ['GET / HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n')

/** A POST request with these field lines after Host, and what follows the empty line. */
export const post = (lines: readonly string[], body: string): string =>
  ['POST / HTTP/1.1', 'Host: a', ...lines, '', body].join('\r\n')

/** A POST request in the chunked coding with these bytes after the empty line. */
export const chunks = (body: string): string => post(['Transfer-Encoding: chunked'], body)

/** A response with status 200, these field lines, and what follows the empty line. */
export const answer = (lines: readonly string[], body = ''): string =>
  ['HTTP/1.1 200 OK', ...lines, '', body].join('\r\n')
