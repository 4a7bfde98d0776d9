/** Masking of secrets, in texts and in streams. */
import { describe, expect, it } from 'vitest'
import { excerptOf } from '../../src/http-file/index.ts'
import { type MaskStream, SecretMask } from '../../src/secrets/masking.ts'

const SECRET = 's3cr3t/pä"ss+w<o>r\\d &x'

function maskOf(...values: readonly string[]): SecretMask {
  const mask = new SecretMask()
  for (const value of values) mask.add(value)
  return mask
}

function inPieces(stream: MaskStream, octets: Uint8Array, size: number): string {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < octets.length; at += size) pieces.push(stream.write(octets.subarray(at, at + size)))
  pieces.push(stream.end())
  return Buffer.concat(pieces).toString('latin1')
}

describe('a text', () => {
  const forms: readonly (readonly [name: string, write: (secret: string) => string])[] = [
    ['as it is', (secret) => secret],
    ['percent escapes', encodeURIComponent],
    [
      'percent escapes in small letters',
      (secret) => encodeURIComponent(secret).replace(/%../g, (each) => each.toLowerCase()),
    ],
    ['only what a URI may not hold escaped', encodeURI],
    [
      'the unreserved characters of RFC 3986 alone left',
      (secret) => encodeURIComponent(secret).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`),
    ],
    ['a form', (secret) => new URLSearchParams([['', secret]]).toString().slice(1)],
    ['a URL in the query of another', (secret) => encodeURIComponent(encodeURIComponent(secret))],
    ['the path of a URL', (secret) => new URL(`http://h/${encodeURIComponent(secret)}`).href],
    ['JSON', (secret) => JSON.stringify({ secret })],
    [
      'JSON of ASCII alone',
      (secret) =>
        JSON.stringify(secret).replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    [
      'JSON with escaped slashes and brackets',
      (secret) =>
        JSON.stringify(secret)
          .replaceAll('/', '\\/')
          .replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`),
    ],
    ['JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ secret }))],
    ['JSON in a query', (secret) => encodeURIComponent(JSON.stringify({ secret }))],
    [
      'HTML',
      (secret) =>
        secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ],
    ['HTML with numbers', (secret) => secret.replace(/[&<>"'ä]/g, (each) => `&#${each.charCodeAt(0)};`)],
    [
      'XML with hexadecimal numbers',
      (secret) => secret.replace(/[&<>"'ä]/g, (each) => `&#x${each.charCodeAt(0).toString(16).toUpperCase()};`),
    ],
    [
      'bytes shown as escapes',
      (secret) =>
        Buffer.from(secret)
          .toString('latin1')
          .replace(/[^ -~]/g, (each) => `\\x${each.charCodeAt(0).toString(16).toUpperCase()}`),
    ],
    ['UTF-8 taken for ISO-8859-1', (secret) => Buffer.from(secret).toString('latin1')],
    ['hexadecimal', (secret) => Buffer.from(secret).toString('hex')],
    ['capital hexadecimal', (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
    ['base64', (secret) => Buffer.from(secret).toString('base64')],
    ['base64 without padding', (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['base64url', (secret) => Buffer.from(secret).toString('base64url')],
    ['base64 in a query', (secret) => encodeURIComponent(Buffer.from(secret).toString('base64'))],
    ['base64 in JSON with escaped slashes', (secret) => Buffer.from(secret).toString('base64').replaceAll('/', '\\/')],
    ['small letters, as a host', (secret) => secret.toLowerCase()],
  ]

  it.each(['\t', '\x1b', '\x85', '\u2028', '\u202e', '\u2069'])('loses a secret with %j in an excerpt', (character) => {
    const secret = `s3cr3t${character}more`
    expect(maskOf(secret).mask(excerptOf(secret, 1, 1))).not.toContain('more')
  })

  it.each(forms)('loses a secret written as %s', (_name, write) => {
    const mask = maskOf(SECRET)
    const masked = mask.mask(`before ${write(SECRET)} after`)
    expect(masked.startsWith('before ')).toBe(true)
    expect(masked.endsWith(' after')).toBe(true)
    expect(masked).toContain('***')
    // The text around it, and of base64 a character at each end that holds bits of both.
    expect(masked.length).toBeLessThanOrEqual('before *** after'.length + write('').length + 4)
  })

  it.each([0, 1, 2, 3, 4, 5])('loses a secret in base64 with %i bytes before it', (count) => {
    const credentials = `${'u'.repeat(count)}${SECRET}:behind`
    const masked = maskOf(SECRET).mask(Buffer.from(credentials).toString('base64'))
    const shown = masked.split('***')
    expect(shown).toHaveLength(2)
    expect(shown.join('').length).toBeLessThanOrEqual(Math.ceil(((count + 7) * 8) / 6) + 4)
  })

  it.each([
    ['one secret in another', ['inner', 'the inner one'], 'a the inner one b inner', 'a *** b ***'],
    ['secrets that overlap', ['abcdefgh', 'fghijklm'], 'x abcdefghijklm y', 'x *** y'],
    ['secrets that touch', ['abcdefgh', 'ijklmnop'], 'x abcdefghijklmnop y', 'x *** y'],
    ['a secret that repeats itself', ['abababab'], 'abababababababab', '***'],
    ['the beginning of a secret', ['abcdef'], 'abcde abc', 'abcde abc'],
    ['a secret that is cut', ['abcdefghij', 'k!l!m!n!o'], 'abcdefgh… abcde… k!l!m!n...', '***… abcde… ***...'],
    ['a secret with blanks around it', ['  spaced \n'], 'is spaced.', 'is ***.'],
    ['a short word in other words', ['dark'], 'dark darkness "dark" dark. x_dark', '*** darkness "***" ***. x_dark'],
    ['a short secret as a word', ['abc'], 'abc abcd x-abc "abc" =abc&', '*** abcd x-abc "***" =***&'],
    ['a number beside digits', ['1234'], '1234 12345 id1234x 0.1234', '*** 12345 id***x 0.***'],
    ['plain words and very short texts', ['true', 'null', 'ab', ''], 'true null ab', 'true null ab'],
    ['text that is not UTF-16', ['\ud800secret'], 'a \ufffdsecret', 'a ***'],
  ])('shows %s correctly', (_name, secrets, text, shown) => {
    expect(maskOf(...secrets).mask(text)).toBe(shown)
  })

  it.each(['=', '==', '%3D%3D'])('loses the padding %s of base64', (sign) => {
    expect(maskOf('abcdefg').mask(`Basic YWJjZGVmZw${sign} x`)).toBe('Basic *** x')
  })

  it.each([
    ['a reference without its semicolon', '&#115;&#101;&#99;&#114;&#101;&#116'],
    ['an octal escape of two digits', '\\163\\145\\143\\162e\\164'],
    ['a percent escape', '%73%65%63%72%65%74'],
  ])('loses a secret that ends with the text and %s', (_name, text) => {
    expect(maskOf('secret').mask(`a ${text}`)).toBe('a ***')
  })

  it('loses a secret whose last character is an octal escape that could continue', () => {
    expect(maskOf('secret!').mask('secret\\41')).toBe('***')
  })

  it('masks the whole escape in which a secret ends', () => {
    expect(JSON.parse(maskOf('ends\\').mask(JSON.stringify('ends"x')))).toBe('***x')
    expect(JSON.parse(maskOf('nice').mask(JSON.stringify('\nice')))).toBe('***')
  })

  it.each([
    ['a backslash', 'nice\\', '\\nice%5C', '***'],
    ['a backslash, twice', 'nice\\', '\\nice%255C', '***'],
    ['a backslash, in the same language', 'nice"', '\\n\\u0069ce\\"', '***'],
    ['a percent sign', '41bc/d', '%41bc%2Fd', '***'],
    ['a part of a number', '41bc/d', '\\u0041bc\\/d', '***'],
    ['a part of a reference', 'amp&co', '&amp&amp;co', '***'],
    ['an escaped backslash', 'nice/x', '%5Cnice%2Fx', '%5C***'],
  ])('loses a partly escaped secret whose start looks like an escape after %s', (_name, secret, text, shown) => {
    expect(maskOf(secret).mask(text)).toBe(shown)
    for (const size of [1, 2, 3, 5]) {
      expect(inPieces(maskOf(secret).openStream(), Buffer.from(`<${text}>`), size)).toBe(`<${shown}>`)
    }
  })

  it.each([
    ['a backslash', '"ice\\', '&quot;ice\\next', '***ext'],
    ['a percent sign', 'a"b100%', 'a\\"b100%41', '***'],
    ['an ampersand', 'a"b&', 'a\\"b&lt; ', '*** '],
    ['a backslash, after two levels', '"ice\\', '&quot;i%2563e\\next', '***ext'],
  ])('loses a partly escaped secret whose end looks like an escape: %s', (_name, secret, text, shown) => {
    expect(maskOf(secret).mask(text)).toBe(shown)
    expect(inPieces(maskOf(secret).openStream(), Buffer.from(text), 1)).toBe(shown)
  })

  it('loses a secret in UTF-16 that begins with a backslash', () => {
    expect(maskOf('\\aaa').mask(Buffer.from('\\aaa|', 'utf16le').toString('latin1'))).toBe('***\0|\0')
  })

  it.each(['%aa\\"', '%aa\\\\\\"', '%aa&quot;'])(
    'loses a short secret that looks like an escape, written as %s',
    (written) => {
      expect(maskOf('%aa"').mask(`a ${written}|`)).toBe('a ***|')
    },
  )

  it('loses each line of a multi-line secret', () => {
    const key = '-----BEGIN KEY-----\r\nMIIabcdef\r\nxyz0123==\r\n-----END KEY-----\r\n'
    const mask = maskOf(key)
    expect(mask.mask(`${key}|`)).toBe('***\r\n|')
    expect(mask.mask('at 1: "MIIabcdef", at 2: xyz0123==')).toBe('at 1: "***", at 2: ***')
    expect(mask.mask(JSON.stringify({ key }))).toBe('{"key":"***\\r\\n"}')
  })

  it('loses each piece of a long secret', () => {
    const token = Array.from({ length: 40 }, (_, index) => `part${index}.${index * 7919}`).join('-')
    const mask = maskOf(token)
    expect(mask.mask(`<${token}>`)).toBe('<***>')
    expect(mask.mask(`<${Buffer.from(token).toString('base64url')}>`)).toMatch(/^<\*\*\*=?>$/)
    expect(mask.mask(token.slice(0, 200))).toMatch(/^\*\*\*.{0,48}$/)
  })

  it('is unchanged if nothing is secret', () => {
    const text = 'plain \u0000 ä \ud83d\ude00'
    expect(new SecretMask().mask(text)).toBe(text)
    expect(maskOf('other').mask(text)).toBe(text)
  })

  it('stays valid JSON', () => {
    const secret = 'ends with a backslash\\'
    const text = JSON.stringify({ secret, next: `${secret}"` })
    expect(JSON.parse(maskOf(secret).mask(text))).toEqual({ secret: '***', next: '***"' })
  })
})

describe('a stream', () => {
  const text = `a ${SECRET} b ${encodeURIComponent(SECRET)} c ${Buffer.from(`user:${SECRET}`).toString('base64')} d s3cr3`
  const octets = Buffer.from(text)

  it.each([1, 2, 3, 5, 7, 16, 1000])('is masked like a single text, in pieces of %i bytes', (size) => {
    const mask = maskOf(SECRET, 'user')
    expect(inPieces(mask.openStream(), octets, size)).toBe(Buffer.from(mask.mask(text)).toString('latin1'))
  })

  it.each([1, 2, 3, 4])('masks an endless run of secrets once, in pieces of %i bytes', (size) => {
    expect(inPieces(maskOf('aaaaaaaa').openStream(), Buffer.from(`x${'a'.repeat(5000)}y`), size)).toBe('x***y')
  })

  it('writes a whole line at once', () => {
    const stream = maskOf('secret', 'abc').openStream()
    expect(Buffer.from(stream.write(Buffer.from('data: 1\n\n'))).toString()).toBe('data: 1\n\n')
    expect(Buffer.from(stream.write(Buffer.from('data: se'))).toString()).toBe('data: ')
    expect(Buffer.from(stream.write(Buffer.from('lf\n'))).toString()).toBe('self\n')
  })

  it('emits a line whose last letter begins a secret', () => {
    const stream = maskOf('secret').openStream()
    expect(Buffer.from(stream.write(Buffer.from('25 ms\n'))).toString()).toBe('25 ms\n')
    expect(Buffer.from(stream.write(Buffer.from('25 s'))).toString()).toBe('25 ')
    expect(Buffer.from(stream.write(Buffer.from('e'))).toString()).toBe('')
    expect(Buffer.from(stream.write(Buffer.from('cret\n'))).toString()).toBe('***\n')
  })

  it('waits to see whether a short secret is a word', () => {
    const stream = maskOf('abc').openStream()
    expect(Buffer.from(stream.write(Buffer.from('abc'))).toString()).toBe('')
    expect(Buffer.from(stream.write(Buffer.from('d abc'))).toString()).toBe('abcd ')
    expect(Buffer.from(stream.end()).toString()).toBe('***')
  })

  it('masks a short secret after an emitted escape, and the next one', () => {
    const stream = maskOf('word').openStream()
    const masked = ['%', '0A', 'word| word|'].map((piece) => stream.write(Buffer.from(piece)))
    expect(Buffer.concat([...masked, stream.end()]).toString()).toBe('%0A***| ***|')
  })

  it('masks a three-byte secret that arrives alone', () => {
    expect(Buffer.from(maskOf('xyz').openStream().end(Buffer.from('xyz'))).toString()).toBe('***')
    expect(maskOf('xyz').mask('xyz')).toBe('***')
  })

  it('masks secrets that become known while it runs', () => {
    const mask = new SecretMask()
    const stream = mask.openStream()
    expect(Buffer.from(stream.write(Buffer.from('token '))).toString()).toBe('token ')
    mask.add('token')
    expect(Buffer.from(stream.write(Buffer.from('token '))).toString()).toBe('*** ')
  })

  it('writes the same bytes if nothing is secret', () => {
    const stream = maskOf('secret').openStream()
    const piece = Buffer.from([0, 255, 10])
    expect(stream.write(piece)).toBe(piece)
  })

  it('masks text in UTF-16', () => {
    const masked = inPieces(maskOf('secret').openStream(), Buffer.from('a secret', 'utf16le'), 3)
    expect(masked).toBe('a\0 \0***\0')
  })
})

describe('a secret of one repeated character', () => {
  it.each([
    ['backslashes', '\\'],
    ['dashes', '-'],
    ['letters', 'a'],
  ])('is masked in a long run: %s', (_name, character) => {
    const mask = maskOf(character.repeat(48))
    expect(mask.mask(character.repeat(20_000))).toBe('***')
  })

  it('is masked up to the last character, but not in a shorter run', () => {
    const mask = maskOf('\\'.repeat(12))
    expect(mask.mask(`a${'\\'.repeat(1002)}b`)).toBe('a***b')
    expect(mask.mask(`a${'\\'.repeat(11)}b`)).toBe(`a${'\\'.repeat(11)}b`)
  })
})
