/** The request that would be sent, as text: head and body. */
import { bodyText } from './body-text.ts'

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
