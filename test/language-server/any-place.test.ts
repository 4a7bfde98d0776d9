/** Completion, hover and signature help at any place of any text: nothing throws, and ranges hold the cursor. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { suggestionsAt } from '../../src/language-server/completion/completion.ts'
import { hoverAt } from '../../src/language-server/hover/hover.ts'
import { signatureAt } from '../../src/language-server/hover/signature-help.ts'
import { placeCursor } from './at-cursor.ts'

const directory = fileURLToPath(new URL('../../docs', import.meta.url))

/** The request files in the documents. */
const texts = readdirSync(directory)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => [...readFileSync(join(directory, name), 'utf8').matchAll(/^```http.*\n((?:.*\n)*?)```$/gm)])
  .map(([, text = '']) => text)

/** The same numbers in each run. */
function* numbers(): Generator<number> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647
    yield state
  }
}

const take = numbers()
const below = (end: number): number => (take.next().value as number) % Math.max(1, end)

async function look(text: string, offset: number): Promise<void> {
  const { cursor, workspace } = placeCursor(`${text.slice(0, offset)}¦${text.slice(offset)}`)
  const found = await suggestionsAt(cursor, workspace)
  signatureAt(cursor)
  for (const range of [found?.range, hoverAt(cursor, workspace)?.range]) {
    if (range === undefined) continue
    expect(range.start.line).toBe(cursor.position.line)
    expect(range.end.line).toBe(cursor.position.line)
    expect(range.start.character).toBeLessThanOrEqual(cursor.position.character)
    expect(range.end.character).toBeGreaterThanOrEqual(cursor.position.character)
  }
}

describe('any place', () => {
  it('of request files, whole and cut off', async () => {
    expect(texts.length).toBeGreaterThan(100)
    for (const text of texts) {
      for (let round = 0; round < 6; round++) {
        const offset = below(text.length + 1)
        await look(text, offset)
        await look(text.slice(0, offset), offset)
      }
    }
  })

  it.each([
    ['nothing', ''],
    ['braces', '{{'.repeat(2_000)],
    ['one long line', `GET http://h/\n\n${'a/b '.repeat(50_000)}{{`],
    ['a long word', `GET http://h/\nX: ${'a'.repeat(100_000)}`],
    ['lone surrogates', 'GET http://h/\ud83d\nA: \udc00{{'],
    ['a lone CR', 'GET http://h/\rAccept: te'],
    ['a byte order mark', '\ufeffGET http://h/\nAcc'],
    ['brackets in a script', `< {% ${'f(('.repeat(5_000)}.`],
    ['a binary file', '\0\u0001\u0002\ufffd\n\0'],
  ])('of %s', async (_what, text) => {
    for (const offset of [0, text.length >> 1, text.length]) await look(text, offset)
  })
})
