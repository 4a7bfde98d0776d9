import { describe, expect, it } from 'vitest'
import { judgePreconditions, lastModified, validatorsOf } from '../../../src/server/semantics/conditional.ts'

const state = {
  size: 1_000n,
  mtimeNs: 1_700_000_000_123_456_789n,
  ctimeNs: 1_700_000_000_223_456_789n,
  ino: 42n,
}
const nowMs = 1_700_000_100_000
const modifiedSecond = 'Tue, 14 Nov 2023 22:13:20 GMT'
const earlier = 'Tue, 14 Nov 2023 22:13:19 GMT'
const later = 'Tue, 14 Nov 2023 22:13:21 GMT'
const validators = validatorsOf(state, nowMs)
const { etag } = validators

const judge = (fields: Record<string, string>) => judgePreconditions((name) => fields[name], validators, nowMs)

describe('validatorsOf', () => {
  it('creates a strong tag of printable characters', () => {
    expect(etag).toMatch(/^"[0-9a-z-]+"$/)
  })

  it('gives the same state the same tag', () => {
    expect(validatorsOf({ ...state }, nowMs + 1).etag).toBe(etag)
  })

  it.each([
    ['size', { size: 1_001n }],
    ['a nanosecond of the modification', { mtimeNs: state.mtimeNs + 1n }],
    ['a nanosecond of the change', { ctimeNs: state.ctimeNs + 1n }],
    ['inode', { ino: 43n }],
  ])('gives another tag for another %s', (_, change) => {
    expect(validatorsOf({ ...state, ...change }, nowMs).etag).not.toBe(etag)
  })

  it('never repeats the tag of a file that changed within the clock tick', () => {
    const changedMs = Number(state.ctimeNs / 1_000_000n)
    const first = validatorsOf(state, changedMs + 1).etag
    const second = validatorsOf(state, changedMs + 1).etag
    expect(new Set([first, second, etag]).size).toBe(3)
    expect(validatorsOf(state, changedMs + 20).etag).toBe(etag)
  })

  it('gives the modification time in whole seconds', () => {
    expect(lastModified(validators, nowMs)).toBe(modifiedSecond)
  })

  it('gives the current time for a file dated in the future', () => {
    expect(lastModified({ etag, modifiedMs: nowMs + 5_000_000 }, nowMs)).toBe('Tue, 14 Nov 2023 22:15:00 GMT')
  })
})

describe('judgePreconditions', () => {
  it.each<[string, Record<string, string>, string]>([
    ['none', {}, 'proceed'],
    ['If-None-Match with the tag', { 'if-none-match': etag }, 'not-modified'],
    ['If-None-Match with the weak tag', { 'if-none-match': `W/${etag}` }, 'not-modified'],
    ['If-None-Match with any', { 'if-none-match': '*' }, 'not-modified'],
    ['If-None-Match with another', { 'if-none-match': '"x"' }, 'proceed'],
    ['If-None-Match with a list', { 'if-none-match': `"x", W/"y" ,${etag}` }, 'not-modified'],
    ['If-None-Match with empty elements', { 'if-none-match': `, ,${etag}` }, 'not-modified'],
    ['If-None-Match with a comma inside a tag', { 'if-none-match': `"a,b", ${etag}` }, 'not-modified'],
    ['If-None-Match without quotes', { 'if-none-match': etag.slice(1, -1) }, 'proceed'],
    ['If-None-Match with a lower-case w', { 'if-none-match': `w/${etag}` }, 'proceed'],
    ['If-None-Match with a tag that only begins so', { 'if-none-match': `${etag.slice(0, -1)}x"` }, 'proceed'],
    ['If-None-Match with junk before the tag', { 'if-none-match': `junk ${etag}` }, 'proceed'],
    ['If-Modified-Since that second', { 'if-modified-since': modifiedSecond }, 'not-modified'],
    ['If-Modified-Since later', { 'if-modified-since': later }, 'not-modified'],
    ['If-Modified-Since earlier', { 'if-modified-since': earlier }, 'proceed'],
    [
      'If-Modified-Since in the form of RFC 850',
      { 'if-modified-since': 'Tuesday, 14-Nov-23 22:13:20 GMT' },
      'not-modified',
    ],
    ['If-Modified-Since in the form of asctime', { 'if-modified-since': 'Tue Nov 14 22:13:20 2023' }, 'not-modified'],
    ['If-Modified-Since that is not a date', { 'if-modified-since': '2030-01-01' }, 'proceed'],
    ['If-None-Match before If-Modified-Since', { 'if-none-match': '"x"', 'if-modified-since': later }, 'proceed'],
    ['If-None-Match before an older date', { 'if-none-match': etag, 'if-modified-since': earlier }, 'not-modified'],
    ['If-Match with the tag', { 'if-match': etag }, 'proceed'],
    ['If-Match with any', { 'if-match': '*' }, 'proceed'],
    ['If-Match with the weak tag', { 'if-match': `W/${etag}` }, 'failed'],
    ['If-Match with another', { 'if-match': '"x"' }, 'failed'],
    ['If-Match before If-None-Match', { 'if-match': '"x"', 'if-none-match': etag }, 'failed'],
    ['If-Match that holds, then If-None-Match', { 'if-match': etag, 'if-none-match': etag }, 'not-modified'],
    ['If-Unmodified-Since that second', { 'if-unmodified-since': modifiedSecond }, 'proceed'],
    ['If-Unmodified-Since earlier', { 'if-unmodified-since': earlier }, 'failed'],
    ['If-Unmodified-Since that is not a date', { 'if-unmodified-since': 'yesterday' }, 'proceed'],
    ['If-Match instead of If-Unmodified-Since', { 'if-match': etag, 'if-unmodified-since': earlier }, 'proceed'],
  ])('%s', (_, fields, verdict) => {
    expect(judge(fields)).toBe(verdict)
  })
})
