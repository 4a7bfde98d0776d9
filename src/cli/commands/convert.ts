/**
 * `httpcli convert`: converts requests from other tools to request files, and request files to curl and k6.
 *
 * Rules: each part without an equivalent is reported on standard error with its place; with --strict it is an error and
 * nothing is written.
 */
import { statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import {
  type ConversionOptions,
  type Converted,
  convert as convertText,
  formatOf,
  PRIVATE_ENVIRONMENT_FILE,
  type SourceFormat,
  type SourceText,
  type TargetFormat,
} from '../../convert/index.ts'
import { escapedControls, oneLine } from '../../report/index.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Command, CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { ConvertValues } from '../options/convert.ts'
import { readDirectory, readStandardInput, readTextFile } from '../rewrite/conversion-source.ts'
import { curlValues, k6OptionNames } from '../rewrite/conversion-values.ts'
import { writeResult } from '../rewrite/result-files.ts'
import { toItsEnd } from '../streams/output.ts'

export const convert: Command<ConvertValues> = (context) => {
  const hasDirectory = (context.arguments.value('output') ?? '-') !== '-'
  const work = () => convertSource(context, hasDirectory)
  return hasDirectory ? toItsEnd(work) : work()
}

/** @param hasDirectory whether the result is files, not text */
async function convertSource(context: CommandContext<ConvertValues>, hasDirectory: boolean): Promise<ExitCode> {
  const { stdout, stderr } = context
  const source = await readSource(context)
  const from = sourceFormat(context, source)
  const to = targetFormat(context, from)
  const result = await convertText(source, { from, to, hasDirectory, ...(await settingsFor(context, to, source)) })
  await reportLosses(context, source, result)
  if (hasDirectory) {
    const paths = await writeResult(context, result, to, source.path)
    for (const path of paths) await stderr.write(`wrote ${escapedControls(oneLine(path))}\n`)
    return exitCodes.ok
  }
  if (result.text !== '') {
    await stdout.write(result.text)
    return exitCodes.ok
  }
  await printEnvironment(context, result)
  return exitCodes.ok
}

/** @throws UsageError for options that the target does not have */
async function settingsFor(
  context: CommandContext<ConvertValues>,
  to: TargetFormat,
  source: SourceText,
): Promise<Pick<ConversionOptions, 'values' | 'k6'>> {
  if (to === 'k6' || to === 'k6-operator') {
    const { checkSource, k6Settings } = await import('../rewrite/k6-settings.ts')
    await checkSource(source)
    return { k6: await k6Settings(context, source.path) }
  }
  const option = k6OptionNames.find((name) => context.arguments.has(name))
  if (option !== undefined) {
    throw new UsageError(`--${option} is an option of --to k6`, { hint: 'Add --to k6, or omit it' })
  }
  if (to === 'curl') return { values: await curlValues(context, source.path) }
  const value = (['environment', 'variable'] as const).find((name) => context.arguments.has(name))
  if (value === undefined) return {}
  throw new UsageError(`--${value} has no effect on a request file, which keeps its variables`, {
    hint: 'Add --to curl or k6, or omit it',
  })
}

const collectionFiles = /\.(?:bru|yml)$|^bruno\.json$/
/** Names of files that stand for their directory. */
const collectionMark = /^(?:bruno\.json|opencollection\.yml|collection\.bru)$/

async function readSource(context: CommandContext<ConvertValues>): Promise<SourceText> {
  const { arguments: args } = context
  const text = args.value('text')
  if (text !== undefined) return { path: 'text', text }
  const file = args.positionals[0] ?? '-'
  if (file === '-') return readStandardInput(context)
  const path = collectionMark.test(basename(file)) ? dirname(file) : file
  const isDirectory =
    statSync(resolve(context.workingDirectory, path), { throwIfNoEntry: false })?.isDirectory() === true
  return isDirectory ? readDirectory(context, path, collectionFiles) : readTextFile(context, file)
}

function sourceFormat({ arguments: args }: CommandContext<ConvertValues>, source: SourceText): SourceFormat {
  const named = args.value('from')
  const found = named ?? formatOf(source)
  if (found !== undefined) return found
  if (source.files !== undefined) {
    const message = `the directory ${source.path} is not a Bruno collection: bruno.json or opencollection.yml not found`
    throw new CliError('convert-unknown-format', message, {
      hint: 'Give the directory of the collection, or a file',
    })
  }
  if (source.text.trim() === '') {
    throw new CliError('convert-unknown-format', `${source.path} is empty`, {
      hint: 'Give a file, standard input, or text with -t',
    })
  }
  if (/^\s*\{\s*"client(?:Name)?"\s*:\s*"Thunder Client"/.test(source.text)) {
    throw new CliError(
      'convert-unknown-format',
      `${source.path} is a collection of Thunder Client, which is not supported`,
      {
        hint: 'Export it from Thunder Client in the format of Postman',
      },
    )
  }
  throw new CliError(
    'convert-unknown-format',
    `${source.path} is not a curl command, Postman or Bruno collection, Insomnia export, OpenAPI document, HAR, Hurl or request file`,
    { hint: 'Name its format with --from to see the error in it' },
  )
}

function targetFormat({ arguments: args }: CommandContext<ConvertValues>, from: SourceFormat): TargetFormat {
  const to = args.value('to') ?? (from === 'http' ? 'curl' : 'http')
  if (from !== to || from === 'curl') return to
  throw new UsageError('the input is already a request file', {
    hint: 'Add --to curl, or format it with "httpcli fmt"',
  })
}

/** @throws HttpcliError `convert-loss` with --strict, or if nothing is left. */
async function reportLosses(
  { arguments: args, stderr }: CommandContext<ConvertValues>,
  source: SourceText,
  { losses, text, environmentFiles }: Converted,
): Promise<void> {
  const isEmpty = text === '' && environmentFiles.length === 0
  const isStrict = args.has('strict') || isEmpty
  const shown = (place: string, message: string): string => `${source.path}: ${place}: not converted: ${message}`
  for (const { place, message } of losses) {
    await stderr.write(`${isStrict ? 'error' : 'warning'}: ${escapedControls(oneLine(shown(place, message)))}\n`)
  }
  if (!isStrict || losses.length === 0) return
  if (isEmpty) {
    throw new CliError('convert-loss', 'no part of the source can be converted', {
      hint: 'Correct what is reported above',
    })
  }
  const count = losses.length === 1 ? 'a part has' : `${losses.length} parts have`
  throw new CliError('convert-loss', `${count} no equivalent, and --strict was given`, {
    hint: 'Without --strict they become comments',
  })
}

/** Prints a conversion that contains only environments: the public file is the result. */
async function printEnvironment({ stdout, stderr }: CommandContext<ConvertValues>, result: Converted): Promise<void> {
  for (const { name, environments } of result.environmentFiles) {
    if (name !== PRIVATE_ENVIRONMENT_FILE) await stdout.write(`${JSON.stringify(environments, undefined, 2)}\n`)
    else await stderr.write('warning: secret values are left out: write both files with -o\n')
  }
}
