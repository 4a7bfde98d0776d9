/**
 * Files of the served directory as representations: cached while they are small and unchanged in the file system,
 * otherwise opened, and in the content coding that the request prefers.
 *
 * Rules: the file system is checked for each request, once per turn of the event loop for each file
 * (event-loop-turn.ts), so stale content is never sent. A file that changed a moment ago is not cached, since a second
 * change within the same tick of the file system's clock would go unnoticed. A file with the same name plus `.br`,
 * `.zst` or `.gz` is the compressed form of a file, unless it is older; `--compress` compresses files without such a
 * form, and a file that exists only compressed is decompressed for clients that cannot decode it. If other requests
 * could get another coding, every answer says so in Vary. RFC 9110 sections 8.4, 12.5.3 and 12.5.5.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { HeadWriter } from '../http1/head-writer.ts'
import type { OpenFiles } from '../limits/open-files.ts'
import type { ContentCoding } from '../semantics/coding-negotiation.ts'
import type { Rewrite } from '../semantics/hooks.ts'
import type { MediaTypes } from '../semantics/media-types.ts'
import type { NamedFile, Plan } from '../semantics/plan.ts'
import { CachedFile, OpenFile, type Presentation, type Representation, tagged } from '../semantics/representation.ts'
import { CompressedFiles } from './compressed-files.ts'
import { decompression } from './compression.ts'
import { ContentTags, contentTag } from './content-tags.ts'
import type { DiskLatency } from './disk-latency.ts'
import type { EventLoopTurn } from './event-loop-turn.ts'
import { FileCache } from './file-cache.ts'
import { PrecompressedFiles, packedAlone, statOrUndefined } from './precompressed-files.ts'
import { type OpenFailure, openServedFile, ServedFile, type ServedTree } from './served-file.ts'
import { type Conversion, StreamedFile } from './streamed-file.ts'

/** Up to this size a file is read as a whole and cached. */
const keptFileBytes = 1_048_576

/** How often reading a changing file is retried. */
const maximumAttempts = 5

/** How often a large file that just changed is checked again, and the wait before each check. */
const maximumWaits = 10
const waitMs = 20

/** The maximum number of files being decompressed at a time: each takes memory for as long as its client likes. */
const maximumUnpackedStreams = 32

export type StoredOutcome = Representation | 'directory' | OpenFailure

/** An asynchronous result is never a directory. */
export type LaterOutcome = Promise<Representation | OpenFailure>

export interface FileStoreSettings {
  readonly tree: ServedTree
  readonly mediaTypes: MediaTypes
  readonly heads: HeadWriter
  readonly turn: EventLoopTurn
  readonly gauge: DiskLatency
  /** Frees a descriptor when none is left. */
  readonly openFiles: OpenFiles
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly cacheBytes: number
  /** See Hooks. */
  readonly cacheControl: ((names: readonly string[]) => string | undefined) | undefined
  readonly rewrite: Rewrite | undefined
  /** Whether content is compressed on the fly. */
  readonly isCompressing: boolean
  /** Whether entity tags are made of the content alone. */
  readonly hasContentTags: boolean
  /** Called for defects of this program or of the machine, not of a client. */
  readonly onError: (error: unknown) => void
}

/** A candidate: cache key and response metadata. */
interface Offer extends Omit<Presentation, 'cacheControl'> {
  readonly key: string
  readonly file: NamedFile
}

export class FileStore {
  readonly #settings: FileStoreSettings
  readonly #cache: FileCache
  readonly #packed: CompressedFiles | undefined
  readonly #neighbours: PrecompressedFiles
  readonly #contentTags: ContentTags | undefined
  #unpackedStreams = 0

  constructor(settings: FileStoreSettings) {
    this.#settings = settings
    this.#cache = new FileCache(settings.cacheBytes)
    this.#packed = settings.isCompressing ? new CompressedFiles(this.#cache, settings.heads) : undefined
    this.#neighbours = new PrecompressedFiles(settings.turn)
    this.#contentTags = settings.hasContentTags ? new ContentTags(settings.onError) : undefined
  }

  /** `isNegotiated`: whether Accept affected the choice of the file. Throws errors of `openServedFile`. */
  find(file: NamedFile, isNegotiated: boolean, plan: Plan, nowMs: number): StoredOutcome | LaterOutcome {
    const key = isNegotiated ? `${file.path}\0` : file.path
    const kept = this.#fresh(key, file)
    const isWantedPlain = plan.codings.length === 0 && this.#settings.rewrite === undefined
    if (kept !== undefined && kept.presentation.coding === undefined && isWantedPlain) return kept
    return this.#findCoded(key, file, isNegotiated, plan, nowMs)
  }

  /** Finds a file that exists only compressed: in an accepted coding, otherwise decompressed while it is sent. */
  findPacked(file: NamedFile, plan: Plan, nowMs: number): StoredOutcome | LaterOutcome {
    const present = packedAlone(file.path)
    const mediaType = this.#settings.mediaTypes.ofFile(file.names.at(-1) ?? '')
    const plain: Offer = {
      key: file.path,
      names: file.names,
      file,
      mediaType,
      coding: undefined,
      vary: 'Accept-Encoding',
    }
    const taken = plan.codings.filter((coding) => present.includes(coding))
    for (const coding of taken) {
      const opened = this.#open(neighbourOffer(plain, coding), nowMs)
      if (opened !== 'missing' && opened !== 'directory') return opened
    }
    for (const coding of present) {
      const offer = neighbourOffer(plain, coding)
      const unpack = decompression(coding.name, offer.file.path)
      const opened = unpack === undefined ? 'missing' : this.#open(offer, nowMs)
      if (opened !== 'missing' && opened !== 'directory') return this.#unpackedLater(opened, unpack!)
    }
    return 'missing'
  }

  /** Finds a file whose content is compressed, as its name says; decompressed for clients that refuse the coding. */
  #findPackedImage(offer: Offer, plan: Plan, nowMs: number): StoredOutcome | LaterOutcome {
    const opened = this.#open(offer, nowMs)
    const isAccepted =
      plan.request.get('accept-encoding') === undefined || plan.codings.some(({ name }) => name === offer.coding)
    const unpack = decompression(offer.coding ?? '', offer.file.path)
    if (isAccepted || opened === 'directory' || unpack === undefined) return opened
    return this.#unpackedLater(opened, unpack)
  }

  #unpackedLater(
    opened: Representation | OpenFailure | LaterOutcome,
    unpack: Conversion,
  ): Representation | OpenFailure | LaterOutcome {
    return opened instanceof Promise
      ? opened.then((later) => this.#unpacked(later, unpack))
      : this.#unpacked(opened, unpack)
  }

  #unpacked(packed: Representation | OpenFailure, unpack: Conversion): Representation | OpenFailure {
    if (!(packed instanceof CachedFile || packed instanceof OpenFile)) return packed
    if (this.#unpackedStreams >= maximumUnpackedStreams) {
      packed.close()
      return 'busy'
    }
    this.#unpackedStreams += 1
    return new StreamedFile(packed, undefined, unpack, () => {
      this.#unpackedStreams -= 1
    })
  }

  /** The cached file for this key, if the file system confirms it. */
  #fresh(key: string, file: NamedFile): CachedFile | undefined {
    if (file.slot?.key !== key || file.slot.file === undefined) file.slot = this.#cache.slot(key)
    const kept = file.slot?.file
    if (kept === undefined) return undefined
    kept.isUsed = true
    const turn = this.#settings.turn.current
    if (kept.checkedTurn === turn) return kept
    const startMs = this.#settings.gauge.begin()
    const stats = statOrUndefined(file.path)
    this.#settings.gauge.end(startMs)
    if (stats === undefined || !kept.isStateOf(stats)) {
      this.#cache.delete(key)
      return undefined
    }
    kept.checkedTurn = turn
    return kept
  }

  #findCoded(
    key: string,
    file: NamedFile,
    isNegotiated: boolean,
    plan: Plan,
    nowMs: number,
  ): StoredOutcome | LaterOutcome {
    const { mediaTypes, rewrite } = this.#settings
    const { mediaType, coding: ownCoding } = mediaTypes.served(file.names.at(-1) ?? '')
    const { packed, sizeBytes } = this.#neighbours.of(file.path)
    const isPacked =
      ownCoding !== undefined || packed.length > 0 || (this.#packed?.takes(mediaType, sizeBytes) ?? false)
    const vary = [isNegotiated ? 'Accept' : '', isPacked ? 'Accept-Encoding' : ''].filter(Boolean).join(', ')
    const plain: Offer = { key, names: file.names, file, mediaType, coding: ownCoding, vary }
    if (ownCoding !== undefined) return this.#findPackedImage(plain, plan, nowMs)
    if (rewrite?.appliesTo(plan.request, mediaType)) return this.#rewritten(plain, rewrite, nowMs)
    for (const coding of plan.codings) {
      if (!packed.includes(coding)) continue
      const outcome = this.#open(neighbourOffer(plain, coding), nowMs)
      if (typeof outcome !== 'string') return outcome
    }
    const opened = this.#open(plain, nowMs)
    const isForPacking = this.#packed !== undefined && packed.length === 0 && plan.codings.length > 0
    if (!isForPacking || typeof opened === 'string') return opened
    return this.#packed.offer(opened, key, plan.codings, nowMs)
  }

  /** From memory or from the disk. */
  #open(offer: Offer, nowMs: number): StoredOutcome | LaterOutcome {
    const kept = this.#fresh(offer.key, offer.file)
    if (kept !== undefined && kept.presentation.vary === offer.vary) return kept
    const turn = this.#settings.turn.current
    for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
      const outcome = openServedFile(this.#settings.tree, offer.file.names, nowMs)
      if (outcome === 'busy' && this.#settings.openFiles.makeRoom()) continue
      if (typeof outcome === 'string') return outcome
      if (!(outcome instanceof ServedFile)) return 'directory'
      if (outcome.sizeBytes > keptFileBytes) return this.#settled(outcome, offer)
      const read = this.#read(outcome, offer, nowMs)
      if (read === undefined) continue
      if (read.isSettled(nowMs)) this.#cache.set(offer.key, read)
      read.checkedTurn = turn
      return read
    }
    return 'busy'
  }

  #read(file: ServedFile, offer: Offer, nowMs: number): CachedFile | undefined {
    try {
      const content = file.readWhole()
      if (content === undefined) return undefined
      const { modifiedMs } = file.validators
      const validators = this.#contentTags === undefined ? file.validators : { etag: contentTag(content), modifiedMs }
      const state = { validators, seen: file.seen }
      return new CachedFile(content, state, this.#present(offer), this.#settings.heads, nowMs)
    } finally {
      file.close()
    }
  }

  /**
   * Only its times reveal a change of a large file, so a file that changed within the last tick is opened later. A file
   * that keeps changing is sent nevertheless: if it changes again, the transfer is aborted.
   */
  #settled(file: ServedFile, offer: Offer): Representation | LaterOutcome {
    const representation = this.#opened(file, offer)
    return file.isSettled ? representation : this.#settle(representation, offer)
  }

  #opened(file: ServedFile, offer: Offer): OpenFile {
    const { tree, now } = this.#settings
    const { modifiedMs } = file.validators
    const validators =
      this.#contentTags === undefined
        ? file.validators
        : { etag: this.#contentTags.of(file, () => openServedFile(tree, offer.file.names, now())), modifiedMs }
    return new OpenFile(file, validators, this.#present(offer))
  }

  async #settle(unsettled: OpenFile, offer: Offer): Promise<Representation | OpenFailure> {
    let representation = unsettled
    for (let wait = 1; wait <= maximumWaits; wait++) {
      representation.close()
      await delay(waitMs)
      const outcome = openServedFile(this.#settings.tree, offer.file.names, this.#settings.now())
      if (typeof outcome === 'string') return outcome
      if (!(outcome instanceof ServedFile)) return 'missing'
      representation = this.#opened(outcome, offer)
      if (outcome.isSettled) break
    }
    return representation
  }

  #rewritten(offer: Offer, { rewrite, tag }: Rewrite, nowMs: number): StoredOutcome | LaterOutcome {
    const key = `${offer.key}\0${tag}`
    const original = this.#open(offer, nowMs)
    if (!(original instanceof CachedFile)) return original
    const kept = this.#cache.get(key)
    if (kept?.isStateOf(original.seen)) return kept
    const content = rewrite(original.content)
    const { seen } = original
    const made = new CachedFile(
      content,
      { validators: tagged(original.validators, tag), seen },
      original.presentation,
      this.#settings.heads,
      nowMs,
    )
    if (original.isSettled(nowMs)) this.#cache.set(key, made)
    return made
  }

  #present({ names, mediaType, coding, vary }: Offer): Presentation {
    return { names, mediaType, coding, vary, cacheControl: this.#settings.cacheControl?.(names) }
  }
}

function neighbourOffer(offer: Offer, { name, extension }: ContentCoding): Offer {
  const names = [...offer.file.names.slice(0, -1), `${offer.file.names.at(-1)}${extension}`]
  const path = offer.file.path + extension
  return { ...offer, file: { names, path, slot: undefined }, key: `${path}\0${offer.key}`, coding: name }
}
