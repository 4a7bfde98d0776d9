/**
 * The body of a message as readable text.
 *
 * Rules: JSON is formatted with one member per line; other text is unchanged. For bytes that are not text, a dump of
 * the beginning is shown. The last line says how much was omitted.
 */
import { isJsonText } from '../../http-file/index.ts'
import { counted, shownSize } from '../../report/index.ts'
import { decodeLeniently, isJson, parseMediaType } from '../../runner/index.ts'

export interface ShownBody {
  /** The beginning of the body, content codings decoded. */
  readonly bytes: Uint8Array
  /** The size of the whole body; undefined if unknown. */
  readonly sizeBytes: number | undefined
  readonly contentType: string
}

/** Empty for an empty body; otherwise each line ends with a line feed. */
export function bodyText({ bytes, sizeBytes, contentType }: ShownBody, layoutJson: (text: string) => string): string {
  if (bytes.length === 0) return ''
  const type = parseMediaType(contentType)
  const isCut = sizeBytes === undefined || sizeBytes > bytes.length
  const rest = isCut ? `... cut after ${shownSize(bytes.length)}${sizeOf(sizeBytes)}\n` : ''
  if (isBinary(bytes, type.charset)) return dump(bytes, sizeBytes)
  const text = decodeLeniently(bytes, type.charset ?? '')
  const shown = isJson(type) && (isCut || isJsonText(text)) ? layoutJson(text) : text
  return `${shown.endsWith('\n') ? shown : `${shown}\n`}${rest}`
}

function sizeOf(sizeBytes: number | undefined): string {
  return sizeBytes === undefined ? '' : ` of ${shownSize(sizeBytes)}`
}

const EXAMINED_BYTES = 8192

/** Bytes that include NUL, or that have no charset and are not UTF-8. The end may split a character. */
function isBinary(bytes: Uint8Array, charset: string | undefined): boolean {
  const start = bytes.subarray(0, EXAMINED_BYTES)
  if (charset !== undefined) return !/^utf-?16/i.test(charset) && start.includes(0)
  if (start.includes(0)) return true
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    return false
  } catch {
    return true
  }
}

const DUMPED_BYTES = 256
const BYTES_PER_LINE = 16

/** `00000000  89 50 4e 47 …  .PNG` */
function dump(bytes: Uint8Array, sizeBytes: number | undefined): string {
  const shown = bytes.subarray(0, DUMPED_BYTES)
  const lines: string[] = []
  for (let offset = 0; offset < shown.length; offset += BYTES_PER_LINE) {
    const line = [...shown.subarray(offset, offset + BYTES_PER_LINE)]
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${offset.toString(16).padStart(8, '0')}  ${hex.padEnd(BYTES_PER_LINE * 3 - 1)}  ${text}\n`)
  }
  const size = sizeBytes === undefined ? '' : ` of ${counted(sizeBytes, 'byte')}`
  return `${lines.join('')}binary body${size}${shown.length === sizeBytes ? '' : `, the first ${shown.length} bytes`}\n`
}

/** @param bytes the beginning of the message @param sizeBytes the size of the whole message */
export function rawMessageText(bytes: Uint8Array, sizeBytes: number, contentType: string): string {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('\r\n\r\n')
  if (end < 0) return Buffer.from(bytes).toString('utf8')
  const head = Buffer.from(bytes.subarray(0, end)).toString('utf8').replaceAll('\r\n', '\n')
  const body = bytes.subarray(end + 4)
  const shown = { bytes: body, sizeBytes: sizeBytes - end - 4, contentType }
  // JSON is not formatted: the bytes are shown as they would be sent.
  const text = bodyText(shown, (json) => json)
  return `${head}\n${text === '' ? '' : `\n${text}`}`
}
