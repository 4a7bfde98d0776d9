/**
 * Adds a meter to the script engine's program: each iteration of a loop decrements a counter, and at zero the program
 * traps.
 *
 * Rules: QuickJS checks its deadline between steps of a script, never inside a built-in function: a search in an array
 * of 2^53 entries does not end by itself. Unbounded work needs a loop, or an instruction that moves much memory; both
 * are counted, so that the host can limit any call. Nothing else in the program changes: no index is renumbered. This
 * is done when the program is built, and takes about 50 ms. WebAssembly Core 5.4 and 5.5.
 */
import { readNumber, section, sectionsOf, writeNumber } from './wasm-sections.ts'

/** The export that holds the remaining amount: a mutable i64. */
const METER = 'rounds'
/** More than any machine can execute. */
const UNBOUNDED = 2n ** 62n

const ids = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const
const GLOBAL_KIND = 3
const [I32, I64, FUNCTION_TYPE, MUTABLE] = [0x7f, 0x7e, 0x60, 1]
/** The number of bytes moved or filled that cost as much as one loop iteration. */
const BYTES_PER_UNIT_SHIFT = 5

const op = {
  unreachable: 0x00,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  call: 0x10,
  brTable: 0x0e,
  selectTyped: 0x1c,
  localGet: 0x20,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  i64Ltu: 0x54,
  i64Lts: 0x53,
  i64Sub: 0x7d,
  i64ShrU: 0x88,
  i64ExtendU: 0xad,
  more: 0xfc,
} as const
const NO_RESULT = 0x40

/** The number of immediates (LEB128) of an instruction; an instruction that is not listed has none. */
const immediates: ReadonlyMap<number, number> = new Map([
  // block, loop, if; br, br_if; call; call_indirect
  ...[0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10].map((code) => [code, 1] as const),
  [0x11, 2],
  // local.get to table.set; load and store, with alignment and offset; memory.size and memory.grow; constants
  ...range(0x20, 0x26).map((code) => [code, 1] as const),
  ...range(0x28, 0x3e).map((code) => [code, 2] as const),
  ...[0x3f, 0x40, op.i32Const, op.i64Const].map((code) => [code, 1] as const),
  // ref.null, ref.func
  ...[0xd0, 0xd2].map((code) => [code, 1] as const),
])
/** The same for instructions with the prefix 0xfc; saturating conversions have no immediates. */
const moreImmediates: ReadonlyMap<number, number> = new Map([
  ...range(0, 7).map((code) => [code, 0] as const),
  [8, 2],
  [9, 1],
  [10, 2],
  [11, 1],
])
const MEMORY_COPY = 10
const MEMORY_FILL = 11
/** The last known one-byte instruction: sign extensions. */
const LAST_SIMPLE = 0xc4

/** @throws Error if the program has an unexpected instruction or section */
export function metered(program: Uint8Array): Uint8Array {
  const found = [...sectionsOf(program)]
  const contentOf = (id: number): Uint8Array => {
    const one = found.find((each) => each.id === id)
    if (one === undefined) throw new Error(`the program of the script engine has no section ${id}`)
    return program.subarray(one.contentByte, one.endByte)
  }
  const importCount = readNumber(contentOf(ids.import), 0).value
  const moverIndex = importCount + readNumber(contentOf(ids.function), 0).value
  const typeIndex = readNumber(contentOf(ids.type), 0).value
  // All imports are functions.
  const meter = readNumber(contentOf(ids.global), 0).value
  const added: Readonly<Record<number, () => Uint8Array>> = {
    [ids.type]: () => appended(contentOf(ids.type), [FUNCTION_TYPE, 3, I32, I32, I32, 0]),
    [ids.function]: () => appended(contentOf(ids.function), writeNumber(typeIndex), writeNumber(typeIndex)),
    [ids.global]: () => appended(contentOf(ids.global), [I64, MUTABLE, op.i64Const, ...signed(UNBOUNDED), op.end]),
    [ids.export]: () => {
      const name = Buffer.from(METER)
      return appended(contentOf(ids.export), [name.length, ...name, GLOBAL_KIND, ...writeNumber(meter)])
    },
    [ids.code]: () => {
      const movers = [MEMORY_COPY, MEMORY_FILL].map((code) => mover(code, meter))
      return appended(meteredCode(contentOf(ids.code), meter, moverIndex), ...movers)
    },
  }
  return Buffer.concat([
    program.subarray(0, 8),
    ...found.map(({ id, startByte, endByte }) => {
      const content = added[id]?.()
      return content === undefined ? program.subarray(startByte, endByte) : section(id, content)
    }),
  ])
}

function meteredCode(content: Uint8Array, meter: number, moverIndex: number): Uint8Array {
  const count = readNumber(content, 0)
  const parts: Uint8Array[] = [content.subarray(0, count.end)]
  let at = count.end
  for (let index = 0; index < count.value; index++) {
    const size = readNumber(content, at)
    at = size.end + size.value
    const body = meteredBody(content.subarray(size.end, at), meter, moverIndex)
    parts.push(Uint8Array.from(writeNumber(body.length)), body)
  }
  return Buffer.concat(parts)
}

function meteredBody(body: Uint8Array, meter: number, moverIndex: number): Uint8Array {
  const charge = chargeOf([op.i64Const, 1], meter)
  const parts: Uint8Array[] = []
  let copied = 0
  const insert = (until: number, code: readonly number[], next: number): void => {
    parts.push(body.subarray(copied, until), Uint8Array.from(code))
    copied = next
  }
  for (let at = afterLocals(body); at < body.length; ) {
    const { code, more, end } = instructionAt(body, at)
    if (code === op.loop) insert(end, charge, end)
    else if (more === MEMORY_COPY) insert(at, [op.call, ...writeNumber(moverIndex)], end)
    else if (more === MEMORY_FILL) insert(at, [op.call, ...writeNumber(moverIndex + 1)], end)
    at = end
  }
  parts.push(body.subarray(copied))
  return Buffer.concat(parts)
}

/** Subtracts from the remaining amount, and traps if it is too small. @param amount code that yields an i64 */
function chargeOf(amount: readonly number[], meter: number): readonly number[] {
  const index = writeNumber(meter)
  const take = [op.globalGet, ...index, ...amount, op.i64Sub, op.globalSet, ...index]
  const check = [op.globalGet, ...index, op.i64Const, 0, op.i64Lts, op.if, NO_RESULT, op.unreachable, op.end]
  return [...take, ...check]
}

/**
 * The body of a function that replaces an instruction: it charges for the size, which is the last of three operands.
 */
function mover(code: number, meter: number): Uint8Array {
  const size = [op.localGet, 2, op.i64ExtendU, op.i64Const, BYTES_PER_UNIT_SHIFT, op.i64ShrU]
  const move = [op.localGet, 0, op.localGet, 1, op.localGet, 2, op.more, code, ...(code === MEMORY_COPY ? [0, 0] : [0])]
  const body = [0, ...chargeOf(size, meter), ...move, op.end]
  return Uint8Array.from([...writeNumber(body.length), ...body])
}

function instructionAt(
  body: Uint8Array,
  start: number,
): { readonly code: number; readonly more: number | undefined; readonly end: number } {
  const code = body[start] as number
  const at = start + 1
  if (code === op.more) {
    const more = readNumber(body, at)
    const count = moreImmediates.get(more.value)
    if (count === undefined) throw unknown(`0xfc ${more.value}`)
    return { code, more: more.value, end: skipNumbers(body, more.end, count) }
  }
  let end: number
  if (code === op.brTable) {
    const targets = readNumber(body, at)
    end = skipNumbers(body, targets.end, targets.value + 1)
  } else if (code === op.selectTyped) {
    const types = readNumber(body, at)
    end = types.end + types.value
  } else if (code === op.f32Const) end = at + 4
  else if (code === op.f64Const) end = at + 8
  else {
    const count = immediates.get(code)
    if (count === undefined && !isSimple(code)) throw unknown(String(code))
    end = skipNumbers(body, at, count ?? 0)
  }
  return { code, more: undefined, end }
}

/** An instruction without immediates. 0x06 to 0x0a and 0x12 to 0x19 are instructions of later versions. */
function isSimple(code: number): boolean {
  const isControl = code <= 0x01 || code === 0x05 || code === 0x0b || code === 0x0f || code === 0x1a || code === 0x1b
  return isControl || (code >= 0x45 && code <= LAST_SIMPLE) || code === 0xd1
}

function unknown(instruction: string): Error {
  return new Error(`the program of the script engine has an unknown instruction: ${instruction}`)
}

function afterLocals(body: Uint8Array): number {
  const groups = readNumber(body, 0)
  let at = groups.end
  for (let index = 0; index < groups.value; index++) at = readNumber(body, at).end + 1
  return at
}

function skipNumbers(bytes: Uint8Array, start: number, count: number): number {
  let at = start
  for (let left = count; left > 0; at++) if ((bytes[at] as number) < 0x80) left--
  return at
}

/** A vector with these entries added at its end. */
function appended(content: Uint8Array, ...entries: readonly (readonly number[] | Uint8Array)[]): Uint8Array {
  const { value, end } = readNumber(content, 0)
  return Buffer.concat([
    Uint8Array.from(writeNumber(value + entries.length)),
    content.subarray(end),
    ...entries.map((entry) => Uint8Array.from(entry)),
  ])
}

/** LEB128, signed, of a positive number. */
function signed(value: bigint): readonly number[] {
  const low = Number(value & 0x7fn)
  return value < 0x40n ? [low] : [low | 0x80, ...signed(value >> 7n)]
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
