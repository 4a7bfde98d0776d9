/** Options of other tools: none is one of ours, and each answer names options that there are. */
import { describe, expect, it } from 'vitest'
import { describeFailure } from '../../../src/cli/failures/failure.ts'
import { foreignSubCommands } from '../../../src/cli/failures/foreign-file-options.ts'
import { foreignAdvice, foreignLettersAdvice, foreignOptions } from '../../../src/cli/failures/foreign-options.ts'
import { parseArguments } from '../../../src/cli/frame/argv.ts'
import { UsageError } from '../../../src/cli/frame/usage-error.ts'
import { commands } from '../../../src/cli/options/option-table.ts'

const specificationOf = (name: string) => commands.find((command) => command.name === name)!
const send = specificationOf('send')

/** The message for a word that a sub-command does not know. */
function messageFor(command: typeof send, word: string): string {
  let thrown: unknown
  try {
    parseArguments(command, [word, 'value'])
  } catch (error) {
    thrown = error
  }
  const program = `httpcli ${command.name}`
  const { text, exitCode } = describeFailure(thrown, { program, isDebug: false, colors: false, command })
  expect(exitCode).toBe(1)
  return text
}

/** Every option that the advice names is one of the sub-command. */
function expectOptionsOf(command: typeof send, advice: string): void {
  const named = [...advice.replaceAll(/-\w: /g, '').matchAll(/(?<!\S)--([a-z-]+)|(?<!\S)-([a-zA-Z])\b(?! of| false)/g)]
  for (const [, long, short] of named) {
    const isOurs = command.options.some((option) => option.long === long || option.short === short)
    expect(isOurs ? '' : advice).toBe('')
  }
}

describe.each(Object.entries(foreignOptions))('an option of another tool, given to %s', (name, table) => {
  const command = specificationOf(name)

  it.each(Object.entries(table))('%s gets advice on what to write instead', (word, advice) => {
    expect(messageFor(command, word)).toMatch(/unknown option -.*\. (?:Write|Omit|Put|Not supported:) /)
    expectOptionsOf(command, advice)
  })

  it('is not one of ours', () => {
    const ours = command.options.flatMap(({ long, short }) => [
      `--${long}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ])
    expect(ours.filter((word) => foreignAdvice(name, word) !== undefined)).toEqual([])
  })
})

it('a sub-command of another tool gets advice', () => {
  const error = new UsageError('unknown sub-command "lint"', { unknown: { name: 'lint', known: ['lsp', 'list'] } })
  const { text } = describeFailure(error, { program: 'httpcli', isDebug: false, colors: false })
  expect(text).toBe('httpcli: unknown sub-command "lint". Write httpcli check <file>.\n')
})

it.each(Object.entries(foreignSubCommands))('%s is not a sub-command, and its advice names one', (name, advice) => {
  const names = commands.map((command) => command.name)
  expect(names).not.toContain(name)
  const [, named = 'send'] = /httpcli ([a-z]+)/.exec(advice) ?? []
  expect(names).toContain(named)
})

it('a format that is only read is not called a misspelled one', () => {
  const convert = specificationOf('convert')
  expect(() => parseArguments(convert, ['a.http', '--to', 'hurl'])).toThrow('not "hurl"')
  const error = new UsageError('--to must be …', { unknown: { name: 'hurl', known: ['http', 'curl'] }, option: 'to' })
  const { text } = describeFailure(error, {
    program: 'httpcli convert',
    isDebug: false,
    colors: false,
    command: convert,
  })
  expect(text).toContain('That is a format for --from only.')
})

it('a letter with its value attached gets advice, too', () => {
  expect(messageFor(specificationOf('serve'), '-c-1')).toMatch(/unknown option -c in -c-1\. Write --rules <file>/)
  expect(messageFor(specificationOf('run'), '-n3')).toMatch(/unknown option -n in -n3\. Write --repeat <count>/)
})

it.each(['-XPUT', '-sS', '--verify=no', '--print=HBhb', '-sSL'])('%s, given to send, too', (word) => {
  expect(messageFor(send, word)).toMatch(/unknown option -.*\. (?:Write|Omit|-s: omit) /)
  expectOptionsOf(send, foreignAdvice('send', word) ?? foreignLettersAdvice(word) ?? '')
})
