/**
 * Ensures that an executable that contains its runtime always runs its program: changes to the bytes that the compiler
 * wrote.
 *
 * Rules: two environment variables turn such an executable into its bare runtime, or give it options of the runtime.
 * Their names are erased, so that no environment can do this. "strip", which every build of a Debian or RPM package
 * runs, keeps only bytes that belong to a section of the file; the compiler moves the program, and the pointer to it,
 * out of all sections, so that a stripped file is the bare runtime. So the sections of the last segment are extended
 * until they cover it. Layout: the generic ABI of ELF, 64 bits, little endian.
 */
import { BuildError } from './build-error.ts'

/** Variables that the runtime reads from the environment before it looks for a program. */
const runtimeVariables = ['BUN_BE_BUN', 'BUN_OPTIONS']

/** @throws BuildError if the runtime does not contain one of the variables, since it may read another one instead */
export function withoutRuntimeVariables(executable: Buffer): Buffer {
  const changed = Buffer.from(executable)
  for (const name of runtimeVariables) {
    const text = Buffer.from(`\0${name}\0`, 'latin1')
    const at = changed.indexOf(text)
    if (at === -1 || changed.includes(text, at + 1)) {
      throw new BuildError(`the runtime does not name ${name} once: its variables have changed`)
    }
    // The empty name, which no environment contains.
    changed[at + 1] = 0
  }
  return changed
}

const PROGRAM_HEADER_BYTES = 56
const SECTION_HEADER_BYTES = 64
const PT_LOAD = 1
const SHT_PROGBITS = 1
const SHT_NOBITS = 8
const SHF_ALLOC = 0x2n
const SHF_TLS = 0x400n

interface Section {
  /** The offset of its header in the file. */
  readonly at: number
  readonly type: number
  readonly flags: bigint
  readonly address: bigint
  readonly sizeBytes: bigint
}

interface Segment {
  readonly fileOffset: bigint
  readonly address: bigint
  readonly fileBytes: bigint
  readonly memoryBytes: bigint
}

/** @throws BuildError if the file is not a Linux executable with the layout that the compiler produces */
export function coveredWithSections(executable: Buffer): Buffer {
  if (executable.length < 64 || executable.readUInt32BE(0) !== 0x7f454c46 || executable.readUInt16LE(4) !== 0x0102) {
    throw new BuildError('not an executable of Linux for a 64-bit processor')
  }
  const changed = Buffer.from(executable)
  const segment = loadedSegments(changed).at(-1)
  if (segment === undefined || segment.fileBytes !== segment.memoryBytes) {
    throw new BuildError('the executable does not have the layout that its compiler gives it')
  }
  const segmentEnd = segment.address + segment.fileBytes
  const sections = sectionsIn(changed, segment.address, segmentEnd)
  for (const [index, { at, type, address, sizeBytes }] of sections.entries()) {
    if (type !== SHT_PROGBITS && type !== SHT_NOBITS) continue
    // Memory that the runtime expects to be zero is stored in the file, before the program.
    changed.writeUInt32LE(SHT_PROGBITS, at + 4)
    changed.writeBigUInt64LE(address - segment.address + segment.fileOffset, at + 24)
    const next = sections[index + 1]?.address ?? segmentEnd
    if (sizeBytes > 0n) changed.writeBigUInt64LE(next - address, at + 32)
  }
  return changed
}

function loadedSegments(executable: Buffer): readonly Segment[] {
  return headersOf(executable, 32, 56, PROGRAM_HEADER_BYTES)
    .filter((at) => executable.readUInt32LE(at) === PT_LOAD)
    .map((at) => ({
      fileOffset: executable.readBigUInt64LE(at + 8),
      address: executable.readBigUInt64LE(at + 16),
      fileBytes: executable.readBigUInt64LE(at + 32),
      memoryBytes: executable.readBigUInt64LE(at + 40),
    }))
}

/**
 * Ordered by address. Zeroed thread-local storage is omitted: each thread has its own copy, which is not at the address
 * of the section.
 */
function sectionsIn(executable: Buffer, from: bigint, to: bigint): readonly Section[] {
  return headersOf(executable, 40, 60, SECTION_HEADER_BYTES)
    .map((at) => ({
      at,
      type: executable.readUInt32LE(at + 4),
      flags: executable.readBigUInt64LE(at + 8),
      address: executable.readBigUInt64LE(at + 16),
      sizeBytes: executable.readBigUInt64LE(at + 32),
    }))
    .filter(({ type, flags, address }) => {
      const isInMemory = (flags & SHF_ALLOC) !== 0n && !(type === SHT_NOBITS && (flags & SHF_TLS) !== 0n)
      return isInMemory && address >= from && address < to
    })
    .toSorted((one, other) => Number(one.address - other.address))
}

/** The offsets of the headers in a table. */
function headersOf(
  executable: Buffer,
  offsetField: number,
  countField: number,
  headerBytes: number,
): readonly number[] {
  const start = Number(executable.readBigUInt64LE(offsetField))
  return Array.from({ length: executable.readUInt16LE(countField) }, (_, index) => start + index * headerBytes)
}
