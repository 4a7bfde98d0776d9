/** Identical findings of `check`, which are printed once. */
import { describe, expect, it } from 'vitest'
import { groupedFindings, otherLinesText } from '../../../src/cli/run/findings.ts'
import { RunError } from '../../../src/runner/base/errors.ts'

function finding(line: number, message = 'a', file = 'a.http'): RunError {
  return new RunError('unknown-variable', message, { where: { file, line, column: 1 } })
}

function shown(found: readonly RunError[]): readonly string[] {
  return groupedFindings(found).map((group) => `${group.error.where?.line} ${otherLinesText(group)}`)
}

describe('findings', () => {
  it.each([
    [[3], '3 '],
    [[3, 3], '3 '],
    [[3, 5, 5], '3 note: the same on line 5\n'],
    [[3, 5, 7, 9], '3 note: the same on lines 5, 7 and 9\n'],
    [
      Array.from({ length: 14 }, (_, at) => at + 1),
      '1 note: the same on lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more\n',
    ],
  ])('that are identical on lines %j are printed once', (lines, text) => {
    expect(shown(lines.map((line) => finding(line)))).toEqual([text])
  })

  it('that differ in text or file are printed separately', () => {
    expect(shown([finding(1), finding(2, 'b'), finding(3, 'a', 'b.http'), finding(4)])).toEqual([
      '1 note: the same on line 4\n',
      '2 ',
      '3 ',
    ])
  })
})
