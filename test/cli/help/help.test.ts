/** The help is made from the option table and fits on a terminal of any width. */
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/cli/frame/exit-codes.ts'
import { helpOn, shortHelp } from '../../../src/cli/help/help.ts'
import { helpTopics } from '../../../src/cli/help/help-topics.ts'
import { commands } from '../../../src/cli/options/option-table.ts'

const topics = [undefined, ...commands.map(({ name }) => name), ...helpTopics.map(({ name }) => name)]
const pages = [
  ['httpcli', shortHelp] as const,
  ...topics.map((topic) => [`httpcli help ${topic ?? ''}`, (columns: number) => helpOn(topic, columns)] as const),
]

/** A word that is wider than the page is alone on its line. */
const isWiderThan = (columns: number) => (line: string) =>
  line.length > columns && line.trim().replace(/ \\$/, '').includes(' ')

describe.each(pages)('the text of "%s"', (_title, text) => {
  it.each([40, 60, 80, 100])('fits into %i columns, without trailing blanks', (columns) => {
    const lines = text(columns).split('\n')
    expect(lines.filter((line) => isWiderThan(columns)(line) || / $/.test(line))).toEqual([])
  })

  it('is at most 80 columns wide for a width of 80, for any words', () => {
    expect(
      text(80)
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([])
  })

  it('ends with one newline', () => {
    expect(text(80)).toMatch(/[^\n]\n$/)
  })
})

describe.each(commands)('the help of $name', (command) => {
  const text = helpOn(command.name, 80)

  it('begins with its usage, followed by examples', () => {
    expect(text).toMatch(new RegExp(`^Usage: httpcli ${command.name} [^\\n]*\\n\\nExamples:\\n  `))
  })

  it.each([40, 80])('names every option and argument with its description in %i columns', (columns) => {
    const flat = helpOn(command.name, columns).replace(/\s+/g, ' ')
    for (const option of command.options) {
      const value = option.isValueOptional ? `[=${option.argument}]` : ` ${option.argument}`
      const argument = option.argument === undefined ? '' : value
      expect(flat).toContain(`--${option.long}${argument} ${option.description}`)
    }
    for (const { name, description } of command.positionals) expect(flat).toContain(`${name} ${description}`)
  })

  it('lists every exit code', () => {
    for (const code of Object.values(exitCodes)) expect(text).toMatch(new RegExp(`^  ${code} +\\S`, 'm'))
  })
})

it('lists every sub-command and every topic in the general help', () => {
  for (const { name, summary } of [...commands, ...helpTopics]) {
    expect(helpOn(undefined, 80)).toMatch(new RegExp(`^  ${name} +${summary.replaceAll('.', '\\.')}$`, 'm'))
  }
})

it('offers every topic as an argument of help', () => {
  const [topic] = commands.find(({ name }) => name === 'help')!.positionals
  expect([...(topic?.choices ?? []), 'help'].toSorted()).toEqual(topics.filter((name) => name !== undefined).toSorted())
})

it('breaks a command line that is too long for the terminal in shell syntax', () => {
  expect(helpOn('send', 40)).toContain(
    '  # a file, with another body\n  httpcli send login.http -b \\\n    \'{"user":"joe"}\'\n',
  )
})

it.each([
  ['exit-code', 'exit-codes'],
  ['request', 'request-file'],
  ['sned', 'send'],
])('does not know the topic "%s", and suggests a similar one', (topic, near) => {
  expect(() => helpOn(topic, 80)).toThrow(
    expect.objectContaining({ unknown: { name: topic, known: expect.arrayContaining([near]) } }),
  )
})
