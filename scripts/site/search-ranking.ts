/**
 * The search of the site: sections of pages by the words of a query.
 *
 * Rules: a section matches if it contains every word of the query, or longer words that begin with them. Sections whose
 * page title has all words come first, then sections whose heading has them, then the rest; within each group, the best
 * match first. Similar words count only if nothing else is found.
 */
import MiniSearch, { type SearchOptions } from 'minisearch'

/** A page in search-index.js. */
export interface SearchPage {
  readonly path: string
  readonly title: string
  /** The weight of a match: 1 for most pages, less for others. */
  readonly weight: number
  /** The first one is the page itself. */
  readonly sections: readonly { readonly anchor: string; readonly heading: string; readonly text: string }[]
}

export interface Finding {
  /** The path from the root of the site, with the anchor: `run.html#retries`. */
  readonly href: string
  readonly title: string
  readonly heading: string
  /** The text around the first word found. */
  readonly excerpt: string
}

export type Search = (query: string) => readonly Finding[]

const RESULTS = 20
const EXCERPT_CHARACTERS = 140
const EXCERPT_CHARACTERS_BEFORE = 50

interface Entry {
  readonly id: number
  readonly href: string
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly isPage: boolean
  readonly weight: number
}

const options: SearchOptions = {
  prefix: true,
  combineWith: 'AND',
  boost: { heading: 4 },
}

export function createSearch(pages: readonly SearchPage[]): Search {
  const entries = pages
    .flatMap(({ path, title, weight, sections }) =>
      sections.map(({ anchor, heading, text }, index) => {
        const isPage = index === 0
        return { href: isPage ? path : `${path}#${anchor}`, title, heading, text, isPage, weight }
      }),
    )
    .map((entry, id): Entry => ({ id, ...entry }))
  const index = new MiniSearch<Entry>({ fields: ['heading', 'text'] })
  index.addAll(entries)
  const boostDocument = (id: number): number => entries[id]!.weight
  return (query) => {
    const words = wordsOf(query)
    const exact = index.search(query, { ...options, boostDocument })
    const results = exact.length > 0 ? exact : index.search(query, { ...options, boostDocument, fuzzy: 0.25 })
    return results
      .map((result) => ({ ...result, entry: entries[result.id as number]! }))
      .toSorted((a, b) => rankOf(a.entry, words) - rankOf(b.entry, words) || b.score - a.score)
      .slice(0, RESULTS)
      .map(({ entry: { href, title, heading, text }, terms }) => ({
        href,
        title,
        heading,
        excerpt: excerptOf(text, terms),
      }))
  }
}

/** 0: the title of the page contains all words; 1: the heading does; 2: the text does. */
function rankOf({ isPage, heading }: Entry, words: readonly string[]): number {
  const found = wordsOf(heading)
  const hasAll = words.every((word) => found.some((each) => each.startsWith(word)))
  return hasAll ? (isPage ? 0 : 1) : 2
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const from = first <= EXCERPT_CHARACTERS_BEFORE ? 0 : text.indexOf(' ', first - EXCERPT_CHARACTERS_BEFORE) + 1
  const end = text.length - from > EXCERPT_CHARACTERS ? text.lastIndexOf(' ', from + EXCERPT_CHARACTERS) : text.length
  return `${from > 0 ? '… ' : ''}${text.slice(from, end)}${end < text.length ? ' …' : ''}`
}
