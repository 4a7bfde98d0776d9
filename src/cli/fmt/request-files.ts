/**
 * The request files that the words of a command line mean.
 *
 * Rules: a file is itself, whatever its name; of a directory all files below it that end in .http or .rest, by name, but
 * for hidden directories and node_modules.
 */
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError } from '../usage-error.ts'

/** As they are told: relative where the word was. @throws UsageError; errors of the file system, which name the file. */
export function requestFiles(words: readonly string[], workingDirectory: string): readonly string[] {
  return words.flatMap((word) => {
    if (!statSync(resolve(workingDirectory, word)).isDirectory()) return [word]
    const found = filesBelow(word, workingDirectory)
    if (found.length > 0) return found
    throw new UsageError(`there is no .http or .rest file in ${word}`, { hint: 'Name the files themselves' })
  })
}

function filesBelow(directory: string, workingDirectory: string): readonly string[] {
  const entries = readdirSync(resolve(workingDirectory, directory), { withFileTypes: true })
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : filesBelow(path, workingDirectory)
    }
    return entry.isFile() && /\.(?:http|rest)$/i.test(entry.name) ? [path] : []
  })
}
