/**
 * From a path to an open file: the only step that asks the disk.
 *
 * Rules, in this order: the exact file; else a file of that name with any extension, chosen by Accept; else a directory,
 * which redirects to its own path with a slash. With the slash a directory gives its `index.html`. A path with a slash
 * never names a file. A name with any extension is chosen even where there is only one, and says so, because another may
 * come.
 */
import { join } from 'node:path'
import { DirectoryIndex } from './directory-index.ts'
import type { MediaTypes } from './media-types.ts'
import { rankVariants } from './negotiation.ts'
import { failureOf, type OpenFailure, openServedFile, ServedFile } from './served-file.ts'
import { isVisibleName, type UrlPath } from './url-path.ts'

export type LookupResult =
  | {
      readonly type: 'file'
      readonly file: ServedFile
      readonly mediaType: string
      /** Whether Accept took part in the choice. */
      readonly isNegotiated: boolean
    }
  | { readonly type: OpenFailure }

const indexName = 'index.html'

export class Lookup {
  readonly #root: string
  readonly #mediaTypes: MediaTypes
  readonly #index = new DirectoryIndex()

  /** `root`: absolute path of the served directory. */
  constructor(root: string, mediaTypes: MediaTypes) {
    this.#root = root
    this.#mediaTypes = mediaTypes
  }

  /** `accept`: the combined Accept field. Whoever gets a file closes it. Throws what `openServedFile` throws. */
  find(path: UrlPath, accept: string | undefined, nowMs: number): LookupResult {
    if (path.isDirectory) return this.#open([...path.names, indexName], nowMs, 'missing')
    const exact = this.#open(path.names, nowMs, 'directory')
    if (exact.type === 'file' || exact.type === 'forbidden' || exact.type === 'busy') return exact
    return this.#openVariant(path.names, accept, nowMs) ?? exact
  }

  /** `directoryMeans`: what a directory in the place of the file is to the one who asked. */
  #open(names: readonly string[], nowMs: number, directoryMeans: 'directory' | 'missing'): LookupResult {
    const outcome = openServedFile(this.#root, names, nowMs)
    if (!(outcome instanceof ServedFile)) return { type: outcome === 'directory' ? directoryMeans : outcome }
    const mediaType = this.#mediaTypes.ofFile(names.at(-1) ?? '')
    return { type: 'file', file: outcome, mediaType, isNegotiated: false }
  }

  #openVariant(names: readonly string[], accept: string | undefined, nowMs: number): LookupResult | undefined {
    const stem = names.at(-1)
    if (stem === undefined) return undefined
    const parents = names.slice(0, -1)
    const found = this.#namesWithStem(parents, stem, nowMs)
    if (typeof found === 'string') return { type: found }
    const variants = found
      .filter(
        (name) => this.#mediaTypes.isExtension(name.slice(stem.length + 1)) && isVisibleName(name, parents.length),
      )
      .map((name) => ({ name, mediaType: this.#mediaTypes.ofFile(name) }))
    for (const variant of rankVariants(accept, variants)) {
      const result = this.#open([...parents, variant.name], nowMs, 'missing')
      if (result.type === 'file') return { ...result, isNegotiated: true }
      if (result.type !== 'missing') return result
    }
    return undefined
  }

  #namesWithStem(parents: readonly string[], stem: string, nowMs: number): readonly string[] | OpenFailure {
    try {
      return this.#index.namesWithStem(join(this.#root, ...parents), stem, nowMs)
    } catch (error) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      return failure === 'missing' ? [] : failure
    }
  }
}
