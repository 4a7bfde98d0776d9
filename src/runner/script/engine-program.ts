/**
 * The script engine's WebAssembly program, with its table of functions opened.
 *
 * Rules: the program tells nobody of promises that were rejected without a handler, since its host can give it no
 * function to call for that. So its table of functions, which can grow, gets a name among the exports before it is
 * compiled; nothing else of the program changes. WebAssembly Core 5.5.10.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const PROGRAM_FILE = 'emscripten-module.wasm'
const HEADER_BYTES = 8
const EXPORT_SECTION = 7

/** Name of the table among the exports. */
export const TABLE_NAME = '$table'

/** Where the stand-alone executable carries the program: put in by its build, and by no other. */
declare const HTTPCLI_ENGINE_PROGRAM: string | undefined

/** Reads the program from beside this module, where the build puts it, or from the package. */
export function readEngineProgram(): Uint8Array {
  if (typeof HTTPCLI_ENGINE_PROGRAM === 'string') return openTable(readFileSync(HTTPCLI_ENGINE_PROGRAM))
  const beside = fileURLToPath(new URL(PROGRAM_FILE, import.meta.url))
  const { resolve } = createRequire(import.meta.url)
  return openTable(readFileSync(existsSync(beside) ? beside : resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
}

/** @throws Error where it is no program with exports */
export function openTable(program: Uint8Array): Uint8Array {
  let at = HEADER_BYTES
  while (at < program.length) {
    const size = readNumber(program, at + 1)
    const end = size.end + size.value
    if (program[at] === EXPORT_SECTION) {
      const exports = section(EXPORT_SECTION, withTable(program.subarray(size.end, end)))
      return Buffer.concat([program.subarray(0, at), exports, program.subarray(end)])
    }
    at = end
  }
  throw new Error('the program of the script engine has no exports')
}

function withTable(content: Uint8Array): readonly number[] {
  const count = readNumber(content, 0)
  const name = [...Buffer.from(TABLE_NAME)]
  return [...writeNumber(count.value + 1), ...content.subarray(count.end), name.length, ...name, 1, 0]
}

function section(id: number, content: readonly number[]): Uint8Array {
  return Uint8Array.from([id, ...writeNumber(content.length), ...content])
}

/** LEB128, unsigned. */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  let at = start
  for (let shift = 0; ; shift += 7) {
    const octet = bytes[at++] as number
    value |= (octet & 0x7f) << shift
    if (octet < 0x80) return { value, end: at }
  }
}

function writeNumber(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(value >>> 7)]
}
