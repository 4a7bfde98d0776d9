/** The manual page says what the help says, and every reader of manual pages can read it. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { manPage, manPages, releaseDate } from '../../scripts/man-page.ts'
import { commands } from '../../src/cli/options/option-table.ts'

const file = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const { version } = JSON.parse(readFileSync(file('package.json'), 'utf8')) as { version: string }
const page = manPage(version, releaseDate(version, readFileSync(file('CHANGELOG.md'), 'utf8')))

const pages = [...manPages(version, releaseDate(version, readFileSync(file('CHANGELOG.md'), 'utf8')))]

const run = (program: string, words: readonly string[], input: string = page) =>
  spawnSync(program, words, { input, encoding: 'utf8' })
const has = (program: string): boolean => run(program, program === 'mandoc' ? ['-Tlint'] : ['-v']).error === undefined

describe('the manual page', () => {
  it.each(pages)('%s matches the option table: run "npx tsx scripts/generate-man-page.ts"', (name, text) => {
    expect(readFileSync(file(`man/${name}`), 'utf8')).toBe(text)
  })

  it('of each sub-command is installed with the package', () => {
    const { man } = JSON.parse(readFileSync(file('package.json'), 'utf8')) as { man: readonly string[] }
    expect([...man].sort()).toEqual(pages.map(([name]) => `./man/${name}`).sort())
    expect(readdirSync(file('man')).sort()).toEqual(pages.map(([name]) => name).sort())
  })

  it.skipIf(!has('groff')).each(pages)('%s passes groff', (_name, text) => {
    expect(run('groff', ['-man', '-ww', '-Tutf8'], text).stderr).toBe('')
  })

  it.skipIf(!has('mandoc'))('passes mandoc', () => {
    const { stdout, stderr } = run('mandoc', ['-Tlint', '-W', 'warning'])
    // A date comes with the release.
    expect((stdout + stderr).split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([])
  })

  it.skipIf(!has('groff'))('passes groff', () => {
    expect(run('groff', ['-man', '-ww', '-Tutf8']).stderr).toBe('')
  })

  it.skipIf(!has('mandoc'))('shows every option of every sub-command as the user types it', () => {
    const shown = run('mandoc', ['-Tascii', '-O', 'width=200']).stdout.replace(/.\x08/g, '')
    for (const { options } of commands)
      for (const { long } of options) expect(shown).toMatch(new RegExp(`--${long}\\b`))
  })

  it('keeps a backslash, a leading dot and a quote in a text unchanged', () => {
    expect(manPage('\\n', '')).toContain('"httpcli \\en"')
  })
})

it.each([
  ['## [2.0.0] - 2026-12-01', '2026-12-01'],
  ['## [2.0.0] - unreleased', ''],
  ['## [2.0.1] - 2026-12-01', ''],
])('the heading "%s" of the changelog gives the date "%s"', (heading, date) => {
  expect(releaseDate('2.0.0', `# Changelog\n\n${heading}\n`)).toBe(date)
})
