/** Scripts put together: what of a script is changed, what is not, and when it needs no watchdog. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts are texts here
import { Script } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { assembleProgram } from '../../../../src/runner/scripting/source/script-program.ts'
import { scriptTokens } from '../../../../src/runner/scripting/source/script-tokens.ts'

describe('the tokens of a script', () => {
  it.each<[string, readonly string[]]>([
    ['a = b / c / d', ['a', '=', 'b', '/', 'c', '/', 'd']],
    ['a = /b[/]c/g.test(d)', ['a', '=', '/b[/]c/g', '.', 'test', '(', 'd', ')']],
    ['return /x/', ['return', '/x/']],
    ["'a\\'b' + \"c//d\" // e", ["'a\\'b'", '+', '"c//d"']],
    ['`a${b + `c${d}`}e` + 1', ['`a${', 'b', '+', '`c${', 'd', '}`', '}e`', '+', '1']],
    ['`${{ a: 1 }.a}`', ['`${', '{', 'a', ':', '1', '}', '.', 'a', '}`']],
    ['x?.y ?? 1.5e-3 >>> 0x1f', ['x', '?.', 'y', '??', '1.5e-3', '>>>', '0x1f']],
    ['/* a */ b // c\n/* d\n */ #e', ['b', '#e']],
    ['ünï = "日本"', ['ünï', '=', '"日本"']],
    ["'never closed", []],
    ['/a\\\nb/', ['/', 'a']],
  ])('%s', (code, words) => {
    expect(scriptTokens(code).map(({ text }) => text)).toEqual(words)
  })
})

describe('a program', () => {
  it.each([
    'client.assert(a === 1, "x")',
    'client.assert(a.b["c"](1, 2) !== d, `${e === f}`)',
    'client.assert(\n  a ===\n  b,\n  c\n)',
    'client.assert(typeof a === "b")',
    'client.assert(await a() == 1)',
    'client.assert(a === b && c === d)',
    'client.assert(a ? b === c : d)',
    'client.assert(((x) => x === 1)(1))',
    'client.assert((a, b) === c)',
    'client.assert()',
    'client.assert(a === (b))',
    'import { a } from "./b"; client.assert(a === 1)',
    'const a = 1 // comment at the end',
    'return',
  ])('can be compiled: %s', (code) => {
    expect(() => new Script(assembleProgram([code]).text)).not.toThrow()
    expect(() => new Script(assembleProgram([code, 'const z = 1']).text)).not.toThrow()
  })

  it.each<[string, string]>([
    ['client.assert(a === 1, "x")', 'client.assert($httpcliCompare(\'===\',a ,   1), "x")'],
    ['client.assert(a === b || c)', 'client.assert(a === b || c)'],
    ['client.assert(f((x) => x === 1))', 'client.assert(f((x) => x === 1))'],
    ['other.assert(a === 1)', 'other.assert(a === 1)'],
    ['"client.assert(a === 1)"', '"client.assert(a === 1)"'],
  ])('reports both sides of an asserted comparison: %s', (code, line) => {
    expect(assembleProgram([code]).text.split('\n')[1]).toBe(line)
  })

  it('keeps every position', () => {
    const parts = ['const one = 1\nconst two = 2', 'client.assert(a === b); here\n  there']
    const { text, placeOf } = assembleProgram(parts)
    for (const [word, place] of [
      ['one', { part: 0, line: 1, column: 7 }],
      ['two', { part: 0, line: 2, column: 7 }],
      ['here', { part: 1, line: 1, column: 25 }],
      ['there', { part: 1, line: 2, column: 3 }],
    ] as const) {
      const before = text.slice(0, text.search(new RegExp(`\\b${word}\\b`))).split('\n')
      expect(placeOf(before.length, (before.at(-1) as string).length + 1)).toEqual(place)
    }
  })

  it('has the start of the part whose function begins in the line above', () => {
    const { text, placeOf } = assembleProgram(['const one = 1\nconst two = 2', 'for (;;);'])
    const line = text.split('\n').findIndex((each) => each.startsWith('return await')) + 1
    expect([placeOf(line, 15), placeOf(1, 2)]).toEqual([
      { part: 1, line: 1, column: 1 },
      { part: 0, line: 1, column: 1 },
    ])
  })

  it('has no place outside its parts', () => {
    const { placeOf } = assembleProgram(['a\nb'])
    expect([placeOf(1, 1), placeOf(99, 5)]).toMatchObject([{ line: 1 }, { line: 2 }])
  })
})
