/**
 * Filters that take text arguments or convert text to text: `split ","`, `replace "a" "b"`, `base64Decode`, `toDate`.
 *
 * Rules: a value that cannot be converted becomes `nothing`, with the reason. Dates are ISO 8601 texts.
 */
import { type JsonValue, type PlainFilter, percentEscapes, type TextFilter } from '../../http-file/index.ts'
import { withReferences } from '../../secrets/index.ts'
import { withExactIntegers } from '../base/exact-integers.ts'
import { plainText } from '../files/resolved-value.ts'
import { decodeLeniently } from '../request/charset.ts'
import { readDate, writeDate } from './date-patterns.ts'
import { type FoundValue, nothing, shownJson, text, typeName, value } from './found-value.ts'
import type { Lookups } from './response-content.ts'

export interface FilterSurroundings {
  /** Defined if the value is the body itself. */
  readonly octets: Uint8Array | undefined
  readonly lookups: Lookups
  /** In milliseconds since 1970. */
  readonly nowMs: number
}

type ConvertingFilter = Exclude<
  PlainFilter,
  'length' | 'count' | 'bytes' | 'sha512' | 'sha256' | 'sha1' | 'md5' | 'lower' | 'upper'
>

const DAY_MS = 86_400_000

export const converters: Readonly<
  Record<ConvertingFilter, (json: JsonValue, around: FilterSurroundings) => FoundValue>
> = {
  first: (json) => elementAt(json, 0),
  last: (json) => elementAt(json, -1),
  toInt: (json) => numberFrom(json, /^\s*[+-]?\d+\s*$/, 'an integer'),
  toFloat: (json) => numberFrom(json, /^\s*[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/, 'a number'),
  toString: (json) => value(plainText(json)),
  toHex: (json, { octets }) => text(Buffer.from(octets ?? Buffer.from(plainText(json))).toString('hex')),
  urlEncode: (json) => text(encodeURIComponent(plainText(json)).replace(/[!'()*]/g, percentEscapes)),
  urlDecode: (json) => decodedUrl(plainText(json)),
  // Hurl writes the apostrophe in hexadecimal.
  htmlEscape: (json) => text(withReferences(plainText(json)).replaceAll('&#39;', '&#x27;')),
  htmlUnescape: (json, { lookups }) =>
    text((lookups.documents as NonNullable<Lookups['documents']>).textOfHtml(plainText(json))),
  base64Encode: (json, { octets }) => text(Buffer.from(octets ?? Buffer.from(plainText(json))).toString('base64')),
  base64UrlSafeEncode: (json, { octets }) =>
    text(Buffer.from(octets ?? Buffer.from(plainText(json))).toString('base64url')),
  base64Decode: (json) => decodedBase64(json, /^[A-Za-z0-9+/\s]*(?:={1,2}\s*)?$/),
  base64UrlSafeDecode: (json) => decodedBase64(json, /^[A-Za-z0-9_-]*={0,2}$/),
  daysAfterNow: (json, { nowMs }) => daysFrom(json, (dateMs) => dateMs - nowMs),
  daysBeforeNow: (json, { nowMs }) => daysFrom(json, (dateMs) => nowMs - dateMs),
}

type Maker = (json: JsonValue, texts: readonly string[], around: FilterSurroundings) => FoundValue

export const textFilters: Readonly<Record<TextFilter, Maker>> = {
  split: (json, [separator = '']) => value(plainText(json).split(separator)),
  replace: (json, [from = '', to = '']) => text(plainText(json).replaceAll(from, () => to)),
  replaceRegex: (json, [pattern = '', to = '']) => text(plainText(json).replace(new RegExp(pattern, 'g'), to)),
  nth: (json, [index = '']) =>
    /^-?\d+$/.test(index) ? elementAt(json, Number(index)) : nothing(`${JSON.stringify(index)} is not an index`),
  jsonpath: (json, [path = ''], { lookups }) => atPath(json, path, lookups),
  xpath: (json, [path = ''], { lookups }) => {
    const { parseDocument, valueAtXPath } = lookups.documents as NonNullable<Lookups['documents']>
    const source = plainText(json)
    return valueAtXPath(parseDocument(source, ''), source, path)
  },
  toDate: (json, [pattern = '']) => {
    const date = readDate(plainText(json), pattern)
    return date === undefined
      ? nothing(`${shownJson(json)} is not a date as ${JSON.stringify(pattern)} says`)
      : text(date)
  },
  format: (json, [pattern = '']) => {
    const dateMs = dateMsOf(json)
    return dateMs === undefined ? noDate(json) : text(writeDate(new Date(dateMs), pattern))
  },
  decode: (json, [charset = ''], { octets }) => text(decodeLeniently(octets ?? Buffer.from(plainText(json)), charset)),
  urlQueryParam: (json, [name = '']) => {
    const url = URL.canParse(plainText(json)) ? new URL(plainText(json)) : undefined
    if (url === undefined) return nothing(`${shownJson(json)} is not a URL`)
    const found = url.searchParams.get(name)
    return found === null ? nothing(`the URL has no parameter ${name}`) : text(found)
  },
}

function elementAt(json: JsonValue, index: number): FoundValue {
  if (!Array.isArray(json)) return nothing(`${typeName(json)} has no elements`)
  const element: JsonValue | undefined = json.at(index)
  return element === undefined ? nothing(`the list has ${json.length} elements, none at ${index}`) : value(element)
}

function numberFrom(json: JsonValue, pattern: RegExp, wanted: string): FoundValue {
  if (typeof json === 'number') return value(wanted === 'an integer' ? Math.trunc(json) : json)
  if (typeof json !== 'string' || !pattern.test(json)) return nothing(`${shownJson(json)} is not ${wanted}`)
  const number = Number(json)
  // An integer that JavaScript would round stays text.
  return value(/^\s*[+-]?\d+\s*$/.test(json) && !Number.isSafeInteger(number) ? json.trim() : number)
}

function decodedUrl(written: string): FoundValue {
  try {
    return text(decodeURIComponent(written))
  } catch {
    return nothing(`${shownJson(written)} has invalid percent escapes`)
  }
}

function decodedBase64(json: JsonValue, pattern: RegExp): FoundValue {
  const written = plainText(json)
  if (!pattern.test(written)) return nothing(`${shownJson(json)} is not Base64`)
  return text(Buffer.from(written, 'base64').toString('utf8'))
}

function dateMsOf(json: JsonValue): number | undefined {
  const dateMs = typeof json === 'string' ? Date.parse(json) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : dateMs
}

const noDate = (json: JsonValue): FoundValue => nothing(`${shownJson(json)} is not a date: toDate "%Y-%m-%d" makes one`)

function daysFrom(json: JsonValue, distance: (dateMs: number) => number): FoundValue {
  const dateMs = dateMsOf(json)
  return dateMs === undefined ? noDate(json) : value(Math.trunc(distance(dateMs) / DAY_MS))
}

function atPath(json: JsonValue, path: string, { json: lookup }: Lookups): FoundValue {
  let document = json
  if (typeof json === 'string') {
    try {
      document = JSON.parse(withExactIntegers(json)) as JsonValue
    } catch {
      return nothing(`${shownJson(json)} is not JSON`)
    }
  }
  try {
    return (lookup as NonNullable<Lookups['json']>).valueAtPath(document, path)
  } catch (cause) {
    // The library throws errors of other types.
    throw new SyntaxError((cause as Error).message, { cause })
  }
}
