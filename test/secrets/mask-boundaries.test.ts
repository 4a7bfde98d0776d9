/** Secrets at the edges of pieces and beside escapes. */
import { describe, expect, it } from 'vitest'
import { SecretMask } from '../../src/secrets/index.ts'

function inPieces(secret: string, text: string, size: number): string {
  const mask = new SecretMask()
  mask.add(secret)
  const stream = mask.openStream()
  const bytes = Buffer.from(text)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(stream.write(bytes.subarray(at, at + size)))
  return Buffer.concat([...pieces, stream.end()]).toString()
}

describe.each([1, 2, 3, 4, 7, 100])('in pieces of %d bytes', (size) => {
  it.each([
    ['%3Aabc1_%3Ax', '%3A***%3Ax'],
    [' %253Aabc1_%253Ax|', ' %253A***%253Ax|'],
    ['&#58;abc1_', '&#58;***'],
    ['%41abc1_', '%41abc1_'],
    ['Aabc1_ abc1_', 'Aabc1_ ***'],
  ])('a short word next to an escape counts as a word: %s', (text, masked) => {
    expect(inPieces('abc1_', text, size)).toBe(masked)
  })

  it.each([
    ['a\\\\\\"b', 'x a\\\\\\&quot;b y'],
    ['\\\\\\<&>', 'x \\\\\\&lt;&amp;&gt; y'],
  ])('backslashes next to HTML references: %s', (secret, text) => {
    expect(inPieces(secret, text, size)).toBe('x *** y')
  })
})
