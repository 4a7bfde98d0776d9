/**
 * The options `--rules` and `--no-rules` of `serve`: which rules files apply.
 *
 * Rules: files given by the option replace those in the served directory. Such a file is refused if a client could
 * download it, because rules may contain passwords.
 */
import { basename, dirname, resolve } from 'node:path'
import { isBelow, isRulesFile, RulesFiles, type RulesSettings, realPath, rulesForm } from '../../server/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { ServeValues } from '../options/serve.ts'

/**
 * Undefined with --no-rules: rules are neither read nor watched for. Rejects with UsageError, and with errors in the
 * files.
 */
export async function openRules(
  { arguments: args, workingDirectory }: CommandContext<ServeValues>,
  settings: Omit<RulesSettings, 'files'>,
): Promise<RulesFiles | undefined> {
  if (args.has('no-rules')) return undefined
  const files = args.values('rules').map((file) => resolve(workingDirectory, file))
  for (const file of files) checkFile(file, settings.directory)
  checkForms(files)
  return RulesFiles.open({ ...settings, files: files.length === 0 ? undefined : files })
}

function checkFile(file: string, directory: string): void {
  if (rulesForm(file) === undefined) {
    throw new UsageError(`--rules ${file}: the format is unknown`, {
      hint: 'Use a name that ends in _headers, _redirects or .json (serve.json).',
    })
  }
  const real = realPath(file)
  const root = realPath(directory)
  const isHidden = dirname(real) === root && isRulesFile(basename(real))
  if (isBelow(real, root) && !isHidden) {
    throw new UsageError(`--rules ${file} is in the served directory, where every client could read it`, {
      hint: `Move it out of ${directory}.`,
    })
  }
}

function checkForms(files: readonly string[]): void {
  const forms = files.map(rulesForm)
  const twice = files.find((file, index) => forms.indexOf(rulesForm(file)) < index)
  if (twice === undefined) return
  throw new UsageError(`--rules ${twice} is the second file of its format`, { hint: 'Put the rules into one file.' })
}
