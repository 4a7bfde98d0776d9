/** Whatever is typed: every request has an answer, ranges are within each other, and a rename moves all places. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DocumentSymbol, type Range, ResponseError } from 'vscode-languageserver-protocol'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { fixesOf } from '../../src/language-server/fixes/fix-table.ts'
import { foldingRanges } from '../../src/language-server/layout/folding.ts'
import { urlHints } from '../../src/language-server/layout/layout.ts'
import { selectionRange } from '../../src/language-server/layout/selection-ranges.ts'
import { definitionsAt, highlightsAt, nameAt, referencesAt } from '../../src/language-server/navigation/definition.ts'
import { documentLinks } from '../../src/language-server/navigation/navigation.ts'
import { renameAt } from '../../src/language-server/navigation/rename.ts'
import { documentSymbols, workspaceSymbols } from '../../src/language-server/navigation/symbols.ts'
import type { Analysis } from '../../src/language-server/workspace/analysis.ts'
import { foundNames, isSameName, SharedNames } from '../../src/language-server/workspace/name-group.ts'
import { Workspace } from '../../src/language-server/workspace/workspace.ts'
import { serverContext } from '../helpers/server-context.ts'

const uri = 'untitled:Untitled-1'

function workspaceWith(text: string): { readonly workspace: Workspace; readonly analysis: Analysis } {
  const document = TextDocument.create(uri, 'http', 1, text)
  const documents = { get: (of: string) => (of === uri ? document : undefined), all: () => [document] }
  const workspace = new Workspace(documents, serverContext('/nowhere'))
  workspace.settings = { ...workspace.settings, shouldShowUrls: true }
  return { workspace, analysis: workspace.analysis(uri)! }
}

const lines = [
  ...['###', '### log in', '# @name a', '# @capture b = $.x', '# @prompt c What?', '# @assert variable b == {{a}}'],
  ...[
    '@a = {{b}}',
    '@b=1',
    'run #a (@b = {{c}})',
    'import x{{a}}.http',
    'run #log in',
    '< {% request.variables.set("b", 1)',
  ],
  ...[
    '%}',
    'GET http://{{a}}/{{b.c}}?d={{a.response.body.$.e}}',
    '  ?f={{$uuid}} HTTP/1.1',
    'Host: {{a',
    '{{b}}: x',
    '',
  ],
  ...[
    '{"a": "{{c}}", "\u{1f600}": [',
    ']}',
    '< ./{{b}}.json',
    '> x.js',
    '> {% client.global.get("a") %}',
    '>> {{c}}',
    '\ufeff',
  ],
] as const
const anyText = fc
  .tuple(fc.array(fc.constantFrom(...lines), { maxLength: 20 }), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([typed, end]) => typed.join(end))
const anyCase = fc.tuple(anyText, fc.nat()).map(([text, at]) => ({ text, offset: at % (text.length + 1) }))

function isWithin(inner: Range, outer: Range): boolean {
  const place = ({ line, character }: Range['start']): number => line * 1_000_000 + character
  return place(outer.start) <= place(inner.start) && place(inner.end) <= place(outer.end)
}

describe('any text', () => {
  it('has symbols, folds, selections and links with nested ranges', () => {
    fc.assert(
      fc.property(anyCase, ({ text, offset }) => {
        const { workspace, analysis } = workspaceWith(text)
        const check = ({ range, selectionRange: selection, children = [] }: DocumentSymbol): void => {
          expect(isWithin(selection, range)).toBe(true)
          for (const child of children) {
            expect(isWithin(child.range, range)).toBe(true)
            check(child)
          }
        }
        documentSymbols(analysis).forEach(check)
        workspaceSymbols(workspace, 'a')
        for (const { startLine, endLine } of foldingRanges(analysis)) {
          expect(startLine).toBeLessThan(endLine)
          expect(endLine).toBeLessThan(analysis.lines.lineCount)
        }
        for (let range = selectionRange(analysis, offset); range.parent !== undefined; range = range.parent) {
          expect(isWithin(range.range, range.parent.range)).toBe(true)
        }
        documentLinks(analysis, workspace)
        urlHints(analysis, analysis.lines.rangeOf({ offset: 0, length: text.length }), workspace)
      }),
    )
  })

  it('has names that are renamed in all places or in none', () => {
    fc.assert(
      fc.property(anyCase, ({ text, offset }) => {
        const { workspace, analysis } = workspaceWith(text)
        const names = new SharedNames(workspace)
        const before = foundNames(names.visibleFrom(analysis))
        // Most places have no name: that of a name is more often asked for.
        const place = before.length === 0 || offset % 4 === 0 ? offset : before[offset % before.length]!.offset
        const name = nameAt(before, uri, place)
        expect(definitionsAt(analysis, place, names, undefined).every((each) => name && isSameName(each, name))).toBe(
          true,
        )
        expect(highlightsAt(analysis, place, names).length).toBe(referencesAt(analysis, place, names, true).length)
        let edits: ReturnType<typeof renameAt>['changes']
        try {
          edits = renameAt(analysis, place, 'new-name', names).changes
        } catch (error) {
          expect(error).toBeInstanceOf(ResponseError)
          return
        }
        const after = TextDocument.applyEdits(TextDocument.create(uri, 'http', 1, text), [...(edits?.[uri] ?? [])])
        const renamed = workspaceWith(after)
        const found = foundNames(new SharedNames(renamed.workspace).visibleFrom(renamed.analysis))
        const wanted = before.map((each) => [each.form, isSameName(each, name!) ? 'new-name' : each.name])
        const shown = found.map((each) => [each.form, each.name])
        // The name of an unnamed request contains its URL.
        const isFixed = ([form]: readonly string[]): boolean => form !== 'request-line'
        expect(shown.filter(isFixed)).toEqual(wanted.filter(isFixed))
      }),
    )
  })

  it('has fixes for findings anywhere', () => {
    const codes = [
      ...['unknown-variable', 'unused-variable', 'unclosed-script', 'unclosed-variable', 'missing-separator'],
      ...['folded-header', 'header-in-body', 'script-as-body', 'indented-separator', 'invalid-json', 'bad-header'],
      ...['unknown-request', 'unknown-member', 'single-brace', 'typographic-quote', 'constructor'],
    ]
    fc.assert(
      fc.property(anyCase, fc.constantFrom(...codes), fc.nat({ max: 20 }), ({ text, offset }, code, size) => {
        const { workspace, analysis } = workspaceWith(text)
        const length = Math.min(size, text.length - offset)
        const place = { offset, length, text: text.slice(offset, offset + length) }
        const message = 'a comma before "}"'
        for (const { edits } of fixesOf({ analysis, workspace, code, message, hint: 'Did you mean a?', ...place })) {
          for (const edit of edits) expect(edit.offset + edit.length).toBeLessThanOrEqual(text.length)
        }
      }),
    )
  })
})
