/** JSON laid out for people, as it comes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonLayout } from '../../../../src/cli/send/response/json-layout.ts'

function laidOut(text: string, colors = false): string {
  const layout = new JsonLayout(colors)
  return layout.write(text) + layout.end()
}

describe('JSON for people', () => {
  it.each([
    [
      'an object',
      '{"a":1,"b":{"c":[true,null]}}',
      '{\n  "a": 1,\n  "b": {\n    "c": [\n      true,\n      null\n    ]\n  }\n}',
    ],
    ['empty containers', '{"a":{},"b":[ ]}', '{\n  "a": {},\n  "b": []\n}'],
    ['what is laid out already', '{\n\t"a" : [ 1 ,2 ]\r\n}\n', '{\n  "a": [\n    1,\n    2\n  ]\n}'],
    ['numbers as they are spelled', '[1.0,-0,1e400]', '[\n  1.0,\n  -0,\n  1e400\n]'],
    ['strings as they are spelled', '["\\u0041 \\" {},:"]', '[\n  "\\u0041 \\" {},:"\n]'],
    ['a member that comes twice', '{"a":1,"a":2}', '{\n  "a": 1,\n  "a": 2\n}'],
    ['a text that is not a container', ' 42 ', '42'],
    ['several texts in a row', '{"a":1}\n{"a":2}', '{\n  "a": 1\n}\n{\n  "a": 2\n}'],
    ['nothing', '', ''],
  ])('formats %s', (_title, text, expected) => {
    expect(laidOut(text)).toBe(expected)
  })

  it.each([
    ['a page', '<html> a  b', '<html> a  b'],
    ['a comma too many', '[1,]  ]', '[\n  1,\n  ]  ]'],
    ['a key without quotes', '{a: 1,  b}', '{a: 1,  b}'],
    ['a container that closes another', '[1}  ,', '[\n  1}  ,'],
    ['a line end in a string', '"a\nb"  c', '"a\nb"  c'],
  ])('leaves everything after the first error unchanged: %s', (_title, text, expected) => {
    expect(laidOut(text)).toBe(expected)
  })

  it('has colours for keys, strings, numbers and words', () => {
    expect(laidOut('{"a":["b",1,null]}', true)).toBe(
      '{\n  \x1b[36m"a"\x1b[39m: [\n    \x1b[32m"b"\x1b[39m,\n    \x1b[33m1\x1b[39m,\n    \x1b[35mnull\x1b[39m\n  ]\n}',
    )
  })

  it.each(['["abc', '[12', '[tru', '["a\n', '"\\'])('resets the colour when %j is the whole input', (text) => {
    expect(laidOut(text, true)).toMatch(/\x1b\[39m[^\x1b]*$/)
  })

  it('formats like JSON.stringify, wherever the input is split', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat(), (text, at) => {
        const layout = new JsonLayout(false)
        const cut = at % (text.length + 1)
        const shown = layout.write(text.slice(0, cut)) + layout.write(text.slice(cut)) + layout.end()
        expect(JSON.parse(shown)).toEqual(JSON.parse(text))
        expect(shown).toBe(laidOut(text))
        if (!/__proto__|"\d+"\s*:/.test(text)) expect(shown).toBe(JSON.stringify(JSON.parse(text), undefined, 2))
      }),
    )
  })

  it('does not inflate endlessly nested input', () => {
    const depth = 200_000
    expect(laidOut('['.repeat(depth)).length).toBeLessThan(depth * 6)
  })
})
