/**
 * `$ref` within a document.
 *
 * Rules (RFC 6901, JSON Pointer): references into other files cannot be followed and are told. One that leads nowhere, or
 * back to itself, is an empty object. Members beside a `$ref` count too, as OpenAPI 3.1 has it.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { isObject, type JsonObject, listOf } from '../draft/document.ts'

export class References {
  readonly #root: JsonObject
  readonly #onLost: (reference: string) => void

  constructor(root: JsonObject, onLost: (reference: string) => void) {
    this.#root = root
    this.#onLost = onLost
  }

  /** The object that is meant; an empty one where there is none. */
  resolve(value: JsonValue | undefined): JsonObject {
    let current = isObject(value) ? value : {}
    for (let depth = 0; typeof current.$ref === 'string' && depth < 50; depth++) {
      const { $ref, ...beside } = current
      current = { ...this.#target($ref), ...beside }
    }
    return current
  }

  /** The objects of a list, references followed. */
  resolveAll(value: JsonValue | undefined): readonly JsonObject[] {
    return listOf(value).map((item) => this.resolve(item))
  }

  #target(reference: string): JsonObject {
    if (!reference.startsWith('#')) {
      this.#onLost(reference)
      return {}
    }
    let current: JsonValue | undefined = this.#root
    for (const step of reference.split('/').slice(1)) {
      const name = decodeStep(step)
      if (Array.isArray(current)) current = current[Number(name)]
      else current = isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined
    }
    return isObject(current) ? current : {}
  }
}

function decodeStep(step: string): string {
  let text = step
  try {
    text = decodeURIComponent(step)
  } catch {
    // A step that is no escape is a name.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
