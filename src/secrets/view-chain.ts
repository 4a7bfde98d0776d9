/** Places in a view of a view of bytes as places in the bytes, and the other way round. */
import type { DecodedView } from './decoded-view.ts'
import type { ByteRange } from './secret-index.ts'

/** A place in the last of the views as one in the bytes that the first is of. */
export function sourceStart(views: readonly DecodedView[], index: number): number {
  return views.reduceRight((place, view) => view.startOf(place), index)
}

/** The end of a range in the last of the views as one in the bytes that the first is of. */
export function sourceEnd(views: readonly DecodedView[], index: number): number {
  return views.reduceRight((place, view) => view.endOf(place), index)
}

export function inSource(views: readonly DecodedView[], [from, to]: ByteRange): ByteRange {
  return [sourceStart(views, from), sourceEnd(views, to)]
}

/** A range of bytes, and all of the escapes that it begins or ends in. */
export function outwards(views: readonly DecodedView[], [from, to]: ByteRange): ByteRange {
  const first = views.reduce((place, view) => view.indexBefore(place), from)
  const end = views.reduce((place, view) => view.indexAfter(place), to)
  const whole = inSource(views, [first, end])
  return [Math.min(from, whole[0]), Math.max(to, whole[1])]
}

/**
 * Where `rest` ends in the bytes that the first view is of, if it begins the escape, in whichever view, that decodes to what
 * is at a place in the last of the views: `\` in `\n`.
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

/** What comes before a place, as it is and in each view; `known` where that is before the bytes. */
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
