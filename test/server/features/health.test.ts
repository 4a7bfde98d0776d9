import { describe, expect, it } from 'vitest'
import { answerHealth } from '../../../src/server/features/health.ts'
import { requestFor } from '../server-request.ts'

describe('the health of a server', () => {
  it.each([
    ['GET', '/healthz'],
    ['HEAD', '/healthz'],
    ['GET', '/healthz?probe=1'],
    ['GET', 'http://host:80/healthz'],
  ])('answers %s %s, and is not cacheable', (method, target) => {
    const answer = answerHealth(requestFor(target, {}, method))
    expect(answer?.status).toBe(200)
    expect(answer?.fields).toContainEqual(['Cache-Control', 'no-store'])
    expect(Buffer.from(answer?.body as Uint8Array).toString()).toBe('200 OK\n')
  })

  it.each([
    ['POST', '/healthz'],
    ['GET', '/healthz/'],
    ['GET', '/healthzz'],
    ['GET', '/sub/healthz'],
    ['GET', '*'],
  ])('does not answer %s %s', (method, target) => {
    expect(answerHealth(requestFor(target, {}, method))).toBeUndefined()
  })
})
