/**
 * Caches values that are expensive to create, shared by all callers with the same key.
 *
 * Rules: callers wait for a value that is being created, and fail with it; a failure is not cached.
 */
export class SharedValues<Value> {
  readonly #values: Map<string, Promise<Value>> = new Map()

  /**
   * @param isGood whether a cached value may still be used
   * @param make receives the cached value that may no longer be used
   */
  async take(
    key: string,
    isGood: (value: Value) => boolean,
    make: (old: Value | undefined) => Promise<Value>,
  ): Promise<Value> {
    const known = this.#values.get(key)
    const old = await known
    if (old !== undefined && isGood(old)) return old
    // Another caller has noticed this as well, and is creating a new value.
    if (this.#values.get(key) !== known) return this.take(key, isGood, make)
    const made = make(old)
    this.#values.set(key, made)
    made.catch(() => this.#values.delete(key))
    return made
  }
}
