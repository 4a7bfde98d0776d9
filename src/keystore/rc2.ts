/**
 * Decrypts RC2 in CBC mode. Java encrypted PKCS12 files with it until 2021; OpenSSL 3 has it only in a module that the
 * platform does not load.
 *
 * Rules: decryption only, PKCS #7 padding checked. RFC 2268.
 */
const blockBytes = 8

/** RFC 2268 section 2: a permutation of 0 to 255 derived from the digits of pi. */
const piTable: Uint8Array = Buffer.from(
  'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2' +
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82' +
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626' +
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7' +
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec' +
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9' +
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  'hex',
)

/** The rotations of the four words of a block, in the order of encryption. */
const rotations = [1, 2, 3, 5] as const

/**
 * The plaintext without its padding; undefined if the padding is wrong, as with a wrong key. The effective key length
 * is that of the key, as everywhere in PKCS #12.
 */
export function decryptRc2(key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array): Uint8Array | undefined {
  if (encrypted.length === 0 || encrypted.length % blockBytes !== 0) return undefined
  const words = expandKey(key)
  const plain = Buffer.from(encrypted)
  let previous = iv
  for (let offset = 0; offset < plain.length; offset += blockBytes) {
    const block = plain.subarray(offset, offset + blockBytes)
    decryptBlock(block, words)
    for (let at = 0; at < blockBytes; at++) block[at]! ^= previous[at]!
    previous = encrypted.subarray(offset, offset + blockBytes)
  }
  const padding = plain.at(-1)!
  if (padding === 0 || padding > blockBytes || plain.subarray(-padding).some((octet) => octet !== padding))
    return undefined
  return plain.subarray(0, plain.length - padding)
}

/** RFC 2268 section 2: 64 words of 16 bits. */
function expandKey(key: Uint8Array): readonly number[] {
  const expanded = new Uint8Array(128)
  expanded.set(key)
  for (let at = key.length; at < 128; at++) {
    expanded[at] = piTable[(expanded[at - 1]! + expanded[at - key.length]!) & 0xff]!
  }
  expanded[128 - key.length] = piTable[expanded[128 - key.length]!]!
  for (let at = 127 - key.length; at >= 0; at--) {
    expanded[at] = piTable[expanded[at + 1]! ^ expanded[at + key.length]!]!
  }
  return Array.from({ length: 64 }, (_, at) => expanded[2 * at]! | (expanded[2 * at + 1]! << 8))
}

/** RFC 2268 section 4: sixteen rounds backwards, with two mashing rounds between them. */
function decryptBlock(block: Buffer, words: readonly number[]): void {
  const state = [0, 2, 4, 6].map((offset) => block.readUInt16LE(offset))
  let next = 63
  for (let round = 15; round >= 0; round--) {
    for (let at = 3; at >= 0; at--) {
      const rotation = rotations[at]!
      const rotated = ((state[at]! >>> rotation) | (state[at]! << (16 - rotation))) & 0xffff
      const [last, beforeLast, oldest] = [state[(at + 3) % 4]!, state[(at + 2) % 4]!, state[(at + 1) % 4]!]
      state[at] = (rotated - words[next--]! - (last & beforeLast) - (~last & oldest)) & 0xffff
    }
    if (round !== 11 && round !== 5) continue
    for (let at = 3; at >= 0; at--) state[at] = (state[at]! - words[state[(at + 3) % 4]! & 63]!) & 0xffff
  }
  for (const [at, word] of state.entries()) block.writeUInt16LE(word, 2 * at)
}
