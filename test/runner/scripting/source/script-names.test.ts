/** The variables that scripts set, as `check` and the language server see them. */
import { describe, expect, it } from 'vitest'
import { namesSetIn } from '../../../../src/runner/scripting/source/script-names.ts'

describe('the names that a script sets', () => {
  it.each([
    ['client.global.set("a", 1); client . variables.file . set(`b`, 2)', ['a', 'b'], []],
    ['request.variables.set("a", 1); client.variables.request.set("b", 2)', [], ['a', 'b']],
    ['const v = client.global; v.set("a", 1)', ['a'], []],
    ['client?.global?.set("a", 1)', ['a'], []],
    ['given.set("a", 1); request.headers.set("X", 1); client.global.get("b"); new Map().set("c", 1)', ['a'], []],
    ['log(`$' + '{client.global.set("a", 1)}`)', ['a'], []],
    ['// client.global.set("a", 1)\nlog("client.global.set(\'b\', 1)"); /client.global.set("c", 1)/', [], []],
  ])('in %s', (code, names, requestNames) => {
    const found = namesSetIn(code)
    expect([[...found.names], [...found.requestNames], found.hasComputed]).toEqual([names, requestNames, false])
  })

  it.each([
    'client.global.set(name, 1)',
    'client.global.set("a" + 1, 1)',
    'const { file } = client.variables; file.set(name, 1)',
    'const v = request.variables\nv.set(name, 1)',
  ])('may be any in %s', (code) => {
    expect(namesSetIn(code).hasComputed).toBe(true)
  })

  it.each(['map.set(key, 1)', 'client.global.get(name)', 'client.global.set()'])('are none in %s', (code) => {
    expect(namesSetIn(code)).toMatchObject({ names: new Set(), hasComputed: false })
  })

  it('may be any after text that cannot be parsed', () => {
    const { names, hasComputed } = namesSetIn(
      'client.global.set("a", 1); if (a) /"/.test(b); client.global.set("c", 1)',
    )
    expect([...names, hasComputed]).toEqual(['a', true])
  })
})
