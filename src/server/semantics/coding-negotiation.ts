/**
 * Chooses the content codings for a request, by its Accept-Encoding field.
 *
 * Rules: higher weights first; among equal weights, the best compression; weight 0 excludes, `*` matches codings that
 * are not named, and a coding with a lower weight than `identity` is omitted. Elements that do not parse are skipped. A
 * request without the field accepts any coding, but gets none, because every client can read that. RFC 9110 sections
 * 8.4.1 and 12.5.3.
 */

export interface ContentCoding {
  readonly name: string
  /** The extension of a precompressed file beside the original. */
  readonly extension: string
}

/** In order of preference. */
export const contentCodings: readonly ContentCoding[] = [
  { name: 'br', extension: '.br' },
  { name: 'zstd', extension: '.zst' },
  { name: 'gzip', extension: '.gz' },
]

/** More elements than any client sends; the rest is not read. */
const maximumElements = 50

const elementPattern = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** RFC 9110 section 8.4.1.3. */
const aliases: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']])

/** Best first; empty if the content should be sent without a coding. */
export function acceptedCodings(acceptEncoding: string | undefined): readonly ContentCoding[] {
  if (acceptEncoding === undefined) return []
  const weights = new Map<string, number>()
  for (const element of acceptEncoding.split(',').slice(0, maximumElements)) {
    const match = elementPattern.exec(element.trim())
    if (match === null) continue
    const name = match[1]!.toLowerCase()
    weights.set(aliases.get(name) ?? name, match[2] === undefined ? 1 : Number(match[2]))
  }
  const others = weights.get('*') ?? 0
  const identity = weights.get('identity') ?? 0
  return contentCodings
    .map((coding) => ({ coding, weight: weights.get(coding.name) ?? others }))
    .filter(({ weight }) => weight > 0 && weight >= identity)
    .sort((a, b) => b.weight - a.weight)
    .map(({ coding }) => coding)
}
