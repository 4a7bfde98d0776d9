import { describe, expect, it } from 'vitest'
import { decryptRc2 } from '../../src/keystore/rc2.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const zeroIv = Buffer.alloc(8)

/** Ciphertexts of openssl 3: `openssl enc -rc2-cbc -provider legacy -K … -iv …`; 40 bits with `-rc2-40-cbc`. */
describe('RC2 in CBC mode', () => {
  it.each<[key: string, iv: string, encrypted: string, plain: string]>([
    [
      '000102030405060708090a0b0c0d0e0f',
      '0001020304050607',
      '86a2f533f64179b2055d0b473706bb0292ef1e7f70d83d41',
      'the quick brown fox',
    ],
    ['0001020304', '0001020304050607', '70f60865e2326c16975cd2ab4a02a29e7a405aa8a77dbb4e', 'the quick brown fox'],
  ])('with the key %s gives back what was encrypted', (key, iv, encrypted, plain) => {
    expect(Buffer.from(decryptRc2(hex(key), hex(iv), hex(encrypted))!).toString()).toBe(plain)
  })

  it.each([
    ['nothing', ''],
    ['a part of a block', '0102030405'],
    ['what another key encrypted', '00112233445566778899aabbccddeeff'],
  ])('rejects %s', (_what, encrypted) => {
    expect(decryptRc2(hex('00010203040506070809'), zeroIv, hex(encrypted))).toBeUndefined()
  })
})
