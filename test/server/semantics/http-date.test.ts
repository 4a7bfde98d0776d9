import { describe, expect, it } from 'vitest'
import { formatHttpDate, parseHttpDate } from '../../../src/server/semantics/http-date.ts'

const nowMs = Date.UTC(2026, 10, 21)

describe('parseHttpDate', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sun Nov  6 08:49:37 1994', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sun Nov 16 08:49:37 1994', Date.UTC(1994, 10, 16, 8, 49, 37)],
    ['Thursday, 29-Feb-96 00:00:00 GMT', Date.UTC(1996, 1, 29)],
    ['Friday, 01-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 1)],
    ['Saturday, 01-Jan-77 00:00:00 GMT', Date.UTC(1977, 0, 1)],
    ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1)],
  ])('reads %s', (text, epochMs) => {
    expect(parseHttpDate(text, nowMs)).toBe(epochMs)
  })

  it.each([
    '',
    'yesterday',
    '2026-11-21T10:00:00Z',
    '1700000000',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 30 Feb 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
  ])('does not accept %j as a date', (text) => {
    expect(parseHttpDate(text, nowMs)).toBeUndefined()
  })
})

describe('formatHttpDate', () => {
  it('writes IMF-fixdate and cuts the fraction off', () => {
    expect(formatHttpDate(Date.UTC(2026, 10, 1, 3, 4, 5, 999))).toBe('Sun, 01 Nov 2026 03:04:05 GMT')
  })

  it('writes dates that can be read back', () => {
    const epochMs = Date.UTC(1994, 10, 6, 8, 49, 37)
    expect(parseHttpDate(formatHttpDate(epochMs), nowMs)).toBe(epochMs)
  })
})
