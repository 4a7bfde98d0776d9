/**
 * Reproducible archives, tar.gz and zip: the same files give the same bytes.
 *
 * Rules: entries are in the given order, without owners, all with the same time. Only the parts of the formats that a
 * release needs are implemented: plain files of less than 4 GiB whose names fit into a header. (POSIX.1-1988 ustar;
 * PKWARE APPNOTE 6.3.)
 */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'

export interface ArchiveEntry {
  /** The path below the archive's own directory, with slashes. */
  readonly name: string
  readonly content: Uint8Array
  readonly isExecutable?: boolean
}

/** 1980-01-01, the first moment that both formats can represent, in seconds since 1970. */
const MADE_AT_S = 315_532_800

/** A tar archive in gzip. A name that ends with a slash is a directory. */
export function tarGzip(entries: readonly ArchiveEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, content, isExecutable }) => [
    tarHeader(name, content.length, isExecutable || name.endsWith('/') ? 0o755 : 0o644),
    content,
    Buffer.alloc(-content.length & 511),
  ])
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]), { level: 9 })
}

function tarHeader(name: string, size: number, mode: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} does not fit into a tar header`)
  const header = Buffer.alloc(512)
  const octal = (value: number, at: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  }
  header.write(name, 0)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(MADE_AT_S, 136, 12)
  header.write(`        ${name.endsWith('/') ? 5 : 0}`, 148, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, octet) => total + octet, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** A zip archive. */
export function zip(entries: readonly ArchiveEntry[]): Buffer {
  const locals: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name)
    const packed = deflateRawSync(entry.content, { level: 9 })
    const common = zipFields(entry, name.length, packed.length)
    const local = Buffer.concat([signature(0x04034b50), common, Buffer.alloc(2), name, packed])
    const central = Buffer.alloc(14)
    // The high half of the external attributes is the mode of Unix systems.
    central.writeUInt32LE(((entry.isExecutable ? 0o100755 : 0o100644) << 16) >>> 0, 6)
    central.writeUInt32LE(offset, 10)
    directory.push(signature(0x02014b50), Buffer.of(20, 3), common, Buffer.alloc(2), central, name)
    locals.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, listed, signature(0x06054b50), end])
}

/**
 * The fields that the header before a file and its entry in the directory have in common, from the version to the
 * name's length.
 */
function zipFields({ content }: ArchiveEntry, nameLength: number, packedLength: number): Buffer {
  const fields = Buffer.alloc(24)
  const UTF8_NAMES = 0x0800
  const DEFLATED = 8
  const FIRST_DAY = (1 << 5) | 1
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(DEFLATED, 4)
  fields.writeUInt16LE(FIRST_DAY, 8)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(packedLength, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(nameLength, 22)
  return fields
}

function signature(value: number): Buffer {
  const octets = Buffer.alloc(4)
  octets.writeUInt32LE(value)
  return octets
}
