/**
 * The WebAssembly program that reads canonical heads 16 bytes per step (head-scan.wat), if the platform can run it.
 *
 * Rules: loaded after many heads have been read, never at the start of a command. It accepts a subset of what
 * `scanWindow` (fast-head.ts) accepts, with the same meaning; if it returns 0, the caller uses that function. Platforms
 * without WebAssembly or SIMD, or with a policy against it, do not use this file.
 */
import { isOctet, PATH, REG_NAME, TOKEN } from '../syntax/grammar.ts'
import { HEAD_SCAN_CODE } from './head-scan-code.ts'

/** Offsets in the memory, as in head-scan.wat. */
const TABLE_OCTETS = 16
const QUERY_TABLE = 48
const FLAGS = 128 >> 2
const CONTENT_LENGTH = FLAGS + 1
const MARK_COUNT = FLAGS + 2
const MARKS = 256 >> 2
const WINDOW = 2048

/** The result of the program; fast-head.ts explains each part. */
export interface ProgramFindings {
  flags: number
  contentLength: number
  readonly marks: number[]
  markCount: number
}

interface ProgramExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  scan(start: number, isRequest: number, queryTable: number, maxMarks: number): number
}

/** The parts of WebAssembly that are used here: not every platform has it or its types. */
interface PlatformAssembly {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

export class HeadProgram {
  /** The bytes to read; a NUL must follow the last one. */
  readonly window: Uint8Array
  readonly #words: Int32Array
  readonly #scan: ProgramExports['scan']
  readonly #tables: Uint8Array
  #queryBits = 0

  constructor({ memory, scan }: ProgramExports) {
    this.window = new Uint8Array(memory.buffer, WINDOW)
    this.#words = new Int32Array(memory.buffer)
    this.#tables = new Uint8Array(memory.buffer)
    this.#scan = scan
    for (const [index, bits] of [TOKEN, PATH, REG_NAME].entries()) this.#writeTable(index * TABLE_OCTETS, bits)
  }

  /** Scans the head at `start` of the window into `found`. Returns its size in bytes, or 0. */
  scan(start: number, isRequest: boolean, queryBits: number, maxMarks: number, found: ProgramFindings): number {
    if (queryBits !== this.#queryBits) {
      this.#writeTable(QUERY_TABLE, queryBits)
      this.#queryBits = queryBits
    }
    const scan = this.#scan
    const length = scan(start + WINDOW, isRequest ? 1 : 0, QUERY_TABLE, maxMarks)
    if (length === 0) return 0
    const words = this.#words
    const { marks } = found
    const count = words[MARK_COUNT] as number
    for (let i = 0; i < count; i++) marks[i] = words[MARKS + i] as number
    found.flags = words[FLAGS] as number
    found.contentLength = words[CONTENT_LENGTH] as number
    found.markCount = count
    return length
  }

  #writeTable(at: number, bits: number): void {
    this.#tables.fill(0, at, at + TABLE_OCTETS)
    for (let octet = 0; octet < 0x80; octet++) {
      if (isOctet(octet, bits)) (this.#tables[at + (octet & 15)] as number) |= 1 << (octet >> 4)
    }
  }
}

/** Undefined if the platform cannot run it. */
export function loadHeadProgram(): HeadProgram | undefined {
  const platform = (globalThis as { WebAssembly?: PlatformAssembly }).WebAssembly
  if (platform === undefined) return undefined
  try {
    const code = Uint8Array.from(atob(HEAD_SCAN_CODE), (octet) => octet.charCodeAt(0))
    const { exports } = new platform.Instance(new platform.Module(code))
    return new HeadProgram(exports as ProgramExports)
  } catch {
    // No SIMD, or a page's content security policy: the plain scan is used, and nothing else changes.
    return undefined
  }
}
