/** `--report-body-limit`: how much reports keep of each body. */
import type { BodyLimits } from '../../../report/index.ts'
import type { ParsedArguments } from '../../frame/command.ts'
import { parseSizeBytes } from '../../frame/number-values.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { RunValues } from '../../options/run.ts'

/** The other formats need no bodies. */
const formatsWithBodies = /^(?:har|html|json)=/
const noBodies: BodyLimits = { passedBytes: 0, failedBytes: 0 }
const defaultLimits: BodyLimits = { passedBytes: 1024, failedBytes: 8 * 1024 }
/** There is a limit because a body is held in memory as one text. */
const MAX_BYTES = 16 * 1024 * 1024

/** @throws UsageError */
export function readBodyLimits(args: ParsedArguments<RunValues>): BodyLimits {
  const text = args.value('report-body-limit')
  const hasBodies = args.values('report').some((report) => formatsWithBodies.test(report))
  if (text !== undefined && !hasBodies) {
    throw new UsageError('--report-body-limit needs a report that has bodies', {
      hint: 'Add --report html=report.html, or json or har',
    })
  }
  return hasBodies ? limitsOf(text) : noBodies
}

function limitsOf(text: string | undefined): BodyLimits {
  if (text === undefined) return defaultLimits
  const limitBytes = parseSizeBytes(text)
  if (limitBytes === undefined || limitBytes > MAX_BYTES) {
    throw new UsageError(`invalid --report-body-limit "${text}": expected a size from 0 to 16M`, {
      hint: 'Write it as --report-body-limit 64k; 0 omits bodies',
    })
  }
  return { passedBytes: limitBytes, failedBytes: limitBytes }
}
