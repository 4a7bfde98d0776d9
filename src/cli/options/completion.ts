/** The options of `httpcli completion`. */
import { type CommandSpecification, debug, helpOption, type ValuesOf } from './specification.ts'

export const completion = {
  name: 'completion',
  summary: 'Print a script that sets up completion in a shell.',
  description:
    'The script goes to standard output. It knows the sub-commands, their options and values, files, and the names of environments and requests.',
  examples: [
    { command: 'source <(httpcli completion bash)', purpose: 'in ~/.bashrc' },
    { command: 'source <(httpcli completion zsh)', purpose: 'in ~/.zshrc, after compinit' },
    { command: 'httpcli completion fish | source', purpose: 'in ~/.config/fish/config.fish' },
    { command: 'source <(httpcli completion bash --alias h)', purpose: 'h is httpcli from now on' },
  ],
  positionals: [
    {
      name: '<shell>',
      required: true,
      description: 'bash, zsh or fish.',
      choices: ['bash', 'zsh', 'fish'],
    },
    {
      name: '<word>',
      required: false,
      repeatable: true,
      description:
        'After environments, requests or tags instead of <shell>: the words of a command line. Prints the names in its files.',
    },
  ],
  options: [
    {
      long: 'alias',
      argument: '<name>',
      description: 'Also set up this alias of httpcli, with the same completion.',
    },
    debug,
    helpOption,
  ],
  exclusive: [],
} as const satisfies CommandSpecification

export type CompletionValues = ValuesOf<typeof completion.options>
