/**
 * Finds the file for a plan: the step that queries the disk.
 *
 * Rules, in this order: the exact file; then, if its name has a known extension, its compressed form (`x.js.gz` for
 * `x.js`); then a file of that name with any extension, chosen by Accept; then a directory, which redirects to its path
 * with a slash. With the slash, a directory gives its `index.html`, or itself. A path with a slash never names a file.
 * A file found by a name without its extension counts as negotiated even if it is the only one, because another may be
 * added.
 *
 * The file is returned in the coding that file-store.ts chooses for the request.
 */
import { join } from 'node:path'
import type { FallbackPage, FoundDirectory } from '../semantics/hooks.ts'
import type { MediaTypes } from '../semantics/media-types.ts'
import { rankVariants } from '../semantics/negotiation.ts'
import { namedFile, type Plan } from '../semantics/plan.ts'
import type { Representation } from '../semantics/representation.ts'
import { isVisibleName } from '../semantics/url-path.ts'
import { DirectoryIndex } from './directory-index.ts'
import type { FileStore, LaterOutcome } from './file-store.ts'
import { failureOf, type OpenFailure, openServedFile, ServedFile, type ServedTree } from './served-file.ts'

/** `slashless`: a directory that was requested without its slash. */
export type LookupOutcome = Representation | FoundDirectory | 'slashless' | OpenFailure

export class Lookup {
  readonly #tree: ServedTree
  readonly #mediaTypes: MediaTypes
  readonly #store: FileStore
  readonly #index = new DirectoryIndex()

  constructor(tree: ServedTree, mediaTypes: MediaTypes, store: FileStore) {
    this.#tree = tree
    this.#mediaTypes = mediaTypes
    this.#store = store
  }

  /** The caller must close the file or send its answer. Throws errors of `openServedFile`. */
  find(plan: Plan, nowMs: number): LookupOutcome | LaterOutcome {
    const { file, path } = plan
    if (file === undefined || path === undefined) return 'missing'
    const found = this.#store.find(file, false, plan, nowMs)
    if (typeof found !== 'string' || found === 'forbidden' || found === 'busy') return found
    if (found === 'missing' && this.#mediaTypes.isKnown(file.names.at(-1) ?? '')) {
      const packed = this.#store.findPacked(file, plan, nowMs)
      if (packed !== 'missing') return packed === 'directory' ? 'missing' : packed
    }
    if (path.isDirectory) return this.#openDirectory(path.names, nowMs)
    const variant = this.#findVariant(plan, path.names, nowMs)
    return variant ?? (found === 'directory' ? 'slashless' : found)
  }

  /** Finds a file that replaces a missing one: no variants, no directories. */
  findFallbackPage({ names, isNegotiated }: FallbackPage, plan: Plan, nowMs: number): LookupOutcome | LaterOutcome {
    const found = this.#store.find(namedFile(this.#tree, names), isNegotiated, plan, nowMs)
    return found === 'directory' ? 'missing' : found
  }

  #openDirectory(names: readonly string[], nowMs: number): FoundDirectory | OpenFailure {
    const outcome = openServedFile(this.#tree, names, nowMs)
    if (typeof outcome === 'string') return outcome
    if (!(outcome instanceof ServedFile)) return { ...outcome, names }
    outcome.close()
    return 'missing'
  }

  #findVariant(plan: Plan, names: readonly string[], nowMs: number): LookupOutcome | LaterOutcome | undefined {
    const stem = names.at(-1)
    if (stem === undefined) return undefined
    const parents = names.slice(0, -1)
    const found = this.#namesWithStem(parents, stem, nowMs)
    if (typeof found === 'string') return found
    const { visibility } = this.#tree
    const variants = found
      .filter((name) => this.#mediaTypes.isExtension(name.slice(stem.length + 1)))
      .filter((name) => isVisibleName(name, parents.length, visibility))
      .map((name) => ({ name, mediaType: this.#mediaTypes.served(name).mediaType }))
    for (const { name } of rankVariants(plan.request.get('accept'), variants)) {
      const outcome = this.#store.find(namedFile(this.#tree, [...parents, name]), true, plan, nowMs)
      if (outcome !== 'missing' && outcome !== 'directory') return outcome
    }
    return undefined
  }

  #namesWithStem(parents: readonly string[], stem: string, nowMs: number): readonly string[] | OpenFailure {
    try {
      return this.#index.namesWithStem(join(this.#tree.root, ...parents), stem, nowMs)
    } catch (error) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      // In a directory that may be entered but not read, files are found by their full name only.
      return failure === 'busy' ? failure : []
    }
  }
}
