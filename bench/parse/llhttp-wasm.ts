/** llhttp as WebAssembly, from undici, with strings for the head and views for the body. */
import { inTurn, isRequest, type MakeContender } from './contender.ts'
import { peer } from './peer.ts'

interface Exports {
  readonly memory: WebAssembly.Memory
  malloc(size: number): number
  llhttp_alloc(type: number): number
  llhttp_execute(parser: number, at: number, length: number): number
  _initialize(): void
}

const TYPE = { request: 1, response: 2 }
const CAPACITY = 64 * 1024

export const llhttpWasm: MakeContender = (name, copies) => {
  let sum = 0
  let at = 0
  let octets: Buffer = Buffer.alloc(0)
  let kept: (string | Buffer)[] = []
  const text = (_parser: number, from: number, length: number): number => {
    kept.push(octets.latin1Slice(from - at, from - at + length))
    return 0
  }
  const env = {
    wasm_on_url: text,
    wasm_on_status: text,
    wasm_on_header_field: text,
    wasm_on_header_value: text,
    wasm_on_message_begin: () => {
      kept = []
      return 0
    },
    wasm_on_headers_complete: (_parser: number, status: number) => {
      sum += kept.length + status
      return 0
    },
    wasm_on_body: (_parser: number, from: number, length: number) => {
      kept.push(octets.subarray(from - at, from - at + length))
      return 0
    },
    wasm_on_message_complete: () => {
      sum++
      return 0
    },
  }
  const program = new WebAssembly.Module(peer('undici/lib/llhttp/llhttp_simd-wasm.js') as Buffer<ArrayBuffer>)
  const llhttp = new WebAssembly.Instance(program, { env }).exports as unknown as Exports
  llhttp._initialize()
  at = llhttp.malloc(CAPACITY)
  const memory = new Uint8Array(llhttp.memory.buffer, at, CAPACITY)
  const parser = llhttp.llhttp_alloc(isRequest(name) ? TYPE.request : TYPE.response)
  const parse = (message: Buffer): number => {
    octets = message
    memory.set(message)
    const error = llhttp.llhttp_execute(parser, at, message.length)
    if (error !== 0) throw new Error(`llhttp: error ${error} in ${name}`)
    return sum
  }
  return {
    tasks: { lazily: inTurn(copies, parse), strings: inTurn(copies, parse) },
    keep: (message) => {
      parse(message)
      return kept
    },
  }
}

declare global {
  interface Buffer {
    latin1Slice(start: number, end: number): string
  }
}
