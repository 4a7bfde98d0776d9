/** The progress of an upload on a terminal, and the line that ends it. */
import type { HttpRequest } from '../../message/index.ts'
import { systemClock } from '../../wire/index.ts'
import type { CommandContext } from '../frame/command.ts'
import type { SendValues } from '../options/send.ts'
import type { UploadProgress } from './response/progress.ts'

/** Shows progress on a terminal, for a request with a body. */
export async function uploadProgress(
  { stderr }: CommandContext<SendValues>,
  { body }: HttpRequest,
): Promise<UploadProgress | undefined> {
  if (body === undefined || !stderr.isTerminal) return undefined
  const { UploadProgress } = await import('./response/progress.ts')
  const totalBytes = body.framing.type === 'length' ? body.framing.length : undefined
  return new UploadProgress(stderr, { totalBytes, clock: systemClock })
}

export async function uploading<T>(
  { arguments: args, stderr }: CommandContext<SendValues>,
  upload: UploadProgress | undefined,
  start: () => Promise<T>,
): Promise<T> {
  if (upload === undefined) return start()
  try {
    const result = await start()
    const { summary } = upload
    if (summary === undefined) return result
    const { transferLine } = await import('./response/progress-line.ts')
    await stderr.write(transferLine('sent', args.value('body-file'), summary))
    return result
  } finally {
    await upload.end()
  }
}
