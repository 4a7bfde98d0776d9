/**
 * `httpcli completion <shell>`: prints the completion script for a shell. Such a script calls `httpcli completion
 * environments -- run api.http`, which prints the names to offer.
 */
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import type { Command } from '../frame/command.ts'
import { exitCodes } from '../frame/exit-codes.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { CompletionValues } from '../options/completion.ts'
import { type CommandSpecification, commands, type NameKind } from '../options/option-table.ts'

const scripts: Readonly<Record<string, (commands: readonly CommandSpecification[], alias?: string) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

const nameKinds: readonly NameKind[] = ['environments', 'requests', 'tags']

export const completion: Command<CompletionValues> = async (context) => {
  const { arguments: args, stdout } = context
  const [shell = '', ...words] = args.positionals
  const kind = nameKinds.find((name) => name === shell)
  const alias = args.value('alias')
  if (kind !== undefined) {
    if (alias !== undefined) {
      throw new UsageError('--alias is for bash, zsh and fish', {
        hint: 'Write httpcli completion bash --alias <name>',
      })
    }
    const { fileNames } = await import('../completion/file-names.ts')
    await stdout.write(
      fileNames(kind, words, context)
        .map((name) => `${name}\n`)
        .join(''),
    )
    return exitCodes.ok
  }
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) {
    throw new UsageError(`unknown shell "${shell}": expected bash, zsh or fish`, {
      unknown: { name: shell, known: Object.keys(scripts) },
    })
  }
  const [extra] = words
  if (extra !== undefined) {
    throw new UsageError(`unexpected argument "${extra}"`, { hint: `Write httpcli completion ${shell}` })
  }
  if (alias !== undefined && !/^[A-Za-z0-9_][\w.-]*$/.test(alias)) {
    throw new UsageError(`invalid --alias "${alias}": expected letters, digits, "_", "." and "-"`, {
      hint: 'Write it as --alias h',
    })
  }
  await stdout.write(script(commands, alias))
  return exitCodes.ok
}
