/** The table of daily tasks in the documents: its commands work, and are as short as it is claimed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const page = readFileSync(new URL('../../docs/migrating-from-curl.md', import.meta.url), 'utf8')
const [, table = ''] = /^## Daily tasks\n([\s\S]*?)^## /m.exec(page) ?? []
const tasks = table.split('\n').flatMap((line) => {
  const [ours, httpie, curl] = [...line.matchAll(/`([^`]+)`/g)].map(([, command]) => command)
  return ours === undefined || httpie === undefined || curl === undefined ? [] : [{ ours, httpie, curl }]
})
/** Characters of all commands of a tool. */
const keystrokes = (tool: 'ours' | 'httpie' | 'curl'): number => tasks.reduce((sum, row) => sum + row[tool].length, 0)

describe('the daily tasks', () => {
  it('are nine', () => expect(tasks).toHaveLength(9))

  it.each(tasks)('$ours', async ({ ours }) => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'a.png'), 'image')
    const { code, stderr, stdout } = await runCommand([...ours.split(' ').slice(1), '--offline'], { cwd })
    expect([code, stderr.toString()]).toEqual([0, ''])
    expect(stdout.toString()).toMatch(/^(?:GET|POST|PUT) \/\S* HTTP\/1\.1\r\n/)
  })

  it('take at most half the keystrokes of curl with a one-letter alias', () => {
    const saved = tasks.length * ('httpcli'.length - 'h'.length)
    expect(keystrokes('ours') - saved).toBeLessThanOrEqual(0.5 * keystrokes('curl'))
  })

  it('take at most a quarter more keystrokes than with HTTPie, and far fewer than with curl', () => {
    expect(keystrokes('ours')).toBeLessThanOrEqual(1.25 * keystrokes('httpie'))
    expect(keystrokes('ours')).toBeLessThanOrEqual(0.61 * keystrokes('curl'))
  })
})
