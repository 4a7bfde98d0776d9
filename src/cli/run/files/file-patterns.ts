/**
 * Finds files by patterns: `api/**`, `{users,orders}/*.http`, or a directory for all request files below it.
 *
 * Rules: `*` and `?` match characters within a name, `[a-z]` and `[!a-z]` one character, `**` any directories, `{a,b}`
 * one of several alternatives; `\` escapes the next character, except on Windows, where it separates names. Names that
 * begin with a dot are matched only by patterns that do, `node_modules` only by its name. `**` and directories do not
 * follow links to directories. A pattern without a fixed extension matches request files only. Results are ordered by
 * name, identically on every machine.
 */
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '../../frame/cli-error.ts'

const requestFile = /\.(?:http|rest)$/i
const magic = /[*?[{]/
/** Twenty groups of two have a million combinations, which would exhaust the memory: `{a,b}{a,b}…`. */
const MAX_ALTERNATIVES = 10_000
const leftOut: ReadonlySet<string> = new Set(['node_modules'])

/** Whether an argument is a pattern, if no file has that name. */
export function isPattern(word: string): boolean {
  return magic.test(word)
}

/**
 * All request files below a directory, with paths that begin like the directory.
 * @param base base of a relative path
 * @throws errors of the file system
 */
export function filesBelow(directory: string, base: string): readonly string[] {
  const prefix = directory === '.' ? '' : `${directory.replace(/(?<![/\\])[/\\]+$/, '')}/`
  return sorted(new Walk(base).match(prefix, ['**', '*']))
}

/**
 * The files that match a pattern, with paths that begin like the pattern.
 * @param base base of a relative path
 * @param isWindows whether `\` separates names
 * @throws HttpcliError `unreadable-file` if its braces have too many combinations; errors of the file system
 */
export function matchingFiles(pattern: string, base: string, isWindows: boolean): readonly string[] {
  const walk = new Walk(base)
  return sorted(
    alternatives(isWindows ? pattern.replaceAll('\\', '/') : pattern).flatMap((each) => {
      const root = /^(?:[A-Za-z]:)?\//.exec(each)?.[0] ?? ''
      return walk.match(root, each.slice(root.length).split('/'))
    }),
  )
}

/** Sorts by code units, independent of the locale. */
function sorted(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort((a, b) => (a < b ? -1 : 1))
}

class Walk {
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  /**
   * @param prefix as shown: empty, or with a trailing separator
   * @param names patterns of the names after it
   */
  match(prefix: string, names: readonly string[]): string[] {
    const [name = '', ...rest] = names
    // Several `**` in a row are equivalent to one.
    if (name === '**' && rest[0] === '**') return this.match(prefix, rest)
    if (name === '**') return this.#anywhere(prefix, rest.length === 0 ? ['*'] : rest)
    if (!magic.test(name)) return this.#literal(prefix, name.replace(/\\(.)/g, '$1'), rest)
    const expression = expressionOf(name)
    const found = this.#entries(prefix).filter(({ name: each }) => expression.test(each) && !leftOut.has(each))
    if (rest.length > 0) {
      return found.flatMap((entry) =>
        this.#isKind(prefix, entry, 'directory') ? this.match(`${prefix}${entry.name}/`, rest) : [],
      )
    }
    const isOpen = !/\.[^.*?[\]]+$/.test(name)
    return found
      .filter((entry) => (!isOpen || requestFile.test(entry.name)) && this.#isKind(prefix, entry, 'file'))
      .map((entry) => prefix + entry.name)
  }

  #anywhere(prefix: string, rest: readonly string[]): string[] {
    const below = this.#entries(prefix).filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !leftOut.has(entry.name),
    )
    return [...this.match(prefix, rest), ...below.flatMap(({ name }) => this.#anywhere(`${prefix}${name}/`, rest))]
  }

  #literal(prefix: string, name: string, rest: readonly string[]): string[] {
    if (rest.length > 0) return this.match(`${prefix}${name}/`, rest)
    const path = prefix + name
    return statSync(this.#pathOf(path), { throwIfNoEntry: false })?.isFile() === true ? [path] : []
  }

  #isKind(prefix: string, entry: Dirent, kind: 'file' | 'directory'): boolean {
    if (!entry.isSymbolicLink()) return kind === 'file' ? entry.isFile() : entry.isDirectory()
    const target = statSync(this.#pathOf(prefix + entry.name), { throwIfNoEntry: false })
    return kind === 'file' ? target?.isFile() === true : target?.isDirectory() === true
  }

  #entries(prefix: string): Dirent[] {
    try {
      return readdirSync(this.#pathOf(prefix), { withFileTypes: true })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return []
      throw error
    }
  }

  #pathOf(shown: string): string {
    return resolve(this.#base, shown)
  }
}

/** Expands `{a,b}`, including nested braces. An unclosed brace is literal. */
function alternatives(pattern: string): readonly string[] {
  let expanded: readonly string[] = [pattern]
  for (;;) {
    const next: string[] = []
    for (const each of expanded) {
      for (const alternative of firstAlternatives(each)) next.push(alternative)
      if (next.length > MAX_ALTERNATIVES) throw manyAlternatives(pattern)
    }
    if (next.every((each, index) => each === expanded[index])) return expanded
    expanded = next
  }
}

function manyAlternatives(pattern: string): CliError {
  const message = `the braces in ${pattern} have more than ${MAX_ALTERNATIVES} combinations`
  return new CliError('unreadable-file', message, { hint: 'Use * for a part of the name, or several patterns' })
}

/** Expands one group; the pattern itself if it has none. */
function firstAlternatives(pattern: string): readonly string[] {
  const group = /\{((?:[^{}\\]|\\.)*,(?:[^{}\\]|\\.)*)\}/.exec(pattern)
  if (group === null) return [pattern]
  const before = pattern.slice(0, group.index)
  const after = pattern.slice(group.index + group[0].length)
  return (group[1] as string).split(/(?<!\\),/).map((choice) => before + choice + after)
}

const pieces = /\\(.)|(\*+)|(\?)|\[([!^]?)(\]?[^\]]*)\]|(.)/gsu

function expressionOf(name: string): RegExp {
  const body = name.replace(pieces, (_found, escaped?: string, star?: string, one?: string, ...others: unknown[]) => {
    const [not, inside, plain] = others as (string | undefined)[]
    if (star !== undefined) return '.*'
    if (one !== undefined) return '.'
    if (inside !== undefined) return `[${not === '' ? '' : '^'}${rangesOf(inside).replace(/[\\\]]/g, '\\$&')}]`
    return ((escaped ?? plain) as string).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  })
  const dots = name.startsWith('.') || name.startsWith('\\.') ? '' : '(?!\\.)'
  return new RegExp(`^${dots}${body}$`, 'su')
}

/** The content of brackets. A range from a later character to an earlier one is empty. */
function rangesOf(inside: string): string {
  return inside.replace(/(.)-(.)/gsu, (range, first: string, last: string) => (isInOrder(first, last) ? range : ''))
}

function isInOrder(first: string, last: string): boolean {
  return (first.codePointAt(0) as number) <= (last.codePointAt(0) as number)
}
