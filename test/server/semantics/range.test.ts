import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileSlice } from '../../../src/server/semantics/answer-body.ts'
import { parseRange } from '../../../src/server/semantics/range.ts'

/** `start-end` with the end excluded, as written in the tables. */
const shown = (value: string, sizeBytes: number): string => {
  const slices = parseRange(value, sizeBytes)
  return typeof slices === 'string' ? slices : slices.map(({ start, end }) => `${start}-${end}`).join(' ')
}

describe('parseRange of 100 bytes', () => {
  it.each([
    ['bytes=0-0', '0-1'],
    ['bytes=0-9', '0-10'],
    ['bytes=90-', '90-100'],
    ['bytes=0-', '0-100'],
    ['bytes=-1', '99-100'],
    ['bytes=-100', '0-100'],
    ['bytes=-1000', '0-100'],
    ['bytes=99-99', '99-100'],
    ['bytes=50-1000', '50-100'],
    ['bytes=00-09', '0-10'],
    ['BYTES=0-9', '0-10'],
    ['bytes= 0-9 ', '0-10'],
    ['bytes=,0-9,,', '0-10'],
    ['bytes=0-0,99-99', '0-1 99-100'],
    ['bytes=99-99,0-0', '99-100 0-1'],
    ['bytes=0-0, -1', '0-1 99-100'],
    ['bytes=0-4,5-9', '0-5 5-10'],
    ['bytes=0-9,100-', '0-10'],
    ['bytes=0-99999999999999999999999', '0-100'],
    ['bytes=-99999999999999999999999', '0-100'],
  ])('%s is %s', (value, expected) => {
    expect(shown(value, 100)).toBe(expected)
  })

  it.each([
    ['bytes=0-9,5-14', '0-15'],
    ['bytes=90-,0-9,5-14', '0-15 90-100'],
    ['bytes=0-,0-,0-,0-', '0-100'],
    ['bytes=10-19,0-99', '0-100'],
  ])('%s is joined to %s', (value, expected) => {
    expect(shown(value, 100)).toBe(expected)
  })

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=100-,-0', 'bytes=18446744073709551616-'])(
    '%s is unsatisfiable',
    (value) => {
      expect(shown(value, 100)).toBe('unsatisfiable')
    },
  )

  it.each([
    'bytes=9-5',
    'bytes=9007199254740993-9007199254740992',
    'bytes=-',
    'bytes=',
    'bytes=,',
    'bytes=a-b',
    'bytes=0-9x',
    'bytes=+1-5',
    'bytes=1e1-20',
    'bytes=0x0-9',
    'bytes=--1',
    'bytes=0-1-2',
    'bytes=0-9,x',
    'bytes 0-9',
    'items=0-9',
    'bytes:0-9',
    '0-9',
    '',
    `bytes=${Array.from({ length: 65 }, (_, index) => `${index}-${index}`).join(',')}`,
  ])('%s is ignored', (value) => {
    expect(shown(value, 100)).toBe('whole')
  })

  it('accepts as many ranges as a reader asks for', () => {
    const value = `bytes=${Array.from({ length: 32 }, (_, index) => `${2 * index}-${2 * index}`).join(',')}`
    expect(parseRange(value, 100)).toHaveLength(32)
  })
})

describe('parseRange of nothing', () => {
  it.each([
    ['bytes=0-', 'unsatisfiable'],
    ['bytes=0-0', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=-5', 'whole'],
  ])('%s is %s', (value, expected) => {
    expect(shown(value, 0)).toBe(expected)
  })
})

describe('parseRange of any text', () => {
  /** The grammar as a regular expression, which takes time cubic in the length of the text. */
  function slowRange(text: string, sizeBytes: number): FileSlice | undefined {
    const match = /^0*(\d*)-0*(\d*)$/.exec(text)
    if (match === null || text === '-') return undefined
    const [, first = '', last = ''] = match
    if (text.startsWith('-')) return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes }
    if (text.endsWith('-')) return { start: Number(first), end: sizeBytes }
    if (BigInt(`0${last}`) < BigInt(`0${first}`)) return undefined
    return { start: Number(first), end: Math.min(sizeBytes, Number(last) + 1) }
  }

  it('accepts the same as the regular expression of the grammar', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '9'), maxLength: 5 })
    const noise = fc.string({ unit: fc.constantFrom('0', '7', '-', ' ', '\t', 'x', '\u0660'), maxLength: 5 })
    const specification = fc.oneof(
      fc.tuple(digits, fc.constant('-'), digits).map((parts) => parts.join('')),
      noise,
    )
    return fc.assert(
      fc.property(specification, fc.constantFrom(1, 50, 1000), (text, sizeBytes) => {
        const bare = text.replace(/^[ \t]+|[ \t]+$/g, '')
        const slice = bare === '' ? undefined : slowRange(bare, sizeBytes)
        const expected = slice === undefined ? 'whole' : slice.start < slice.end ? [slice] : 'unsatisfiable'
        expect(parseRange(`bytes=${text}`, sizeBytes)).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })
})
