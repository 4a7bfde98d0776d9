/**
 * Parses the pages of the documentation into the parts that can be checked: fenced blocks, with their positions.
 *
 * Rules: the word after the language of a fence is the name of a file that examples use, or `excerpt` (the block shows
 * some of the printed lines). A comment `<!-- not run: reason -->` before a fence keeps a block from being run.
 * Generated pages (docs/api) are not included.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The directory of the project. */
export const projectRoot: string = fileURLToPath(new URL('../..', import.meta.url))

export interface Block {
  /** `docs/send.md:12`: the line of the fence. */
  readonly place: string
  readonly language: string
  /** Name of the file whose content the block is; undefined for an example. */
  readonly file: string | undefined
  readonly isExcerpt: boolean
  /** Why it is not run. */
  readonly notRun: string | undefined
  readonly text: string
}

export interface Page {
  /** Relative to the project: `docs/send.md`. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Every handwritten page: README.md and docs/*.md. */
export const pages: readonly Page[] = [
  'README.md',
  ...readdirSync(join(projectRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
].map(readPage)

/** @throws Error if the page does not exist. */
export function pageAt(path: string): Page {
  const page = pages.find((each) => each.path === path)
  if (page === undefined) throw new Error(`the page ${path} does not exist`)
  return page
}

function readPage(path: string): Page {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  const fences = text.matchAll(
    /(?:^ *<!-- not run: (?<notRun>[^\n]+) -->\n\n?)?^(?<indent> *)```(?<info>\w[^\n]*)\n(?<body>.*?)^ *```$/gms,
  )
  const blocks = [...fences].map(({ index, groups }): Block => {
    const { notRun, indent = '', info = '', body = '' } = groups ?? {}
    const [language = '', word] = info.trim().split(/\s+/)
    const fence = index + (notRun === undefined ? 0 : text.slice(index).indexOf('```'))
    return {
      place: `${path}:${text.slice(0, fence).split('\n').length}`,
      language,
      file: word === 'excerpt' ? undefined : word,
      isExcerpt: word === 'excerpt',
      notRun,
      text: body.replace(new RegExp(`^${indent}`, 'gm'), ''),
    }
  })
  return { path, text, blocks }
}
