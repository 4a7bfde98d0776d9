/**
 * The rules files of a server: found, read, and read again when they change.
 *
 * Rules: the files are those given by options, otherwise `_headers`, `_redirects` and `serve.json` of the served
 * directory. The formats of Netlify and Vercel cannot be mixed. An error prevents the server from starting; if a file
 * changes later, an error in it is reported and the last valid rules stay in use. Settings in `serve.json` for the
 * whole server apply only at the start.
 */

import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { HttpcliError } from '../../message/index.ts'
import { ServerError } from '../semantics/errors.ts'
import type { PathRules, RulesInUse } from '../semantics/hooks.ts'
import { parseRootPath, rootPathInUrls } from '../semantics/plan.ts'
import type { RuledSite } from './path-rules.ts'
import { InvalidRulesError, RulesMistakes, type RulesSource } from './rules-error.ts'
import type { ServeJson } from './serve-json.ts'

export interface RulesSettings {
  /** Replace the files of the directory; undefined: use the files of the directory. */
  readonly files: readonly string[] | undefined
  /** The directory that is searched for rules, and the base of `public`: absolute. */
  readonly directory: string
  /** See ServeOptions. */
  readonly rootPath: string | undefined
  /** The other properties of the site. */
  readonly site: Omit<RuledSite, 'root' | 'prefix'>
}

type Form = 'headers' | 'redirects' | 'serve'

const fileNames: Readonly<Record<Form, string>> = { headers: '_headers', redirects: '_redirects', serve: 'serve.json' }

/** The form of a rules file by its name; undefined for any other name. */
export function rulesForm(file: string): Form | undefined {
  const name = basename(file).toLowerCase()
  if (name.endsWith('_headers')) return 'headers'
  if (name.endsWith('_redirects')) return 'redirects'
  return name.endsWith('.json') ? 'serve' : undefined
}

/** How often files are checked for changes. */
const pollMs = 1_000

interface ReadRules {
  readonly rules: PathRules | undefined
  readonly serveJson: ServeJson | undefined
}

export class RulesFiles implements RulesInUse {
  readonly #settings: RulesSettings
  readonly #files: ReadonlyMap<Form, string>
  #read: ReadRules
  #stamp: string
  #timer: NodeJS.Timeout | undefined

  private constructor(settings: RulesSettings, files: ReadonlyMap<Form, string>, stamp: string, read: ReadRules) {
    this.#settings = settings
    this.#files = files
    this.#stamp = stamp
    this.#read = read
  }

  /**
   * Rejects with InvalidRulesError, with HttpcliError `rules-conflict`, `rules-public` or `root-path`, and with errors
   * of the file system.
   */
  static async open(settings: RulesSettings): Promise<RulesFiles> {
    const files = new Map(
      settings.files === undefined
        ? (Object.entries(fileNames) as [Form, string][]).map(([form, name]) => [form, join(settings.directory, name)])
        : settings.files.map((file) => [rulesForm(file) ?? 'serve', file]),
    )
    const stamp = stampOf(files)
    return new RulesFiles(settings, files, stamp, await readRules(files, settings))
  }

  get current(): PathRules | undefined {
    return this.#read.rules
  }

  /** The directory to serve: the given one, unless `serve.json` names another. */
  get directory(): string {
    return publicDirectory(this.#settings.directory, this.#read.serveJson)
  }

  /** Whether entity tags are made of the content; undefined: not specified. */
  get hasContentTags(): boolean | undefined {
    return this.#read.serveJson?.etag
  }

  /** Absolute paths of the files that were found. */
  get found(): readonly string[] {
    return [...this.#files.values()].filter((file) => statOf(file) !== undefined)
  }

  /** Checks for changes until it is closed. `note`: called with a line for each change. */
  watch(note: (text: string) => void): void {
    this.#timer = setInterval(() => void this.refresh(note), pollMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Reads the files again if one of them changed. Never rejects. */
  async refresh(note: (text: string) => void): Promise<void> {
    const stamp = stampOf(this.#files)
    if (stamp === this.#stamp) return
    this.#stamp = stamp
    try {
      const read = await readRules(this.#files, this.#settings)
      const isOther = publicDirectory(this.#settings.directory, read.serveJson) !== this.directory
      if (isOther || read.serveJson?.etag !== this.hasContentTags) {
        note('rules changed: "public" and "etag" of serve.json take effect at the next start')
      } else note('rules changed: read again')
      const { serveJson } = this.#read
      this.#read = { rules: read.rules, serveJson }
    } catch (error) {
      const errors = error instanceof InvalidRulesError ? error.errors : [error]
      for (const each of errors) note(`rules not changed: ${textOf(each)}`)
    }
  }
}

/** The position, the error and the hint. */
function textOf(error: unknown): string {
  if (!(error instanceof HttpcliError)) return (error as Error).message
  const { where, message, hint } = error
  const place = where === undefined ? '' : `${where.file}:${where.line}:${where.column}: `
  return `${place}${message}${hint === undefined ? '' : `. ${hint}`}`
}

async function readRules(files: ReadonlyMap<Form, string>, settings: RulesSettings): Promise<ReadRules> {
  const isNamed = settings.files !== undefined
  const sources = new Map(
    [...files].flatMap(([form, file]) => {
      const source = readSource(file, isNamed)
      return source === undefined ? [] : [[form, source] as const]
    }),
  )
  const serve = sources.get('serve')
  const headers = sources.get('headers')
  const redirects = sources.get('redirects')
  if (serve === undefined) {
    if (headers === undefined && redirects === undefined) return { rules: undefined, serveJson: undefined }
    // Loaded on demand: most directories have no rules.
    const { createNetlifyRules } = await import('./netlify-rules.ts')
    return { rules: createNetlifyRules(headers, redirects, siteOf(settings.directory, settings)), serveJson: undefined }
  }
  const other = headers ?? redirects
  if (other !== undefined) {
    throw new ServerError('rules-conflict', `rules in two formats: ${other.file} and ${serve.file}`, {
      hint: 'Keep one of them, or name the one to use with --rules <file>.',
    })
  }
  const [{ parseServeJson }, { ServeRules }] = await Promise.all([
    import('./serve-json.ts'),
    import('./serve-rules.ts'),
  ])
  const mistakes = new RulesMistakes()
  const serveJson = parseServeJson(serve, mistakes)
  mistakes.throwIfAny()
  const site = siteOf(publicDirectory(settings.directory, serveJson), settings)
  return { rules: new ServeRules(serveJson, site), serveJson }
}

function siteOf(root: string, { site, rootPath = '/' }: RulesSettings): RuledSite {
  return { ...site, root, prefix: rootPathInUrls(parseRootPath(rootPath)) }
}

/** Throws HttpcliError `rules-public` for a path outside the directory. */
function publicDirectory(directory: string, serveJson: ServeJson | undefined): string {
  if (serveJson?.public === undefined) return directory
  const served = resolve(directory, serveJson.public)
  if (isBelow(served, directory) && isBelow(realPath(served), realPath(directory))) return served
  throw new ServerError('rules-public', `public of serve.json leads out of ${directory}: ${served}`, {
    hint: 'Give that directory on the command line: a rules file opens no other one.',
  })
}

export function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(directory, way) === path
}

/** The path itself if it does not exist: the server reports that when it starts. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** Undefined if a file does not exist and was not named by an option. */
function readSource(file: string, isNamed: boolean): RulesSource | undefined {
  // Reading a FIFO of that name would never end.
  if (!isNamed && statOf(file)?.isFile() !== true) return undefined
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new ServerError('not-utf-8', `${file} is not UTF-8 text`, { cause: error, hint: 'Save it as UTF-8.' })
    }
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
}

/** One text for each state of the files. */
function stampOf(files: ReadonlyMap<Form, string>): string {
  return [...files.values()]
    .map((file) => {
      const stats = statOf(file)
      return stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
    })
    .join(', ')
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    // The error is reported when the file is read.
    return undefined
  }
}
