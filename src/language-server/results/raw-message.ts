/** A request as it would go out, as text: head and body, the body laid out as everywhere. */
import { bodyText } from './body-text.ts'

/** @param bytes the beginning of the message @param sizeBytes of the whole message */
export function rawMessageText(bytes: Uint8Array, sizeBytes: number, contentType: string): string {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('\r\n\r\n')
  if (end < 0) return Buffer.from(bytes).toString('utf8')
  const head = Buffer.from(bytes.subarray(0, end)).toString('utf8').replaceAll('\r\n', '\n')
  const body = bytes.subarray(end + 4)
  const shown = { bytes: body, sizeBytes: sizeBytes - end - 4, contentType }
  // What is sent is shown as it is sent.
  const text = bodyText(shown, (json) => json)
  return `${head}\n${text === '' ? '' : `\n${text}`}`
}
