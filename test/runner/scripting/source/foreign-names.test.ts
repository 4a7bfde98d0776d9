/** Scripts with names of other tools: the error says what to write. */
import { describe, expect, it } from 'vitest'
import { runText } from '../../running.ts'

async function hintsFor(code: string): Promise<readonly (string | undefined)[]> {
  const { events } = await runText(`< {%\n${code}\n%}\nGET http://127.0.0.1:9/\n`)
  return events.flatMap((event) =>
    event.type === 'script-failed' || event.type === 'test-failed' ? [event.error.hint] : [],
  )
}

describe('a name of another tool', () => {
  it.each([
    ["pm.test('a', () => {})", 'It belongs to Postman'],
    ["bru.setVar('a', 1)", 'It belongs to Bruno'],
    ["client.test('a', () => expect(1).toBe(1))", 'client.assert('],
    ["const fs = require('fs')", 'an import of names'],
    ["await fetch('http://h/')", '"run #name"'],
    ['client.log(process.env.HOME)', '$env.NAME'],
    ['exports.a = 1', 'client.global.set('],
    ["request.headers.get('A')", 'request.headers.findByName("name")'],
  ])('has a hint: %s', async (code, hint) => {
    expect(await hintsFor(code)).toEqual([expect.stringContaining(hint)])
  })

  it('that a script defines has none, and neither has an unknown one', async () => {
    expect(await hintsFor('const pm = {}\npm.test()')).toEqual([undefined])
    expect(await hintsFor('nope()')).toEqual([undefined])
    expect(await hintsFor('constructor.nope.x')).toEqual([undefined])
  })
})
