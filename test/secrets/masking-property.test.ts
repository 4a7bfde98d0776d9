/**
 * Random secrets, encoded in random ways, in random pieces: none is printed, and nothing else is masked.
 *
 * Rules: the encoders are written for these tests, one character at a time, so that they share nothing with the
 * decoders that they test. The surroundings are of characters that no escape is made of; what is left must be them and
 * one mask.
 */
import { describe, expect, it } from 'vitest'
import { SecretMask } from '../../src/secrets/masking.ts'

const ROUNDS = 150
const BEFORE = ' [<'
const AFTER = ' >]'

type Random = (count: number) => number

function randomFrom(seed: number): Random {
  let state = seed
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

const characters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!$()*,:;@/?#="\'<>{}|^`äß€🦊']
const names: Readonly<Record<string, string>> = {
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '/': 'sol',
  '@': 'commat',
}

const hex = (code: number, size: number, random: Random): string => {
  const digits = code.toString(16).padStart(size, '0')
  return random(2) === 0 ? digits : digits.toUpperCase()
}
const zeros = (random: Random): string => '0'.repeat(random(4))

/** Each writes one character so that nothing of it is left. */
const encoders: Readonly<Record<string, (character: string, random: Random) => string>> = {
  percent: (character, random) => [...Buffer.from(character)].map((byte) => `%${hex(byte, 2, random)}`).join(''),
  unicode: (character, random) =>
    Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4, random)}`).join(
      '',
    ),
  braced: (character, random) => `\\u{${zeros(random)}${hex(character.codePointAt(0) as number, 1, random)}}`,
  bytes: (character, random) => {
    const code = character.codePointAt(0) as number
    return code < 0x100 ? `\\x${hex(code, 2, random)}` : (encoders.unicode?.(character, random) ?? '')
  },
  octal: (character, random) => {
    const code = character.codePointAt(0) as number
    return code < 0x80 ? `\\${code.toString(8).padStart(3, '0')}` : (encoders.unicode?.(character, random) ?? '')
  },
  decimal: (character, random) => `&#${zeros(random)}${character.codePointAt(0)};`,
  hexadecimal: (character, random) =>
    `&#${random(2) === 0 ? 'x' : 'X'}${zeros(random)}${hex(character.codePointAt(0) as number, 1, random)};`,
  named: (character, random) =>
    names[character] === undefined ? (encoders.decimal?.(character, random) ?? '') : `&${names[character]};`,
}
const encoderNames = Object.keys(encoders)

/** With one encoder, with any of them for each character, or with characters left as they are. */
function encoded(text: string, random: Random): string {
  const mixed = random(3) === 0
  const name = encoderNames[random(encoderNames.length)] as string
  const share = random(3)
  return [...text]
    .map((character) => {
      // Characters of escapes have to be encoded at each level.
      if (!/[%\\&;]/.test(character) && share === 1 && random(2) === 0) return character
      const used = mixed ? (encoderNames[random(encoderNames.length)] as string) : name
      return encoders[used]?.(character, random) ?? ''
    })
    .join('')
}

/** All of it in one of the ways that take the whole value. */
function wholly(text: string, random: Random): string {
  const bytes = Buffer.from(text)
  const ways = ['hex', 'base64', 'base64url'] as const
  const way = ways[random(6)]
  if (way === undefined) return text
  return random(2) === 0 && way === 'hex' ? bytes.toString(way).toUpperCase() : bytes.toString(way)
}

function inPieces(mask: SecretMask, bytes: Uint8Array, random: Random): string {
  const stream = mask.openStream()
  const pieces: Uint8Array[] = []
  // Bytes held back are read again with each piece.
  const longest = Math.max([1, 3, 10, 1000][random(4)] as number, Math.ceil(bytes.length / 150))
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random(longest)
    pieces.push(stream.write(bytes.subarray(at, end)))
    at = end
  }
  pieces.push(stream.end())
  return Buffer.concat(pieces).toString()
}

describe('a random secret', () => {
  it('is found in random encodings, nested up to three times, in random pieces', () => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = randomFrom(seed)
      const secret = Array.from({ length: 6 + random(50) }, () => characters[random(characters.length)]).join('')
      let text = wholly(secret, random)
      for (let level = random(4); level > 0; level--) text = encoded(text, random)
      const mask = new SecretMask()
      mask.add(secret)
      const shown = inPieces(mask, Buffer.from(`${BEFORE}${text}${AFTER}`), random)
      // At the edges of base64 a character may hold bits of something else, and padding may be left.
      expect(shown, `seed ${seed}: ${secret} as ${text}`).toMatch(/^ \[<.?\*\*\*={0,2} >\]$/)
    }
  })

  it('is found if its start or its end forms an escape with adjacent text', () => {
    const starts = ['', '\\', '%', '&', '\\u00', '%4', '&#', '&#x']
    const ends = ['', 'n', '41;', '|', 'amp;', 'u0041']
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = randomFrom(seed)
      const plain = Array.from({ length: 5 + random(20) }, () => 'abcdefnrtux0123456789'[random(21)]).join('')
      const escaped = characters[random(characters.length)] as string
      const secret = `${plain}${escaped}${plain}`
      let written = `${plain}${encoded(escaped, random)}${plain}`
      if (random(3) === 0) written = written.replaceAll('%', '%25')
      const text = `<${starts[random(starts.length)]}${written}${ends[random(ends.length)]}>`
      const mask = new SecretMask()
      mask.add(secret)
      const shown = inPieces(mask, Buffer.from(text), random)
      expect(shown, `seed ${seed}: ${secret} in ${text}`).toContain('***')
      expect(shown, `seed ${seed}: ${secret} in ${text}`).not.toContain(plain.slice(3))
    }
  })

  it('is the only thing that is masked: random text is unchanged', () => {
    const text = [...characters, '%', '\\', '&', ';', '\n', ' ', '\0', '41', '%2', '&#', '\\u00', '\\']
    for (let seed = 1; seed <= 100; seed++) {
      const random = randomFrom(seed)
      const mask = new SecretMask()
      for (let count = 0; count < 5; count++) {
        mask.add(Array.from({ length: 6 + random(20) }, () => characters[random(characters.length)]).join(''))
      }
      const bytes = Buffer.from(Array.from({ length: 2000 }, () => text[random(text.length)]).join(''))
      expect(inPieces(mask, bytes, random), `seed ${seed}`).toBe(bytes.toString())
    }
  })

  it.each(['p%41ss\\nword', 'a&amp;b&#99;d', 'C:\\new\\u0041x', 'abcd1234', 'nice\\', 'end%', 'x%%%y&&z', 'p\\é"x'])(
    'that looks like an escape, or is next to one, is found: %s',
    (secret) => {
      const mask = new SecretMask()
      mask.add(secret)
      const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret), secret.replaceAll('&', '&amp;')]
      const plainly = forms.map((form) => `=${form} `)
      const besides = ['%', '\\', '&', '\\u00', '100%25'].flatMap((mark) => [
        `${mark}${secret}`,
        `${secret}${mark}41n;`,
      ])
      for (const text of [...plainly, ...besides]) expect(mask.mask(text), text).toContain('***')
    },
  )
})

describe('masking time', () => {
  it('is linear in the bytes if a deeply encoded secret arrives byte by byte', () => {
    const secret = 'a secret of forty characters, no less: x'
    const mask = new SecretMask()
    mask.add(secret)
    const short = [...secret].map((each) => `&#${String(each.charCodeAt(0)).padStart(30, '0')};`).join('')
    const long = [...Buffer.from(short)].map((byte) => `%${byte.toString(16)}`).join('')
    const timeMs = (text: string): number => {
      const started = process.cpuUsage()
      const stream = mask.openStream()
      const shown = [...Buffer.from(text)].map((byte) => Buffer.from(stream.write(Uint8Array.of(byte))).toString())
      expect(shown.join('') + Buffer.from(stream.end()).toString()).toBe('***')
      return process.cpuUsage(started).user / 1000
    }
    const longest = [...Buffer.from(long)].map((byte) => `%${byte.toString(16)}`).join('')
    timeMs(short)
    expect(timeMs(longest)).toBeLessThan(40 * timeMs(short) + 300)
  })

  it.each([
    ['percent signs', '%'],
    ['backslashes', '\\'],
    ['references without end', '&#0'],
    ['escapes of escapes', '%25'],
    ['beginnings of the secret', 'secretsecretsecre'],
    ['encoded beginnings of it', '%73%65%63%72%65%74'],
  ])('is linear in the bytes: %s', (_name, unit) => {
    const mask = new SecretMask()
    mask.add('secretsecretsecretsecret!')
    const timeMs = (bytes: number): number => {
      const text = Buffer.alloc(bytes, unit)
      const times = Array.from({ length: 3 }, () => {
        const started = process.cpuUsage()
        const stream = mask.openStream()
        for (let at = 0; at < bytes; at += 65_536) stream.write(text.subarray(at, at + 65_536))
        stream.end()
        const { user, system } = process.cpuUsage(started)
        return (user + system) / 1000
      })
      return Math.min(...times)
    }
    timeMs(100_000)
    expect(timeMs(1_000_000)).toBeLessThan(30 * timeMs(100_000) + 100)
  })
})
