/** No part of a secret is left, for any secret, in any encoding and any pieces. */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { SecretMask } from '../../src/secrets/index.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1)
const form = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** Ways to write a text that somebody may search for. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  percent: encodeURIComponent,
  'percent in small letters': (text) => encodeURIComponent(text).replace(/%../g, (each) => each.toLowerCase()),
  'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  uri: encodeURI,
  form,
  json: jsonText,
  'json twice': (text) => jsonText(jsonText(text)),
  'json of ascii': (text) =>
    jsonText(text).replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'json in a query': (text) => encodeURIComponent(jsonText(text)),
  html: (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  base64,
  'base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in a query': (text) => encodeURIComponent(base64(text)),
  hex: (text) => Buffer.from(text).toString('hex'),
  'utf-16': (text) => Buffer.from(text, 'utf16le').toString('latin1'),
}

/** Not of one character, which a mask could complete by chance. */
const secret = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 4, maxLength: 60 }),
    fc.string({ unit: 'binary', minLength: 4, maxLength: 60 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom('a', 'b', '%', '\\', '+', ' ', '"', '\n', '/'), minLength: 4, maxLength: 20 }),
  )
  .filter((text) => [...text.trim()].length >= 4 && !text.includes('*'))

const planted = fc.record({
  index: fc.nat({ max: 3 }),
  form: fc.constantFrom(...Object.keys(forms)),
  before: fc.string({ unit: 'grapheme', maxLength: 8 }),
  isCredentials: fc.boolean(),
})

it('a mask leaves no secret in any form', () => {
  return fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.array(planted, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
      (secrets, places, sizes) => {
        // A short word that is drawn as part of a longer one is not masked there.
        fc.pre(places.every(({ before }) => secrets.every((value) => !before.includes(value.trim()))))
        const mask = new SecretMask()
        for (const each of secrets) mask.add(each)
        const octets = Buffer.concat(
          places.map(({ index, form: name, before, isCredentials }) => {
            const value = secrets[index % secrets.length] as string
            const text = (forms[name] as (text: string) => string)(isCredentials ? `${before}:${value}:x` : value)
            // A short word counts where no other letter is beside it.
            return Buffer.from(`${before} ${text}|`, name === 'utf-16' ? 'latin1' : 'utf8')
          }),
        )
        const whole = Buffer.from(mask.openStream().end(octets))
        const stream = mask.openStream()
        const pieces: Uint8Array[] = []
        for (let at = 0, turn = 0; at < octets.length; turn++) {
          const size = sizes[turn % sizes.length] as number
          pieces.push(stream.write(octets.subarray(at, at + size)))
          at += size
        }
        pieces.push(stream.end())
        expect(Buffer.concat(pieces).toString('latin1')).toBe(whole.toString('latin1'))
        for (const value of secrets) {
          for (const [name, write] of Object.entries(forms)) {
            const needle = Buffer.from(write(value), name === 'utf-16' ? 'latin1' : 'utf8')
            expect(
              whole.includes(needle),
              `${name} of ${JSON.stringify(value)} in ${JSON.stringify(whole.toString())}`,
            ).toBe(false)
          }
        }
      },
    ),
    // The same secrets in every run of the tests; MASKING_RUNS looks for others.
    process.env.MASKING_RUNS === undefined ? { numRuns: 300, seed: 1 } : { numRuns: Number(process.env.MASKING_RUNS) },
  )
})

it('a mask does not change text without secrets', () => {
  return fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (octets) => {
      const mask = new SecretMask()
      mask.add('a secret that is never drawn')
      expect(Buffer.from(mask.openStream().end(octets))).toEqual(Buffer.from(octets))
    }),
  )
})
