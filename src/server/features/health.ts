/**
 * `/healthz`: lets monitoring check that this server answers.
 *
 * Rules: the path is at the root regardless of `--root-path`. The answer needs no password, never touches the disk, and
 * reveals nothing else. Caches must not store it.
 */
import { type Answer, textAnswer } from '../semantics/answer.ts'
import type { ServerRequest } from '../semantics/hooks.ts'
import { splitTarget } from '../semantics/url-path.ts'

const healthPath = '/healthz'

export function answerHealth(request: ServerRequest): Answer | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const target = splitTarget(request.target)
  if (typeof target === 'string' || target.path !== healthPath) return undefined
  return textAnswer(200, undefined, [['Cache-Control', 'no-store']])
}
