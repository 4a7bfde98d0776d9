/**
 * Renders the page of an error.
 *
 * Rules: text from a request or a disk is escaped where it is shown and percent-encoded where it is linked. Links are
 * relative to the requested address, so that the page works below any prefix.
 */
import { distance } from 'fastest-levenshtein'
import type { ErrorPageSettings } from './error-page.ts'
import { entryPath } from './listing-page.ts'
import { pagePolicy, pageStyle } from './page-style.ts'
import { escapeText, showName, visibleText } from './page-text.ts'

export interface ErrorPage extends Pick<ErrorPageSettings, 'prefix' | 'scriptPath'> {
  /** Code and phrase. */
  readonly status: string
  /** The detail of the error; may be empty. */
  readonly problem: string
  /** As requested. */
  readonly target: string
  /** The names of the path below the served directory; undefined for a target outside it. */
  readonly names: readonly string[] | undefined
  /** Whether the path ends in a slash. */
  readonly isDirectory: boolean
  /** Entries of `parent` to suggest. */
  readonly nearest: readonly NamedEntry[]
  readonly parent: readonly string[]
}

export interface NamedEntry {
  readonly name: string
  readonly type: 'directory' | 'file'
}

const errorStyle = `${pageStyle}h1{font-size:1.5rem}
h2{margin:1.5rem 0 .5rem;font-size:1rem;font-weight:600}
nav,li{overflow-wrap:anywhere}
ul{margin:0;padding:0;list-style:none}
li a{display:inline-block;padding:.2rem 0}
`

/** The value of Content-Security-Policy. */
export function errorPolicy(allowsOwnScripts: boolean): string {
  return pagePolicy({ style: errorStyle, allowsOwnScripts })
}

/** In characters. Longer targets are truncated for display. */
const longestShownTarget = 1_000

export function errorHtml(page: ErrorPage): string {
  const { status, problem, nearest, parent, scriptPath } = page
  const root = rootLink(page)
  const suggestions = nearest.map((entry) => {
    const href = `${root}${pathTo(parent)}${entryPath(entry)}`
    return `<li><a href="${escapeText(href)}"><bdi>${showName(entry.name)}</bdi>${entry.type === 'directory' ? '/' : ''}</a></li>\n`
  })
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeText(status)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<style>${errorStyle}</style>
</head>
<body>
<main>
<h1>${escapeText(status)}</h1>
<nav aria-label="Path">${pathCrumbs(page, root)}</nav>
${problem === '' ? '' : `<p>${visibleText(problem, '', '')}</p>\n`}${
  suggestions.length === 0 ? '' : `<h2>Nearest names</h2>\n<ul>\n${suggestions.join('')}</ul>\n`
}</main>
${scriptPath === undefined ? '' : `<script src="${escapeText(scriptPath)}" async></script>\n`}</body>
</html>
`
}

/** The path with a link for each directory above it; any other target unchanged. */
function pathCrumbs({ names, isDirectory, target }: ErrorPage, root: string): string {
  if (names === undefined) return `<bdi>${visibleText(target.slice(0, longestShownTarget), '', '')}</bdi>`
  const crumbs = names.map((name, index) => {
    const isLast = index === names.length - 1
    const crumb = `<bdi>${showName(name)}</bdi>${isLast && !isDirectory ? '' : '/'}`
    if (isLast) return `<span aria-current="page">${crumb}</span>`
    return `<a href="${escapeText(`${root}${pathTo(names.slice(0, index + 1))}`)}">${crumb}</a>`
  })
  return `<a href="${escapeText(root)}" aria-label="Root">/</a>${crumbs.join('')}`
}

/** From the requested address to the served directory. */
function rootLink({ target, prefix }: ErrorPage): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
  const up = '../'.repeat(Math.max(0, path.split('/').length - 2))
  return `${up === '' ? './' : up}${prefix === '' ? '' : `${prefix.slice(1)}/`}`
}

function pathTo(names: readonly string[]): string {
  return names.map((name) => entryPath({ name, type: 'directory' })).join('')
}

const maximumSuggestions = 5

/** In characters. No file system has longer names. */
const longestComparedName = 255

/** The entries most similar to a missing name, nearest first. */
export function nearestNames(missing: string, entries: readonly NamedEntry[]): readonly NamedEntry[] {
  if (missing.length > longestComparedName) return []
  const wanted = missing.toLowerCase()
  // Two swapped letters count as a distance of two.
  const furthest = wanted.length < 3 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  return entries
    .map((entry) => ({ entry, difference: differenceOf(wanted, entry.name.toLowerCase()) }))
    .filter(({ difference }) => difference <= furthest)
    .sort((one, other) => one.difference - other.difference || (one.entry.name < other.entry.name ? -1 : 1))
    .slice(0, maximumSuggestions)
    .map(({ entry }) => entry)
}

/** A name is also near if only its extension differs. */
function differenceOf(wanted: string, name: string): number {
  const stem = (text: string): string => text.replace(/(?<=.)\.[^.]*$/, '')
  const whole = distance(wanted, name)
  return Math.min(whole, distance(stem(wanted), stem(name)) + 0.5)
}
