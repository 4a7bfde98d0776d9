/**
 * Reads Java's DataOutput and object serialization, as far as keystores use them.
 *
 * Rules: numbers are big-endian; nothing is read past the end. Serialized objects are skipped: only the position after
 * them is needed. Java Object Serialization Specification, section 6.4.
 */
import { damaged } from './errors.ts'

/** Reads values in sequence. Every method throws KeystoreError `keystore-damaged` past the end. */
export class JavaInput {
  readonly #octets: Buffer
  readonly #format: string
  #offset = 0

  constructor(octets: Uint8Array, format: string) {
    this.#octets = Buffer.from(octets.buffer, octets.byteOffset, octets.length)
    this.#format = format
  }

  take(bytes: number): Buffer {
    const end = this.#offset + bytes
    if (bytes < 0 || end > this.#octets.length) throw damaged(this.#format, 'it ends inside an entry')
    const taken = this.#octets.subarray(this.#offset, end)
    this.#offset = end
    return taken
  }

  octet(): number {
    return this.take(1)[0]!
  }

  short(): number {
    return this.take(2).readUInt16BE()
  }

  int(): number {
    return this.take(4).readUInt32BE()
  }

  /** A length, then that number of bytes of (modified) UTF-8. */
  text(): string {
    return this.take(this.short()).toString('utf8')
  }

  /** A length of four bytes, then that number of bytes. */
  block(): Buffer {
    return this.take(this.int())
  }

  /** Skips one serialized object with its stream header. */
  skipObject(): void {
    if (this.int() !== 0xaced0005) throw damaged(this.#format, 'a secret key is not a serialized object')
    new ObjectSkipper(this, this.#format).skip()
  }
}

/** Markers of the serialization protocol. */
const marks = {
  null: 0x70,
  reference: 0x71,
  classDescription: 0x72,
  object: 0x73,
  string: 0x74,
  array: 0x75,
  blockData: 0x77,
  endOfBlocks: 0x78,
} as const

const flags = { writeMethod: 1, serializable: 2 } as const
const firstHandle = 0x7e0000
const maximumDepth = 32

/** Sizes of values in bytes by type code; objects and arrays have no fixed size. */
const sizes: Readonly<Record<string, number>> = { B: 1, C: 2, D: 8, F: 4, I: 4, J: 8, S: 2, Z: 1 }

interface ClassDescription {
  /** `[B` is an array of bytes. */
  readonly name: string
  readonly flags: number
  /** Type codes of the fields, in order. */
  readonly fields: readonly string[]
  readonly superclass: ClassDescription | undefined
}

class ObjectSkipper {
  readonly #input: JavaInput
  readonly #format: string
  /** Entries that have a handle in the stream. Only class descriptions can be referred to; the others just count. */
  readonly #handles: (ClassDescription | undefined)[] = []

  constructor(input: JavaInput, format: string) {
    this.#input = input
    this.#format = format
  }

  /** Skips one entry and returns its marker. */
  skip(depth: number = 0): number {
    if (depth > maximumDepth) throw damaged(this.#format, 'objects are nested too deeply')
    const mark = this.#input.octet()
    switch (mark) {
      case marks.null:
      case marks.endOfBlocks:
        break
      case marks.reference:
        this.#input.int()
        break
      case marks.string:
        this.#handles.push(undefined)
        this.#input.text()
        break
      case marks.blockData:
        this.#input.take(this.#input.octet())
        break
      case marks.object:
        this.#skipObject(depth)
        break
      case marks.array:
        this.#skipArray(depth)
        break
      default:
        throw damaged(this.#format, `a secret key has the unknown mark 0x${mark.toString(16)}`)
    }
    return mark
  }

  #skipObject(depth: number): void {
    const description = this.#description(depth)
    this.#handles.push(undefined)
    const classes: ClassDescription[] = []
    for (let one = description; one !== undefined; one = one.superclass) classes.unshift(one)
    for (const one of classes) {
      if ((one.flags & flags.serializable) === 0) continue
      for (const type of one.fields) this.#skipValue(type, depth)
      if ((one.flags & flags.writeMethod) !== 0) this.#skipAnnotation(depth)
    }
  }

  #skipArray(depth: number): void {
    const type = this.#description(depth)?.name.charAt(1) ?? ''
    this.#handles.push(undefined)
    const count = this.#input.int()
    const size = sizes[type]
    if (size !== undefined) this.#input.take(count * size)
    else for (let index = 0; index < count; index++) this.skip(depth + 1)
  }

  #skipValue(type: string, depth: number): void {
    const size = sizes[type]
    if (size === undefined) this.skip(depth + 1)
    else this.#input.take(size)
  }

  #skipAnnotation(depth: number): void {
    while (this.skip(depth + 1) !== marks.endOfBlocks);
  }

  #description(depth: number): ClassDescription | undefined {
    if (depth > maximumDepth) throw damaged(this.#format, 'objects are nested too deeply')
    const mark = this.#input.octet()
    if (mark === marks.null) return undefined
    if (mark === marks.reference) return this.#handles[this.#input.int() - firstHandle]
    if (mark !== marks.classDescription) throw damaged(this.#format, 'a secret key has no class')
    const name = this.#input.text()
    // The version number of the class.
    this.#input.take(8)
    const handle = this.#handles.push(undefined) - 1
    const classFlags = this.#input.octet()
    const fields = Array.from({ length: this.#input.short() }, () => {
      const type = String.fromCharCode(this.#input.octet())
      this.#input.text()
      if (sizes[type] === undefined) this.skip(depth + 1)
      return type
    })
    this.#skipAnnotation(depth)
    const description = { name, flags: classFlags, fields, superclass: this.#description(depth + 1) }
    this.#handles[handle] = description
    return description
  }
}
