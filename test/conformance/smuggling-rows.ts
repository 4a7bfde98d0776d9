/**
 * The words in which smuggling vectors are written: bytes with a second request, `GET /smuggled`, hidden in them.
 *
 * Rules: the hidden request is whole, so that a reader who sees it at all sees it as a request.
 */
import { head } from './connection-rows.ts'

export interface Vector {
  readonly title: string
  readonly octets: string
}

export const hidden = head('GET /smuggled HTTP/1.1', 'Host: a')
/** The size line, in case a reader sees chunks. */
export const asChunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
export const endThenHidden = `0\r\n\r\n${hidden}`

export const vector = (title: string, lines: readonly string[], body: string): Vector => ({
  title,
  octets: head('POST / HTTP/1.1', 'Host: a', ...lines) + body,
})

export const quoted = (line: string): string => JSON.stringify(line)
