/**
 * Converts one request as sent to a request file with which `run` sends the same request.
 *
 * Rules: no text in it is a variable: braces that would read as one are broken up. Host and framing fields that follow
 * from the rest are left out. Redirects are followed only if `send` would.
 */
import { conversionOf, draftOf, type MultipartEntry, type RequestDraft } from './draft/draft.ts'
import { literal, literalUrl } from './draft/literal-text.ts'
import { isSentAsTyped } from './draft/request-url.ts'
import { type WrittenRequestFile, writeRequestFile } from './request-file/request-file-writer.ts'

export type SentBody =
  | { readonly type: 'octets'; readonly octets: Uint8Array }
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'multipart'; readonly parts: readonly MultipartEntry[] }

export interface SentRequestText {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** In order; values as text. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: SentBody | undefined
  readonly followsRedirects: boolean
}

export function requestFileOf(sent: SentRequestText): WrittenRequestFile {
  const { method, url, headers, body, followsRedirects } = sent
  const draft = draftOf({
    method,
    url: literalUrl(url),
    headers: headers.map(([name, value]) => ({ name, value: literal(value) })),
    body: bodyDraft(body),
    tags: [
      ...(followsRedirects ? [] : [{ name: 'no-redirect', value: '' }]),
      ...(isSentAsTyped(url) ? [] : [{ name: 'no-auto-encoding', value: '' }]),
    ],
  })
  return writeRequestFile(conversionOf({ requests: [draft] }), [])
}

function bodyDraft(body: SentBody | undefined): RequestDraft['body'] {
  if (body === undefined || body.type === 'file') return body
  if (body.type === 'multipart') return { type: 'multipart', parts: body.parts.map(literalPart) }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.octets)
    return { type: 'text', text: literal(text) }
  } catch {
    return body
  }
}

function literalPart(part: MultipartEntry): MultipartEntry {
  const content = 'text' in part.content ? { text: literal(part.content.text) } : part.content
  return { ...part, name: literal(part.name), content }
}
