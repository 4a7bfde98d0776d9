/**
 * The answer to a request: status, fields and body, independent of the protocol; and the answers that need no file.
 *
 * Rules: every error has a short text without a path. The fields that do not depend on the answer (Date, framing,
 * Connection, the safe defaults) are added by head-writer.ts. An answer with a file or a stream is used once; others
 * may be kept and sent again.
 */
import { reasonPhrase } from '../../message/index.ts'
import type { EncodedAnswer } from '../http1/encoded-answer.ts'
import type { AnswerBody } from './answer-body.ts'

export type Field = readonly [name: string, value: string]

export interface Answer {
  readonly status: number
  readonly fields: readonly Field[]
  /** Undefined if the status allows no body. The code that responds closes it (`closeBody`). */
  readonly body: AnswerBody | undefined
  /** The detail of a short error text in addition to its status, for an error page; may be empty. */
  readonly problem?: string
  /** The same answer as bytes of HTTP/1.1, for a connection that stays open. */
  readonly rendition?: EncodedAnswer
}

/** @param name in any case */
export function hasField(fields: readonly Field[], name: string): boolean {
  const wanted = name.toLowerCase()
  return fields.some(([other]) => other.toLowerCase() === wanted)
}

/** RFC 9110 section 10.2.1. */
export const allowField: Field = ['Allow', 'GET, HEAD, OPTIONS']

/** A short time, because descriptors and memory are freed as soon as other responses end. */
const retryField: Field = ['Retry-After', '1']

/** A body of one line of plain text. `detail` is shown to the client: the error, never a path of the disk. */
export function textAnswer(status: number, detail?: string, fields: readonly Field[] = []): Answer {
  const line = `${status} ${reasonPhrase(status)}${detail === undefined ? '' : `: ${detail}`}`
  return {
    status,
    fields: [['Content-Type', 'text/plain; charset=utf-8'], ...fields],
    body: new TextEncoder().encode(`${line}\n`),
    problem: detail ?? '',
  }
}

export function optionsAnswer(): Answer {
  return { status: 204, fields: [allowField], body: undefined }
}

/** For a server that has no free descriptor, memory or connection at the moment. */
export function busyAnswer(): Answer {
  return textAnswer(503, 'try again in a moment', [retryField])
}

/** A directory that was requested without its slash (RFC 9110 section 15.4.9). */
export function slashRedirect(location: string): Answer {
  return textAnswer(308, `the directory is at ${location}`, [['Location', location]])
}
