/** Values of options that are durations. Apart from numbers, because the parser of durations is part of the runner. */
import { durationHint, parseDurationMs } from '../../runner/index.ts'
import type { TextValues } from './number-values.ts'
import { UsageError } from './usage-error.ts'

/** A duration in milliseconds; undefined without the option. @throws UsageError */
export function durationValue<Name extends string>(args: TextValues<Name>, name: Name): number | undefined {
  const text = args.value(name)
  const valueMs = text === undefined ? undefined : parseDurationMs(text)
  if (text === undefined || valueMs !== undefined) return valueMs
  throw new UsageError(`invalid --${name} ${JSON.stringify(text)}: expected a duration`, {
    hint: `Write it as --${name} 500ms. ${durationHint}`,
  })
}
