/**
 * Expands curl's URL globs: `{one,two}`, `[1-10]`, `[01-10:2]`, `[a-z]`.
 *
 * Rules (curl manual, "Globbing"): the last glob changes fastest; a leading zero keeps the width; brackets without a
 * range, such as those of an IPv6 address, are text. A variable is not a glob.
 */

/** A request file is hardly ever meant to have more requests. */
export const MAX_URLS = 1000
/** One more, so that the caller can tell that some are missing. */
const SEARCHED_URLS = MAX_URLS + 1

/** At most one URL more than `MAX_URLS`. */
export function expandGlobs(url: string): readonly string[] {
  const glob =
    /\{\{[^{}]*\}\}|(?<!\{)\{([^{},]*,[^{}]*)\}|\[(\d+)-(\d+)(?::(\d+))?\]|\[([A-Za-z])-([A-Za-z])(?::(\d+))?\]/g
  let urls = ['']
  let done = 0
  for (const match of url.matchAll(glob)) {
    const choices = match[0].startsWith('{{') ? [match[0]] : choicesOf(match)
    const before = url.slice(done, match.index)
    urls = urls.flatMap((start) => choices.map((choice) => start + before + choice)).slice(0, SEARCHED_URLS)
    done = match.index + match[0].length
  }
  return urls.map((start) => start + url.slice(done))
}

function choicesOf([, set, from, to, step, first, last, letterStep]: RegExpMatchArray): readonly string[] {
  if (set !== undefined) return set.split(',', SEARCHED_URLS)
  if (from !== undefined && to !== undefined) {
    const width = from.startsWith('0') ? from.length : 0
    return range(Number(from), Number(to), Number(step ?? 1)).map((number) => String(number).padStart(width, '0'))
  }
  const start = (first as string).charCodeAt(0)
  const codes = range(start, (last as string).charCodeAt(0), Number(letterStep ?? 1))
  return codes.map((code) => String.fromCharCode(code))
}

function range(from: number, to: number, step: number): readonly number[] {
  const count = Math.min(SEARCHED_URLS, Math.floor((to - from) / Math.max(1, step)) + 1)
  return Array.from({ length: Math.max(0, count) }, (_, index) => from + index * Math.max(1, step))
}
