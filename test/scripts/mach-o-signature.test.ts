/** Signatures of executables for macOS: every page has the digest that the system computes when it loads it. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { signedAdHoc } from '../../scripts/mach-o-signature.ts'

const PAGE_BYTES = 4096

/** An executable with code of a given length, whose old signature has an odd place and length. */
function executableOf({ processor, codeBytes, oldSignatureBytes }: Record<string, number>): Buffer {
  const segment = (name: string, fileOffset: number, fileBytes: number): Buffer => {
    const command = Buffer.alloc(72)
    command.writeUInt32LE(0x19, 0)
    command.writeUInt32LE(72, 4)
    command.write(name, 8, 'latin1')
    command.writeBigUInt64LE(BigInt(fileBytes), 32)
    command.writeBigUInt64LE(BigInt(fileOffset), 40)
    command.writeBigUInt64LE(BigInt(fileBytes), 48)
    return command
  }
  const linkEditBytes = 48
  const signature = Buffer.alloc(16)
  const sizes = { signatureOffset: codeBytes! + linkEditBytes, oldSignatureBytes: oldSignatureBytes! }
  for (const [index, value] of [0x1d, 16, sizes.signatureOffset, sizes.oldSignatureBytes].entries()) {
    signature.writeUInt32LE(value, 4 * index)
  }
  const commands = [
    segment('__TEXT', 0, codeBytes!),
    segment('__LINKEDIT', codeBytes!, linkEditBytes + oldSignatureBytes!),
    signature,
  ]
  const file = Buffer.alloc(sizes.signatureOffset + oldSignatureBytes!, 'code')
  for (const [index, value] of [0xfeedfacf, processor!, 0, 2, commands.length, 160, 0, 0].entries()) {
    file.writeUInt32LE(value, 4 * index)
  }
  Buffer.concat(commands).copy(file, 32)
  return file
}

it.each([
  { processor: 0x01000007, codeBytes: 2 * PAGE_BYTES, oldSignatureBytes: 1001, memoryPageBytes: 4096 },
  { processor: 0x01000007, codeBytes: 5 * PAGE_BYTES - 48, oldSignatureBytes: 16, memoryPageBytes: 4096 },
  { processor: 0x0100000c, codeBytes: 40_000, oldSignatureBytes: 0, memoryPageBytes: 16_384 },
])('has the digest of each page of $codeBytes bytes', ({ memoryPageBytes, ...parts }) => {
  const unsigned = executableOf(parts)
  const signed = signedAdHoc(unsigned, 'program')
  const [signatureOffset, signatureBytes] = [signed.readUInt32LE(32 + 144 + 8), signed.readUInt32LE(32 + 144 + 12)]
  expect(signatureOffset + signatureBytes).toBe(signed.length)
  // The signed bytes are the same except for the three sizes that change.
  expect(signed.subarray(32 + 160, signatureOffset)).toEqual(unsigned.subarray(32 + 160, signatureOffset))
  const linkEdit = signed.subarray(32 + 72)
  expect(linkEdit.readBigUInt64LE(40) + linkEdit.readBigUInt64LE(48)).toBe(BigInt(signed.length))
  expect(Number(linkEdit.readBigUInt64LE(32)) % memoryPageBytes).toBe(0)

  const directory = signed.subarray(signatureOffset + signed.readUInt32BE(signatureOffset + 16))
  expect(directory.readUInt32BE(0)).toBe(0xfade0c02)
  expect(directory.readUInt32BE(32)).toBe(signatureOffset)
  const identifierOffset = directory.readUInt32BE(20)
  expect(directory.toString('latin1', identifierOffset, identifierOffset + 8)).toBe('program\0')
  const pages = Math.ceil(signatureOffset / PAGE_BYTES)
  expect(directory.readUInt32BE(28)).toBe(pages)
  for (let page = 0; page < pages; page++) {
    const bytes = signed.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, signatureOffset))
    const at = directory.readUInt32BE(16) + 32 * page
    expect(directory.toString('hex', at, at + 32)).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
  expect(signedAdHoc(signed, 'program')).toEqual(signed)
})

it.each([
  ['another kind of file', Buffer.from('#!/bin/sh\n'), 'not an executable of macOS'],
  [
    'a file without a place for it',
    executableOf({ processor: 7, codeBytes: 4096, oldSignatureBytes: 0 }).fill(0, 16, 20),
    'no room',
  ],
])('refuses %s', (_title, file, message) => {
  expect(() => signedAdHoc(file, 'program')).toThrow(message)
})
