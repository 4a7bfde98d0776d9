/**
 * The text of the help, generated from the option table and the topics.
 *
 * Rules: usage first, then examples, description, arguments and options in the order of the table, exit codes; wrapped
 * to the caller's width. Loaded only for help.
 */
import { UsageError } from '../frame/usage-error.ts'
import {
  type CommandSpecification,
  commands,
  globalOptions,
  type OptionSpecification,
} from '../options/option-table.ts'
import { type Entry, entries, examples, page, wrap } from './help-layout.ts'
import { exitCodeEntries, type HelpTopic, helpTopics, type TopicSection } from './help-topics.ts'

const MORE = '"httpcli help <sub-command>" shows the options of a sub-command.'

/**
 * The output of `httpcli help` and `httpcli help <topic>`.
 * @param topic name of a sub-command or of a topic
 * @throws UsageError for any other name
 */
export function helpOn(topic: string | undefined, columns: number): string {
  if (topic === undefined) return generalHelp(columns)
  const command = commands.find(({ name }) => name === topic)
  if (command !== undefined) return commandHelp(command, columns)
  const found = helpTopics.find(({ name }) => name === topic)
  if (found !== undefined) return topicHelp(found, columns)
  throw new UsageError(`no help found for "${topic}"`, {
    unknown: { name: topic, known: [...commands, ...helpTopics].map(({ name }) => name) },
    hint: '"httpcli help" lists sub-commands and topics',
  })
}

/** `httpcli help`. */
function generalHelp(columns: number): string {
  return page([
    ['Usage: httpcli <sub-command> [options]'],
    section(
      'Examples',
      examples(
        commands.flatMap((command) => command.examples.slice(0, 1)),
        columns,
      ),
    ),
    section('Sub-commands', entries(commands.map(summaryEntry), columns)),
    section('Topics', entries(helpTopics.map(summaryEntry), columns)),
    section('Options', entries(globalOptions.map(optionEntry), columns)),
    section('Exit codes', entries(exitCodeEntries, columns)),
    wrap(MORE, columns),
  ])
}

/** The output of `httpcli` without arguments. */
export function shortHelp(columns: number): string {
  return page([
    ['Usage: httpcli <sub-command> [options]'],
    entries(commands.map(summaryEntry), columns),
    wrap(MORE, columns),
  ])
}

/** `httpcli help <sub-command>`. */
function commandHelp(command: CommandSpecification, columns: number): string {
  const { positionals, options } = command
  return page([
    wrap(`Usage: ${usage(command)}`, columns),
    section('Examples', examples(command.examples, columns)),
    wrap(`${command.summary} ${command.description}`, columns),
    positionals.length === 0
      ? []
      : section(
          'Arguments',
          entries(
            positionals.map(({ name, description }) => [name, description]),
            columns,
          ),
        ),
    section('Options', entries(options.map(optionEntry), columns)),
    exclusiveSentences(command).flatMap((sentence) => wrap(sentence, columns)),
    section('Exit codes', entries(exitCodeEntries, columns)),
  ])
}

/** `httpcli help <topic>`. */
function topicHelp(topic: HelpTopic, columns: number): string {
  return page([
    wrap(topic.summary, columns),
    section('Examples', examples(topic.examples, columns)),
    ...topic.sections.map((part) => section(part.title, sectionLines(part, columns))),
  ])
}

/** `httpcli run <http-file> [options]` */
export function usage({ name, positionals }: CommandSpecification): string {
  const words = positionals.map(({ name: word, required, repeatable }) => {
    const several = repeatable ? `${word}…` : word
    return required ? several : `[${several}]`
  })
  return ['httpcli', name, ...words, '[options]'].join(' ')
}

/** `-f, --file <file>` with its description. */
export function optionEntry(option: OptionSpecification): Entry {
  const letter = option.short === undefined ? '    ' : `-${option.short}, `
  const value = option.isValueOptional ? `[=${option.argument}]` : ` ${option.argument}`
  return [`${letter}--${option.long}${option.argument === undefined ? '' : value}`, optionDescription(option)]
}

function optionDescription(option: OptionSpecification): string {
  const choices = option.choices === undefined ? '' : ` One of: ${option.choices.join(', ')}.`
  return `${option.description}${choices}${option.repeatable ? ' May be repeated.' : ''}`
}

/** Sentences about options that cannot be used together. */
export function exclusiveSentences(command: CommandSpecification): readonly string[] {
  const spelled = (name: string): string =>
    command.options.some((option) => option.long === name) ? `--${name}` : name
  return command.exclusive.map((group) => `At most one of ${group.map(spelled).join(', ')}.`)
}

function sectionLines(part: TopicSection, columns: number): readonly string[] {
  if ('text' in part) return wrap(part.text, columns, '  ')
  if ('entries' in part) return entries(part.entries, columns)
  return part.lines.map((line) => (line === '' ? '' : `  ${line}`))
}

function summaryEntry({ name, summary }: { readonly name: string; readonly summary: string }): Entry {
  return [name, summary]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`${title}:`, ...lines]
}
