/**
 * Names in the files on a command line: candidates for `-e`, `--name` and `--tag`.
 *
 * Rules: the files are those on the command line, otherwise the request files of the working directory. While a line is
 * typed, the line and its files are incomplete: unreadable parts are omitted without an error. Values of environments
 * are never printed. A name with control characters is omitted, because no shell can insert it.
 */
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { environmentNames, namesOf, readAnyHttpFile, tagsOf } from '../../runner/index.ts'
import type { OptionInWord } from '../frame/argv.ts'
import type { CommandContext } from '../frame/command.ts'
import { type CommandSpecification, commands, type NameKind } from '../options/option-table.ts'
import { matchingFiles } from '../run/files/file-patterns.ts'
import { filesNamedBy } from '../run/files/file-words.ts'
import { takesNextWord } from './candidates.ts'

/** There is a limit because the user waits for the shell. */
const MAX_FILES = 200

/** @param words words of the command line, from the sub-command to the word before the completed one */
export function fileNames(
  kind: NameKind,
  words: readonly string[],
  { workingDirectory }: Pick<CommandContext, 'workingDirectory'>,
): readonly string[] {
  const command = commands.find(({ name }) => name === words[0]?.toLowerCase())
  if (command === undefined) return []
  const line = readLine(command, words.slice(1))
  const files = filesOf(line, workingDirectory).slice(0, MAX_FILES)
  const names = kind === 'environments' ? environmentsOf(files, line, workingDirectory) : labelsOf(kind, files)
  return [...new Set(names)].filter((name) => !/\p{Cc}/u.test(name) && name !== '')
}

interface Line {
  readonly positionals: readonly string[]
  /** The last value of each option, by its long name. */
  readonly values: ReadonlyMap<string, string>
}

/** Unlike the parser of the frame, it accepts incomplete lines. */
function readLine(command: CommandSpecification, words: readonly string[]): Line {
  const positionals: string[] = []
  const values = new Map<string, string>()
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string
    if (word === '-' || !word.startsWith('-')) {
      positionals.push(word)
      continue
    }
    if (word === '--') {
      for (const rest of words.slice(index + 1)) positionals.push(rest)
      break
    }
    const found = word.startsWith('--') ? longOption(command, word) : letterOption(command, word)
    if (found === undefined) continue
    const value = found.attached ?? words[++index]
    if (value !== undefined) values.set(found.option.long, value)
  }
  return { positionals, values }
}

function longOption(command: CommandSpecification, word: string): OptionInWord | undefined {
  const [name, ...rest] = word.slice(2).split('=')
  const option = command.options.find(({ long }) => long === name)
  if (option === undefined || !takesNextWord(option)) return undefined
  return { option, attached: rest.length === 0 ? undefined : rest.join('=') }
}

/** The first letter that takes a value takes the rest of the word or, at its end, the next word. */
function letterOption(command: CommandSpecification, word: string): OptionInWord | undefined {
  for (let at = 1; at < word.length; at++) {
    const option = command.options.find(({ short }) => short === word[at])
    if (option === undefined || !takesNextWord(option)) continue
    return { option, attached: word.slice(at + 1) || undefined }
  }
  return undefined
}

/** Absolute paths. */
function filesOf({ positionals }: Line, directory: string): readonly string[] {
  const isFile = (path: string): boolean => {
    return statSync(resolve(directory, path), { throwIfNoEntry: false })?.isFile() === true
  }
  const named = positionals.flatMap((word) => (isFile(word) ? [word] : attempt(() => filesNamedBy(word, directory))))
  const files = named.filter(isFile)
  const found = files.length > 0 ? files : attempt(() => matchingFiles('*.{http,rest}', directory, false))
  return found.map((path) => resolve(directory, path))
}

function environmentsOf(files: readonly string[], { values }: Line, directory: string): readonly string[] {
  const named = (option: string): string | undefined => {
    const path = values.get(option)
    return path === undefined ? undefined : resolve(directory, path)
  }
  const options = { publicFile: named('env-file'), privateFile: named('private-env-file') }
  // Without a request file, environment files are searched for in the working directory.
  const places = files.length > 0 ? files : [join(directory, 'requests.http')]
  return places.flatMap((path) => environmentNames(path, options))
}

function labelsOf(kind: 'requests' | 'tags', files: readonly string[]): readonly string[] {
  const labels = kind === 'requests' ? namesOf : tagsOf
  return files.flatMap((path) =>
    attempt(() => readAnyHttpFile(readFileSync(path), path, '').file.sections.flatMap((section) => labels(section))),
  )
}

/** Empty if the action fails. */
function attempt(action: () => readonly string[]): readonly string[] {
  try {
    return action()
  } catch {
    return []
  }
}
