/** The options that divide a run, as typed settings. A wrong value is a usage error that names the option. */
import type { ParsedArguments } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { RunValues } from '../../options/run.ts'

export interface ShardSettings {
  /** From 1. */
  readonly number: number
  readonly of: number
  readonly by: 'file' | 'request'
  /** An earlier report, as the user wrote its path. */
  readonly timesFile: string | undefined
}

/** More machines than any CI system starts for one run. */
const MAX_SHARDS = 10_000

/** Undefined for the whole run. @throws UsageError */
export function readShardSettings(args: ParsedArguments<RunValues>): ShardSettings | undefined {
  const text = args.value('shard')
  if (text === undefined) {
    const other = (['shard-by', 'shard-times'] as const).find((name) => args.has(name))
    if (other === undefined) return undefined
    throw new UsageError(`--${other} needs --shard`, { hint: 'Write it with --shard 1/4, --shard 2/4 and so on' })
  }
  const by = args.value('shard-by') ?? 'file'
  if (by === 'request') refuseOrder(args)
  return { ...partOf(text), by, timesFile: args.value('shard-times') }
}

function partOf(text: string): { readonly number: number; readonly of: number } {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text)
  const [number, of] = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || of < 1 || of > MAX_SHARDS) {
    throw new UsageError(`invalid --shard "${text}": expected a number and a count up to ${MAX_SHARDS}`, {
      hint: 'Write it as --shard 2/8',
    })
  }
  if (number < 1 || number > of) {
    throw new UsageError(`invalid --shard "${text}": expected a number from 1 to ${of}, found ${number}`, {
      hint: `Write --shard 1/${of} to --shard ${of}/${of}, one on each machine`,
    })
  }
  return { number, of }
}

/** Refuses options that make requests depend on earlier ones in every file. */
function refuseOrder(args: ParsedArguments<RunValues>): void {
  if (args.has('seed')) {
    throw new UsageError('--shard-by request and --seed cannot be used together', {
      hint: 'Use --shard-by file, which keeps files whole: random values of a seed depend on earlier requests',
    })
  }
  if (args.has('cookiejar')) {
    throw new UsageError('--shard-by request and -c/--cookiejar cannot be used together', {
      hint: 'Use --shard-by file, which keeps files whole: requests share the cookies of the jar',
    })
  }
}
