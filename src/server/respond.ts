/**
 * An answer onto a connection: the fields that every answer has, the framing, and the body.
 *
 * Rules: every answer with a body says its length, also to HEAD; 204 and 304 have none. A small file is read whole and
 * goes out in one write with its head, a larger one is streamed. A small file that changed while it was read is reported
 * before anything is sent, a larger one ends in a rejection: then the connection is to be cut. The file of the answer is
 * closed on every way out. RFC 9112 sections 6.3 and 9.3.
 */
import { HttpResponse } from '../message/index.ts'
import type { Answer, Field } from './answer.ts'
import { type BufferBudget, transferFile } from './file-transfer.ts'
import { formatHttpDate } from './http-date.ts'
import { ServedFile } from './served-file.ts'
import type { SocketStream } from './socket-stream.ts'

/** Up to this size one read and one write cost less than two turns of buffers. */
const smallFileBytes = 65_536

export interface ResponseContext {
  /** To HEAD everything but the body is sent. */
  readonly isHead: boolean
  readonly keepAlive: boolean
  /** Of the request, undefined where it could not be read. */
  readonly version: string | undefined
  readonly nowMs: number
  readonly budget: BufferBudget
  /** Told the octets of the body as they go out. */
  readonly onSent: (bytes: number) => void
}

/**
 * `changed`: nothing was sent, because a small file changed while it was read; answer anew. Rejects where the connection
 * is gone or the body cannot be finished.
 */
export async function respond(
  stream: SocketStream,
  answer: Answer,
  context: ResponseContext,
): Promise<'sent' | 'changed'> {
  const { body } = answer
  try {
    const head = encodeHead(answer, context)
    if (body === undefined || context.isHead) {
      await stream.write(head)
      return 'sent'
    }
    if (body instanceof ServedFile && body.sizeBytes > smallFileBytes) {
      await stream.write(head)
      await transferFile(body, stream, context.budget, context.onSent)
      return 'sent'
    }
    const whole = Buffer.allocUnsafe(head.length + bodyLength(body))
    whole.set(head)
    if (!(body instanceof ServedFile)) whole.set(body, head.length)
    else if (!body.readInto(whole, head.length)) return 'changed'
    await stream.write(whole)
    context.onSent(bodyLength(body))
    return 'sent'
  } finally {
    if (body instanceof ServedFile) body.close()
  }
}

function bodyLength(body: Uint8Array | ServedFile): number {
  return body instanceof ServedFile ? body.sizeBytes : body.length
}

function encodeHead(answer: Answer, context: ResponseContext): Uint8Array {
  const fields: Field[] = [['Date', formatHttpDate(context.nowMs)], ...answer.fields]
  if (answer.body !== undefined) fields.push(['Content-Length', String(bodyLength(answer.body))])
  fields.push(['Cache-Control', 'no-cache'], ['X-Content-Type-Options', 'nosniff'])
  // RFC 9112 section 9.3: to stay open is what 1.1 does unasked and what 1.0 wants to be told.
  if (!context.keepAlive) fields.push(['Connection', 'close'])
  else if (context.version === 'HTTP/1.0') fields.push(['Connection', 'keep-alive'])
  const { status } = answer
  return new HttpResponse({ status, headers: fields }).encodeHead()
}
