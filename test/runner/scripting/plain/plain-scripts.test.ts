/**
 * Plain scripts: what is run without the engine comes out as in the engine, and what is not plain is declined.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts are texts here
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../../src/http-file/index.ts'
import { type PlainProgram, plainPrograms } from './plain-programs.ts'
import { type Answer, runInEngine, runPlain } from './two-ways.ts'

const knownBefore = (): Map<string, JsonValue> => new Map<string, JsonValue>([['old', { deep: [1] }]])

async function expectTheSame(code: string, answer?: Answer): Promise<void> {
  const [plainly, inEngine] = [knownBefore(), knownBefore()]
  const events = runPlain(code, plainly, answer)
  expect(events, 'declined').toBeDefined()
  expect(events).toEqual(await runInEngine(code, inEngine, answer))
  expect([...plainly]).toEqual([...inEngine])
}

describe('a plain script', () => {
  it.each([
    ["client.test('ok', function () {\n  client.assert(response.status === 200, 'not 200');\n});"],
    ["client.test('ok', () => client.assert(response.status === 200))"],
    ['client.test("a", () => {\n  const body = response.body\n  client.assert(body.id === 7)\n})\nclient.log(1)'],
    ['client.test(`id ${response.body.id}`, () => { client.assert(true) }); client.test("b", () => {})'],
    ['const json = response.body; client.global.set("id", json.id); client.log(client.global.get("id"))'],
    ['client.global.set("owner", response.body.owner); client.log(client.global.get("owner").id)'],
    ['client.global.set("old", null); client.log(client.global.get("old"), client.global.get("never"))'],
    ['client.log(client.global.get("old"), client.global.get("old").deep[0])'],
    ['client.global.set(1, 1 / 0); client.global.set("zero", -0)'],
    ['client.log(response.headers.valueOf("x-ONE"), response.headers.valueOf("none"))'],
    ['client.log(response.headers.valuesOf("X-One"), response.headers.valuesOf("X-One").length)'],
    ['client.log(response.contentType.mimeType, response.contentType.charset)'],
    ['client.log("a", 1, null, undefined, true, 1.5, 1000 === undefined)'],
    ['client.log(response.body.tags, response.body.tags[1], response.body.tags[2], response.body["name"])'],
    ['client.log(response.body.tags.includes("b"), [200, 201,].includes(response.status), response.body.length)'],
    ['client.log(response.body[0], response.body["0"], "text"[1], "text".length, "text"[9])'],
    [
      'client.log(response.body.missing, typeof response.body.missing, typeof response.body, typeof response.body.tags)',
    ],
    ['client.log(response.body.owner.hasOwnProperty("mail"), response.body.hasOwnProperty("x"))'],
    ['client.log("abc".startsWith("a"), "abc".endsWith("b"), "abc".indexOf("c"), "abc".includes(""))'],
    ['client.log(" A ".trim().toLowerCase(), "a".toUpperCase())'],
    ['client.log(1 + 2 * 3 - 4 / 8 % 3, (1 + 2) * 3, -(-1), 10 - 2 - 3, 2 * 3 % 4)'],
    ['client.log(1 < 2, 2 <= 2, "a" < "b", 3 > 4, 4 >= 4, 0 / 0 <= 1, 0 / 0 >= 1, !(1 > 2))'],
    ['client.log(1 == 1, "a" != "b", null == undefined, null === undefined, 0 == null, response.body.x == null)'],
    ['client.log(false || "b" && "c", 1 ? 2 : 3, 0 ? 1 : 0 ? 2 : 3)'],
    ['client.log("a" + 1 + null + undefined + true, 1 + 2 + "3")'],
    ['client.log(`${response.status} ${response.body.name}!`, `$${1}`, `a\n{b}`)'],
    ['if (response.status === 200) { client.log("yes") } else { client.log("no") }'],
    ['if (response.status > 200) { const a = 1; client.log(a) } else if (true) { const a = 2; client.log(a) }'],
    ['const a = 1; if (true) { client.test("t", () => { const b = 2; client.log(a + b) }) } client.log(a)'],
    ['if (true) { const j = 1; client.test("x", () => client.log(j)) } if (true) { const j = 2; client.log(j) }'],
    [
      'client.test("a", () => { const j = 1; client.test("b", () => client.log(j)) }); client.test("c", () => { const j = 2 })',
    ],
    ['client.test("a", () => { const j = 1; client.log(j) }); client.test("b", () => { const j = 2; client.log(j) })'],
    ['let a = 1 // one\n/* two\n */ let b = a\n;;client.log(b)'],
    ['client.log(JSON.stringify(response.body), JSON.parse("[1]")[0], JSON.stringify(undefined))'],
    ['console.log("x"); console.info("y")'],
    ["'use strict'; client.log('it')"],
    ['client.assert(response.body)'],
    // Functions with parameters, and loops.
    ['response.body.tags.forEach((tag) => client.log(tag))'],
    ['response.body.tags.forEach(function (tag, index) { client.log(index, tag); return 1 })'],
    ['client.log(response.body.tags.map(tag => tag + "!").join(", "), [].map(x => x), [[1, null], []].map(l => l[1]))'],
    [
      'client.log([1, 2, 3].filter((n) => n % 2 === 1).length, [1, 2].find((n) => n > 5), [1, 2].findIndex((n) => n > 1))',
    ],
    ['client.log([1, 2].some((n) => { if (n > 1) return true; return false }), [1, 2].every((n) => { return n }))'],
    ['client.log([[1, 2], [3]].map((list) => list.map((n) => { const twice = n * 2; return twice + list.length })))'],
    [
      '[1, 2].forEach((n) => client.test(`t${n}`, () => { const m = n * 10; client.log(n, m) })); const n = 9; client.log(n)',
    ],
    ['for (const tag of response.body.tags) { const text = `<${tag}>`; client.test(text, () => client.log(text)) }'],
    ['for (const a of [1, 2]) for (const b of [3]) client.log(a * b)\nclient.log("end")'],
    ['for (const a of [1, 2]) { if (a > 1) { client.log("last"); return; } client.log(a) } client.log("never")'],
    [
      'client.test("a", () => { for (const x of [1, 2]) return; client.log("never") }); client.log([1].map((x) => { return }))',
    ],
    ['const f = [1, 2].map((x, i) => `${[x].map(y => y + i).join("-")}`); client.log(f)'],
    ['if (response.body.id === 7) return\nclient.log("never")'],
    ['client.log([3, 4].map((value) => { client.log(value); return [value].map((value) => -value) }))'],
    // `var`, short branches, and operators that stop at null.
    [
      'var json = response.body; client.test("v", function () { var id = json.id; client.log(id) }); var last = json.name; client.log(last)',
    ],
    ['if (response.status === 200) client.log("yes"); else client.log("no")'],
    ['if (0) client.log(1)\nelse if (1) client.log(2)\nelse client.log(3)'],
    ['if (1) if (0) client.log(1); else client.log(2)'],
    ['if (1); client.log(1)'],
    ['client.log(response.body?.owner?.mail?.address, response.body?.missing?.deep.er[0].x(1), response.body?.["id"])'],
    ['client.log((null ?? undefined) ?? 0 ?? 1, null ?? 1, 0 ?? 1, "a"?.length, null ?? (0 || 2), 1 ? null ?? 3 : 4)'],
    // Functions and methods of the language.
    [String.raw`client.log("a\n\t\r\\\"\'", 'it\'s "', "\\n".length, 'b'); client.log("\\")`],
    [
      'client.log(Array.isArray(response.body), Array.isArray(response.body.tags), Array.isArray("a"), Array.isArray(null))',
    ],
    [
      'client.log(Number("12"), Number(""), Number(" 0x1F "), Number("x"), Number(null), Number(undefined), Number(true))',
    ],
    [
      'client.log(String(12), String(null), String(-0), String("a"), Boolean(""), Boolean("0"), Boolean(response.body))',
    ],
    [
      'client.log(parseInt("12px", 10), parseInt("0x1F"), parseInt("0x1F", 10), parseInt(""), parseFloat("1.5e3x"), parseInt(7.9))',
    ],
    ['client.log(Object.keys(response.body), Object.keys(["a"]), Object.keys(response.body).length)'],
    [
      'client.log("a,b,,c".split(","), "abc".split(""), "abc".split("x")[0], "/items/7".substring("/items/7".lastIndexOf("/") + 1))',
    ],
    [
      'client.log("abc".slice(-1), "abc".slice(1, 2), "abc".substring(2, 0), "a-b-a".replace("a", "c$&$$"), "abc".replace("b", "$$ $1 $`"), "x".toString())',
    ],
    [
      'client.log([1, null, undefined, "a", true].join("; "), [1, 2].indexOf(2), ["a"].indexOf("b"), [0 / 0].includes(0 / 0))',
    ],
    [''],
    ['// nothing'],
  ])('gives the same result as the engine: %s', (code) => expectTheSame(code))

  it('has the body as text if it is text', () =>
    expectTheSame('client.log(response.body, response.body.length)', { mimeType: 'text/plain', body: '\ufeffZoë' }))

  it('gets text with NUL complete', () =>
    expectTheSame('client.log(response.body.length, response.body)', { mimeType: 'text/plain', body: 'a\0b\ud83e' }))

  it('may have CRLF', () => expectTheSame('client.log(1)\r\nclient.log(2) // x\r\nclient.log(3)'))

  it('sets no variable if it is declined in the middle', () => {
    const globals = knownBefore()
    expect(runPlain('client.global.set("a", 1); client.assert(false)', globals)).toBeUndefined()
    expect([...globals]).toEqual([...knownBefore()])
  })
})

describe('a script is declined', () => {
  it.each([
    // The engine reports failures.
    ['client.test("a", () => client.assert(response.status === 404))'],
    ['client.assert(false)'],
    ['client.log(response.body.missing.name)'],
    ['client.test("a")'],
    ['JSON.parse("{")'],
    ['client.log(unknown)'],
    // Code that uses more than data.
    ['client.log(response.body.constructor)'],
    ['client.log(response.body.__proto__)'],
    ['client.log("a".constructor.constructor("return 1"))'],
    ['client.log([].map)'],
    ['client.log([]["constructor"])'],
    ['client.constructor("x")'],
    ['client.log(response.body.toString())'],
    ['client.log(client)'],
    ['client.test'],
    ['client["test"]("a", () => {})'],
    ['globalThis.x'],
    ['hasOwnProperty("a")'],
    // Code that means something else than it seems.
    ['client.log(--1)'],
    ['client.log(1)<!-- comment'],
    ['client.log(010)'],
    ['client.log(1 ?? 2 || 3)'],
    ['client.log(1 && 2 ?? 3)'],
    ['client.log`a`'],
    ['client.log(1)\n`a`'],
    ['client.log(1)\n(client.log(2))'],
    ['const a = 1\nconst a = 2'],
    ['client.log(a); const a = 1'],
    ['const x = 1; client.test("a", () => { client.log(x); const x = 2 })'],
    ['const x = 1; if (true) { client.test("a", () => client.log(x)); const x = 2 }'],
    ['const client = 1'],
    ['const response = response'],
    ['let a'],
    ['const await = 1'],
    ['client.log(1) client.log(2)'],
    ['client.log(1,,2)'],
    ['client.log([1,,2])'],
    ['client.log("\\u0041")'],
    [String.raw`client.log("a\x")`],
    [String.raw`client.log("a\0")`],
    ['client.log("a\\\nb")'],
    ['client.log(1) // \u2028client.log(2)'],
    ['if (true) const a = 1'],
    ['if (true) var a = 1'],
    ['if (true) { var a = 1 } client.log(a)'],
    ['var a = 1; var a = 2; client.log(a)'],
    ['client.log(a); var a = 1'],
    ['client.test("a", () => { client.log(b) }); var b = 1'],
    ['for (const x of x.items) client.log(x)'],
    ['const x = [1]; for (const x of x) client.log(x)'],
    ['[1].map((x, x) => x)'],
    ['[1].map((x) => { const x = 2; return x })'],
    ['[1].map((Number) => Number(1))'],
    ['const Array = 1'],
    ['client.log(1 ?? 2 && 3)'],
    ['client.log(response.body?.1)'],
    ['client.log(Number`1`)'],
    ['client.log([1, [2]].join(","))'],
    ['client.log([{}].includes(1))'],
    ['client.log(["10", "10"].map(parseInt))'],
    ['client.log([1].map((a, b, c) => c))'],
    ['client.test("a", (done) => done())'],
    ['client.log([1].map(() => client))'],
    ['client.log([1].map((x)\n=> x))'],
    ['true || () => 1'],
    ['client.log("Ä".toLowerCase())'],
    ['client.log(1 == "1", [] == 0)'],
    ['client.log({} === {})'],
    ['client.log(response.body.tags === response.body.tags)'],
    // Code that may take long, or wait.
    ['for (;;);'],
    ['while (true) {}'],
    ['const f = () => f(); f()'],
    ['client.test("a", async () => {})'],
    ['await 1'],
    ['client.exit()'],
    ['setTimeout(() => {}, 1)'],
    ['for (let i = 0; i < 3; i++) client.log(i)'],
    ['for (const key in response.body) client.log(key)'],
    ['for (const x of [1, 2]) { if (x) continue; client.log(x) }'],
    ['for (const letter of "ab") client.log(letter)'],
    ['import a from "./a.js"'],
    ['client.log("text"["01"])'],
    ['client.log([].reduce((a, b) => a))'],
    // Code that ends elsewhere than it seems.
    ['client.test("a", ()\n=> {})'],
    ['if (true) { client.log(`${1 // }`); client.log("a")\n}\n// `)}\n'],
    ['client.log(1) /* no end'],
    // Names of the engine's own program.
    ['const $httpcliCompare = 1'],
  ])('%s', (code) => {
    const globals = knownBefore()
    expect(runPlain(code, globals)).toBeUndefined()
    expect([...globals]).toEqual([...knownBefore()])
  })

  it.each([
    ['many brackets', `client.log(${'('.repeat(200)}1${')'.repeat(200)})`],
    ['many signs', `client.log(${'!'.repeat(4000)}1)`],
    ['a text that grows', `const a = "${'x'.repeat(40_000)}"; client.log(a + a)`],
    ['a long code', ' '.repeat(2 ** 16 + 1)],
    ['comments that do not end', '/*'.repeat(2 ** 15)],
  ])('with %s', (_what, code) => {
    expect(runPlain(code, new Map())).toBeUndefined()
  })

  it.each([
    ['a document', { mimeType: 'text/html', body: '<p>' }],
    ['invalid JSON', { body: '{' }],
    ['another charset', { mimeType: 'text/plain; charset=iso-8859-1', body: 'a' }],
    ['a large body', { mimeType: 'text/plain', body: 'a'.repeat(2 ** 20 + 1) }],
    ['bytes that are not text', { mimeType: 'application/octet-stream', body: 'a' }],
    ['JSON that is deep', { body: '['.repeat(1001) + ']'.repeat(1001) }],
  ])('if it uses %s', (_what, answer) => {
    expect(runPlain('client.log(response.body)', new Map(), answer)).toBeUndefined()
  })
})

describe('a plain script is bounded', () => {
  const times = (count: number, statement: string): string => `${statement}\n`.repeat(count)
  const long = { mimeType: 'text/plain', body: 'x'.repeat(60_000) }
  it.each([
    ['writes', times(40, 'client.log(response.body)'), long],
    ['sets', times(40, 'client.global.set("a", response.body)'), long],
    ['names tests', times(40, 'client.test(response.body, () => {})'), long],
    ['writes as JSON', times(40, 'JSON.stringify(response.body)'), long],
    [
      'reads as JSON',
      times(3, 'JSON.parse(response.body)'),
      { mimeType: 'text/plain', body: ' '.repeat(2 ** 20 - 1) + 1 },
    ],
    ['searches', 'response.body.includes("b" + response.body[0] + response.body)', long],
    [
      'goes through lists',
      'const list = JSON.parse(response.body); list.forEach((a) => list.forEach((b) => a + b))',
      { mimeType: 'text/plain', body: JSON.stringify(Array.from({ length: 200 }, () => 1)) },
    ],
    [
      'repeats',
      'const list = JSON.parse(response.body); for (const a of list) for (const b of list) a + b',
      { mimeType: 'text/plain', body: JSON.stringify(Array.from({ length: 200 }, () => 1)) },
    ],
    [
      'makes texts',
      `const list = JSON.parse(response.body); list.map((a) => "${'x'.repeat(30_000)}" + a)`,
      { mimeType: 'text/plain', body: JSON.stringify(Array.from({ length: 100 }, () => 1)) },
    ],
  ])('by how much it %s', (_what, code, answer) => {
    expect(runPlain(code, new Map(), answer)).toBeUndefined()
  })

  it('by the stack, for a deeply nested variable', () => {
    let deep: JsonValue = []
    for (let depth = 0; depth < 50_000; depth++) deep = [deep]
    expect(runPlain('client.log(client.global.get("deep"))', new Map([['deep', deep]]))).toBeUndefined()
  })
})

describe('any script of simple statements', () => {
  const words = (
    'client . log ( ) ; ( ) test assert response status body id === 200 "a" `b${1}` const let x y = [ ] , 1 2 + - * ! ' +
    '&& || ?? ?. ? : if else { } () => function typeof null undefined tags 0 . global set get z var of Number ( \n \n < == true JSON stringify'
  ).split(' ')
  const pieces = [
    'client.log(x)',
    'const x = ',
    'const y = x',
    'client.test("t", () => ',
    'client.test("u", function () {',
    '})',
    '\n',
    ';',
    'if (x) {',
    '} else {',
    '}',
    'client.assert(',
    'response.body.tags',
    '.forEach((y) => ',
    '.map(function (x, y) { return ',
    'for (const y of ',
    'var z = ',
    'return',
    'client.global.set("x", ',
    ...words,
  ]

  it('is declined, or gives the same result as the engine', async () => {
    let agreed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), async (chosen) => {
        const code = chosen.join(' ')
        const [plainly, inEngine] = [knownBefore(), knownBefore()]
        const events = runPlain(code, plainly)
        if (events === undefined) return
        agreed++
        expect(events).toEqual(await runInEngine(code, inEngine))
        expect([...plainly]).toEqual([...inEngine])
      }),
      { numRuns: 3000 },
    )
    expect(agreed).toBeGreaterThan(50)
  })
})

it('any nearly plain program is declined, or gives the same result as the engine', async () => {
  let agreed = 0
  const run = async ({ code, globals, ...answer }: PlainProgram): Promise<void> => {
    const [plainly, inEngine] = [new Map(Object.entries(globals)), new Map(Object.entries(globals))]
    const events = runPlain(code, plainly, answer)
    if (events === undefined) return
    agreed++
    expect(events).toEqual(await runInEngine(code, inEngine, answer))
    // As text: the order of members counts.
    expect(JSON.stringify([...plainly])).toBe(JSON.stringify([...inEngine]))
  }
  await fc.assert(fc.asyncProperty(plainPrograms, run), { numRuns: 2000 })
  expect(agreed).toBeGreaterThan(100)
}, 120_000)
