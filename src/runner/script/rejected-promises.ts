/**
 * Promises of a script that were rejected and that nobody handles.
 *
 * Rules: the engine calls its tracker for each promise that is rejected without a handler; ours only keeps the promise
 * alive, because most such promises are dropped at once. Whether a handler came later is seen when they are looked for,
 * among the engine's objects. Where an object keeps what is known of it is checked once, with a promise made for it:
 * where that does not fit, the engine is another than this file knows, which is a defect.
 */

/** Offsets in 32-bit words, from an object's address. QuickJS 2025-09-13, `struct JSObject`, `struct JSPromiseData`. */
const HEADER_WORD = 1
const NEXT_WORD = 3
const DATA_WORD = 8
/** From the address of the promise's data. */
const STATE_WORD = 0
const HANDLED_WORD = 5
const RESULT_WORD = 6
/** `next` points into the next object, behind two words. */
const LINK_BYTES = 8
const REJECTED = 2
/** The list's head is a part of the runtime, and no object. */
const RUNTIME_BYTES = 4096

/**
 * The tracker, as a WebAssembly module over the engine's memory, which it takes as `e.m`:
 * `f(context: i32, promise: i64, reason: i64, isHandled: i32, opaque: i32)` adds 1 to the promise's reference count,
 * which is its first word, unless it is handled; and says by its global `n` that there is something to look for.
 */
export const trackerProgram: Uint8Array = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x09, 0x01, 0x60, 0x05, 0x7f, 0x7e, 0x7e, 0x7f, 0x7f, 0x00],
  ...[0x02, 0x08, 0x01, 0x01, 0x65, 0x01, 0x6d, 0x02, 0x00, 0x00],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b],
  ...[0x07, 0x09, 0x02, 0x01, 0x66, 0x00, 0x00, 0x01, 0x6e, 0x03, 0x00],
  // if (!isHandled) { *promise = *promise + 1; n = 1 }
  ...[0x0a, 0x1d, 0x01, 0x1b, 0x00, 0x20, 0x03, 0x45, 0x04, 0x40, 0x20, 0x01, 0xa7, 0x20, 0x01, 0xa7],
  ...[0x28, 0x02, 0x00, 0x41, 0x01, 0x6a, 0x36, 0x02, 0x00, 0x41, 0x01, 0x24, 0x00, 0x0b, 0x0b],
])

/** The tracker's global: 1 when a promise was rejected without a handler. */
export interface RejectionFlag {
  value: number
}

/**
 * Tells the runtime where in the table its tracker is.
 * @param enableInterrupts what sets the runtime's interrupt handler: the tracker's place is the second word behind it
 */
export function setTracker(
  memory: { readonly buffer: ArrayBuffer },
  runtime: number,
  slot: number,
  enableInterrupts: () => void,
): void {
  const before = new Int32Array(memory.buffer.slice(runtime, runtime + RUNTIME_BYTES))
  enableInterrupts()
  const now = new Int32Array(memory.buffer, runtime, RUNTIME_BYTES / 4)
  const handler = now.findIndex((word, index) => word !== before[index])
  // Behind handler and tracker, each with a word of its own data, begins the list of jobs, which is empty.
  if (handler === -1 || now[handler + 4] !== runtime + (handler + 4) * 4) {
    throw new Error('the runtime of the script engine is not as expected')
  }
  now[handler + 2] = slot
}

export interface PromiseLayout {
  /** Address of an object that lives as long as the engine. */
  readonly someObject: number
  readonly promiseClass: number
  readonly runtime: number
}

/**
 * @param promise address of a value that holds a rejected promise without handler, the only one there is
 * @throws Error where the engine's objects are not as expected
 */
export function promiseLayout(buffer: ArrayBuffer, promise: number, runtime: number): PromiseLayout {
  const words = new Int32Array(buffer)
  const someObject = words[promise >> 2] as number
  const layout = { someObject, promiseClass: classOf(words, someObject), runtime }
  const found = rejectedPromises(buffer, layout)
  if (found.length !== 1) throw new Error(`expected one rejected promise in the script engine, found ${found.length}`)
  return layout
}

/** Addresses of the values that the promises were rejected with. Each is told once. */
export function rejectedPromises(buffer: ArrayBuffer, layout: PromiseLayout): readonly number[] {
  const words = new Int32Array(buffer)
  const found: number[] = []
  const { someObject, promiseClass, runtime } = layout
  let object = someObject
  do {
    const isHead = object >= runtime && object < runtime + RUNTIME_BYTES
    if (!isHead && classOf(words, object) === promiseClass) {
      const data = words[(object >> 2) + DATA_WORD] as number
      const at = data >> 2
      if (data !== 0 && words[at + STATE_WORD] === REJECTED && words[at + HANDLED_WORD] === 0) {
        words[at + HANDLED_WORD] = 1
        found.push(data + RESULT_WORD * 4)
      }
    }
    object = (words[(object >> 2) + NEXT_WORD] as number) - LINK_BYTES
  } while (object !== someObject)
  return found
}

/** Also tells objects from the other things that are in the list: those are of kind 0. */
function classOf(words: Int32Array, object: number): number {
  const header = words[(object >> 2) + HEADER_WORD] as number
  return (header & 0xf) === 0 ? header >>> 16 : -1
}
