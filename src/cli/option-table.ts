/**
 * Every sub-command with its arguments and options, as data: read by the parser, the help and their tests.
 * Each sub-command has a table of its own in options/.
 */
import { run } from './options/run.ts'
import { send } from './options/send.ts'
import { serve } from './options/serve.ts'
import { type CommandSpecification, helpOption, type OptionSpecification } from './options/specification.ts'

export type {
  CommandSpecification,
  Example,
  OptionSpecification,
} from './options/specification.ts'

const help: CommandSpecification = {
  name: 'help',
  summary: 'Show how to use httpcli or one of its sub-commands.',
  description: 'Without a sub-command: the list of sub-commands and exit codes.',
  examples: [{ command: 'httpcli help send', purpose: 'all options of send' }],
  positionals: [{ name: '<sub-command>', required: false, description: 'send, run, serve or help.' }],
  options: [helpOption],
  exclusive: [],
}

export const commands: readonly CommandSpecification[] = [send, run, serve, help]

/** What stands in the place of a sub-command. */
export const globalOptions: readonly OptionSpecification[] = [
  { ...helpOption, description: 'Show this help; after a sub-command, its help.' },
  { long: 'version', short: 'v', description: 'Show version, runtime and distribution.' },
]
