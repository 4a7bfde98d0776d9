/** Texts in Markdown, for clients that do not show it. */
import { describe, expect, it } from 'vitest'
import { markup } from '../../src/language-server/base/markup.ts'
import { inlineCode, lineLink } from '../../src/language-server/hover/hover-text.ts'

describe('a text in Markdown', () => {
  const value = 'a `b` * **c** [d](e)'
  const text = `**host** = ${inlineCode(value)}, ${lineLink('/x/http-client.env.json', 1)}`

  it('is kept for a client that supports it or does not say', () => {
    for (const formats of [undefined, ['markdown'], ['plaintext', 'markdown']] as const) {
      expect(markup(text, formats)).toEqual({ kind: 'markdown', value: text })
    }
  })

  it('loses its markup for any other, except in values', () => {
    const plain = { kind: 'plaintext', value: `host = ${value}, http-client.env.json:1` }
    expect(markup(text, ['plaintext'])).toEqual(plain)
    expect(markup(text, [])).toEqual(plain)
    expect(markup(inlineCode('`a'), []).value).toBe('`a')
    expect(markup('2 * 3 [a] (b) **', []).value).toBe('2 * 3 [a] (b) **')
  })
})
