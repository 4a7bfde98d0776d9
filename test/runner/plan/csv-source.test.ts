/** Comma-separated values, RFC 4180. */
import { describe, expect, it } from 'vitest'
import { parseCsv } from '../../../src/runner/plan/csv-source.ts'

const fieldsOf = (text: string): readonly (readonly string[])[] => parseCsv(text).records.map(({ fields }) => fields)

describe('records', () => {
  it.each<[string, string, string[][]]>([
    [
      'end in LF',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'end in CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'end in CR',
      'a,b\r1,2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'need no line end at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['begin after a byte order mark', '\ufeffa\n1', [['a'], ['1']]],
    [
      'keep blanks',
      'a , b\n 1,2 ',
      [
        ['a ', ' b'],
        [' 1', '2 '],
      ],
    ],
    [
      'may have empty fields',
      ',\n,1\n1,',
      [
        ['', ''],
        ['', '1'],
        ['1', ''],
      ],
    ],
    ['hold commas in quotes', 'a\n"1,2"', [['a'], ['1,2']]],
    ['hold doubled quotes in quotes', 'a\n"say ""hi"""\n""""', [['a'], ['say "hi"'], ['"']]],
    [
      'hold line ends in quotes as they are',
      'a,b\n"1\r\n2\n3",4\n',
      [
        ['a', 'b'],
        ['1\r\n2\n3', '4'],
      ],
    ],
    ['are not made of empty lines', '\n\na\n\n1\n\n', [['a'], ['1']]],
    ['hold an empty text where it stands in quotes', 'a\n""\n', [['a'], ['']]],
    [
      'hold any characters',
      'é,\u0000\n😀,;',
      [
        ['é', '\u0000'],
        ['😀', ';'],
      ],
    ],
  ])('%s', (_title, text, expected) => {
    expect(parseCsv(text).errors).toEqual([])
    expect(fieldsOf(text)).toEqual(expected)
  })

  it('have the line that they begin in', () => {
    const { records } = parseCsv('a\r\n"1\n2"\n\n3\n')
    expect(records.map(({ span }) => [span.line, span.column])).toEqual([
      [1, 1],
      [2, 1],
      [5, 1],
    ])
  })

  it('may have fields of many megabytes', () => {
    const large = 'x""'.repeat(2_000_000)
    expect(fieldsOf(`a\n"${large}"`)[1]?.[0]).toHaveLength(4_000_000)
  })
})

describe('an error', () => {
  it.each<[string, string, string]>([
    ['is a quote in a field without quotes', 'a\n5" disk\n', '2:2 a quote inside a field that does not begin with one'],
    ['is a quote that is not closed', 'a,b\n1,"2\n3\n', '2:3 a field begins with a quote that is never closed'],
    ['is text after a closing quote', 'a\n"1"2\n', '2:1 text after the quote that closes a field'],
  ])('%s', (_title, text, expected) => {
    expect(parseCsv(text).errors.map(({ span, message }) => `${span.line}:${span.column} ${message}`)).toEqual([
      expected,
    ])
  })

  it('does not hide those in later records, nor valid records', () => {
    const { records, errors } = parseCsv('a\nx"\n1\n"2"3\n4\n')
    expect(errors.map(({ span }) => span.line)).toEqual([2, 4])
    expect(records.map(({ fields }) => fields[0])).toEqual(['a', '1', '4'])
  })

  it('shows the line', () => {
    expect(parseCsv('a\nab"c').errors[0]?.excerpt).toBe('ab"c\n  ^')
  })
})
