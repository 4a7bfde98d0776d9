/** Translates places in the last of a chain of views to places in the source bytes, and back. */
import type { DecodedView } from './decoded-view.ts'
import type { ByteRange } from './secret-index.ts'

/** The place in the source of a place in the last view. */
export function sourceStart(views: readonly DecodedView[], index: number): number {
  return views.reduceRight((place, view) => view.startOf(place), index)
}

/** The end in the source of a range in the last view. */
export function sourceEnd(views: readonly DecodedView[], index: number): number {
  return views.reduceRight((place, view) => view.endOf(place), index)
}

export function inSource(views: readonly DecodedView[], [from, to]: ByteRange): ByteRange {
  return [sourceStart(views, from), sourceEnd(views, to)]
}

/** A range of the source, extended to whole escapes. */
export function outwards(views: readonly DecodedView[], [from, to]: ByteRange): ByteRange {
  const first = views.reduce((place, view) => view.indexBefore(place), from)
  const end = views.reduce((place, view) => view.indexAfter(place), to)
  const whole = inSource(views, [first, end])
  return [Math.min(from, whole[0]), Math.max(to, whole[1])]
}

/**
 * If the escape that decodes to `index` of the last view begins with `rest` (`\` in `\n`), in whichever view: the end
 * of `rest` in the source.
 */
export function endInEscape(views: readonly DecodedView[], index: number, rest: Uint8Array): number | undefined {
  let place = index
  for (let level = views.length - 1; level >= 0; level--) {
    const view = views[level] as DecodedView
    const written = view.escapeAt(place)
    place = view.startOf(place)
    if (written === undefined) continue
    const isThere = rest.every((byte, each) => written[each] === byte)
    return isThere ? sourceEnd(views.slice(0, level), place + rest.length) : undefined
  }
  return undefined
}

/** The byte before a place in the source and in each view; from `known` at the start of the bytes. */
export function bytesBefore(
  all: Uint8Array,
  views: readonly DecodedView[],
  place: number,
  known: readonly number[],
): readonly number[] {
  if (place === 0) return known
  let index = place
  return [all, ...views.map(({ bytes }) => bytes)].map((bytes, level) => {
    if (level > 0) index = (views[level - 1] as DecodedView).indexBefore(index)
    return index > 0 ? (bytes[index - 1] as number) : (known[level] ?? (known.at(-1) as number))
  })
}
