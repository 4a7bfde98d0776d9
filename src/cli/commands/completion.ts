/** `httpcli completion <shell>`: the script that teaches a shell to complete the command line. */

import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import type { Command } from '../frame/command.ts'
import { exitCodes } from '../frame/exit-codes.ts'
import { UsageError } from '../frame/usage-error.ts'
import { type CommandSpecification, commands } from '../options/option-table.ts'

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
