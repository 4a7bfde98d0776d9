/**
 * Parses command-line arguments into options and positionals, by the option table.
 *
 * Rules, following getopt_long: an option with a value always takes the next word, even one that begins with a dash
 * (`-b -1`), but a file value cannot be an option of the command (`-k -p 0`); `-pbody`, `--opt=value` and bundled flags
 * (`-il`, `-ilp body`) work; options and positionals mix; `--` ends the options; a single `-` is a positional. An
 * optional value is attached (`--opt=value`), or is the next word if that can be nothing else because no positional is
 * missing. Unlike in getopt, names are never abbreviated, and an option with a value that is given twice is an error
 * unless the table says that it repeats. Flags may be repeated. Positionals, and values such as files and addresses,
 * are never empty. This does not use `parseArgs` of node:util, because it is on the start-up path of `send`, where
 * parseArgs costs more than the rest of this frame.
 */
import type { CommandSpecification, OptionSpecification } from '../options/option-table.ts'
import type { AnyValues, ParsedArguments } from './command.ts'
import { isUrlWord } from './request-words.ts'
import { UsageError } from './usage-error.ts'

/** A request for help is a result, not an error: `httpcli send --help` needs no request. */
export type ParseResult =
  | { readonly type: 'arguments'; readonly arguments: ParsedArguments<AnyValues> }
  | { readonly type: 'help' }

/**
 * Checks the arguments after the sub-command. The result is `help` as soon as a help option occurs.
 * @throws UsageError if the arguments do not fit the table
 */
export function parseArguments(command: CommandSpecification, words: readonly string[]): ParseResult {
  const positionals: string[] = []
  const values = new Map<string, string[]>()
  let index = 0
  while (index < words.length) {
    const word = words[index++]!
    if (word === '--') {
      for (const rest of words.slice(index)) positionals.push(rest)
      break
    }
    if (word === '-' || !word.startsWith('-')) {
      positionals.push(word)
      continue
    }
    const takeValue = (option: OptionSpecification, attached: string | undefined): string => {
      if (attached !== undefined) return requireText(option, attached)
      refuseOptionAsFile(command, option, words[index])
      if (index < words.length) return requireText(option, words[index++]!)
      throw new UsageError(`${spelling(option)} needs a value`, { hint: `Write ${form(option)}`, option: option.long })
    }
    const takeSpareWord = (): string | undefined => {
      const isSpare = positionals.length >= command.positionals.length && !/^-|^$/.test(words[index] ?? '')
      return isSpare ? words[index++] : undefined
    }
    for (const { option, attached } of optionsIn(command, word)) {
      if (option.long === 'help') return { type: 'help' }
      if (option.argument === undefined) record(values, option, undefined)
      else if (option.isValueOptional) record(values, option, attached ?? takeSpareWord())
      else record(values, option, takeValue(option, attached))
    }
  }
  checkPositionals(command, positionals)
  refuseEmptyPositional(command, positionals)
  checkExclusive(command, values, positionals)
  return { type: 'arguments', arguments: argumentsOf(positionals, values) }
}

/** Otherwise a forgotten file name would be reported as another error, or as a missing file. */
function refuseOptionAsFile(command: CommandSpecification, option: OptionSpecification, next: string = ''): void {
  const follower = command.options.find(({ long, short }) => {
    return /^--/.test(next)
      ? next.split('=', 1)[0] === `--${long}`
      : short !== undefined && next.startsWith(`-${short}`)
  })
  if (option.argument !== '<file>' || follower === undefined) return
  throw new UsageError(`${spelling(option)} needs a file, but the option ${next} follows`, {
    hint: `Write ${form(option)}, or ./${next} for a file of that name`,
  })
}

/** Kinds of values that are never empty: an empty path would be the working directory, an empty address every one. */
const textKinds = new Set<string | undefined>([
  '<file>',
  '<dir>',
  '<address>',
  '<socket>',
  '<name>',
  '<tag>',
  '<token>',
])

function requireText(option: OptionSpecification, value: string): string {
  if (value !== '' || !textKinds.has(option.argument)) return value
  throw new UsageError(`${spelling(option)} has an empty value`, { hint: `Write ${form(option)}`, option: option.long })
}

export interface OptionInWord {
  readonly option: OptionSpecification
  readonly attached: string | undefined
}

/** The options in one word: one for `--long`, one or more for `-abc`, whose last may have its value attached. */
function optionsIn(command: CommandSpecification, word: string): readonly OptionInWord[] {
  return word.startsWith('--') ? [longOption(command, word)] : shortOptions(command, word)
}

function longOption(command: CommandSpecification, word: string): OptionInWord {
  const equals = word.indexOf('=')
  const name = equals < 0 ? word : word.slice(0, equals)
  const option = command.options.find((candidate) => `--${candidate.long}` === name)
  if (option === undefined) throw unknownOption(command, name)
  const attached = equals < 0 ? undefined : word.slice(equals + 1)
  if (attached !== undefined && option.argument === undefined) {
    throw new UsageError(`${spelling(option)} takes no value, but "${attached}" was given`, {
      hint: `Write ${name}`,
    })
  }
  return { option, attached }
}

function shortOptions(command: CommandSpecification, word: string): readonly OptionInWord[] {
  const found: OptionInWord[] = []
  for (let at = 1; at < word.length; at++) {
    const option = command.options.find((candidate) => candidate.short === word[at])
    if (option === undefined) {
      throw unknownOption(command, `-${word[at]}`, word, at === 1 ? word : `-${word[at]}`)
    }
    const rest = word.slice(at + 1)
    if (option.argument !== undefined) {
      found.push({ option, attached: rest === '' ? undefined : rest })
      break
    }
    found.push({ option, attached: undefined })
  }
  return found
}

/** `likeness` is compared with known names: the whole word if a long name may lack a dash (`-json`). */
function unknownOption(
  command: CommandSpecification,
  name: string,
  word: string = name,
  likeness: string = name,
): UsageError {
  const letters = command.options.flatMap((option) => (option.short === undefined ? [] : [`-${option.short}`]))
  return new UsageError(`unknown option ${name}${word === name ? '' : ` in ${word}`}`, {
    unknown: { name: likeness, known: [...command.options.map((option) => `--${option.long}`), ...letters] },
    hint: `"httpcli help ${command.name}" lists the options`,
  })
}

function record(valuesByOption: Map<string, string[]>, option: OptionSpecification, value: string | undefined): void {
  const values = valuesByOption.get(option.long) ?? []
  valuesByOption.set(option.long, values)
  if (value === undefined) return
  if (values.length > 0 && option.repeatable === undefined) {
    const shown = option.isSecret ? '' : `, with "${values[0]}" and "${value}"`
    throw new UsageError(`${spelling(option)} was given twice${shown}`, {
      hint: 'Give it once',
    })
  }
  const choice = option.choices?.find((known) => known.toLowerCase() === value.toLowerCase())
  if (option.choices !== undefined && choice === undefined) {
    throw new UsageError(`${spelling(option)} must be ${oneOf(option.choices)}, not "${value}"`, {
      unknown: { name: value, known: option.choices },
      option: option.long,
    })
  }
  values.push(choice ?? value)
}

function checkPositionals(command: CommandSpecification, positionals: readonly string[]): void {
  const missing = command.positionals[positionals.length]
  if (missing?.required && !hasUnknownChoice(command, positionals)) {
    const words = [command.name, ...positionals, missing.name].join(' ')
    throw new UsageError(`${missing.name} is missing`, { hint: `Write httpcli ${words}` })
  }
  const extra = positionals[command.positionals.length]
  if (extra !== undefined && command.positionals.at(-1)?.repeatable === undefined) {
    const expected = command.positionals.map((positional) => positional.name).join(' ')
    const isPort = /^\d{1,5}$/.test(extra) && command.options.some(({ long }) => long === 'port')
    throw new UsageError(`unexpected argument "${extra}"`, {
      hint: isPort
        ? `Write -p ${extra} for the port`
        : expected === ''
          ? `Write httpcli ${command.name}, with options only`
          : `Only ${expected} is expected; quote an argument that contains spaces`,
    })
  }
}

/** The command itself reports such a word, which matters more than those after it. */
function hasUnknownChoice(command: CommandSpecification, positionals: readonly string[]): boolean {
  return positionals.some((word, index) => command.positionals[index]?.choices?.includes(word) === false)
}

/** An unset variable must not become the working directory, or the whole file system. */
function refuseEmptyPositional(command: CommandSpecification, positionals: readonly string[]): void {
  const index = positionals.indexOf('')
  if (index < 0) return
  const { name } = command.positionals[Math.min(index, command.positionals.length - 1)]!
  throw new UsageError(`${name} is empty`, { hint: 'Check the variable that it comes from' })
}

function checkExclusive(
  command: CommandSpecification,
  values: ReadonlyMap<string, readonly string[]>,
  positionals: readonly string[],
): void {
  for (const group of command.exclusive) {
    const present = group.filter((name) => {
      const place = command.positionals.findIndex((positional) => positional.name === name)
      return place < 0 ? values.has(name) : positionals.length > place
    })
    if (present.length < 2) continue
    const names = present.map((name) => {
      const option = command.options.find((candidate) => candidate.long === name)
      if (option !== undefined) return spelling(option)
      return `${name} (${positionals[command.positionals.findIndex((positional) => positional.name === name)]})`
    })
    // With a URL, the option may be one of another tool.
    const option = positionals.some(isUrlWord) ? present[0] : undefined
    throw new UsageError(`${names.join(' and ')} cannot be used together`, {
      hint: 'Give only one of them',
      ...(option === undefined ? {} : { option }),
    })
  }
}

function argumentsOf(
  positionals: readonly string[],
  values: ReadonlyMap<PropertyKey, readonly string[]>,
): ParsedArguments<AnyValues> {
  return {
    positionals,
    // Native: a `send` calls it often enough for the runtime to compile a function.
    has: values.has.bind(values),
    value: (name) => values.get(name)?.[0],
    values: (name) => values.get(name) ?? [],
  }
}

/** `-f, --file` in errors. */
function spelling(option: OptionSpecification): string {
  return option.short === undefined ? `--${option.long}` : `-${option.short}/--${option.long}`
}

function form(option: OptionSpecification): string {
  return `${option.short === undefined ? `--${option.long}` : `-${option.short}`} ${option.argument}`
}

function oneOf(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}
