/**
 * Finds and reads the request files of a run with their environments, before anything is sent.
 *
 * Rules: files, patterns and directories are processed in the order of the arguments; a pattern skips files that came
 * before, a file named twice runs twice. `-` is standard input. The errors of all files are collected; with errors,
 * nothing is sent. A pattern or directory without any request file is an error. A pipe is read once: its environment
 * applies to all request files.
 */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeBytes } from '../../../message-node/index.ts'
import {
  checkAssertionPaths,
  type Environment,
  type LoadedHttpFile,
  loadEnvironment,
  type RunResources,
  readAnyHttpFile,
  readHttpFile,
  type SecretSink,
  UnknownEnvironmentError,
} from '../../../runner/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { RunSettings } from '../settings.ts'
import type { ErrorList } from './error-list.ts'

export interface RunFile {
  readonly loaded: LoadedHttpFile
  readonly environment: Environment
}

const STANDARD_INPUT = '-'

/** The settings that the environments of the files depend on. */
export interface FileSettings
  extends Pick<RunSettings, 'environmentName' | 'publicFile' | 'privateFile' | 'privateValues'> {
  readonly secrets: SecretSink | undefined
  /** Whether request files with errors are opened as well, to find more errors. */
  readonly allowsInvalidFiles?: boolean
  /** Which of the files of the command line are opened. Default: all. */
  readonly chooseFiles?: (paths: readonly string[]) => Promise<readonly string[]>
}

/**
 * Opens the files of the positional arguments.
 * @param errors receives errors; with errors, the result is incomplete
 */
export async function openRunFiles(
  context: CommandContext,
  settings: FileSettings,
  resources: RunResources,
  errors: ErrorList,
): Promise<readonly RunFile[]> {
  const files: RunFile[] = []
  const { chooseFiles = everyFile } = settings
  const withPipes = { ...settings, read: await environmentReader(settings) }
  for (const path of (await errors.attempt(async () => chooseFiles(await pathsOf(context)))) ?? []) {
    const loaded = await errors.attempt(async () => {
      const file = await load(path, context, settings, resources)
      // They need a library to parse. A caller that keeps invalid files checks them separately.
      if (settings.allowsInvalidFiles !== true) await checkAssertionPaths([file])
      return file
    })
    const environment = loaded && (await errors.attempt(() => environmentOf(loaded, withPipes)))
    if (loaded !== undefined && environment !== undefined) files.push({ loaded, environment })
  }
  return files
}

const everyFile = async (paths: readonly string[]): Promise<readonly string[]> => paths

/** @throws HttpcliError `unreadable-file`; UsageError. */
async function pathsOf({ arguments: args, workingDirectory }: CommandContext): Promise<readonly string[]> {
  const paths: string[] = []
  const named = new Set<string>()
  const add = (path: string): void => {
    paths.push(path)
    named.add(path)
  }
  for (const word of args.positionals) {
    if (word === STANDARD_INPUT && named.has(word)) {
      throw new UsageError('standard input (-) can be read only once')
    }
    if (word === STANDARD_INPUT || isFile(word, workingDirectory)) {
      add(word)
    } else {
      const { filesNamedBy } = await import('./file-words.ts')
      for (const path of filesNamedBy(word, workingDirectory)) if (!named.has(path)) add(path)
    }
  }
  return paths
}

function isFile(word: string, directory: string): boolean {
  return statSync(resolve(directory, word), { throwIfNoEntry: false })?.isDirectory() === false
}

async function load(
  path: string,
  context: CommandContext,
  { secrets, allowsInvalidFiles }: FileSettings,
  resources: RunResources,
): Promise<LoadedHttpFile> {
  const { workingDirectory } = context
  const read = allowsInvalidFiles === true ? readAnyHttpFile : readHttpFile
  if (path !== STANDARD_INPUT) {
    const bytes = await pipeBytes(resolve(workingDirectory, path))
    return resources.loadFile(path, workingDirectory, path, bytes && (() => bytes))
  }
  const pieces: Buffer[] = []
  for await (const piece of context.stdin) pieces.push(piece as Buffer)
  return read(Buffer.concat(pieces), STANDARD_INPUT, workingDirectory, secrets)
}

type ReadFile = (absolute: string) => Uint8Array

/** Reads the environment files that options name. The bytes of pipes are kept, because they come only once. */
async function environmentReader({ publicFile, privateFile }: FileSettings): Promise<ReadFile> {
  const pipes = new Map<string, Uint8Array>()
  for (const path of [publicFile, privateFile]) {
    const bytes = path === undefined || pipes.has(path) ? undefined : await pipeBytes(path)
    if (path !== undefined && bytes !== undefined) pipes.set(path, bytes)
  }
  return (path) => pipes.get(path) ?? readFileSync(path)
}

function environmentOf(loaded: LoadedHttpFile, settings: FileSettings & { readonly read: ReadFile }): Environment {
  const { environmentName, publicFile, privateFile, privateValues, secrets, read } = settings
  try {
    return loadEnvironment(loaded.path, environmentName, { publicFile, privateFile, privateValues, secrets, read })
  } catch (error) {
    throw error instanceof UnknownEnvironmentError ? unknownEnvironment(error) : error
  }
}

function unknownEnvironment({ message, hint, known }: UnknownEnvironmentError): UsageError {
  const name = /"(.*?)"/.exec(message)?.[1] ?? ''
  return new UsageError(message, { ...(hint === undefined ? {} : { hint }), unknown: { name, known } })
}
