/**
 * The request files named by arguments.
 *
 * Rules: a file is accepted regardless of its name; a directory means all request files below it, as in `run`
 * (../run/files/file-patterns.ts).
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../frame/usage-error.ts'
import { filesBelow } from '../run/files/file-patterns.ts'
import { checkLinks } from '../run/files/found-files.ts'

/**
 * Paths as shown in messages: relative if the argument was. @throws UsageError; errors of the file system, which name
 * the file.
 */
export function requestFiles(words: readonly string[], workingDirectory: string): readonly string[] {
  return words.flatMap((word) => {
    if (!statSync(resolve(workingDirectory, word)).isDirectory()) return [word]
    const found = filesBelow(word, workingDirectory)
    if (found.length > 0) {
      checkLinks(found, word, workingDirectory)
      return found
    }
    throw new UsageError(`no .http or .rest file found in ${word}`, { hint: 'Name the files themselves' })
  })
}
