import { describe, expect, it } from 'vitest'
import { draftOf } from '../../../src/convert/draft/draft.ts'
import { namesSet } from '../../../src/convert/script/set-variables.ts'

describe('variables that a conversion sets', () => {
  it.each([
    ['a call', 'client.global.set("token", 1)', ['token']],
    ['several calls', 'client.global.set("a", 1); if (x) { client.global.set(`b`, 2) }', ['a', 'b']],
    ['an escape in the name', 'client.global.set("to\\u006ben", 1)', ['token']],
    ['a comment', '// client.global.set("token", 1)', []],
    ['a text', 'client.log(\'client.global.set("token", 1)\')', []],
    ['another object', 'my.client.global.set("token", 1)', []],
    ['a computed name', 'client.global.set(name, 1)', []],
  ])('are found in scripts: %s', (_, code, names) => {
    expect(namesSet([], [code])).toEqual(new Set(names))
    expect(namesSet([draftOf({ url: '', handlers: [code] })], [])).toEqual(new Set(names))
  })

  it('include captures', () => {
    const draft = draftOf({ url: '', tags: [{ name: 'capture', value: 'id = jsonpath "$.id"' }] })
    expect(namesSet([draft], [])).toEqual(new Set(['id']))
  })
})
