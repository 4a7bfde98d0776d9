/**
 * The options about the jobs of a run, as typed settings.
 *
 * Rules: everything is checked before anything is read; a wrong value is a usage error that names the option.
 */
import type { RetryPolicy } from '../../../runner/index.ts'
import type { CommandContext, ParsedArguments } from '../../frame/command.ts'
import { durationValue } from '../../frame/duration-values.ts'
import { numberValue } from '../../frame/number-values.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { RunValues } from '../../options/run.ts'
import type { CheckedValues } from '../settings.ts'

/** The selected requests and data: `check` has the same options. */
export interface ChoiceSettings {
  readonly names: readonly string[]
  readonly lines: readonly GivenLine[]
  readonly tags: readonly string[]
  /** As the user wrote it. */
  readonly dataFile: string | undefined
}

export interface JobSettings extends ChoiceSettings {
  /** Whether requests are listed and not sent. */
  readonly isListOnly: boolean
  readonly isFailFast: boolean
  /** The number of times to run every file. */
  readonly repeat: number
  /** The number of concurrent jobs. */
  readonly parallel: number
  readonly retry: RetryPolicy | undefined
  readonly delayMs: number
}

/** `12` or `api.http:12` */
export interface GivenLine {
  /** As the user wrote it; undefined if there is only one file. */
  readonly file: string | undefined
  readonly line: number
}

/** Few processes may open more files, and few servers can handle more connections. */
const MAX_PARALLEL = 1000
const MAX_COUNT = 1_000_000
const DEFAULT_RETRY_INTERVAL_MS = 1000

/** @throws UsageError */
export function readJobSettings({ arguments: args }: CommandContext<RunValues>): JobSettings {
  return {
    ...readChoice(args),
    isListOnly: args.has('list'),
    isFailFast: args.has('bail'),
    repeat: numberValue(args, 'repeat', [1, MAX_COUNT], 'Write it as --repeat 3') ?? 1,
    parallel: numberValue(args, 'parallel', [1, MAX_PARALLEL], 'Write it as --parallel 3') ?? 1,
    retry: retryOf(args),
    delayMs: durationValue(args, 'delay') ?? 0,
  }
}

/** @throws UsageError */
export function readChoice(args: ParsedArguments<CheckedValues>): ChoiceSettings {
  return {
    names: args.values('name'),
    lines: args.values('line').map(givenLine),
    tags: args.values('tag').map((tag) => tag.replace(/^@/, '')),
    dataFile: args.value('data'),
  }
}

function givenLine(text: string): GivenLine {
  const match = /^(?:(.+):)?([1-9]\d{0,8})$/s.exec(text)
  if (match === null) {
    throw new UsageError(`invalid --line "${text}": expected a line number`, {
      hint: 'Write it as --line 12, or --line api.http:12',
    })
  }
  return { file: match[1], line: Number(match[2]) }
}

function retryOf(args: ParsedArguments<RunValues>): RetryPolicy | undefined {
  const times = numberValue(args, 'retry', [0, MAX_COUNT], 'Write it as --retry 3')
  const intervalMs = durationValue(args, 'retry-interval')
  if (times === undefined && intervalMs === undefined) return undefined
  return { count: times ?? 0, intervalMs: intervalMs ?? DEFAULT_RETRY_INTERVAL_MS }
}
