import { describe, expect, it } from 'vitest'
import { ListingDates } from '../../../src/server/listing/listing-dates.ts'

describe('a date in a listing', () => {
  it.each([
    ['2026-11-21T23:30:59.999Z', 0, '2026-11-21 23:30'],
    ['2026-11-21T23:30:00Z', 60, '2026-11-22 00:30'],
    ['2026-01-01T00:10:00Z', -210, '2025-12-31 20:40'],
    ['1969-12-31T23:59:58.5Z', 0, '1969-12-31 23:59'],
    ['2024-02-29T12:00:00Z', 0, '2024-02-29 12:00'],
  ])('%s, %d minutes from UTC', (moment, offsetMinutes, local) => {
    expect(new ListingDates(() => offsetMinutes).text(Date.parse(moment))).toBe(local)
  })

  it('follows summer time', () => {
    const change = Date.UTC(2026, 2, 29, 1)
    const dates = new ListingDates((epochMs) => (epochMs < change ? 60 : 120))
    const shown = [-1, 0, -60_000, 60_000].map((later) => dates.text(change + later).slice(-5))
    expect(shown).toEqual(['01:59', '03:00', '01:59', '03:01'])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, -9e15])('is empty for %d', (epochMs) => {
    expect(new ListingDates(() => 0).text(epochMs)).toBe('')
  })

  it('is formatted as by the platform', () => {
    const dates = new ListingDates(() => 0)
    for (let epochMs = -62_000_000_000_000; epochMs < 8e13; epochMs += 987_654_321_987) {
      expect(dates.text(epochMs)).toBe(
        new Date(epochMs)
          .toISOString()
          .replace('T', ' ')
          .replace(/:\d\d\.\d+Z$/, ''),
      )
    }
  })
})
