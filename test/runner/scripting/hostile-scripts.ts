/**
 * Hostile scripts made from a seed: operations of the engine on buffers, arrays, iterators and promises whose callbacks
 * resize, transfer, empty or end what the operation is working on.
 *
 * Rules: the same seed gives the same script. A script throws `reads` or `writes` when foreign memory shows.
 */

const methods: Readonly<Record<string, readonly string[]>> = {
  view: [
    'with(1, evil)',
    'fill(evil)',
    'fill(1, evil, evil)',
    'copyWithin(evil, 1)',
    'set([evil, 2, 3], 0)',
    'subarray(evil, 9)',
    'slice(evil)',
    'sort(step)',
    'toSorted(step)',
    'toReversed()',
    'map(step)',
    'filter(step)',
    'findLast(step)',
    'includes(1, evil)',
    'lastIndexOf(7, evil)',
    'join(evil)',
    'at(evil)',
    'reduce(step)',
  ],
  list: [
    'with(1, evil)',
    'splice(evil, 2, evil, 1)',
    'toSpliced(evil, evil, 3)',
    'sort(step)',
    'toSorted(step)',
    'toReversed()',
    'concat(evilList)',
    'flat(evil)',
    'flatMap(() => evilList)',
    'copyWithin(evil, evil)',
    'fill(1, evil)',
    'push(evil, evilList)',
    'unshift(evilList)',
    'join(evil)',
    'indexOf(1, evil)',
    'entries().drop(1).map(step).toArray()',
  ],
  evilList: ['concat(list)', 'slice()', 'reverse()', 'sort(step)', 'includes(3)', 'at(-1)', 'keys().take(3).toArray()'],
}

const others: readonly string[] = [
  'new Uint8Array(buffer, evil)',
  'new DataView(buffer, evil, 4).getUint32(evil)',
  'new DataView(buffer).setFloat64(evil, evil)',
  'Reflect.construct(Uint32Array, [buffer, 0], target)',
  'Reflect.construct(Float64Array, [view], target)',
  'buffer.slice(evil, evil)',
  'buffer.transfer(evil)',
  'buffer.resize(evil)',
  'Object.assign([], evilList, view)',
  'JSON.stringify({ a: evilList, toJSON() { strike(); return evilList } }, (key, value) => (strike(), value))',
  "JSON.parse('[1,[2,[3]]]', function (key, value) { strike(); if (Array.isArray(this)) this.length = 0; return value })",
  "'abcabc'.replace(/b/g, () => (strike(), 'x'))",
  "/(a)|b/y[Symbol.replace]({ toString() { strike(); return 'aab' } }, () => evilList)",
  'Array.from({ length: 5, get 2() { strike(); return 1 } }, step)',
  'new Map([[1, 2], [3, 4]]).forEach((value, key, map) => { map.clear(); strike(); if (key < 9) map.set(key + 3, map) })',
  'new Set([1, 2]).union({ size: 2, has: () => (strike(), true), keys: () => generator() })',
  'new Proxy(list, { get(on, key) { strike(); return on[key] }, ownKeys() { strike(); return Reflect.ownKeys(list) } }).concat([1])',
  '(function (a, b) { const keep = () => a; delete arguments[0]; arguments.length = evil; strike(); return [keep(), ...arguments] })(view, list)',
  '[...generator()]',
  '(() => { const g = generator(); g.next(); g.return(evil) })()',
  '(async () => { for await (const each of endless()) { strike(); if (each > 1) break } })().catch(() => 0)',
  'Promise.all({ [Symbol.iterator]: () => generator() }).then(strike, strike)',
  'new FinalizationRegistry(strike).register({ self: view }, evilList)',
  'new WeakRef(generator()).deref()?.next()',
  'structure.left = structure; structure = { structure }',
  'class extends (strike(), Array) { static field = strike(); #own = view; at() { return super.at(evil) } }',
  'eval("(function () { strike(); return arguments })(1, 2)")',
  'Object.defineProperty(list, "length", { value: 3, writable: false })',
]

const prelude = `
let round = 0
let buffer, view, list, structure = {}
const kept = []
const renew = () => {
  buffer = new ArrayBuffer(SIZE, { maxByteLength: 4 * SIZE })
  view = new TYPE(buffer)
  list = Array.from({ length: 40 }, (_, index) => ({ index }))
}
const spray = () => { if (kept.length < 400) kept.push(new Uint8Array(SIZE).fill(0xa5), { kept: [kept.length] }) }
const strike = () => {
  round++
  if (round % 3 === PHASE) return
  try { switch ((round + PHASE) % 5) {
    case 0: buffer.resize(0); break
    case 1: buffer.resize(3 * SIZE); break
    case 2: list.length = 0; break
    case 3: buffer = buffer.transfer(SIZE); break
    default: renew() } } catch {}
  spray()
}
const evil = { valueOf() { strike(); return 1 }, toString() { strike(); return '1' } }
const step = (a, b) => { strike(); return a > b ? 1 : -1 }
const evilList = [1, , 3, evil]
Object.defineProperty(evilList, 1, { get() { strike(); return this.length }, configurable: true })
const target = (function () {}).bind()
Object.defineProperty(target, 'prototype', { get() { strike(); return TYPE.prototype } })
function* generator() { try { strike(); yield 1; yield* [2, evil] } finally { strike() } }
async function* endless() { let count = 0; try { for (;;) { yield count++; await strike() } } finally { await strike() } }
renew()
`

const types = ['Uint8Array', 'Int32Array', 'Float64Array', 'Uint16Array', 'Float32Array']

export function hostileScript(seed: number): string {
  let state = seed
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  const operation = (): string => {
    const on = pick(['view', 'list', 'evilList', undefined])
    return on === undefined ? pick(others) : `${on}.${pick(methods[on] as readonly string[])}`
  }
  const settings = { SIZE: String(pick([16, 64, 256, 4096])), TYPE: pick(types), PHASE: String(below(3)) }
  const head = Object.entries(settings).reduce((text, [name, value]) => text.replaceAll(name, value), prelude)
  const lines = Array.from({ length: 12 }, () => {
    const code = operation()
    return code.includes('structure.left') ? code : `try { kept.push(${code}) } catch {}\nif (round > 900) round = 0`
  })
  const judge = `for (const each of kept) {
  if (each instanceof Uint8Array && each.length === ${settings.SIZE} && each[0] === 0xa5 && !each.every((byte) => byte === 0xa5)) throw new Error('writes')
}`
  return [head, ...lines, judge].join('\n')
}
