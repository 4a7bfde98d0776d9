/** A WebAssembly program with a meter: what is counted, and what the program still does. */

import { beforeAll, describe, expect, it } from 'vitest'
import assembler from 'wabt'
import { metered } from '../../../../src/runner/scripting/engine/metered-program.ts'

declare const WebAssembly: {
  readonly Module: new (program: Uint8Array) => object
  readonly Instance: new (program: object, imports: object) => { readonly exports: unknown }
}

interface Exports {
  readonly rounds: { value: bigint }
  readonly seen: { readonly value: number }
  /** A loop with this many rounds. @returns their sum */
  count(rounds: number): number
  nested(rounds: number): number
  fill(sizeBytes: number): number
  copy(sizeBytes: number): number
  table(index: number): number
  call(): number
}

const source = `(module
  (import "env" "seven" (func $seven (result i32)))
  (type $number (func (result i32)))
  (memory (export "memory") 1)
  (table 2 funcref)
  (elem (i32.const 0) $seven $eight)
  (global $seen (export "seen") (mut i32) (i32.const 3))
  (func $eight (result i32) (i32.const 8))
  (func (export "count") (param $rounds i32) (result i32) (local $sum i32) (local $wide f64)
    (local.set $wide (f64.const 0.1))
    (block $done
      (loop $again
        (br_if $done (i32.eqz (local.get $rounds)))
        (local.set $sum (i32.add (local.get $sum) (local.get $rounds)))
        (local.set $rounds (i32.sub (local.get $rounds) (i32.const 1)))
        (br $again)))
    (local.get $sum))
  (func (export "nested") (param $rounds i32) (result i32) (local $left i32)
    (loop $outer (result i32)
      (local.set $left (i32.const 9))
      (loop $inner
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $inner (local.get $left)))
      (local.set $rounds (i32.sub (local.get $rounds) (i32.const 1)))
      (br_if $outer (local.get $rounds))
      (i32.const 1)))
  (func (export "fill") (param $size i32) (result i32)
    (memory.fill (i32.const 0) (i32.const 5) (local.get $size))
    (i32.load8_u (i32.const 1)))
  (func (export "copy") (param $size i32) (result i32)
    (i32.store8 offset=200 (i32.const 0) (i32.const 6))
    (memory.copy (i32.const 0) (i32.const 200) (local.get $size))
    (i32.load8_u (i32.const 0)))
  (func (export "table") (param $index i32) (result i32)
    (block $b (block $a (br_table $a $b (local.get $index))) (return (i32.const 10)))
    (call_indirect (type $number) (i32.const 1)))
  (func (export "call") (result i32)
    (i32.add (call $seven) (i64.eqz (i64.const -9223372036854775808)))))`

let bytes: Uint8Array
let program: Exports

beforeAll(async () => {
  const wabt = await assembler()
  bytes = wabt.parseWat('test.wat', source, { bulk_memory: true }).toBinary({}).buffer
  const instance = new WebAssembly.Instance(new WebAssembly.Module(metered(bytes)), { env: { seven: () => 7 } })
  program = instance.exports as Exports
})

function used(action: () => unknown): number {
  program.rounds.value = 1_000_000n
  action()
  return Number(1_000_000n - program.rounds.value)
}

describe('a program with a meter', () => {
  it('does the same as without', () => {
    expect([program.count(4), program.nested(3), program.fill(64), program.copy(64)]).toEqual([10, 1, 5, 6])
    expect([program.table(0), program.table(1), program.call(), program.seen.value]).toEqual([10, 8, 7, 3])
  })

  it('counts loop iterations, and moved memory', () => {
    expect(used(() => program.count(99))).toBe(100)
    expect(used(() => program.nested(10))).toBe(100)
    expect(used(() => program.fill(3200))).toBe(100)
    expect(used(() => program.copy(3200))).toBe(100)
    expect(used(() => program.call())).toBe(0)
  })

  it('stops when the budget is used up, and continues with more', () => {
    for (const action of [() => program.count(100), () => program.nested(11), () => program.fill(3232)]) {
      program.rounds.value = 100n
      expect(action).toThrow('unreachable')
    }
    program.rounds.value = 101n
    expect(program.count(100)).toBe(5050)
  })

  it('is refused if an instruction is unknown', () => {
    const damaged = Uint8Array.from(bytes)
    // The first i32.sub becomes the prefix of vector instructions.
    const at = damaged.findIndex((byte, index) => byte === 0x6b && index > damaged.length - 200)
    damaged[at] = 0xfd
    expect(() => metered(damaged)).toThrow('unknown instruction: 253')
  })
})
