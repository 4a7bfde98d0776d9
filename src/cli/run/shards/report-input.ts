/** Reads a JSON report from its file, with errors that name it. */
import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { openPipe, unreadableFile } from '../../../message-node/index.ts'
import { loadReportReading } from '../../../report/index.ts'
import { CliError } from '../../frame/cli-error.ts'

const CHUNK_BYTES = 256 * 1024

/**
 * @param file as the user wrote it
 * @param read reads the chunks to their end
 * @throws HttpcliError `unreadable-file`, `invalid-report`; errors of `read`
 */
export async function readReportFile<Result>(
  file: string,
  workingDirectory: string,
  read: (chunks: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  const { UnreadableReport } = await loadReportReading()
  try {
    return await read(chunksOf(file, resolve(workingDirectory, file)))
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error
    throw new CliError('invalid-report', `the report ${file} cannot be used: ${error.message}`, {
      hint: 'Give a file that httpcli run … --report json=<file> has written',
    })
  }
}

async function* chunksOf(file: string, path: string): AsyncGenerator<Buffer> {
  const pipe = await openPipe(path)
  if (pipe !== undefined) {
    yield* pipe as AsyncIterable<Buffer>
    return
  }
  const descriptor = attempt(file, () => openSync(path, 'r'))
  try {
    for (;;) {
      const bytes = Buffer.allocUnsafe(CHUNK_BYTES)
      const count = attempt(file, () => readSync(descriptor, bytes))
      if (count === 0) return
      yield bytes.subarray(0, count)
    }
  } finally {
    closeSync(descriptor)
  }
}

function attempt<Result>(file: string, action: () => Result): Result {
  try {
    return action()
  } catch (cause) {
    throw new CliError('unreadable-file', ...unreadableFile(`the report ${file}`, cause))
  }
}
