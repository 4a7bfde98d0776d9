/** Minimal edits, folds, growing selections and semantic tokens, without a server. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHttpFile } from '../../src/http-file/index.ts'
import { minimalEdits } from '../../src/language-server/base/minimal-edits.ts'
import { foldingRanges } from '../../src/language-server/layout/folding.ts'
import { formattingEdits, rangeFormattingEdits } from '../../src/language-server/layout/layout.ts'
import { selectionRange } from '../../src/language-server/layout/selection-ranges.ts'
import { semanticTokens } from '../../src/language-server/layout/semantic-tokens.ts'
import { legend } from '../../src/language-server/layout/token-legend.ts'
import { Analysis } from '../../src/language-server/workspace/analysis.ts'
import { openHttpFile } from '../../src/runner/index.ts'

const analysisOf = (text: string): Analysis => new Analysis('untitled:1', 1, openHttpFile(text, '/untitled.http'))

function applied(text: string, edits: ReturnType<typeof minimalEdits>): string {
  return edits.toReversed().reduce((after, { offset, length, text: replacement }) => {
    return after.slice(0, offset) + replacement + after.slice(offset + length)
  }, text)
}

const pieces = fc.array(
  fc.constantFrom('###', '### a', '@a=1', 'GET  http://x/', 'A:b', '', ' ', '\t', '{"a": 1}', '#@name b', '> x.js'),
  { maxLength: 12 },
)
const text = fc.tuple(pieces, fc.constantFrom('\n', '\r\n', '\r')).map(([lines, end]) => lines.join(end))

describe('minimal edits', () => {
  it('turn any text into any other one', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applied(before, minimalEdits(before, after))).toBe(after)
      }),
    )
  })

  it('of a formatted file do not overlap, and split no CRLF', () => {
    fc.assert(
      fc.property(text, (before) => {
        const edits = minimalEdits(before, formatHttpFile(before).text)
        let end = 0
        for (const { offset, length } of edits) {
          expect(offset).toBeGreaterThanOrEqual(end)
          end = offset + length
          for (const at of [offset, end]) expect(before.slice(at - 1, at + 1)).not.toBe('\r\n')
        }
      }),
    )
  })

  it('leave unchanged lines alone', () => {
    const before = '###   a\nGET  http://x/\nA:b\n\n\n\n{}\n'
    expect(minimalEdits(before, formatHttpFile(before).text)).toEqual([
      { offset: 4, length: 2, text: '' },
      { offset: 12, length: 1, text: '' },
      { offset: 25, length: 0, text: ' ' },
      { offset: 28, length: 2, text: '' },
    ])
  })
})

describe('formatting', () => {
  const before = 'GET  http://x/\n\n### b\n\n\nGET  http://y/\n### c\nGET  http://z/'

  it('of a range edits the sections that it touches', () => {
    const analysis = analysisOf(before)
    const range = { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } }
    const lines = rangeFormattingEdits(analysis, range).map((edit) => edit.range.start.line)
    expect(lines).toEqual([3, 5, 6].slice(0, lines.length))
    expect(lines).toContain(5)
    expect(formattingEdits(analysis).length).toBeGreaterThan(lines.length)
  })

  it('of a file with errors does nothing', () => {
    expect(formattingEdits(analysisOf('GET  http://x/\nbad line\n'))).toEqual([])
  })
})

describe('folds', () => {
  it('are requests, bodies, blocks, scripts, comments and imports', () => {
    const file =
      'import a.http\nimport b.http\n\n# one\n# two\n### r\nPOST /\nA: b\nC: d\n\n{\n  "a": [\n    1\n  ]\n}\n\n> {%\n  f()\n%}\n\n\n'
    const shown = foldingRanges(analysisOf(file)).map(({ startLine, endLine, kind }) => [startLine, endLine, kind])
    expect(shown).toEqual([
      [0, 1, 'imports'],
      [3, 4, 'comment'],
      [5, 18, undefined],
      [7, 8, undefined],
      [10, 14, undefined],
      [16, 18, undefined],
      [11, 12, undefined],
      [10, 13, undefined],
    ])
  })
})

describe('a growing selection', () => {
  it('covers the word, the expression, the value, the line, the request and the file', () => {
    const file = 'GET /\n###\nGET /{{a.host}}\nHost: {{b.name}}:1\n'
    const analysis = analysisOf(file)
    const texts: string[] = []
    const at = file.indexOf('name')
    for (let range = selectionRange(analysis, at + 1); ; range = range.parent) {
      const { start, end } = range.range
      texts.push(file.slice(analysis.lines.offsetAt(start), analysis.lines.offsetAt(end)))
      if (range.parent === undefined) break
    }
    expect(texts).toEqual(['name', '{{b.name}}', '{{b.name}}:1', 'Host: {{b.name}}:1', file.slice(6), file])
  })

  it('is the whole of an empty file', () => {
    expect(selectionRange(analysisOf(''), 0).range.end).toEqual({ line: 0, character: 0 })
  })
})

/** `type:text` of each token. */
function tokensOf(file: string): readonly string[] {
  const data = semanticTokens(analysisOf(file), [0, file.length])
  const lines = file.split(/\r\n|\r|\n/)
  const shown: string[] = []
  let line = 0
  let character = 0
  for (let at = 0; at < data.length; at += 5) {
    const [lineDelta = 0, characterDelta = 0, length = 0, type = 0] = data.slice(at, at + 5)
    line += lineDelta
    character = lineDelta === 0 ? character + characterDelta : characterDelta
    expect(lineDelta === 0 ? characterDelta : 1, `at ${line}:${character}`).toBeGreaterThan(at === 0 ? -1 : 0)
    shown.push(`${legend.tokenTypes[type]}:${(lines[line] as string).slice(character, character + length)}`)
  }
  return shown
}

describe('semantic tokens', () => {
  it('mark what a theme colours', () => {
    expect(
      tokensOf(
        '\ufeff### log in\r\n# @name  login\r\n# note {{x}}\r\n@a = {{b}} c\r\nrun #other (@d = 1)\r\n' +
          'POST http://{{host}}/\r\n    ?a={{$uuid}} HTTP/1.1\r\nA{{x}}: b\r\n\r\n{"a": {{c}}}\r\n< ./d.json\r\n\r\n>>! out.json\r\n',
      ),
    ).toEqual([
      ...['operator:###', 'function:log in', 'comment:#', 'decorator:@name', 'parameter:login', 'comment:# note {{x}}'],
      ...['variable:a', 'operator:=', 'variable:{{b}}', 'string:c', 'keyword:run', 'function:#other'],
      ...['keyword:POST', 'string:http://', 'variable:{{host}}', 'string:/', 'string:?a=', 'macro:{{$uuid}}'],
      ...['type:HTTP/1.1', 'property:A', 'variable:{{x}}', 'string:b', 'variable:{{c}}', 'operator:<'],
      ...['string:./d.json', 'operator:>>!', 'string:out.json'],
    ])
  })

  it('never overlap, whatever is typed', () => {
    const words = [
      '###',
      '{{',
      '}}',
      'a',
      ' ',
      '\n',
      '\r',
      'GET ',
      ':',
      '@',
      '# ',
      '> {%',
      '%}',
      '=',
      '"',
      '{{b}}',
      'run #',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), (typed) => {
        const file = typed.join('')
        const data = semanticTokens(analysisOf(file), [0, file.length])
        let end = 0
        for (let at = 0; at < data.length; at += 5) {
          const [lineDelta = 0, characterDelta = 0, length = 0] = data.slice(at, at + 5)
          if (lineDelta === 0) expect(characterDelta).toBeGreaterThanOrEqual(end)
          expect(lineDelta).toBeGreaterThanOrEqual(0)
          end = length
        }
      }),
    )
  })
})
