/**
 * Secrets that begin inside of what a view decodes as an escape.
 *
 * Rules: `\nice%5C` may be a line feed before `ice\`, and it may be a backslash before the secret `nice\`, whose last
 * character is escaped. Views have the first reading. Here the bytes of an escape after its first one are read as they
 * are, and after them what a view has after the escape: the view that decodes it, or one of that view.
 */
import type { DecodedView } from './decoded-view.ts'
import { type ByteRange, type Findings, NONE, type SecretIndex } from './secret-index.ts'
import { sourceEnd, sourceStart } from './view-chain.ts'

/** @returns places in what the first view is of */
export function findSecondReadings(index: SecretIndex, views: readonly DecodedView[], isLast: boolean): Findings {
  const ranges: ByteRange[] = []
  let openFrom = Number.POSITIVE_INFINITY
  for (const [level, view] of views.entries()) {
    const { source } = view
    view.forEachLiteral(index.firstBytes, (start, escapeTo, escapeIndex) => {
      let place = escapeIndex
      for (let last = level; last < views.length; last++) {
        const after = (views[last] as DecodedView).bytes
        if (last > level) place = (views[last] as DecodedView).indexBefore(place)
        const { end, isOpen } = index.findAcross(source, start, escapeTo, after, place, isLast)
        if (isOpen) openFrom = Math.min(openFrom, sourceStart(views.slice(0, level), start))
        if (end === NONE) continue
        ranges.push([sourceStart(views.slice(0, level), start), sourceEnd(views.slice(0, last + 1), end)])
      }
    })
  }
  return { ranges, openFrom }
}
