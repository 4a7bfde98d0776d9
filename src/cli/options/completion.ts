/** The options of `httpcli completion`. */
import { type CommandSpecification, debug, helpOption } from './specification.ts'

export const completion: CommandSpecification = {
  name: 'completion',
  summary: 'Print a script that teaches a shell to complete httpcli.',
  description: 'The script goes to standard output. It knows the sub-commands, their options and values, and files.',
  examples: [
    { command: 'source <(httpcli completion bash)', purpose: 'in ~/.bashrc' },
    { command: 'source <(httpcli completion zsh)', purpose: 'in ~/.zshrc, after compinit' },
    { command: 'httpcli completion fish | source', purpose: 'in ~/.config/fish/config.fish' },
  ],
  positionals: [
    {
      name: '<shell>',
      required: true,
      description: 'bash, zsh or fish.',
      choices: ['bash', 'zsh', 'fish'],
    },
  ],
  options: [debug, helpOption],
  exclusive: [],
}
