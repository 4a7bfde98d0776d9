/**
 * Selects the part of a run that this process executes: a shard of its jobs, or the files that failed in an earlier
 * report. The code for this is loaded only if it is requested.
 */
import type { ShardRecord } from '../../../report/index.ts'
import type { CommandContext, ParsedArguments } from '../../frame/command.ts'
import type { RunValues } from '../../options/run.ts'
import type { FileSettings } from '../files/run-files.ts'
import type { ShardSettings } from '../shards/shard-settings.ts'
import type { CommonOptions, PreparedRun } from './run-preparation.ts'

/** Undefined for the whole run. @throws UsageError */
export async function readShard(args: ParsedArguments<RunValues>): Promise<ShardSettings | undefined> {
  if (!args.has('shard') && !args.has('shard-by') && !args.has('shard-times')) return undefined
  const { readShardSettings } = await import('../shards/shard-settings.ts')
  return readShardSettings(args)
}

/** `--last-failed` */
export function failedFilesOnly(context: CommandContext<RunValues>): Pick<FileSettings, 'chooseFiles'> {
  const report = context.arguments.value('last-failed')
  if (report === undefined) return {}
  return {
    chooseFiles: async (paths) => {
      const { onlyFailedFiles } = await import('../shards/failed-files.ts')
      return onlyFailedFiles(report, paths, context)
    },
  }
}

export interface RunPart {
  readonly prepared: PreparedRun
  /** For reports; undefined for the whole run. */
  readonly shard: ShardRecord | undefined
}

/**
 * @param whole the whole run, which has no errors
 * @throws HttpcliError for the report with earlier times
 */
export async function takePart(
  whole: PreparedRun,
  settings: ShardSettings | undefined,
  common: CommonOptions,
  { arguments: args, stderr }: CommandContext<RunValues>,
): Promise<RunPart> {
  if (settings === undefined) return { prepared: whole, shard: undefined }
  const { takeShard } = await import('../shards/shard-jobs.ts')
  const { prepared, shard, notes } = await takeShard(whole, settings, common)
  // A shard without jobs is always reported: otherwise it would look like a passed run.
  if (!args.has('quiet') || prepared.jobs.length === 0) {
    await stderr.write(notes.map((note) => `note: ${note}\n`).join(''))
  }
  return { prepared, shard }
}

/** The shard of a run that could not start. */
export function unstartedShard(settings: ShardSettings | undefined): ShardRecord | undefined {
  return settings && { number: settings.number, of: settings.of, run: '', jobs: 0 }
}
