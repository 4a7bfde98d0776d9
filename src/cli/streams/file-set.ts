/**
 * Writes several files as one: all of them are complete beside their targets before the first is renamed.
 *
 * Rules: an error leaves every target as it was, unless it occurs between the renames.
 */
import { FileOutput } from '../../message-node/index.ts'

export interface FileContent {
  /** Absolute. */
  readonly path: string
  readonly octets: Uint8Array
}

/** @throws errors of the file system, which name the file; HttpcliError `output-failed`. */
export async function writeFiles(files: readonly FileContent[]): Promise<void> {
  const outputs: FileOutput[] = []
  try {
    for (const { path, octets } of files) {
      const output = await FileOutput.open(path)
      outputs.push(output)
      await output.write(octets)
    }
    for (const output of outputs) await output.complete()
  } catch (error) {
    for (const output of outputs) await output.discard()
    throw error
  }
}
