/**
 * The options of `run` that `send` does not have, as typed settings. `check` shares the ones about files and variables.
 *
 * Rules: everything is checked before anything is read; a wrong value is a usage error that names the option. Paths are
 * relative to the working directory.
 */
import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeBytes, unreadableFile } from '../../message-node/index.ts'
import type { Reproduction } from '../../runner/index.ts'
import { CliError } from '../frame/cli-error.ts'
import type { CommandContext, ParsedArguments } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { CheckValues } from '../options/check.ts'
import type { RunValues } from '../options/run.ts'

/** Options that `run` and `check` share. */
export type CheckedValues = Pick<RunValues, keyof RunValues & keyof CheckValues>

export interface FileSettings {
  readonly environmentName: string | undefined
  readonly variables: ReadonlyMap<string, string>
  readonly privateValues: ReadonlyMap<string, string>
  /** Absolute. */
  readonly publicFile: string | undefined
  readonly privateFile: string | undefined
  /** Absolute, and a directory. */
  readonly fileRoot: string | undefined
  /** As the user wrote it. */
  readonly cookieJar: string | undefined
  readonly isLenient: boolean
  /** The environment of the process, with the additions of a dotenv file. */
  readonly processEnvironment: Readonly<Record<string, string | undefined>>
}

export interface RunSettings extends FileSettings {
  readonly shouldSaveResponses: boolean
  readonly allowsPrograms: boolean
  readonly isVerbose: boolean
  /** Whether requests are built and shown, but not sent. */
  readonly isDryRun: boolean
  readonly reproduction: Reproduction
}

/** @throws UsageError; HttpcliError `unreadable-file`. */
export async function readRunSettings(context: CommandContext<RunValues>): Promise<RunSettings> {
  const { arguments: args } = context
  return {
    ...(await readFileSettings(context)),
    shouldSaveResponses: args.has('save-responses'),
    allowsPrograms: args.has('allow-exec'),
    isVerbose: args.has('verbose'),
    isDryRun: args.has('dry-run'),
    reproduction: readReproduction(args),
  }
}

/** @throws UsageError; HttpcliError `unreadable-file`. */
export async function readFileSettings(context: CommandContext<CheckedValues>): Promise<FileSettings> {
  const { arguments: args, workingDirectory } = context
  const file = (name: 'env-file' | 'private-env-file'): string | undefined => {
    const path = args.value(name)
    return path === undefined ? undefined : resolve(workingDirectory, path)
  }
  return {
    environmentName: args.value('environment'),
    variables: assignments(args.values('variable'), '-V'),
    privateValues: assignments(args.values('private-variable'), '-P'),
    publicFile: file('env-file'),
    privateFile: file('private-env-file'),
    fileRoot: fileRoot(context),
    cookieJar: args.value('cookiejar'),
    isLenient: args.has('lenient'),
    processEnvironment: await processEnvironment(context),
  }
}

/** @throws UsageError */
function fileRoot({ arguments: args, workingDirectory }: CommandContext<CheckedValues>): string | undefined {
  const path = args.value('file-root')
  if (path === undefined) return undefined
  const absolute = resolve(workingDirectory, path)
  if (statSync(absolute, { throwIfNoEntry: false })?.isDirectory() === true) return absolute
  throw new UsageError(`invalid --file-root "${path}": expected an existing directory`, {
    hint: 'Write it as --file-root . or --file-root ../project',
  })
}

/** The values of an option `name=value`. @throws UsageError */
export function assignments(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const text of texts) {
    const equals = text.indexOf('=')
    if (equals < 1) {
      throw new UsageError(`invalid ${option} "${text}": expected name=value`, {
        hint: `Write it as ${option} host=localhost`,
      })
    }
    values.set(text.slice(0, equals), text.slice(equals + 1))
  }
  return values
}

/** As in other tools, the environment of the process overrides the file. */
async function processEnvironment({
  arguments: args,
  workingDirectory,
  environment,
}: CommandContext<CheckedValues>): Promise<FileSettings['processEnvironment']> {
  const path = args.value('dotenv')
  if (path === undefined) return environment
  const { parseEnv } = await import('node:util')
  const absolute = resolve(workingDirectory, path)
  let bytes: Uint8Array
  try {
    bytes = (await pipeBytes(absolute)) ?? readFileSync(absolute)
  } catch (cause) {
    throw new CliError('unreadable-file', ...unreadableFile(`the file ${path} of --dotenv`, cause))
  }
  if (!isUtf8(bytes)) {
    throw new CliError('not-utf-8', `the file ${path} of --dotenv is not UTF-8 text`, { hint: 'Save it as UTF-8' })
  }
  return {
    ...parseEnv(
      Buffer.from(bytes)
        .toString()
        .replace(/^\ufeff/, ''),
    ),
    ...environment,
  }
}

/** Seconds with more digits are thousands of years ahead. */
const MAX_SECONDS_DIGITS = 11
const isoPattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/

/** `--seed` and `--now`: options that make two runs send the same bytes. @throws UsageError */
function readReproduction(args: ParsedArguments<RunValues>): Reproduction {
  return { seed: seedOf(args.value('seed')), nowMs: nowMsOf(args.value('now')) }
}

/** Leading zeros do not change the number. */
function seedOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,30}$/.test(text)) {
    throw new UsageError(`invalid --seed "${text}": expected a whole number`, { hint: 'Write it as --seed 42' })
  }
  return String(BigInt(text))
}

/** A time without a zone is UTC, so that it is the same everywhere; a number of up to eleven digits is in seconds. */
function nowMsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const timeMs = /^\d+$/.test(text) ? countMs(text) : dateMs(text)
  if (timeMs !== undefined && !Number.isNaN(new Date(timeMs).getTime())) return timeMs
  throw new UsageError(`invalid --now "${text}": expected a time`, {
    hint: 'Write it as --now 2026-11-21T10:00:00Z, or as seconds since 1970',
  })
}

function countMs(digits: string): number {
  return Number(digits) * (digits.length > MAX_SECONDS_DIGITS ? 1 : 1000)
}

function dateMs(text: string): number | undefined {
  const match = isoPattern.exec(text)
  if (match === null) return undefined
  // The platform reads a time without a zone as local time, a date alone as UTC.
  const isLocal = match[1] === undefined && text.length > 'yyyy-mm-dd'.length
  return Date.parse(`${text.toUpperCase().replace(' ', 'T')}${isLocal ? 'Z' : ''}`)
}
