/** Places in a text with every kind of line end. */
import { describe, expect, it } from 'vitest'
import { LineIndex } from '../../src/language-server/base/positions.ts'

describe('lines', () => {
  it.each<[string, readonly string[]]>([
    ['', ['']],
    ['a', ['a']],
    ['a\nb', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b', '']],
    ['a\rb', ['a', 'b']],
    ['\r\r\n\n\r', ['', '', '', '', '']],
    ['a\n\rb', ['a', '', 'b']],
  ])('of %j are %j', (text, wanted) => {
    const lines = new LineIndex(text)
    expect(Array.from({ length: lines.lineCount }, (_, line) => lines.lineText(line))).toEqual(wanted)
    for (let offset = 0; offset <= text.length; offset++) {
      // Within a line end the place is that of its beginning.
      expect(lines.offsetAt(lines.positionAt(offset))).toBeLessThanOrEqual(offset)
    }
  })
})
