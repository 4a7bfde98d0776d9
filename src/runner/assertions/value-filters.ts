/**
 * Applies filters to a value: its length, a digest, the match of a regular expression.
 *
 * Rules: a missing value stays missing. The length of a text is counted in characters, that of a list in elements;
 * `bytes` is the length in bytes. A digest of the body covers its decoded bytes.
 */
import { createHash } from 'node:crypto'
import type { Filter, JsonValue, PlainFilter, Template } from '../../http-file/index.ts'
import { plainText } from '../files/resolved-value.ts'
import { type FoundValue, isUnread, jsonOf, nothing, shownValue, text, typeName, value } from './found-value.ts'
import { converters, type FilterSurroundings, textFilters } from './text-filters.ts'

export interface FilterContext extends FilterSurroundings {
  /** Returns the text with its variables replaced. */
  readonly render: (template: Template) => string
}

type Maker = (json: JsonValue, context: FilterContext) => FoundValue

const makers: Readonly<Record<Exclude<PlainFilter, 'count'>, Maker>> = {
  ...converters,
  length: (json) => {
    if (typeof json === 'string') return value([...json].length)
    const size = sizeOf(json)
    return size === undefined ? nothing(`${typeName(json)} has no length`) : value(size)
  },
  bytes: (json, { octets }) => value((octets ?? Buffer.from(plainText(json))).length),
  sha512: (json, context) => digest('sha512', json, context),
  sha256: (json, context) => digest('sha256', json, context),
  sha1: (json, context) => digest('sha1', json, context),
  md5: (json, context) => digest('md5', json, context),
  lower: (json) => text(plainText(json).toLowerCase()),
  upper: (json) => text(plainText(json).toUpperCase()),
}

/** @throws SyntaxError if a pattern is not a regular expression. */
export function filtered(found: FoundValue, filter: Filter, context: FilterContext): FoundValue {
  if (isUnread(found)) return found
  if (filter.type === 'count') return value(countOf(found))
  const json = jsonOf(found)
  if (json === undefined) return found
  if ('texts' in filter) return textFilters[filter.type](json, filter.texts.map(context.render), context)
  if (filter.type !== 'regex') return makers[filter.type](json, context)
  const written = context.render(filter.pattern)
  const match = new RegExp(written, filter.flags).exec(plainText(json))
  const first = match?.[1] ?? (match?.length === 1 ? match[0] : undefined)
  return first === undefined
    ? nothing(`/${written}/${filter.flags} finds nothing in ${shownValue(found)}`)
    : text(first)
}

/** The number of elements in a list, or of values of a header. */
function countOf(found: FoundValue): number {
  if (found.type === 'nothing') return 0
  return sizeOf(jsonOf(found) as JsonValue) ?? 1
}

function sizeOf(json: JsonValue): number | undefined {
  if (Array.isArray(json)) return json.length
  return typeof json === 'object' && json !== null ? Object.keys(json).length : undefined
}

function digest(algorithm: string, json: JsonValue, { octets }: FilterContext): FoundValue {
  return text(
    createHash(algorithm)
      .update(octets ?? plainText(json))
      .digest('hex'),
  )
}
