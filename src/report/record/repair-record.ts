/**
 * Protocol errors of a server that were repaired, with the rule that each broke.
 *
 * Rules: the response is shown as received, so each repair says how it was read. A repair that is not listed here has
 * the parser's message. Loaded only when a response was repaired.
 */
import type { RunResponse } from '../../runner/index.ts'

type Repair = RunResponse['repairs'][number]

interface BrokenRule {
  readonly text: string
  /** The section that contains the rule. */
  readonly rule: string
}

const brokenRules: Partial<Readonly<Record<Repair['code'], BrokenRule>>> = {
  'leading-empty-line': {
    text: 'an empty line before the status line was skipped',
    rule: 'RFC 9112 section 2.1',
  },
  'bare-lf': { text: 'the line ends with LF, expected CRLF', rule: 'RFC 9112 section 2.2' },
  bom: { text: 'a byte order mark before the status line was skipped', rule: 'RFC 9112 section 4' },
  'missing-version': {
    text: 'the status line has no version and was read as HTTP/1.1',
    rule: 'RFC 9112 section 4',
  },
  'request-line-whitespace': {
    text: 'several spaces in the status line were read as one',
    rule: 'RFC 9112 section 4',
  },
  'obs-fold': { text: 'the folded line was joined with the one before by a space', rule: 'RFC 9112 section 5.2' },
  'control-character': { text: 'the value has a control character, which was kept', rule: 'RFC 9110 section 5.5' },
  'repeated-content-length': {
    text: 'the same Content-Length more than once was read as one',
    rule: 'RFC 9110 section 8.6',
  },
  'content-length-with-transfer-encoding': {
    text: 'Content-Length was ignored, because Transfer-Encoding says where the message ends',
    rule: 'RFC 9112 section 6.3',
  },
  'transfer-encoding-in-http-1.0': {
    text: 'Transfer-Encoding in HTTP/1.0 was read as in HTTP/1.1',
    rule: 'RFC 9112 section 6.1',
  },
  'chunk-whitespace': { text: 'white space after the size of a chunk was ignored', rule: 'RFC 9112 section 7.1' },
  'chunk-extension': {
    text: 'a chunk extension that breaks the grammar was ignored',
    rule: 'RFC 9112 section 7.1.1',
  },
}

/** `line 3 of the response: the folded line … (RFC 9112 section 5.2)`. */
export function repairText({ code, line, message }: Repair): string {
  const broken = brokenRules[code]
  return `line ${line} of the response: ${broken === undefined ? message : `${broken.text} (${broken.rule})`}`
}

export interface RepairRecord {
  readonly code: Repair['code']
  /** The line of the response, from 1. */
  readonly line: number
  readonly message: string
  /** The section with the violated rule. */
  readonly rule?: string
}

export function repairRecord({ code, line, message }: Repair): RepairRecord {
  const broken = brokenRules[code]
  return { code, line, message: broken?.text ?? message, ...(broken === undefined ? {} : { rule: broken.rule }) }
}
