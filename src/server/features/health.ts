/**
 * `/healthz`: whether this server answers, for those who watch it.
 *
 * Rules: it is at the root whatever `--root-path` says, needs no password, never touches the disk, and says nothing but
 * that it is well. No cache keeps it.
 */
import { type Answer, textAnswer } from '../semantics/answer.ts'
import type { ServerRequest } from '../semantics/hooks.ts'
import { splitTarget } from '../semantics/url-path.ts'

const healthPath = '/healthz'

/** The step that answers for the server itself. */
export function answerHealth(request: ServerRequest): Answer | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const target = splitTarget(request.target)
  if (typeof target === 'string' || target.path !== healthPath) return undefined
  return textAnswer(200, undefined, [['Cache-Control', 'no-store']])
}
