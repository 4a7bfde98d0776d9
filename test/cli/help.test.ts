/** The help is made from the option table and fits on a terminal. */
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { commandHelp, generalHelp, shortHelp } from '../../src/cli/help.ts'
import { commands } from '../../src/cli/option-table.ts'

const pages = [
  ['httpcli', shortHelp()],
  ['httpcli help', generalHelp()],
  ...commands.map((command) => [`httpcli help ${command.name}`, commandHelp(command)] as const),
] as const

describe.each(pages)('the text of "%s"', (_title, text) => {
  it('begins with the usage', () => {
    expect(text).toMatch(/^Usage: httpcli /)
  })

  it('is at most 80 columns wide, without blanks at line ends', () => {
    expect(text.split('\n').filter((line) => line.length > 80 || / $/.test(line))).toEqual([])
  })

  it('ends with one line end', () => {
    expect(text).toMatch(/[^\n]\n$/)
  })
})

describe.each(commands)('the help of $name', (command) => {
  const text = commandHelp(command)

  it('names every option and argument with its description', () => {
    const flat = text.replace(/\s+/g, ' ')
    for (const option of command.options) {
      const value = option.isValueOptional ? `[=${option.argument}]` : ` ${option.argument}`
      const argument = option.argument === undefined ? '' : value
      expect(flat).toContain(`--${option.long}${argument} ${option.description}`)
    }
    for (const { name, description } of command.positionals) expect(flat).toContain(`${name} ${description}`)
  })

  it('shows examples before options', () => {
    expect(text.indexOf('Examples:')).toBeGreaterThan(0)
    expect(text.indexOf('Examples:')).toBeLessThan(text.indexOf('Options:'))
  })

  it('lists every exit code', () => {
    for (const code of Object.values(exitCodes)) expect(text).toMatch(new RegExp(`^  ${code} +\\S`, 'm'))
  })
})

it('lists every sub-command in the general help', () => {
  for (const { name, summary } of commands) {
    expect(generalHelp()).toMatch(new RegExp(`^  ${name} +${summary.replaceAll('.', '\\.')}$`, 'm'))
  }
})
