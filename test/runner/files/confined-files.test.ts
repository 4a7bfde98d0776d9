/** Files that are opened below a root while another process exchanges a directory of their path for a link. */
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HttpcliError } from '../../../src/message/index.ts'
import { ConfinedOutput } from '../../../src/runner/files/confined-output.ts'
import { exchangeLinks } from '../../helpers/exchanged-links.ts'
import { filesBelow } from '../../helpers/file-root.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

function directories(): { readonly root: string; readonly outside: string } {
  const base = realpathSync(temporaryDirectory())
  const [root, outside] = [join(base, 'root'), join(base, 'outside')]
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, 'x'), 'outside')
  return { root, outside }
}

/** What happened how often: the result of the action, or the code of its error. */
async function tally(times: number, action: (count: number) => string | Promise<string>): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let count = 0; count < times; count++) {
    let outcome: string
    try {
      outcome = await action(count)
    } catch (error) {
      if (!(error instanceof HttpcliError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error
      outcome = (error as { readonly code: string }).code
    }
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return counts
}

describe('a directory that is replaced by a link meanwhile', () => {
  it('never lets a file outside be read', async () => {
    const { root, outside } = directories()
    const files = filesBelow(root)
    const exchange = await exchangeLinks(root, outside, { x: 'inside' })
    const counts = await tally(10_000, () => files.read(join(root, 'door/x')).toString())
    await exchange.stop()
    expect(counts.get('outside')).toBeUndefined()
    expect(counts.get('inside')).toBeGreaterThan(0)
    expect(counts.get('outside-file-root')).toBeGreaterThan(0)
  })

  it('never lets a file outside be written', async () => {
    const { root, outside } = directories()
    const files = filesBelow(root)
    mkdirSync(join(outside, 'a'))
    const exchange = await exchangeLinks(root, outside, { 'a/.keep': '' })
    const counts = await tally(1500, async (count) => {
      const output = await ConfinedOutput.open(
        join(root, 'door', `${count % 2 === 0 ? 'a/' : ''}${count}`),
        true,
        files,
      )
      await output.complete()
      return 'written'
    })
    await exchange.stop()
    expect(readdirSync(outside, { recursive: true })).toEqual(['a', 'x'])
    expect(counts.get('written')).toBeGreaterThan(0)
    expect(counts.get('outside-file-root')).toBeGreaterThan(0)
  })
})
