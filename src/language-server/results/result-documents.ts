/**
 * The texts of results by URI, which clients show as virtual documents.
 *
 * Rules: a request has one document, which its next result replaces. Beyond MAX_DOCUMENTS and MAX_CHARACTERS the oldest
 * documents are dropped.
 */

export const RESULT_SCHEME = 'httpcli-response'

const MAX_DOCUMENTS = 50
const MAX_CHARACTERS = 16 * 1024 * 1024

export class ResultDocuments {
  readonly #uris: Map<string, string> = new Map()
  /** Oldest first. */
  readonly #texts: Map<string, string> = new Map()
  #characters = 0

  /**
   * @param key the key of the request, the same for each of its results
   * @param title becomes the name of the document
   * @returns the URI, and whether a client may show an earlier text of it
   */
  put(key: string, title: string, text: string): { readonly uri: string; readonly isKnown: boolean } {
    const known = this.#uris.get(key)
    const uri = known ?? `${RESULT_SCHEME}:/${this.#uris.size + 1}/${encodeURIComponent(fileNameOf(title))}`
    this.#uris.set(key, uri)
    this.#forget(uri)
    this.#texts.set(uri, text)
    this.#characters += text.length
    for (const oldest of this.#texts.keys()) {
      const isOverLimit = this.#texts.size > MAX_DOCUMENTS || this.#characters > MAX_CHARACTERS
      if (!isOverLimit || oldest === uri) break
      this.#forget(oldest)
    }
    return { uri, isKnown: known !== undefined }
  }

  /** Undefined for a document that never existed, or was dropped. */
  text(uri: string): string | undefined {
    // Clients may encode the characters of a URI differently.
    return this.#texts.get(uri) ?? this.#texts.get([...this.#texts.keys()].find((each) => isSame(each, uri)) ?? '')
  }

  #forget(uri: string): void {
    this.#characters -= this.#texts.get(uri)?.length ?? 0
    this.#texts.delete(uri)
  }
}

function isSame(one: string, other: string): boolean {
  return numberOf(one) !== undefined && numberOf(one) === numberOf(other)
}

function numberOf(uri: string): string | undefined {
  return /^httpcli-response:\/+(\d+)\//.exec(uri)?.[1]
}

const MAX_NAME_CHARACTERS = 60
/** Longer titles are truncated, because the patterns are slow on them. */
const MAX_TITLE_CHARACTERS = 500

/** `POST http://host/login` becomes `POST host-login.txt`. */
export function fileNameOf(title: string): string {
  const name = title
    .slice(0, MAX_TITLE_CHARACTERS)
    .replace(/\bhttps?:\/\//g, '')
    .replace(/[^\p{L}\p{N}. _-]+/gu, '-')
    .replace(/^[-. ]+|[-. ]+$/g, '')
  return `${[...name].slice(0, MAX_NAME_CHARACTERS).join('') || 'result'}.txt`
}
