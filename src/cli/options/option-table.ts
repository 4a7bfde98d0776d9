/**
 * Every sub-command with its arguments and options, as data: used by the parser, the help and their tests. The table of
 * each sub-command is in its own file in options/.
 */
import { check } from './check.ts'
import { completion } from './completion.ts'
import { convert } from './convert.ts'
import { fmt } from './fmt.ts'
import { lsp } from './lsp.ts'
import { report } from './report.ts'
import { run } from './run.ts'
import { send } from './send.ts'
import { serve } from './serve.ts'
import { type CommandSpecification, helpOption, type OptionSpecification } from './specification.ts'

export type {
  CommandSpecification,
  NameKind,
  OptionSpecification,
  PositionalSpecification,
} from './specification.ts'

const documented = [
  send,
  run,
  check,
  report,
  serve,
  convert,
  fmt,
  lsp,
  completion,
] as const satisfies readonly CommandSpecification[]

/** Long name of an option of any sub-command. */
export type OptionName = (typeof documented)[number]['options'][number]['long']

const help: CommandSpecification = {
  name: 'help',
  summary: 'Show how to use httpcli or one of its sub-commands.',
  description: 'Without a topic: the list of sub-commands, topics and exit codes.',
  examples: [
    { command: 'httpcli help send', purpose: 'all options of send' },
    { command: 'httpcli help request-file', purpose: 'how request files are written' },
  ],
  positionals: [
    {
      name: '<topic>',
      required: false,
      description: 'A sub-command, exit-codes, request-file or environment.',
      choices: [...documented.map(({ name }) => name), 'exit-codes', 'request-file', 'environment'],
    },
  ],
  options: [helpOption],
  exclusive: [],
}

export const commands: readonly CommandSpecification[] = [...documented, help]

/** Options that replace a sub-command. */
export const globalOptions: readonly OptionSpecification[] = [
  { ...helpOption, description: 'Show this help; after a sub-command, its help.' },
  { long: 'version', short: 'v', description: 'Show version, runtime and distribution.' },
]
