/** Patterns for ASCII texts have the same meaning as the Unicode patterns that they replace. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unicodePattern } from '../../../src/http-file/index.ts'

const sources = [
  String.raw`^[ \t\f]*@([\p{L}\p{N}_.-]+)[ \t\f]*=`,
  String.raw`([\p{L}_][\p{L}\p{N}_-]*)`,
  String.raw`[^\p{L}\p{N}_.$\s\{\}(-]`,
  String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`,
]
const ascii = fc.string({ unit: fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code)) })
const any = fc.string({ unit: fc.oneof(fc.constantFrom('@', ' ', '=', '-', 'é', '名', '٣', '𝒜', '\ud800'), ascii) })

function matches(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), ([found], index) => `${index}:${found}`)
}

describe.each(sources)('%s', (source) => {
  it.each([
    ['ASCII', ascii],
    ['any text', any],
  ])('finds the same in %s', (_title, texts) => {
    const pattern = unicodePattern(source, 'g')
    fc.assert(
      fc.property(texts, (text) => {
        expect(matches(text, pattern(text))).toEqual(matches(text, new RegExp(source, 'gu')))
      }),
    )
  })
})

it('a pattern starts at the beginning of each text', () => {
  const pattern = unicodePattern(String.raw`[\p{L}]`, 'y')
  expect(pattern('ab').exec('ab')?.index).toBe(0)
  expect(pattern('cd').exec('cd')?.[0]).toBe('c')
})
