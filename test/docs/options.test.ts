/** The pages of sub-commands have every option, and no page has an option of httpcli that is not there. */
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/options/option-table.ts'
import { pageAt, pages } from '../helpers/document.ts'

/** Options that every sub-command has, documented once. */
const common = new Set(['help', 'debug'])

const otherPages: Readonly<Record<string, string>> = { completion: 'docs/help.md', report: 'docs/reports.md' }
const pageOf = (command: string): string => otherPages[command] ?? `docs/${command}.md`

const described = commands
  .map(({ name, options }) => ({ name, options: options.filter(({ long }) => !common.has(long)) }))
  .filter(({ options }) => options.length > 0)

describe.each(described)('the page of $name', ({ name, options }) => {
  const text = pages.find(({ path }) => path === pageOf(name))?.text ?? ''
  /** The option as the page has it, not as a part of another one. */
  const found = (option: string): string | undefined => new RegExp(`(?<![\\w-])${option}(?![\\w-])`).exec(text)?.[0]

  it.each(options.map(({ long, short }) => [long, short] as const))('explains --%s', (long, short) => {
    expect(found(`--${long}`)).toBe(`--${long}`)
    if (short !== undefined) expect(found(`-${short}`)).toBe(`-${short}`)
  })
})

describe('docs/serve.md', () => {
  const { options } = commands.find(({ name }) => name === 'serve')!
  const rows = options.flatMap(({ long, description }) => {
    const row = new RegExp(`^\\| \`--${long} <\\w+>\` \\| (\\S+) \\|`, 'm').exec(pageAt('docs/serve.md').text)
    return row === null ? [] : [{ long, shown: row[1], inHelp: /Default (\S+)\.$/.exec(description)?.[1] }]
  })

  it.each(rows)('gives the same default for --$long as the help', ({ shown, inHelp }) => {
    expect(shown).toBe(inHelp)
  })
})

describe('an option in a page', () => {
  const known = new Set(['version', 'help', ...commands.flatMap(({ options }) => options.map(({ long }) => long))])

  it.each(pages.filter(({ path }) => path.includes('migrating')))('exists: $path', ({ text }) => {
    const named = oursIn(text).flatMap((cell) => [...cell.matchAll(/(?<=`[^`]*)--([a-z][\w-]+)(?=[^`]*`)/g)])
    expect(named.map(([, long = '']) => long).filter((long) => !known.has(long))).toEqual([])
  })
})

/** The cells of all columns whose title speaks of httpcli. */
function oursIn(text: string): readonly string[] {
  const cells = (row: string): readonly string[] => row.slice(2, -2).split(' | ')
  return [...text.matchAll(/(?:^\|.*\|\n)+/gm)].flatMap(([table]) => {
    const [head = [], , ...rows] = table.trimEnd().split('\n').map(cells)
    return rows.flatMap((row) => row.filter((_, column) => head[column]?.includes('httpcli')))
  })
}
