/**
 * The content of a response for checks: bytes, text, JSON, a document.
 *
 * Rules: each form is computed on demand, and only once; the code for JSON and documents is passed in, so that it is
 * loaded only if needed. Numbers that JavaScript would round are kept as the text of their digits, so that a long
 * identifier can be captured.
 */
import { endOfQuoted, type JsonValue, type Subject } from '../../http-file/index.ts'
import type { HeaderList } from '../../message/index.ts'
import { withExactIntegers } from '../base/exact-integers.ts'
import { decodeLeniently } from '../request/charset.ts'
import { parseMediaType } from '../request/media-type.ts'
import { type FoundValue, nothing, shortened, unread } from './found-value.ts'

type JsonLookup = typeof import('./json-lookup.ts')
type DocumentLookup = typeof import('./document-lookup.ts')

/** The search functions for paths; each is defined if a subject needs it. */
export interface Lookups {
  readonly json: JsonLookup | undefined
  readonly documents: DocumentLookup | undefined
}

export async function loadLookups(kinds: ReadonlySet<Subject['kind']>): Promise<Lookups> {
  return {
    json: kinds.has('jsonpath') ? await import('./json-lookup.ts') : undefined,
    documents: kinds.has('xpath') ? await import('./document-lookup.ts') : undefined,
  }
}

/** Deeper than any real message, and far from the limit of the stack. */
const MAX_JSON_DEPTH = 1000

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

export class ResponseContent {
  readonly octets: Uint8Array
  readonly #type: string
  readonly #charset: string
  readonly #lookups: Lookups
  #text: string | undefined
  #json: ReadJson | undefined
  #document: object | undefined

  constructor(octets: Uint8Array, headers: HeaderList, lookups: Lookups) {
    const { name, charset = '' } = parseMediaType(headers.first('content-type') ?? '')
    this.octets = octets
    this.#lookups = lookups
    this.#type = name
    this.#charset = charset
  }

  get text(): string {
    this.#text ??= decodeLeniently(this.octets, this.#charset)
    return this.#text
  }

  /** @throws SyntaxError */
  atPath(path: string): FoundValue {
    const read = this.#readJson()
    const { valueAtPath } = this.#lookups.json as JsonLookup
    return 'problem' in read ? read.problem : valueAtPath(read.value, path)
  }

  /** @throws SyntaxError */
  atXPath(path: string): FoundValue {
    const { parseDocument, valueAtXPath } = this.#lookups.documents as DocumentLookup
    this.#document ??= parseDocument(this.text, this.#type)
    return valueAtXPath(this.#document, this.text, path)
  }

  #readJson(): ReadJson {
    this.#json ??= parseJson(this.text, this.#type)
    return this.#json
  }
}

type ReadJson = { readonly value: JsonValue } | { readonly problem: FoundValue }

function parseJson(source: string, type: string): ReadJson {
  const written = source.replace(/^\ufeff/, '')
  if (written.trim() === '') return { problem: nothing('the response has no body') }
  if (isDeeper(written, MAX_JSON_DEPTH))
    return { problem: unread(`the JSON is nested more than ${MAX_JSON_DEPTH} levels deep`) }
  try {
    return { value: JSON.parse(withExactIntegers(written)) as JsonValue }
  } catch {
    const lines = jsonLines(written)
    if (lines !== undefined) return { value: lines }
    const kind = type === '' ? '' : `, but ${type}`
    return { problem: nothing(`the body is not JSON${kind}: ${shortened(JSON.stringify(written.slice(0, 80)))}`) }
  }
}

/** Whether brackets outside strings are nested deeper. Searching and printing a value recurse for each level. */
function isDeeper(json: string, limit: number): boolean {
  let depth = 0
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === QUOTE) {
      const end = endOfQuoted(json, index)
      index = end === -1 ? json.length : end - 1
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > limit) return true
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--
  }
  return false
}

/** JSON on each line, as streams and WebSockets send it, is read as a list. */
function jsonLines(written: string): readonly JsonValue[] | undefined {
  const lines = written.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '')
  if (lines.length < 2) return undefined
  try {
    return lines.map((line) => JSON.parse(withExactIntegers(line)) as JsonValue)
  } catch {
    return undefined
  }
}
