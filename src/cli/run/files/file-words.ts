/**
 * Expands arguments that are directories or patterns to files.
 *
 * Rules: an argument without any matching file is an error, because the user expects to find requests in it.
 */
import { statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { unreadableFile } from '../../../message-node/index.ts'
import { CliError } from '../../frame/cli-error.ts'
import { filesBelow, isPattern, matchingFiles } from './file-patterns.ts'
import { checkLinks } from './found-files.ts'

const urlStart = /^(?:[a-z][a-z0-9+.-]*:\/\/|:\d|localhost(?:[:/]|$))/i

/**
 * @param directory base of relative paths
 * @returns the argument itself if it is neither a directory nor a pattern: the error is reported when it is read
 * @throws HttpcliError `unreadable-file`, `outside-file-root`
 */
export function filesNamedBy(word: string, directory: string): readonly string[] {
  const isDirectory = statSync(resolve(directory, word), { throwIfNoEntry: false }) !== undefined
  if (!isDirectory && urlStart.test(word)) {
    throw new CliError('unreadable-file', `${word} is a URL, expected a request file`, {
      hint: `To send one request, write httpcli ${word}`,
    })
  }
  if (!isDirectory && !isPattern(word)) return [word]
  const files = readable(word, () =>
    isDirectory ? filesBelow(word, directory) : matchingFiles(word, directory, sep === '\\'),
  )
  if (files.length > 0) {
    checkLinks(files, isDirectory ? word : fixedPart(word), directory)
    return files
  }
  throw isDirectory
    ? new CliError('unreadable-file', `the directory ${word} has no request files`, {
        hint: 'Request files end in .http or .rest',
      })
    : new CliError('unreadable-file', `no file matches ${word}`, {
        hint: 'In a pattern, * matches any name, ** any directories, and {a,b} one of several',
      })
}

/** The directory that a pattern begins with. */
function fixedPart(pattern: string): string {
  const names = pattern.split(sep === '\\' ? /[\\/]/ : '/').slice(0, -1)
  const magic = names.findIndex(isPattern)
  const fixed = (magic === -1 ? names : names.slice(0, magic)).join('/')
  return fixed === '' ? (pattern.startsWith('/') ? '/' : '.') : fixed
}

function readable(word: string, action: () => readonly string[]): readonly string[] {
  try {
    return action()
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    const { path = word } = cause as NodeJS.ErrnoException
    throw new CliError('unreadable-file', ...unreadableFile(`the directory ${path}`, cause))
  }
}
