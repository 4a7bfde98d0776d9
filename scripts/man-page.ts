/**
 * The manual page httpcli(1), generated from the option table and the topics of the help.
 *
 * Rules: roff with the macros of man(7), which every system has. The page contains only text of the help, so that there
 * is one source. Text is escaped for roff: a backslash, a leading dot or quote, and dashes, which must stay dashes when
 * copied.
 */
import { exclusiveSentences, optionEntry, usage } from '../src/cli/help/help.ts'
import type { Entry } from '../src/cli/help/help-layout.ts'
import { exitCodeEntries, type HelpTopic, helpTopics, type TopicSection } from '../src/cli/help/help-topics.ts'
import { type CommandSpecification, commands, globalOptions } from '../src/cli/options/option-table.ts'
import type { Example } from '../src/cli/options/specification.ts'

/** @param date the date of the release, such as `2026-11-21`; empty before the release */
export function manPage(version: string, date: string): string {
  const [environment, requestFile] = ['environment', 'request-file'].map(topicNamed)
  return [
    '.\\" Written by scripts/generate-man-page.ts.',
    `.TH HTTPCLI 1 ${argument(date)} ${argument(`httpcli ${version}`)} "User Commands"`,
    '.SH NAME',
    'httpcli \\- send HTTP requests as written, run request files, serve directories',
    '.SH SYNOPSIS',
    ...commands.flatMap((command) => [`.B ${text(usage(command))}`, '.br']).slice(0, -1),
    '.SH DESCRIPTION',
    ...entries(commands.map(({ name, summary }) => [name, summary])),
    ...entries(globalOptions.map(optionEntry)),
    ...commands.flatMap(commandSection),
    '.SH REQUEST FILES',
    ...topicLines(requestFile!),
    '.SH EXIT STATUS',
    ...entries(exitCodeEntries),
    '.SH ENVIRONMENT',
    ...topicLines(environment!),
    '.SH SEE ALSO',
    text('"httpcli help <sub-command>" shows the same for one sub-command.'),
    '.BR curl (1)',
    '',
  ].join('\n')
}

/** The page of one sub-command, such as httpcli-send(1). */
export function commandPage(command: CommandSpecification, version: string, date: string): string {
  const name = `httpcli-${command.name}`
  return [
    '.\\" Written by scripts/generate-man-page.ts.',
    `.TH ${argument(name.toUpperCase())} 1 ${argument(date)} ${argument(`httpcli ${version}`)} "User Commands"`,
    '.SH NAME',
    `${text(name)} \\- ${text(summaryOf(command))}`,
    '.SH SYNOPSIS',
    `.B ${text(usage(command))}`,
    '.SH DESCRIPTION',
    text(command.description),
    '.SH EXAMPLES',
    ...examples(command.examples),
    '.SH OPTIONS',
    ...entries(command.positionals.map(({ name: word, description }) => [word, description])),
    ...entries(command.options.map(optionEntry)),
    ...exclusiveSentences(command).flatMap((sentence) => ['.PP', text(sentence)]),
    '.SH EXIT STATUS',
    ...entries(exitCodeEntries),
    '.SH SEE ALSO',
    '.BR httpcli (1)',
    '',
  ].join('\n')
}

/** As whatis(1) shows it: without a capital and a full stop. */
function summaryOf({ summary }: CommandSpecification): string {
  return `${summary.charAt(0).toLowerCase()}${summary.slice(1).replace(/\.$/, '')}`
}

/** All pages by the names of their files. */
export function manPages(version: string, date: string): ReadonlyMap<string, string> {
  return new Map([
    ['httpcli.1', manPage(version, date)],
    ...commands.map((command) => [`httpcli-${command.name}.1`, commandPage(command, version, date)] as const),
  ])
}

/** The date of a release in the changelog; empty if the version is not released. */
export function releaseDate(version: string, changelog: string): string {
  const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - (\\d{4}-\\d\\d-\\d\\d)$`, 'm')
  return heading.exec(changelog)?.[1] ?? ''
}

function topicNamed(name: string): HelpTopic {
  const topic = helpTopics.find((candidate) => candidate.name === name)
  if (topic === undefined) throw new Error(`the help has no topic "${name}"`)
  return topic
}

function commandSection(command: CommandSpecification): readonly string[] {
  return [
    `.SH ${argument(`HTTPCLI ${command.name.toUpperCase()}`)}`,
    text(`${command.summary} ${command.description}`),
    ...examples(command.examples),
    ...entries(command.positionals.map(({ name, description }) => [name, description])),
    ...entries(command.options.map(optionEntry)),
    ...exclusiveSentences(command).flatMap((sentence) => ['.PP', text(sentence)]),
  ]
}

function topicLines({ sections, examples: commands }: HelpTopic): readonly string[] {
  return [...examples(commands), ...sections.flatMap((section) => [`.SS ${argument(section.title)}`, ...body(section)])]
}

function body(section: TopicSection): readonly string[] {
  if ('text' in section) return [text(section.text)]
  if ('entries' in section) return entries(section.entries)
  return ['.nf', ...section.lines.map(text), '.fi']
}

function examples(commands: readonly Example[]): readonly string[] {
  return commands.flatMap(({ command, purpose }) => ['.TP', `.B ${text(command)}`, text(purpose)])
}

function entries(pairs: readonly Entry[]): readonly string[] {
  return pairs.flatMap(([term, meaning]) => ['.TP', `.B ${text(term.trim())}`, text(meaning)])
}

function argument(value: string): string {
  return `"${text(value).replaceAll('"', '\\(dq')}"`
}

function text(value: string): string {
  const quoted = value
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('"', '\\(dq')
    .replace(/[^\0-\x7f]/gu, (found) => `\\[u${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`)
  return quoted.startsWith('.') ? `\\&${quoted}` : quoted
}
