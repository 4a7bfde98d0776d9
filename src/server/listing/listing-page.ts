/**
 * A directory as a page: a table of names, sizes and dates, in pieces of text that can be sent as they are made.
 *
 * Rules: every name is escaped where it is shown and percent-encoded where it is linked; invisible characters and
 * bidirectional controls are shown by their code. Links are relative, so that the page works below any prefix, and each
 * name is isolated by its style, so that it keeps its writing direction. Sorting is by links, which keep the order from
 * directory to directory; crawlers are asked to follow one order only. Rows are grouped, so that a browser lays out
 * only the visible groups. A row consists of as few elements, attributes and bytes as possible, without the end tags
 * that HTML allows to be omitted, because parsing is most of a browser's work on a long page (50,000 rows of files:
 * 0.33 s, and 0.62 s with end tags, classes for the cells, `time` elements and white space between the rows).
 * WHATWG HTML sections 13.1 and 13.1.2.4; RFC 3986 section 2.1.
 */

import { kindOf } from './file-kinds.ts'
import type { ListedDirectory, ListedEntry } from './listed-directory.ts'
import { ListingDates } from './listing-dates.ts'
import { formatOrder, type ListingOrder, type SortColumn, type SortDirection } from './listing-order.ts'
import { entriesInGroup, listingScript, listingStyle } from './listing-style.ts'
import { escapeText, showName, visibleText } from './page-text.ts'

/** The entries are in the order in which they are shown. */
export interface ListingPage extends ListedDirectory {
  /** Names of the directory, below the served one. */
  readonly names: readonly string[]
  readonly order: ListingOrder
  /** Path of a script of this server that the page loads in addition to its own. */
  readonly scriptPath: string | undefined
  /** Local time minus UTC at a moment, in minutes: dates are shown in the time of the machine. */
  readonly offsetMinutesAt: (epochMs: number) => number
}

/** The page in pieces: its beginning, its rows by the dozen, its end. */
export function* renderListing(page: ListingPage): Generator<string> {
  const dates = new ListingDates(page.offsetMinutesAt)
  yield pageBegin(page)
  for (let start = 0; start < page.entries.length; start += entriesInGroup) {
    const rows = page.entries.slice(start, start + entriesInGroup).map((entry) => row(entry, page.order, dates))
    yield `<tbody>${rows.join('')}`
  }
  yield pageEnd(page)
}

function pageBegin(page: ListingPage): string {
  const { names, order } = page
  const title = `Index of /${names.map((name) => `${visibleText(name, '', '')}/`).join('')}`
  const parent =
    names.length === 0
      ? ''
      : `<tbody class="parent"><tr><td><a class="folder" href="../${escapeText(formatOrder(order))}">../</a><td><td>\n`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="${robots(order)}">
<link rel="canonical" href="./">
<link rel="icon" href="data:,">
<style>${listingStyle}</style>
</head>
<body>
<nav aria-label="Path"><h1>Index of ${breadcrumb(names, order)}</h1></nav>
<main>
<table>
<thead><tr>${header('name', 'Name', order)}${header('size', 'Size', order)}${header('date', 'Modified', order)}</tr></thead>
${parent}`
}

function pageEnd({ entries, isComplete, scriptPath }: ListingPage): string {
  const more = isComplete ? '' : ' There are more; they are not shown.'
  const script = scriptPath === undefined ? '' : `<script src="${escapeText(scriptPath)}" async></script>\n`
  return `</table>
<p>${summary(entries)}.${more}</p>
</main>
<script>${listingScript}</script>
${script}</body>
</html>
`
}

/** Some crawlers, such as wget, ignore the `rel` of a link: a page in another order asks them to follow no links. */
function robots(order: ListingOrder): string {
  return formatOrder(order) === '' ? 'noindex' : 'noindex, nofollow'
}

/** Each parent directory as a link, the current one as text. */
function breadcrumb(names: readonly string[], order: ListingOrder): string {
  const crumbs = ['/', ...names.map((name) => `<bdi>${showName(name)}</bdi>/`)]
  return crumbs
    .map((crumb, index) => {
      const levelsUp = names.length - index
      if (levelsUp === 0) return `<span aria-current="page">${crumb}</span>`
      return `<a href="${'../'.repeat(levelsUp)}${escapeText(formatOrder(order))}">${crumb}</a>`
    })
    .join('')
}

/** The direction after a first click on a column: names ascending, the largest and the latest first. */
const firstDirections: Readonly<Record<SortColumn, SortDirection>> = { name: 'asc', size: 'desc', date: 'desc' }

function header(column: SortColumn, title: string, order: ListingOrder): string {
  const isSorted = order.column === column
  const sorted = order.direction === 'asc' ? 'ascending' : 'descending'
  const reverse = order.direction === 'asc' ? 'desc' : 'asc'
  const next: ListingOrder = { column, direction: isSorted ? reverse : firstDirections[column] }
  const state = isSorted ? ` aria-sort="${sorted}"` : ''
  return `<th class="${column}" scope="col"${state}><a href="./${escapeText(formatOrder(next))}" rel="nofollow">${title}</a></th>`
}

function row(entry: ListedEntry, order: ListingOrder, dates: ListingDates): string {
  const isDirectory = entry.type === 'directory'
  const path = entryPath(entry)
  const href = escapeText(isDirectory ? `${path}${formatOrder(order)}` : path)
  const kind = isDirectory ? 'folder' : kindOf(entry.name)
  const name = `<a class="${kind}" href="${href}">${showName(entry.name)}${isDirectory ? '/' : ''}</a>`
  const exactSize = entry.sizeBytes < 1000 ? '' : ` title="${entry.sizeBytes} bytes"`
  const size = isDirectory ? '' : formatSize(entry.sizeBytes)
  return `<tr><td>${name}<td${exactSize}>${size}<td>${dates.text(entry.modifiedMs)}\n`
}

/** Relative to the page of its directory, percent-encoded; a directory ends in a slash. */
export function entryPath({ name, type }: Pick<ListedEntry, 'name' | 'type'>): string {
  return `${encodeURIComponent(name)}${type === 'directory' ? '/' : ''}`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Powers of 1000, with one decimal below ten: `999 B`, `1.0 kB`, `12 MB`. */
export function formatSize(sizeBytes: number): string {
  let value = sizeBytes
  let unit = 0
  // 999.5 would be written as 1000.
  while (value >= (unit === 0 ? 1000 : 999.5) && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit > 0 && value < 9.95 ? value.toFixed(1) : String(Math.round(value))
  return `${digits} ${units[unit]}`
}

function summary(entries: readonly ListedEntry[]): string {
  if (entries.length === 0) return 'This directory is empty'
  let directories = 0
  let totalBytes = 0
  for (const { type, sizeBytes } of entries) {
    if (type === 'directory') directories += 1
    totalBytes += sizeBytes
  }
  const files = entries.length - directories
  const parts = [
    ...(directories === 0 ? [] : [`${directories} ${directories === 1 ? 'directory' : 'directories'}`]),
    ...(files === 0 ? [] : [`${files} ${files === 1 ? 'file' : 'files'}, ${formatSize(totalBytes)}`]),
  ]
  return parts.join(', ')
}
