/**
 * Responses and statistics as text.
 *
 * Rules: heads are printed as received, including line endings. On a terminal control characters are escaped, since
 * they come from a server, and colours may be added. Scripts rely on the five lines of the statistics: their order and
 * wording never change, and the decimal separator is always a point.
 */
import { type HeaderList, octetString, octetsOf } from '../../../message/index.ts'
import { type Statistics, throughputBytesPerSecond } from '../../../wire/index.ts'

export interface HeadStyle {
  readonly isTerminal: boolean
  readonly colors: boolean
}

/** The status line of a head, without its line ending. */
export function statusLine(received: Uint8Array, style: HeadStyle): Uint8Array {
  const line = octetString(received)
    .split('\n')
    .find((one) => !isEmptyLine(one))
  return octetsOf(shownStatusLine((line ?? '').replace(/\r$/, ''), style))
}

/** A whole head, its lines as received. */
export function headOctets(received: Uint8Array, style: HeadStyle): Uint8Array {
  if (!style.isTerminal && !style.colors) return received
  const lines = octetString(received).split('\n')
  const first = lines.findIndex((line) => !isEmptyLine(line))
  return octetsOf(
    lines
      .map((line, index) =>
        withLineEnd(line, (text) => (index === first ? shownStatusLine(text, style) : shownField(text, style))),
      )
      .join('\n'),
  )
}

/** The lines, as received, of bytes that the server may have meant as a head. */
export function receivedOctets(bytes: Uint8Array, style: HeadStyle): Uint8Array {
  if (!style.isTerminal) return bytes
  const lines = octetString(bytes).split('\n')
  return octetsOf(lines.map((line) => withLineEnd(line, (text) => shown(text, style))).join('\n'))
}

/** Field lines, each with CRLF: a trailer section. */
export function fieldLines(fields: HeaderList, style: HeadStyle): Uint8Array {
  return octetsOf([...fields].map(([name, value]) => `${shownField(`${name}: ${value}`, style)}\r\n`).join(''))
}

function isEmptyLine(line: string): boolean {
  return line === '' || line === '\r'
}

/** The CR of a line ending is not escaped. */
function withLineEnd(line: string, show: (text: string) => string): string {
  return line.endsWith('\r') ? `${show(line.slice(0, -1))}\r` : show(line)
}

function shownStatusLine(line: string, style: HeadStyle): string {
  const text = shown(line, style)
  const color = statusColors[/(?:^|[ \t])([1-5])\d\d(?![^ \t])/.exec(line)?.[1] ?? '']
  return style.colors && color !== undefined ? `${color}${text}${PLAIN}` : text
}

/** A folded line continues the value of the previous one. */
function shownField(line: string, style: HeadStyle): string {
  const colon = /^[ \t]/.test(line) ? -1 : line.indexOf(':')
  if (!style.colors || colon < 1) return shown(line, style)
  return `${CYAN}${shown(line.slice(0, colon), style)}${PLAIN}${shown(line.slice(colon), style)}`
}

const CYAN = '\x1b[36m'
const PLAIN = '\x1b[39m'
const statusColors: Readonly<Record<string, string>> = {
  1: '\x1b[36m',
  2: '\x1b[32m',
  3: '\x1b[36m',
  4: '\x1b[33m',
  5: '\x1b[31m',
}

function shown(octets: string, style: HeadStyle): string {
  if (!style.isTerminal) return octets
  // U+0080 to U+009F are also controls; in UTF-8 their second byte is the same number.
  return octets.replace(/[\x00-\x08\x0a-\x1f\x7f]|\xc2[\x80-\x9f]/g, (found) =>
    escapedByte(found.charCodeAt(found.length - 1)),
  )
}

/** `\x1B`. */
export function escapedByte(byte: number): string {
  return `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** Printed between the response and its statistics: an empty line and 33 dashes. */
export const statisticsSeparator: string = `\n${'-'.repeat(33)}\n`

/** The five lines of `-p stats`, each with its newline. */
export function statisticsText(statistics: Statistics): string {
  return [
    `Connect time: ${statistics.connectMs.toFixed(2)} ms`,
    `First received byte time: ${statistics.firstByteMs.toFixed(2)} ms`,
    `Total response time: ${statistics.totalMs.toFixed(2)} ms`,
    `Bytes received: ${statistics.bytesReceived}`,
    `Throughput (bytes/sec): ${throughputBytesPerSecond(statistics) ?? 'n/a'}`,
    '',
  ].join('\n')
}
