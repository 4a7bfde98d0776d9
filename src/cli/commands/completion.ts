/** `httpcli completion <shell>`: the script that teaches a shell to complete the command line. */
import type { Command } from '../command.ts'
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { exitCodes } from '../exit-codes.ts'
import { type CommandSpecification, commands } from '../option-table.ts'
import { UsageError } from '../usage-error.ts'

const scripts: Readonly<Record<string, (commands: readonly CommandSpecification[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

export const completion: Command = async ({ arguments: given, stdout }) => {
  const shell = given.positionals[0] ?? ''
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) {
    throw new UsageError(`there is no completion for the shell "${shell}", only for bash, zsh and fish`, {
      unknown: { name: shell, known: Object.keys(scripts) },
    })
  }
  await stdout.write(script(commands))
  return exitCodes.ok
}
