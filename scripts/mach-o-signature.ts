/**
 * Signs a macOS executable ad hoc, which macOS requires for every program that was changed after it had been signed.
 *
 * Rules: the signature proves only that the bytes are intact; it does not identify an author. It is a code directory
 * with the SHA-256 digest of each page of 4 KiB before the signature, which is at the end of the file and of the
 * segment __LINKEDIT. An existing signature is replaced. Layout: Apple's <mach-o/loader.h> and <kern/cs_blobs.h>.
 */
import { createHash } from 'node:crypto'
import { BuildError } from './build-error.ts'

/** Little endian, 64 bits. */
const MACH_O_MAGIC = 0xfeedfacf
const HEADER_BYTES = 32
const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d
const CPU_TYPE_ARM64 = 0x0100000c

const SUPER_BLOB_MAGIC = 0xfade0cc0
const CODE_DIRECTORY_MAGIC = 0xfade0c02
/** The first version whose code directory describes the segment that contains the code. */
const CODE_DIRECTORY_VERSION = 0x20400
const CODE_DIRECTORY_BYTES = 88
const SUPER_BLOB_BYTES = 20
/** Signed ad hoc, by a linker: the signature may be replaced without asking. */
const FLAGS = 0x20002
const SHA256 = { type: 2, bytes: 32 }
const PAGE_BITS = 12
const EXECUTABLE_SEGMENT_IS_MAIN_BINARY = 1n

interface Segment {
  /** The offset of its load command. */
  readonly commandOffset: number
  readonly fileOffset: number
  readonly fileBytes: number
}

interface Layout {
  readonly code: Segment
  readonly linkEdit: Segment
  readonly signatureCommandOffset: number
  /** The offset of the signature, existing or to be written. */
  readonly signatureOffset: number
  readonly memoryPageBytes: number
}

/**
 * @param identifier the identifier of the program, such as "httpcli"
 * @returns the executable with its new signature
 * @throws BuildError if it is not a macOS executable for one processor, or has no room for a signature
 */
export function signedAdHoc(executable: Buffer, identifier: string): Buffer {
  const layout = layoutOf(executable)
  const name = Buffer.from(`${identifier}\0`)
  const pages = Math.ceil(layout.signatureOffset / 2 ** PAGE_BITS)
  const directoryBytes = CODE_DIRECTORY_BYTES + name.length + pages * SHA256.bytes
  const signature = Buffer.alloc(Math.ceil((SUPER_BLOB_BYTES + directoryBytes) / 16) * 16)
  const signed = Buffer.concat([executable.subarray(0, layout.signatureOffset), signature])
  // The load commands are part of the signed bytes, so they are changed first.
  describeSignature(signed, layout, signature.length)
  superBlob(directoryBytes).copy(signed, layout.signatureOffset)
  codeDirectory(signed, layout, name, pages).copy(signed, layout.signatureOffset + SUPER_BLOB_BYTES)
  return signed
}

function layoutOf(executable: Buffer): Layout {
  if (executable.length < HEADER_BYTES || executable.readUInt32LE(0) !== MACH_O_MAGIC) {
    throw new BuildError('cannot be signed: not an executable of macOS for one 64-bit processor')
  }
  const segments = new Map<string, Segment>()
  let signatureCommandOffset: number | undefined
  let at = HEADER_BYTES
  for (let left = executable.readUInt32LE(16); left > 0; left--) {
    const command = executable.readUInt32LE(at)
    if (command === LC_CODE_SIGNATURE) signatureCommandOffset = at
    if (command === LC_SEGMENT_64) {
      const name = executable.toString('latin1', at + 8, at + 24).replace(/\0+$/, '')
      const [fileOffset, fileBytes] = [at + 40, at + 48].map((field) => Number(executable.readBigUInt64LE(field)))
      segments.set(name, { commandOffset: at, fileOffset: fileOffset!, fileBytes: fileBytes! })
    }
    at += executable.readUInt32LE(at + 4)
  }
  const [code, linkEdit] = [segments.get('__TEXT'), segments.get('__LINKEDIT')]
  if (code === undefined || linkEdit === undefined || signatureCommandOffset === undefined) {
    throw new BuildError('cannot be signed: the executable has no room for a signature')
  }
  return {
    code,
    linkEdit,
    signatureCommandOffset,
    signatureOffset: executable.readUInt32LE(signatureCommandOffset + 8),
    memoryPageBytes: executable.readUInt32LE(4) === CPU_TYPE_ARM64 ? 16_384 : 4_096,
  }
}

function describeSignature(signed: Buffer, layout: Layout, signatureBytes: number): void {
  const { linkEdit, signatureCommandOffset, signatureOffset, memoryPageBytes } = layout
  const fileBytes = signatureOffset + signatureBytes - linkEdit.fileOffset
  signed.writeUInt32LE(signatureBytes, signatureCommandOffset + 12)
  signed.writeBigUInt64LE(BigInt(Math.ceil(fileBytes / memoryPageBytes) * memoryPageBytes), linkEdit.commandOffset + 32)
  signed.writeBigUInt64LE(BigInt(fileBytes), linkEdit.commandOffset + 48)
}

function superBlob(directoryBytes: number): Buffer {
  const blob = Buffer.alloc(SUPER_BLOB_BYTES)
  // One blob, of type 0: the code directory.
  for (const [index, value] of [
    SUPER_BLOB_MAGIC,
    SUPER_BLOB_BYTES + directoryBytes,
    1,
    0,
    SUPER_BLOB_BYTES,
  ].entries()) {
    blob.writeUInt32BE(value, 4 * index)
  }
  return blob
}

function codeDirectory(signed: Buffer, { code, signatureOffset }: Layout, name: Buffer, pages: number): Buffer {
  const digestsOffset = CODE_DIRECTORY_BYTES + name.length
  const directory = Buffer.alloc(digestsOffset + pages * SHA256.bytes)
  const words = [
    CODE_DIRECTORY_MAGIC,
    directory.length,
    CODE_DIRECTORY_VERSION,
    FLAGS,
    digestsOffset,
    CODE_DIRECTORY_BYTES, // the identifier
    0, // digests of other parts
    pages,
    signatureOffset,
  ]
  for (const [index, value] of words.entries()) directory.writeUInt32BE(value, 4 * index)
  directory.set([SHA256.bytes, SHA256.type, 0, PAGE_BITS], 36)
  directory.writeBigUInt64BE(BigInt(code.fileOffset), 64)
  directory.writeBigUInt64BE(BigInt(code.fileBytes), 72)
  directory.writeBigUInt64BE(EXECUTABLE_SEGMENT_IS_MAIN_BINARY, 80)
  name.copy(directory, CODE_DIRECTORY_BYTES)
  for (let page = 0; page < pages; page++) {
    const end = Math.min((page + 1) << PAGE_BITS, signatureOffset)
    const digest = createHash('sha256')
      .update(signed.subarray(page << PAGE_BITS, end))
      .digest()
    digest.copy(directory, digestsOffset + page * SHA256.bytes)
  }
  return directory
}
