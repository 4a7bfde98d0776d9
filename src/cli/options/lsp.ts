/** The options of `httpcli lsp`. */
import { type CommandSpecification, debug, helpOption, type ValuesOf } from './specification.ts'

export const lsp = {
  name: 'lsp',
  summary: 'Run the language server that editors use for request files.',
  description:
    'It speaks the Language Server Protocol over standard input and output: diagnostics, completion, navigation, formatting, and requests that are sent from the text. An editor starts it.',
  examples: [
    { command: 'httpcli lsp', purpose: 'the command to write in the settings of the editor' },
    { command: 'httpcli lsp --stdio', purpose: 'the same: some editors add the option' },
  ],
  positionals: [],
  options: [
    { long: 'stdio', description: 'Use standard input and output. This is the default, and the only way.' },
    {
      long: 'clientProcessId',
      argument: '<id>',
      description:
        'The process ID of the editor, which some editors add. It has no effect: the server ends when its input does.',
    },
    debug,
    helpOption,
  ],
  exclusive: [],
} as const satisfies CommandSpecification

export type LspValues = ValuesOf<typeof lsp.options>
