/** Text that a terminal shows must not control it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CharsetText, TerminalText } from '../../../../src/cli/send/response/terminal-text.ts'

function safe(...pieces: readonly (string | Uint8Array)[]): string {
  const text = new TerminalText()
  const shown = pieces.map((piece) => text.write(Buffer.from(piece)))
  return Buffer.concat([...shown, text.end()]).toString()
}

describe('text for a terminal', () => {
  it.each([
    ['plain text with tabs and line ends of both kinds', 'a\tb\nc\r\n', 'a\tb\nc\r\n'],
    ['text of other languages', 'Füße, 日本, 😀, \u00a0', 'Füße, 日本, 😀, \u00a0'],
    ['the beginning of a command', 'a\x1b[2Jb', 'a\\x1B[2Jb'],
    ['a title of the window', '\x1b]0;x\x07', '\\x1B]0;x\\x07'],
    ['backspace, delete, bell', '\b\x7f\x07', '\\x08\\x7F\\x07'],
    ['a carriage return that would let text write over text', 'good\rbad', 'good\\x0Dbad'],
    ['a carriage return at the end', 'a\r', 'a\\x0D'],
    ['a control of U+0080 to U+009F', 'a\u009b31mb', 'a\\x9B31mb'],
  ])('shows %s', (_title, text, shown) => {
    expect(safe(text)).toBe(shown)
  })

  it('keeps bytes that are not UTF-8', () => {
    const text = new TerminalText()
    expect([...text.write(Uint8Array.of(0xff, 0x9b, 0xc2)), ...text.end()]).toEqual([0xff, 0x9b, 0xc2])
  })

  it('shows the same wherever the input is split', () => {
    const bytes = fc
      .uint8Array({ maxLength: 40 })
      .map((octets) => octets.map((octet) => [13, 10, 0xc2, 0x9b, octet][octet % 5]!))
    fc.assert(
      fc.property(bytes, fc.nat(40), (octets, at) => {
        expect(safe(octets.subarray(0, at), octets.subarray(at))).toBe(safe(octets))
      }),
    )
  })

  it('lets no control sequence through, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (octets) => {
        const text = new TerminalText()
        const shown = Buffer.concat([text.write(octets), text.end()]).toString('latin1')
        expect(shown).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]/)
      }),
    )
  })
})

describe('text in the charset of its Content-Type', () => {
  it.each<[string, string, Uint8Array, string]>([
    ['Latin-1', 'iso-8859-1', Buffer.from('café é', 'latin1'), 'café é'],
    ['one byte of Latin-1', 'iso-8859-1', Buffer.from('é', 'latin1'), 'é'],
    ['UTF-8 that is called Latin-1', 'iso-8859-1', Buffer.from('a 日é'), 'a 日é'],
    ['UTF-16', 'utf-16le', Buffer.from('\ufeffaé日', 'utf16le'), 'aé日'],
    ['UTF-16 with the high byte first', 'utf-16', Buffer.from('\ufeffaé日', 'utf16le').swap16(), 'aé日'],
    ['plain ASCII', 'iso-8859-1', Buffer.from('abc'), 'abc'],
  ])('is the same wherever a piece ends: %s', (_title, charset, bytes, shown) => {
    for (let end = 0; end <= bytes.length; end++) {
      const text = new CharsetText(`text/plain; charset=${charset}`)
      const pieces = [text.write(bytes.subarray(0, end)), text.write(bytes.subarray(end)), text.end()]
      expect(Buffer.concat(pieces).toString(), `${end} bytes`).toBe(shown)
    }
  })
})
