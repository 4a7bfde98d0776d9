/** Lines and the requests that they mean, in whole, half-typed and large files. */
import { describe, expect, it } from 'vitest'
import { runActions, runLenses } from '../../src/language-server/commands/offered-commands.ts'
import { blockingErrors, targetAt, targetsOf } from '../../src/language-server/running/run-targets.ts'
import { Analysis } from '../../src/language-server/workspace/analysis.ts'
import { openHttpFile } from '../../src/runner/index.ts'

const analysisOf = (text: string): Analysis => new Analysis('file:///a.http', 1, openHttpFile(text, '/a.http'))

const text =
  '@host = h\n\n### one\n# comment\nGET http://{{host}}/1\n\n### only comments\n# x\n### two\nrun #one\n\n###\nPOST http://h/3'

describe('the target of a line', () => {
  it.each([
    [0, undefined],
    [2, 'one'],
    [5, 'one'],
    [6, undefined],
    [8, 'run #one'],
    [12, 'POST http://h/3'],
    [13, undefined],
  ])('%i is %s', (line, title) => {
    expect(targetAt(analysisOf(text), line)?.title).toBe(title)
  })

  it.each(['\r\n', '\r'])('is the same with %j as line end', (end) => {
    expect(targetsOf(analysisOf(text.replaceAll('\n', end))).map(({ line }) => line)).toEqual([4, 9, 12])
  })

  it('covers the lines after a byte order mark', () => {
    expect(targetAt(analysisOf('\ufeffGET http://h/'), 0)?.title).toBe('GET http://h/')
  })
})

describe('errors of the text', () => {
  const broken = 'GET http://h/1\n\n###\nGET http://h/2\nbad line\n\n###\nrun #x\n\n###\nGET http://h/3\n'
  const blocked = (line: number): number => {
    const analysis = analysisOf(broken)
    return blockingErrors(analysis, [targetAt(analysis, line)!]).length
  }

  it('block the requests at and below them', () => {
    expect([blocked(0), blocked(3), blocked(10)]).toEqual([0, 1, 1])
  })

  it('block calls and whole files wherever they are', () => {
    const analysis = analysisOf('run #x\n\n### x\nGET http://h/2\nbad line\n')
    expect(blockingErrors(analysis, [targetAt(analysis, 0)!])).toHaveLength(1)
    expect(blockingErrors(analysis, [])).toHaveLength(1)
  })
})

describe('actions', () => {
  it('are those of the requests in the range', () => {
    const line = { line: 4, character: 0 }
    const titles = runActions(analysisOf(text), { start: line, end: line }, false).map(({ title, kind }) => [
      title,
      kind,
    ])
    expect(titles).toEqual([
      ['Send: one', 'source.httpcli.send'],
      ['Run file: one', 'source.httpcli.runFile'],
      ['Copy as curl: one', 'source.httpcli.copyAsCurl'],
      ['Show as raw: one', 'source.httpcli.showRaw'],
    ])
  })
})

it('targets are found in 10,000 lines', () => {
  const many = analysisOf('### r\nGET http://h/\nX: y\n\n'.repeat(2500))
  expect(runLenses(many, true)).toHaveLength(2500 * 5)
  expect(targetAt(many, 9999)?.line).toBe(9997)
})
