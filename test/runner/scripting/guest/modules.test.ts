/** Modules that scripts import: found, bound, kept for later scripts, and what goes wrong with them. */
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ThreadEngine } from '../../../../src/runner/scripting/thread/thread-engine.ts'
import { directoryWith } from '../../../helpers/temporary-directory.ts'
import { logsOf, type Outcome, runScript } from '../running-scripts.ts'

let directory: ReturnType<typeof directoryWith>
let engine: ThreadEngine

beforeAll(() => {
  directory = directoryWith({
    'util.js': 'export let count = 0\nexport function next() { return ++count }\nexport default "standard"\n',
    'lib/deep.mjs': 'import { next } from "../util"\nexport const twice = () => next() + next()\n',
    'data.json': '{"a": [1, 2]}',
    'broken.json': '{',
    'a.js': 'import { b } from "./b"\nexport const a = () => "a" + b()\n',
    'b.js': 'import { a } from "./a"\nexport const b = () => "b" + typeof a\n',
    'throws.js': 'export const x = 1\n\nnull.x\n',
    'syntax.js': 'export const x = ;\n',
    'fails.js': 'export function check(value) {\n  client.assert(value === 1, "not one")\n}\n',
    'bom.js': '\ufeffexport const x = "bom"\r\nexport const y = 2',
    'waits.js': 'await sleep(2)\nexport const x = "waited"\n',
    'loops.js': 'for (;;) {}',
  })
})
beforeEach(() => {
  engine = new ThreadEngine()
})
afterAll(() => directory.remove())

const settings = (): { readonly path: string; readonly engine: ThreadEngine } => ({
  path: join(directory.path, 'a.http'),
  engine,
})
const logs = (code: string): Promise<string[]> => logsOf(code, settings())
const run = (code: string): Promise<Outcome> => runScript(code, settings())

describe('a script imports', () => {
  it.each<[string, string, string]>([
    ['a name', 'import { next } from "./util"; client.log(next())', '1'],
    ['a name by another', "import { next as n } from './util.js'\nclient.log(n())", '1'],
    ['the default', 'import standard from "./util"; client.log(standard)', 'standard'],
    ['the default and names', 'import s, { next } from "./util"; client.log(s, next())', 'standard 1'],
    ['the whole module', 'import * as util from "./util"; client.log(util.next(), util.default)', '1 standard'],
    ['the default and the whole module', 'import s, * as u from "./util"; client.log(s, u.count)', 'standard 0'],
    ['over several lines', 'import {\n  next,\n  count, // behind\n} from "./util"\nclient.log(next(), count)', '1 1'],
    ['what imports others', 'import { twice } from "./lib/deep.mjs"; client.log(twice())', '3'],
    ['JSON', 'import data from "./data.json"; client.log(data.a[1])', '2'],
    ['JSON with its type said', 'import data from "./data.json" with { type: "json" }; client.log(data.a[0])', '1'],
    ['modules that import each other', 'import { a } from "./a"; client.log(a())', 'abfunction'],
    ['for what it does', 'import "./util"\nclient.log(1)', '1'],
    ['later', 'const { next } = await import("./util"); client.log(next())', '1'],
    ['a file with a byte order mark', 'import { x, y } from "./bom"; client.log(x, y)', 'bom 2'],
    ['a module that waits', 'import { x } from "./waits"; client.log(x)', 'waited'],
    ['after a use', 'client.log(next())\nimport { next } from "./util"', '1'],
    [
      'nothing in a comment',
      '// import x from "./none"\n/* import y from "./none" */ client.log("import z from 1")',
      'import z from 1',
    ],
  ])('%s', async (_, code, text) => {
    expect(await logs(code)).toEqual([text])
  })

  it('names that are live bindings of the module', async () => {
    expect(await logs('import { count, next } from "./util"; next(); next(); client.log(count)')).toEqual(['2'])
  })

  it('in a common block, for every script', async () => {
    const common = ['import { next } from "./util"\nconst one = 1']
    expect(await logsOf('client.log(next(), one)', { ...settings(), common })).toEqual(['1 1'])
  })
})

describe('a module keeps its state', () => {
  it('for later scripts, while global names are lost', async () => {
    const code = 'import { next } from "./util"; client.log(next(), typeof left); globalThis.left = 1'
    expect(await logs(code)).toEqual(['1 undefined'])
    expect(await logs('client.log(typeof left)')).toEqual(['undefined'])
    expect(await logs(code)).toEqual(['2 undefined'])
    expect(await logs('import { twice } from "./lib/deep.mjs"; client.log(twice())')).toEqual(['7'])
  })

  it('even if tests changed it', async () => {
    await run('import { next } from "./util"; client.test("a", () => { next() })')
    expect(await logs('import { count } from "./util"; client.log(count)')).toEqual(['1'])
  })

  it('from a script before the request to its handler, which sees its response', async () => {
    const code = 'import { next } from "./util"; client.log(next(), typeof response)'
    expect(await logsOf(code, { ...settings(), phase: 'pre-request' })).toEqual(['1 undefined'])
    expect(await logs(code)).toEqual(['2 object'])
    expect(await logsOf(code, { ...settings(), phase: 'pre-request' })).toEqual(['3 undefined'])
  })

  it('even if scripts needed much memory', async () => {
    await logs('import { next } from "./util"; next()')
    await logs('const a = new Uint8Array(15e6); a.fill(1)')
    await logs('import { next } from "./util"; next(); new Uint8Array(15e6).fill(1)')
    expect(await logs('import { count } from "./util"; client.log(count)')).toEqual(['2'])
  })

  it('after many scripts, in constant memory', async () => {
    const code = 'import { next } from "./util"; next()'
    for (let i = 0; i < 200; i++) await run(code)
    expect(await logs('import { count } from "./util"; client.log(count)')).toEqual(['200'])
  })
})

describe('an import error', () => {
  it.each<[string, string, object]>([
    [
      'no such file',
      'client.log(1)\n  import { x } from "./none"',
      { message: expect.stringContaining('"./none"'), line: 2, column: 3 },
    ],
    [
      'a name that is not a path',
      'import x from "lodash"',
      { message: expect.stringContaining('expected the path'), line: 1 },
    ],
    [
      'a module of the platform',
      'import fs from "node:fs"',
      { message: expect.stringContaining('"node:fs"'), line: 1 },
    ],
    [
      'a name that is not exported',
      'import { nope } from "./util"',
      { message: expect.stringContaining('"nope"'), line: 1 },
    ],
    ['invalid JSON', 'import x from "./broken.json"', { message: expect.stringContaining('broken.json'), line: 1 }],
  ])('%s is reported at its place', async (_, code, failure) => {
    const { failures, events } = await run(code)
    expect(failures).toMatchObject([{ kind: 'error', ...failure }])
    expect(events).toEqual([])
  })

  it.each<[string, string, string, object]>([
    ['that throws', 'import "./throws"', 'throws.js', { line: 3 }],
    [
      'with an error of syntax',
      'import "./syntax"',
      'syntax.js',
      { line: 1, message: expect.stringContaining('Syntax') },
    ],
    [
      'in which an assertion fails',
      'import { check } from "./fails"; check(2)',
      'fails.js',
      { kind: 'assertion', line: 2 },
    ],
  ])('a module %s is reported at the place in the module', async (_, code, file, failure) => {
    const { failures } = await run(code)
    expect(failures).toMatchObject([{ module: join(directory.path, file), ...failure }])
  })

  it('a module that loops is stopped, and the next script runs', async () => {
    const limits = { timeoutMs: 100, memoryBytes: 32 * 1024 * 1024 }
    const { failures } = await runScript('import "./loops"', { ...settings(), limits })
    expect(failures).toMatchObject([{ kind: 'timeout' }])
    expect(await logs('client.log(1)')).toEqual(['1'])
  })
})
