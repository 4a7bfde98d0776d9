/**
 * The text of the help, made from the option table.
 *
 * Rules: usage first, then examples, then arguments and options in the order of the table, then exit codes; 80 columns;
 * plain text, so that it can be piped and compared. Loaded only when help is asked for.
 */
import {
  type CommandSpecification,
  commands,
  type Example,
  globalOptions,
  type OptionSpecification,
} from './option-table.ts'

const WIDTH = 80
const INDENT = '  '
/** Descriptions begin here at the latest; a longer term pushes its description to the next line. */
const LAST_DESCRIPTION_COLUMN = 30

const exitCodeLines: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'Done. A response with status 400 or more is also 0, unless --fail.'],
  ['1', 'The command line is wrong.'],
  ['2', 'A request or a request file cannot be parsed.'],
  ['3', 'A defect of httpcli.'],
  ['4', 'No connection, TLS refused, time-out, cut connection, missing file.'],
  ['5', 'A test failed, or --fail met a status of 400 or more.'],
  ['130', 'Interrupted.'],
]

/** `httpcli help`. */
export function generalHelp(): string {
  return page(
    ['Usage: httpcli <sub-command> [options]'],
    section('Examples:', examples(commands.flatMap((command) => command.examples.slice(0, 1)))),
    section('Sub-commands:', entries(commands.map(({ name, summary }) => [name, summary]))),
    section('Options:', entries(globalOptions.map((option) => [term(option), option.description]))),
    exitCodes(),
    ['"httpcli help <sub-command>" shows the options of a sub-command.'],
  )
}

/** What `httpcli` without any word answers. */
export function shortHelp(): string {
  return page(
    ['Usage: httpcli <sub-command> [options]'],
    entries(commands.map(({ name, summary }) => [name, summary])),
    ['"httpcli help <sub-command>" shows the options of a sub-command.'],
  )
}

/** `httpcli help <sub-command>`. */
export function commandHelp(command: CommandSpecification): string {
  const positionals = command.positionals.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ')
  return page(
    [`Usage: httpcli ${command.name} ${positionals} [options]`],
    wrap(`${command.summary} ${command.description}`, '', WIDTH),
    section('Examples:', examples(command.examples)),
    section('Arguments:', entries(command.positionals.map(({ name, description }) => [name, description]))),
    section('Options:', entries(command.options.map((option) => [term(option), description(option)]))),
    command.exclusive.map((group) => `At most one of ${group.map((name) => spelled(command, name)).join(', ')}.`),
    exitCodes(),
  )
}

function examples(given: readonly Example[]): readonly string[] {
  const width = Math.max(...given.map(({ command }) => command.length))
  return given.map(({ command, purpose }) => `${INDENT}${command.padEnd(width)}  # ${purpose}`)
}

function exitCodes(): readonly string[] {
  return section(
    'Exit codes:',
    exitCodeLines.map(([code, meaning]) => `${INDENT}${code.padEnd(5)}${meaning}`),
  )
}

function term(option: OptionSpecification): string {
  const letter = option.short === undefined ? '    ' : `-${option.short}, `
  if (option.argument === undefined) return `${letter}--${option.long}`
  return `${letter}--${option.long}${option.isValueOptional ? `[=${option.argument}]` : ` ${option.argument}`}`
}

function description(option: OptionSpecification): string {
  const choices = option.choices === undefined ? '' : ` One of: ${option.choices.join(', ')}.`
  return `${option.description}${choices}${option.repeatable ? ' May be repeated.' : ''}`
}

function spelled(command: CommandSpecification, name: string): string {
  return command.options.some((option) => option.long === name) ? `--${name}` : name
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [title, ...lines]
}

/** Terms, each with its description beside it or, where the term is long, below it. */
function entries(pairs: readonly (readonly [term: string, description: string])[]): readonly string[] {
  const longest = Math.max(...pairs.map(([name]) => name.length))
  const column = Math.min(LAST_DESCRIPTION_COLUMN, INDENT.length + longest + 2)
  return pairs.flatMap(([name, text]) => {
    const head = `${INDENT}${name}`
    const [first, ...others] = wrap(text, ' '.repeat(column), WIDTH)
    return head.length + 2 > column
      ? [head, first!, ...others]
      : [head.padEnd(column) + first!.slice(column), ...others]
  })
}

function wrap(text: string, margin: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = margin
  for (const word of text.split(' ')) {
    const blank = line === margin ? '' : ' '
    if (line.length + blank.length + word.length > width && line !== margin) {
      lines.push(line)
      line = margin + word
    } else {
      line += blank + word
    }
  }
  return [...lines, line]
}

/** Sections apart from each other by an empty line; empty ones vanish. */
function page(...sections: readonly (readonly string[])[]): string {
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}
