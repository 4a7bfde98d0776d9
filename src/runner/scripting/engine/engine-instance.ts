/**
 * One instance of the engine's WebAssembly program: its memory, its functions, and its imports from the host.
 *
 * Rules: an engine value is the address of a slot that holds it (`EngineValue`). The caller frees it, except for the
 * arguments of a host call. Texts are passed as UTF-8 with their length, so a NUL inside is an ordinary character. The
 * program gets a clock, a time zone and random bytes from the host, and nothing else: no files, no output.
 */
import { type EngineProgram, PAGE_BYTES } from './engine-program.ts'
import type { EngineValue, PreparedWorld } from './prepared-world.ts'
import type { MachineHost } from './quickjs-machine.ts'

/** The memory of the engine; Node's types do not include WebAssembly. */
export interface EngineMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** The exported functions of the program that are used here. */
export interface EngineCalls {
  readonly memory: EngineMemory
  /** The stack pointer: the stack grows from there down to the start of the memory. */
  readonly __stack_pointer: { readonly value: number }
  /** The number of loop iterations left, see metered-program.ts. */
  readonly rounds: { value: bigint }
  _initialize(): void
  wasm_malloc(sizeBytes: number): number
  wasm_free(address: number): void
  qjs_init(): number
  qjs_set_max_stack_size(sizeBytes: number): void
  qjs_set_interrupt_handler(isOn: number): void
  qjs_set_promise_rejection_handler(isOn: number): void
  qjs_set_module_loader(isOn: number): void
  qjs_eval(code: number, codeBytes: number, fileName: number, flags: number): EngineValue
  qjs_call(called: EngineValue, self: EngineValue, count: number, args: number): EngineValue
  qjs_new_host_function(name: number, nameBytes: number, id: number): EngineValue
  qjs_new_string(text: number, textBytes: number): EngineValue
  qjs_new_number(value: number): EngineValue
  qjs_new_error(): EngineValue
  qjs_get_undefined(): EngineValue
  qjs_get_float64(value: EngineValue): number
  qjs_get_string_len(value: EngineValue, lengthAddress: number): number
  qjs_free_cstring(text: number): void
  qjs_get_prop_string(value: EngineValue, name: number): EngineValue
  qjs_set_prop_string(value: EngineValue, name: number, to: EngineValue): number
  qjs_get_value_ptr(value: EngineValue): number
  qjs_is_exception(value: EngineValue): number
  qjs_get_exception(): EngineValue
  qjs_throw(error: EngineValue): void
  qjs_free_value(value: EngineValue): void
  qjs_promise_state(promise: EngineValue): number
  qjs_is_job_pending(): number
  qjs_execute_pending_job(): number
}

/** The host functions that the engine calls while it runs. */
export interface EngineHost extends Pick<MachineHost, 'mustStop' | 'resolveModule' | 'moduleCode'> {
  readonly call: (operation: string, argumentsJson: string) => string
  /** A promise was rejected without a handler, or got a handler later. The callee frees both values. */
  readonly onRejection: (promise: EngineValue, reason: EngineValue, isHandled: boolean) => void
  /** The clock, and the function that fills memory with random bytes. */
  readonly nowMs: () => number
  readonly fillRandom: (bytes: Uint8Array) => void
}

declare const WebAssembly: {
  readonly Instance: new (program: EngineProgram, imports: object) => { readonly exports: unknown }
}

const SUCCESS = 0
const NOT_SUPPORTED = 52
const NANOSECONDS = 1_000_000n
const FUNCTION_NAME = 'host'

export class EngineInstance {
  readonly calls: EngineCalls
  readonly #memory: EngineMemory
  /** The address at which the engine writes the length of a text. */
  readonly lengthAddress: number

  /** @param prepared the engine gets its memory; without it, the engine begins without a world */
  constructor(program: EngineProgram, host: EngineHost, prepared?: PreparedWorld) {
    const imports = { env: this.#environment(host), wasi_snapshot_preview1: this.#system(host) }
    const instance = new WebAssembly.Instance(program, imports)
    this.calls = instance.exports as EngineCalls
    this.#memory = this.calls.memory
    if (prepared !== undefined) {
      const missingBytes = prepared.heap.endByte - this.#memory.buffer.byteLength
      this.#memory.grow(missingBytes / PAGE_BYTES)
      this.lengthAddress = prepared.lengthAddress
      return
    }
    this.calls._initialize()
    this.calls.qjs_init()
    this.lengthAddress = this.calls.wasm_malloc(4)
  }

  /** The function by which the engine calls the host. */
  newHostFunction(): EngineValue {
    return this.#withText(FUNCTION_NAME, (name, nameBytes) => this.calls.qjs_new_host_function(name, nameBytes, 0))
  }

  newText(text: string): EngineValue {
    return this.#withText(text, (address, sizeBytes) => this.calls.qjs_new_string(address, sizeBytes))
  }

  evaluate(code: string, fileName: string, flags = 0): EngineValue {
    return this.#withText(code, (address, sizeBytes) => {
      return this.#withText(fileName, (name) => this.calls.qjs_eval(address, sizeBytes, name, flags))
    })
  }

  call(called: EngineValue, args: readonly EngineValue[]): EngineValue {
    const { calls } = this
    const self = calls.qjs_get_undefined()
    const list = this.#allocate(args.length * 4)
    new Uint32Array(this.#memory.buffer, list, args.length).set(args)
    const result = calls.qjs_call(called, self, args.length, list)
    calls.wasm_free(list)
    calls.qjs_free_value(self)
    return result
  }

  property(value: EngineValue, name: string): EngineValue {
    return this.#withText(name, (address) => this.calls.qjs_get_prop_string(value, address))
  }

  textOf(value: EngineValue): string {
    const { calls } = this
    const address = calls.qjs_get_string_len(value, this.lengthAddress)
    if (address === 0) throw outOfMemory()
    const sizeBytes = new DataView(this.#memory.buffer).getUint32(this.lengthAddress, true)
    const text = Buffer.from(this.#memory.buffer, address, sizeBytes).toString('utf8')
    calls.qjs_free_cstring(address)
    return text
  }

  #environment(host: EngineHost): object {
    return {
      host_call: (_name: number, _nameBytes: number, _self: number, _count: number, args: number) => {
        const [operation = 0, json = 0] = new Uint32Array(this.#memory.buffer, args, 2)
        return this.newText(host.call(this.textOf(operation), this.textOf(json)))
      },
      host_interrupt: () => (host.mustStop() ? 1 : 0),
      host_promise_rejection: (promise: EngineValue, reason: EngineValue, isHandled: number) => {
        host.onRejection(promise, reason, isHandled !== 0)
      },
      host_module_normalize: (from: number, specifier: number) => {
        return this.#placeText(host.resolveModule(this.#textAt(specifier), this.#textAt(from))).address
      },
      host_module_load: (name: number, lengthAddress: number) => {
        let code: string
        try {
          code = host.moduleCode(this.#textAt(name))
        } catch (error) {
          this.#throwInside((error as Error).message)
          return 0
        }
        const { address, sizeBytes } = this.#placeText(code)
        new DataView(this.#memory.buffer).setUint32(lengthAddress, sizeBytes, true)
        return address
      },
      // The offset of local time, in seconds east of UTC.
      host_get_timezone_offset: (high: number, low: number) => {
        const seconds = Number((BigInt(high) << 32n) | BigInt(low >>> 0))
        return -new Date(seconds * 1000).getTimezoneOffset() * 60
      },
    }
  }

  #system({ nowMs, fillRandom }: EngineHost): object {
    const isNotSupported = (): number => NOT_SUPPORTED
    return {
      clock_time_get: (_clock: number, _precision: bigint, address: number) => {
        new DataView(this.#memory.buffer).setBigUint64(address, BigInt(nowMs()) * NANOSECONDS, true)
        return SUCCESS
      },
      random_get: (address: number, sizeBytes: number) => {
        fillRandom(new Uint8Array(this.#memory.buffer, address, sizeBytes))
        return SUCCESS
      },
      fd_close: isNotSupported,
      fd_fdstat_get: isNotSupported,
      fd_seek: isNotSupported,
      fd_write: isNotSupported,
    }
  }

  #throwInside(message: string): void {
    const { calls } = this
    const error = calls.qjs_new_error()
    const text = this.newText(message)
    this.#withText('message', (name) => calls.qjs_set_prop_string(error, name, text))
    calls.qjs_free_value(text)
    calls.qjs_throw(error)
    calls.qjs_free_value(error)
  }

  #withText<Result>(text: string, use: (address: number, sizeBytes: number) => Result): Result {
    const { address, sizeBytes } = this.#placeText(text)
    const result = use(address, sizeBytes)
    this.calls.wasm_free(address)
    return result
  }

  /** Copies the text to the memory, followed by a NUL. The caller frees it. */
  #placeText(text: string): { readonly address: number; readonly sizeBytes: number } {
    const sizeBytes = Buffer.byteLength(text)
    const address = this.#allocate(sizeBytes + 1)
    const target = Buffer.from(this.#memory.buffer, address, sizeBytes + 1)
    target.write(text, 'utf8')
    target[sizeBytes] = 0
    return { address, sizeBytes }
  }

  /** A text that ends at a NUL. */
  #textAt(address: number): string {
    const bytes = Buffer.from(this.#memory.buffer, address)
    return bytes.toString('utf8', 0, bytes.indexOf(0))
  }

  #allocate(sizeBytes: number): number {
    const address = this.calls.wasm_malloc(sizeBytes)
    if (address === 0) throw outOfMemory()
    return address
  }
}

function outOfMemory(): Error {
  return new Error('the script engine has no memory left')
}
