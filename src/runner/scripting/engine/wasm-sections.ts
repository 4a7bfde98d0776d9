/** Reads and writes the sections of a WebAssembly program as bytes. WebAssembly Core 5.5. */

const HEADER_BYTES = 8
const CUSTOM = 0
const EXPORTS = 7

export interface WasmSection {
  readonly id: number
  /** The start of the section, including its id, and the start of the next one. */
  readonly startByte: number
  readonly endByte: number
  /** The start of its content. */
  readonly contentByte: number
}

export function* sectionsOf(program: Uint8Array): Generator<WasmSection> {
  let startByte = HEADER_BYTES
  while (startByte < program.length) {
    const size = readNumber(program, startByte + 1)
    const endByte = size.end + size.value
    yield { id: program[startByte] as number, startByte, endByte, contentByte: size.end }
    startByte = endByte
  }
}

/** The program without the custom section of that name, and the content of the section. */
export interface DividedProgram {
  readonly program: Uint8Array
  readonly content: Uint8Array | undefined
}

export function withoutCustomSection(program: Uint8Array, name: string): DividedProgram {
  for (const { id, startByte, endByte, contentByte } of sectionsOf(program)) {
    if (id !== CUSTOM) continue
    const length = readNumber(program, contentByte)
    const nameEnd = length.end + length.value
    if (Buffer.from(program.subarray(length.end, nameEnd)).toString('utf8') !== name) continue
    const isLast = endByte === program.length
    const before = program.subarray(0, startByte)
    return {
      program: isLast ? before : Buffer.concat([before, program.subarray(endByte)]),
      content: program.subarray(nameEnd, endByte),
    }
  }
  return { program, content: undefined }
}

export function withCustomSection(program: Uint8Array, name: string, content: Uint8Array): Uint8Array {
  const label = Buffer.from(name)
  const named = Buffer.concat([Uint8Array.from(writeNumber(label.length)), label, content])
  return Buffer.concat([program, section(CUSTOM, named)])
}

/** The program with only these exports: every export takes time for each instance. */
export function withExports(program: Uint8Array, kept: RegExp): Uint8Array {
  const parts = [...sectionsOf(program)].map(({ id, startByte, endByte, contentByte }) => {
    return id === EXPORTS
      ? keptExports(program.subarray(contentByte, endByte), kept)
      : program.subarray(startByte, endByte)
  })
  return Buffer.concat([program.subarray(0, HEADER_BYTES), ...parts])
}

function keptExports(content: Uint8Array, kept: RegExp): Uint8Array {
  const count = readNumber(content, 0)
  const entries: Uint8Array[] = []
  let at = count.end
  for (let left = count.value; left > 0; left--) {
    const length = readNumber(content, at)
    const nameEnd = length.end + length.value
    // One byte for the kind, then an index.
    const { end } = readNumber(content, nameEnd + 1)
    const name = Buffer.from(content.subarray(length.end, nameEnd)).toString('utf8')
    if (kept.test(name)) entries.push(content.subarray(at, end))
    at = end
  }
  return section(EXPORTS, Buffer.concat([Uint8Array.from(writeNumber(entries.length)), ...entries]))
}

export function section(id: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([id, ...writeNumber(content.length)]), content])
}

/** LEB128, unsigned. */
export function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  let at = start
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] as number
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return { value, end: at }
  }
}

export function writeNumber(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(value >>> 7)]
}
