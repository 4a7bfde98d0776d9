/**
 * Prepares a run before anything is sent: files, data, selected requests, and the resulting jobs.
 *
 * Rules: the errors of all files are collected. A file without selected requests is not part of the run.
 */
import { resolve } from 'node:path'
import type { JsonValue } from '../../../http-file/index.ts'
import { pipeBytes } from '../../../message-node/index.ts'
import {
  type Candidate,
  type DataRow,
  type LoadedHttpFile,
  loadDataRows,
  loadRequestFilter,
  loadRunOutline,
  type RequestChoice,
  type RequestLabel,
  type RunOptions,
  type RunResources,
} from '../../../runner/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import { ErrorList } from '../files/error-list.ts'
import { type FileSettings, openRunFiles, type RunFile } from '../files/run-files.ts'
import type { ChoiceSettings, JobSettings } from './job-settings.ts'
import { type Job, jobsOf } from './jobs.ts'

export interface PreparedRun {
  /** The jobs of the valid files. */
  readonly jobs: readonly Job[]
  readonly choice: RequestChoice | undefined
  /** The requests of one pass over each examined file: for a list, or for a choice. */
  readonly requestsOf: ReadonlyMap<RunFile, readonly RequestLabel[]>
  /** The files of all jobs, including those that they import or run. */
  readonly files: readonly LoadedHttpFile[]
  /** If there are any, nothing is sent. */
  readonly errors: readonly unknown[]
}

/** Options that all jobs share. */
export type CommonOptions = Omit<RunOptions, 'listener' | 'environment'> & { readonly resources: RunResources }

export async function prepareRun(
  context: CommandContext,
  files: FileSettings,
  settings: ChoiceSettings & Pick<JobSettings, 'isListOnly' | 'repeat'>,
  common: CommonOptions,
): Promise<PreparedRun> {
  const errors = new ErrorList()
  const rows = await errors.attempt(() => rowsOf(settings, context))
  const opened = await openRunFiles(context, files, common.resources, errors)
  const choice = await errors.attempt(() => choiceOf(settings, opened, context))
  const wanted: RunFile[] = []
  const requestsOf = new Map<RunFile, readonly RequestLabel[]>()
  const candidates: Candidate[] = []
  const loadedFiles = new Set<LoadedHttpFile>()
  for (const file of opened) {
    const isPlain = choice === undefined && !settings.isListOnly && !hasDirectives(file)
    const options = { ...common, environment: file.environment, variables: variablesOf(common, rows?.[0]) }
    const outline = isPlain
      ? undefined
      : await errors.attempt(async () => {
          const { outlineRun } = await loadRunOutline()
          return outlineRun(file.loaded, choice === undefined ? options : { ...options, choice })
        })
    const hasRequests = outline === undefined || outline.requests.length + outline.errors.length > 0
    if (choice === undefined || hasRequests) wanted.push(file)
    if (outline !== undefined) requestsOf.set(file, outline.requests)
    for (const candidate of outline?.candidates ?? []) candidates.push(candidate)
    for (const loaded of outline?.files ?? [file.loaded]) loadedFiles.add(loaded)
    if (settings.isListOnly) for (const error of outline?.errors ?? []) errors.add(error)
  }
  // Without files (nothing failed in an earlier run), no request can be selected.
  if (choice !== undefined && opened.length > 0 && errors.all.length === 0) {
    const { checkChoice } = await loadRequestFilter()
    await errors.attempt(() => checkChoice(choice, candidates))
  }
  const jobs = jobsOf(wanted, settings.repeat, rows)
  return { jobs, choice, requestsOf, files: [...loadedFiles], errors: errors.all }
}

/** Values of the command line override values of a row. */
export function variablesOf({ variables }: CommonOptions, row: DataRow | undefined): ReadonlyMap<string, JsonValue> {
  return row === undefined ? (variables ?? new Map()) : new Map([...row, ...(variables ?? [])])
}

async function rowsOf(
  { dataFile }: ChoiceSettings,
  { workingDirectory }: CommandContext,
): Promise<readonly DataRow[] | undefined> {
  if (dataFile === undefined) return undefined
  const { readDataRows } = await loadDataRows()
  const bytes = await pipeBytes(resolve(workingDirectory, dataFile))
  return readDataRows(dataFile, workingDirectory, bytes && (() => bytes))
}

/** Calls are checked before anything is sent; a file without calls does not need this. */
function hasDirectives({ loaded }: RunFile): boolean {
  return loaded.file.sections.some(({ directives }) => directives.length > 0)
}

/** @throws UsageError */
function choiceOf(
  { names, lines, tags }: ChoiceSettings,
  files: readonly RunFile[],
  { workingDirectory }: CommandContext,
): RequestChoice | undefined {
  if (names.length + lines.length + tags.length === 0) return undefined
  const paths = [...new Set(files.map(({ loaded }) => loaded.path))]
  return {
    names,
    tags,
    lines: lines.map(({ file, line }) => {
      if (file !== undefined) return { path: resolve(workingDirectory, file), line }
      if (paths.length > 1) {
        throw new UsageError(`--line ${line} needs a file, because ${paths.length} files are given`, {
          hint: `Write it as --line ${files[0]?.loaded.source.path}:${line}`,
        })
      }
      return { path: paths[0] ?? '', line }
    }),
  }
}
