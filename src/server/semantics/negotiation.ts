/**
 * Ranks several files of one name by a request's Accept field.
 *
 * Rules: the most specific range that matches a type gives its weight; weight 0 excludes. Among equal weights the first
 * range in the field wins, then the file's name in code unit order. If nothing is acceptable, the order of names
 * decides, since an answer helps more than a 406 (RFC 9110 section 12.4.1 allows it). Elements that do not parse are
 * skipped. A charset is compared only if the type has one. JavaScript and XML also match under their older names. RFC
 * 9110 sections 12.4.2, 12.5.1 and 8.3.1.
 */

export interface Variant {
  readonly name: string
  /** As sent in Content-Type. */
  readonly mediaType: string
}

interface MediaRange {
  readonly type: string
  readonly subtype: string
  /** Lower-case `name=value`, without the weight. */
  readonly parameters: readonly string[]
  readonly weight: number
}

/** More ranges than any client sends; the rest of a longer field is ignored, to bound the time. */
const maximumRanges = 200

/** RFC 9239 section 6 and RFC 7303 section 9: other names of the same type. */
const canonicalTypes: Readonly<Record<string, string>> = {
  'application/ecmascript': 'text/javascript',
  'application/javascript': 'text/javascript',
  'application/x-ecmascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'text/ecmascript': 'text/javascript',
  'text/xml': 'application/xml',
  'application/x-yaml': 'application/yaml',
  'text/yaml': 'application/yaml',
  'text/x-yaml': 'application/yaml',
  'text/x-markdown': 'text/markdown',
  'application/x-gzip': 'application/gzip',
  'image/vnd.microsoft.icon': 'image/x-icon',
}

const token = "[!#$%&'*+.^_`|~\\w-]+"
const rangePattern = new RegExp(`^(${token})/(${token})((?:\\s*;.*)?)$`, 's')
const weightPattern = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** The variants, best first. `accept`: the field's value, undefined if absent. */
export function rankVariants<V extends Variant>(accept: string | undefined, variants: readonly V[]): readonly V[] {
  const byName = [...variants].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const ranges = accept === undefined ? [] : parseAccept(accept)
  if (ranges.length === 0) return byName
  // The sort is stable: equal variants keep the order of their names.
  return byName
    .map((variant) => ({ variant, ...judge(variant.mediaType, ranges) }))
    .sort((a, b) => b.weight - a.weight || a.position - b.position)
    .map(({ variant }) => variant)
}

/** Whether HTML is accepted by its name, not by a wildcard. */
export function acceptsHtmlByName(accept: string | undefined): boolean {
  return parseAccept(accept ?? '').some(
    ({ weight, type, subtype }) => weight > 0 && type === 'text' && subtype === 'html',
  )
}

/** The weight of the most specific matching range, and its position. A type without a match has weight 0. */
function judge(mediaType: string, ranges: readonly MediaRange[]): { weight: number; position: number } {
  const [typeName = '', ...parameters] = splitOutsideQuotes(mediaType.toLowerCase(), ';')
  const [type, subtype] = splitType(typeName)
  let best = { weight: 0, position: ranges.length, specificity: -1 }
  for (const [position, range] of ranges.entries()) {
    const specificity = matchSpecificity(range, type, subtype, parameters.map(normalizeParameter))
    if (specificity > best.specificity) best = { weight: range.weight, position, specificity }
  }
  // Excluded and unmatched types are equal: among them only the name decides.
  return best.weight === 0 ? { weight: 0, position: ranges.length } : best
}

/** -1 if the range does not match. */
function matchSpecificity(range: MediaRange, type: string, subtype: string, parameters: readonly string[]): number {
  if (range.type === '*') return range.subtype === '*' ? 0 : -1
  if (range.subtype === '*') return range.type === type ? 1 : -1
  if (range.type !== type || range.subtype !== subtype) return -1
  const hasCharset = parameters.some((parameter) => parameter.startsWith('charset='))
  const compared = range.parameters.filter((parameter) => hasCharset || !parameter.startsWith('charset='))
  return compared.every((parameter) => parameters.includes(parameter)) ? 2 + compared.length : -1
}

function parseAccept(accept: string): readonly MediaRange[] {
  const ranges: MediaRange[] = []
  for (const element of splitOutsideQuotes(accept, ',').slice(0, maximumRanges)) {
    const range = parseRange(element)
    if (range !== undefined) ranges.push(range)
  }
  return ranges
}

function parseRange(element: string): MediaRange | undefined {
  const match = rangePattern.exec(element.toLowerCase())
  if (match === null) return undefined
  const [type, subtype] = splitType(`${match[1]}/${match[2]}`)
  const parameters = splitOutsideQuotes(match[3]!, ';').map(normalizeParameter)
  const weightAt = parameters.findIndex((parameter) => parameter.startsWith('q='))
  if (weightAt < 0) return { type, subtype, parameters, weight: 1 }
  const weight = parameters[weightAt]!.slice(2)
  if (!weightPattern.test(weight)) return undefined
  return { type, subtype, parameters: parameters.slice(0, weightAt), weight: Number(weight) }
}

function splitType(name: string): [type: string, subtype: string] {
  const canonical = Object.hasOwn(canonicalTypes, name) ? canonicalTypes[name]! : name
  const [type = '', subtype = ''] = canonical.split('/')
  return [type, subtype]
}

/** `Charset = "UTF-8"` and `charset=utf-8` are one parameter (RFC 9110 section 5.6.6). */
function normalizeParameter(parameter: string): string {
  const equals = parameter.indexOf('=')
  if (equals < 0) return parameter
  const value = parameter.slice(equals + 1).trim()
  const unquoted = /^".*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value
  return `${parameter.slice(0, equals).trim()}=${unquoted}`
}

/** The parts between separators outside quoted strings, trimmed, without empty ones. */
function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let index = 0; index <= text.length; index++) {
    const character = text[index]
    if (isQuoted && character === '\\') index++
    else if (character === '"') isQuoted = !isQuoted
    else if (index === text.length || (character === separator && !isQuoted)) {
      const part = text.slice(start, index).trim()
      if (part !== '') parts.push(part)
      start = index + 1
    }
  }
  return parts
}
