/**
 * Responses and statistics as text.
 *
 * Rules: heads are octets as they were received: order, spelling, CRLF. On a terminal control characters are escaped,
 * since they come from a server, and colours may be added. The five lines of the statistics are a contract with
 * scripts: their order and wording never change, the decimal sign is always a point.
 */
import { type HeaderList, octetString, octetsOf } from '../../message/index.ts'
import { type Statistics, throughputBytesPerSecond } from '../../wire/index.ts'

/** What of a response is printed as its head. */
export interface HeadFields {
  readonly version: string
  readonly status: number
  readonly reason: string
  readonly headers: HeaderList
}

export interface HeadStyle {
  readonly isTerminal: boolean
  readonly colors: boolean
}

/** The status line without a line end. */
export function statusLine(head: HeadFields, style: HeadStyle): Uint8Array {
  const text = shown(`${head.version} ${head.status} ${head.reason}`, style)
  return octetsOf(style.colors ? `${statusColors[Math.floor(head.status / 100)] ?? ''}${text}${PLAIN}` : text)
}

/** Status line, header lines and the empty line, each with CRLF. */
export function headOctets(head: HeadFields, style: HeadStyle): Uint8Array {
  let text = '\r\n'
  for (const [name, value] of head.headers) {
    const shownName = shown(name, style)
    text += `${style.colors ? `${CYAN}${shownName}${PLAIN}` : shownName}: ${shown(value, style)}\r\n`
  }
  return Buffer.concat([statusLine(head, style), octetsOf(`${text}\r\n`)])
}

const CYAN = '\x1b[36m'
const PLAIN = '\x1b[39m'
const statusColors: Readonly<Record<number, string>> = {
  1: '\x1b[36m',
  2: '\x1b[32m',
  3: '\x1b[36m',
  4: '\x1b[33m',
  5: '\x1b[31m',
}

/** What may have been meant as a head: its lines as they came. */
export function receivedOctets(bytes: Uint8Array, style: HeadStyle): Uint8Array {
  if (!style.isTerminal) return bytes
  const lines = octetString(bytes).split('\n')
  return octetsOf(
    lines.map((line) => (line.endsWith('\r') ? `${shown(line.slice(0, -1), style)}\r` : shown(line, style))).join('\n'),
  )
}

function shown(octets: string, style: HeadStyle): string {
  if (!style.isTerminal) return octets
  // U+0080 to U+009F are controls too; in UTF-8 their second octet is the same number.
  return octets.replace(
    /[\x00-\x08\x0a-\x1f\x7f]|\xc2[\x80-\x9f]/g,
    (found) =>
      `\\x${found
        .charCodeAt(found.length - 1)
        .toString(16)
        .padStart(2, '0')
        .toUpperCase()}`,
  )
}

/** Between the response and its statistics: an empty line and 33 dashes. */
export const statisticsSeparator: string = `\n${'-'.repeat(33)}\n`

/** The five lines of `-p stats`, each with its line end. */
export function statisticsText(statistics: Statistics): string {
  return [
    `Connect time: ${statistics.connectMs.toFixed(2)} ms`,
    `First received byte time: ${statistics.firstByteMs.toFixed(2)} ms`,
    `Total response time: ${statistics.totalMs.toFixed(2)} ms`,
    `Bytes received: ${statistics.bytesReceived}`,
    `Throughput (bytes/sec): ${throughputBytesPerSecond(statistics)}`,
    '',
  ].join('\n')
}
