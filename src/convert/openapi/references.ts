/**
 * Resolves `$ref` within a document.
 *
 * Rules (RFC 6901, JSON Pointer): references to other files, and those without a target, are reported. They resolve to
 * empty objects, and so does a reference back to itself. Members beside a `$ref` apply too, as in OpenAPI 3.1.
 */
import { decodedComponent, type JsonValue } from '../../http-file/index.ts'
import { isObject, type JsonObject, listOf } from '../draft/document.ts'

export class References {
  readonly #root: JsonObject
  readonly #onLost: (reference: string, reason: string) => void

  constructor(root: JsonObject, onLost: (reference: string, reason: string) => void) {
    this.#root = root
    this.#onLost = onLost
  }

  /** The referenced object; an empty one if it does not exist. */
  resolve(value: JsonValue | undefined): JsonObject {
    let current = isObject(value) ? value : {}
    for (let depth = 0; typeof current.$ref === 'string' && depth < 50; depth++) {
      const { $ref, ...beside } = current
      current = { ...this.#target($ref), ...beside }
    }
    return current
  }

  /** The objects of a list, references resolved. */
  resolveAll(value: JsonValue | undefined): readonly JsonObject[] {
    return listOf(value).map((item) => this.resolve(item))
  }

  #target(reference: string): JsonObject {
    if (!reference.startsWith('#')) {
      this.#onLost(reference, 'a reference to another file')
      return {}
    }
    // A fragment without a slash is the name of a schema (`$anchor`), which is not looked up.
    let current: JsonValue | undefined = /^#(?:\/|$)/.test(reference) ? this.#root : undefined
    for (const step of reference.split('/').slice(1)) {
      const name = decodedComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(current)) current = current[Number(name)]
      else current = isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined
    }
    if (isObject(current)) return current
    this.#onLost(reference, 'a reference whose target is missing')
    return {}
  }
}
