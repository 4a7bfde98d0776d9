/**
 * Answers a request for a directory: as a page or, if Accept prefers it, as JSON.
 *
 * Rules: the query sets the order (listing-order.ts), Accept the format. The entity tag is computed from everything
 * that is shown, so an unchanged listing is not sent again. A short listing is sent in one piece with its length; a
 * long one is generated while it is sent, as fast as the client reads. Both are compressed for clients that accept it,
 * since rows are very similar. RFC 9110 sections 8.8.3, 12.5.1 and 13.1.
 */
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { packerOf } from '../files/compression.ts'
import { failureOf } from '../files/served-file.ts'
import { isTurnOver, nextTurn } from '../limits/turn-slice.ts'
import { type Answer, busyAnswer, type Field, textAnswer } from '../semantics/answer.ts'
import { StreamBody } from '../semantics/answer-body.ts'
import { acceptedCodings } from '../semantics/coding-negotiation.ts'
import { judgePreconditions } from '../semantics/conditional.ts'
import type { FoundDirectory, Hooks, ServerRequest } from '../semantics/hooks.ts'
import { rankVariants } from '../semantics/negotiation.ts'
import { splitTarget } from '../semantics/url-path.ts'
import type { DirectoryLister, ListedDirectory, ListedEntry } from './listed-directory.ts'
import { parseOrder, sortEntries } from './listing-order.ts'
import { entryPath, renderListing } from './listing-page.ts'
import { entriesInGroup, listingScript, listingStyle } from './listing-style.ts'
import { machineOffsetMinutes } from './local-time.ts'
import { pagePolicy } from './page-style.ts'

export interface ListingSettings {
  readonly lister: DirectoryLister
  /** Path of a script of this server that pages load, such as the one that reloads them. */
  readonly scriptPath?: string | undefined
  /** Whether an entry is shown, by its name. Default: all are. */
  readonly isListed?: ((name: string) => boolean) | undefined
}

type Form = 'html' | 'json'

const forms: readonly { readonly name: Form; readonly mediaType: string }[] = [
  { name: 'html', mediaType: 'text/html; charset=utf-8' },
  { name: 'json', mediaType: 'application/json' },
]

/** Up to this number of entries the whole listing is generated at once: about 50 KB. */
const shortListingEntries = 250

/** The step that answers directories. */
export function createListing(settings: ListingSettings): NonNullable<Hooks['listing']> {
  return async (directory, request) => {
    try {
      return await answerListing(directory, request, settings)
    } catch (error) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      if (failure === 'busy') return busyAnswer()
      return textAnswer(failure === 'forbidden' ? 403 : 404)
    }
  }
}

async function answerListing(
  directory: FoundDirectory,
  request: ServerRequest,
  settings: ListingSettings,
): Promise<Answer> {
  const { names } = directory
  const form = formFor(request.get('accept'))
  const target = splitTarget(request.target)
  const order = parseOrder(typeof target === 'string' ? '' : target.query)
  const listed = await settings.lister.list(directory, names.length)
  const entries = await sortEntries(shownEntries(listed.entries, settings.isListed), order)
  const { isComplete } = listed
  const coding = acceptedCodings(request.get('accept-encoding')).find(({ name }) => packerOf(name) !== undefined)?.name
  const etag = await etagOf(entries, [
    form.name,
    formatOfPage,
    JSON.stringify([names, order, isComplete]),
    coding ?? '',
  ])
  const steering: readonly Field[] = [
    ['ETag', etag],
    ['Vary', 'Accept, Accept-Encoding'],
  ]
  // A listing has no date, so only entity tags are compared.
  const tagField = (name: string): string | undefined => (name.endsWith('-match') ? request.get(name) : undefined)
  const verdict = judgePreconditions(tagField, { etag, modifiedMs: 0 }, 0)
  if (verdict === 'not-modified') return { status: 304, fields: steering, body: undefined }
  if (verdict === 'failed') return textAnswer(412, undefined, steering)
  const fields: Field[] = [['Content-Type', form.mediaType], ...steering]
  if (form.name === 'json') return answerOf(renderListingJson(names, { entries, isComplete }), entries, fields, coding)
  fields.push(['Content-Security-Policy', policyOf(settings)])
  const offsetMinutesAt = machineOffsetMinutes
  const page = renderListing({ names, entries, isComplete, order, scriptPath: settings.scriptPath, offsetMinutesAt })
  return answerOf(page, entries, fields, coding)
}

function policyOf({ scriptPath }: ListingSettings): string {
  return pagePolicy({ style: listingStyle, script: listingScript, allowsOwnScripts: scriptPath !== undefined })
}

/** The same list if nothing is omitted: requests share it. */
function shownEntries(entries: readonly ListedEntry[], isListed: ListingSettings['isListed']): readonly ListedEntry[] {
  if (isListed === undefined || entries.every(({ name }) => isListed(name))) return entries
  return entries.filter(({ name }) => isListed(name))
}

/** Represents the rest of the page in the tag: a new release may show the same entries differently. */
const formatOfPage = createHash('sha256').update(listingStyle).update(listingScript).digest('hex')

function formFor(accept: string | undefined): (typeof forms)[number] {
  const [first] = rankVariants(accept, forms)
  return forms.find(({ name }) => name === first?.name) ?? forms[0]!
}

/** Requests that share entries share their tags. `others`: everything else that is shown. */
const etagsByEntries = new WeakMap<readonly ListedEntry[], Map<string, Promise<string>>>()

function etagOf(entries: readonly ListedEntry[], others: readonly string[]): Promise<string> {
  const etags = etagsByEntries.get(entries) ?? new Map<string, Promise<string>>()
  etagsByEntries.set(entries, etags)
  const key = others.join('\0')
  const etag = etags.get(key) ?? hashEntries(entries, key)
  etags.set(key, etag)
  return etag
}

async function hashEntries(entries: readonly ListedEntry[], others: string): Promise<string> {
  const hash = createHash('sha256').update(others)
  // Numbers are hashed in their binary form: formatting them takes longer than everything else.
  const numbers = new Float64Array(2 * shortListingEntries)
  for (let start = 0; start < entries.length; start += shortListingEntries) {
    const end = Math.min(start + shortListingEntries, entries.length)
    let names = ''
    for (let index = start; index < end; index++) {
      const { type, name, sizeBytes, modifiedMs } = entries[index]!
      names += `${type}/${name}\n`
      numbers[2 * (index - start)] = sizeBytes
      numbers[2 * (index - start) + 1] = modifiedMs
    }
    hash.update(names).update(numbers.subarray(0, 2 * (end - start)))
    if (isTurnOver()) await nextTurn('long')
  }
  return `"${hash.digest('base64url').slice(0, 27)}"`
}

/** `coding`: that of the body; undefined: none. */
async function answerOf(
  pieces: Iterable<string>,
  entries: readonly ListedEntry[],
  fields: readonly Field[],
  coding: string | undefined,
): Promise<Answer> {
  const packer = coding === undefined ? undefined : packerOf(coding)
  const codedFields: readonly Field[] = [...fields, ['Content-Encoding', coding ?? '']]
  if (entries.length <= shortListingEntries) {
    const body = Buffer.from([...pieces].join(''))
    if (packer === undefined) return { status: 200, fields, body }
    return { status: 200, fields: codedFields, body: await packer.pack(body) }
  }
  const source = Readable.from(encode(pieces), { highWaterMark: 2 })
  if (packer === undefined) return { status: 200, fields, body: new StreamBody(source) }
  const packed = packer.stream()
  // A failure of the source destroys the compressed stream with that error, which then reaches the reader.
  pipeline(source, packed, () => undefined)
  return { status: 200, fields: codedFields, body: new StreamBody(packed) }
}

/**
 * Each piece costs a write and, if it is compressed, a round trip to another thread. A slow reader holds a few of them.
 */
const sentPieceCharacters = 32_768

/** Yields between pieces: a fast reader would otherwise block all other clients until the end of the page. */
async function* encode(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < sentPieceCharacters) continue
    yield Buffer.from(text)
    text = ''
    if (isTurnOver()) await nextTurn('long')
  }
  yield Buffer.from(text)
}

// A directory as JSON: `{"path": "/docs/", "isComplete": true, "entries": [{"name", "type", "url", "size",
// "modified"}]}`.
//
// Rules: `path` is the decoded path below the served directory; `type` is `directory` or `file`; `url` is relative to
// the directory, encoded; `size` is in bytes, for files only; `modified` is ISO 8601 in UTC, with milliseconds. Entries
// are in the order that the page would have. The JSON is yielded in pieces, like the page.

/** `names`: of the directory below the served one. */
function* renderListingJson(names: readonly string[], directory: ListedDirectory): Generator<string> {
  const { entries, isComplete } = directory
  const path = `/${names.map((name) => `${name}/`).join('')}`
  yield `{"path":${JSON.stringify(path)},"isComplete":${isComplete},"entries":[`
  for (let start = 0; start < entries.length; start += entriesInGroup) {
    const objects = entries.slice(start, start + entriesInGroup).map((entry) => JSON.stringify(objectOf(entry)))
    yield `${start === 0 ? '\n' : ',\n'}${objects.join(',\n')}`
  }
  yield '\n]}\n'
}

function objectOf(entry: ListedEntry): Readonly<Record<string, unknown>> {
  const moment = new Date(entry.modifiedMs)
  return {
    name: entry.name,
    type: entry.type,
    url: entryPath(entry),
    ...(entry.type === 'file' ? { size: entry.sizeBytes } : {}),
    // Some file systems store years that a Date cannot represent.
    modified: Number.isNaN(moment.getTime()) ? null : moment.toISOString(),
  }
}
