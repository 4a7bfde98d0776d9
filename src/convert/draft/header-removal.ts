/** Headers that `httpcli run` sends even if the source of a request leaves them out (docs/run.md, "What is sent"). */
import type { RequestDraft } from './draft.ts'
import { hasHeader } from './request-parts.ts'

const defaults: ReadonlySet<string> = new Set(['host', 'user-agent', 'accept', 'accept-encoding'])
/** Methods that are sent with a length of 0 if they have no body. */
export const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
/** Other bodies cannot be read without their media type. */
const bodiesWithoutType: ReadonlySet<string | undefined> = new Set(['text', 'file', 'octets', undefined])

/** Whether `run` adds a header to a request that does not have it. */
export function isAdded(name: string, { method, headers, body }: RequestDraft): boolean {
  const lower = name.toLowerCase()
  const sent = headers.filter(({ isDisabled }) => !isDisabled)
  if (hasHeader(sent, lower)) return false
  if (lower === 'content-type') return !bodiesWithoutType.has(body?.type)
  if (lower !== 'content-length') return defaults.has(lower)
  return !hasHeader(sent, 'transfer-encoding') && (body !== undefined || methodsWithBody.has(method))
}

export function lostRemoval(name: string): string {
  return `the removal of the header ${name}, which "httpcli run" sends`
}
