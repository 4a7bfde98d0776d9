/**
 * The file of -o or -O: opened before the request is sent; after the response it is complete, or does not exist.
 *
 * Rules: a response with a status that --fail refuses does not change the file, and neither does 304 (Not Modified),
 * which has no content. On a terminal one line reports what was saved.
 */
import { basename } from 'node:path'
import { HttpcliError, type HttpResponse } from '../../../message/index.ts'
import type { FileOutput } from '../../../message-node/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { type ExitCode, exitCodes } from '../../frame/exit-codes.ts'
import type { SendValues } from '../../options/send.ts'
import type { SendSettings } from '../settings.ts'
import type { ResponsePrinter } from './response-printer.ts'

export interface Outcome {
  readonly code: ExitCode
  /** Whether the file stays as it was. */
  readonly isFileLeft: boolean
  /** Size, time and rate of a download, for a terminal. */
  readonly summary: string | undefined
  /** Why the request could not be sent to its end, although the response is complete. */
  readonly failure?: HttpcliError | undefined
}

/** Runs the work with the file of -o, which is complete afterwards or does not exist. */
export async function withOutputFile(
  context: CommandContext<SendValues>,
  settings: SendSettings,
  work: (file: FileOutput | undefined) => Promise<Outcome>,
): Promise<ExitCode> {
  const { outputFile } = settings
  const { code, failure } = await (outputFile === undefined
    ? work(undefined)
    : filled(outputFile, context, settings, work))
  if (failure !== undefined) throw failure
  return code
}

async function filled(
  path: string,
  context: CommandContext<SendValues>,
  settings: SendSettings,
  work: (file: FileOutput) => Promise<Outcome>,
): Promise<Outcome> {
  const { FileOutput } = await import('../../../message-node/index.ts')
  const file = await FileOutput.open(path)
  try {
    const outcome = await work(file)
    const { isFileLeft, summary } = outcome
    if (isFileLeft) await file.discard()
    else await file.complete()
    if (!isFileLeft && summary !== undefined) await noteSaved(context, path, summary)
    return outcome
  } catch (error) {
    // A file that could not be written contains nothing worth keeping.
    const isKept = settings.shouldKeepPartial && !(error instanceof HttpcliError && error.code === 'output-failed')
    if (isKept && file.writtenBytes > settings.existingBytes) await file.complete()
    else await file.discard()
    throw error
  }
}

async function noteSaved(context: CommandContext<SendValues>, path: string, summary: string): Promise<void> {
  const { transferLine } = await import('./progress-line.ts')
  await context.stderr.write(transferLine('saved', shownPath(context, path), summary))
}

/** The path as the user wrote it; with -O, the name in the working directory. */
export function shownPath({ arguments: args }: CommandContext<SendValues>, path: string): string {
  return args.value('output') ?? basename(path)
}

/** @param code the exit code for the response */
export function leavesFile(code: ExitCode, response: HttpResponse | undefined): boolean {
  return code !== exitCodes.ok || response?.status === 304
}

/** With --fail, an unwanted body is printed rather than saved. */
export async function leaveFile(
  context: CommandContext<SendValues>,
  { outputFile = '' }: SendSettings,
  printer: ResponsePrinter,
  response: HttpResponse,
): Promise<void> {
  printer.leaveFile()
  const name = shownPath(context, outputFile)
  await context.stderr.write(`note: ${name} was not changed, because the status is ${response.status}\n`)
}
