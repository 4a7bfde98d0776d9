/**
 * Caches values that take time to make, shared by all callers with the same key.
 *
 * Rules: callers wait for a value that is being made, and fail with it; a failure is not cached.
 */
export class SharedValues<Value> {
  readonly #values: Map<string, Promise<Value>> = new Map()

  /**
   * @param isGood whether a cached value may still be used
   * @param make receives the cached value that is no longer good
   */
  async take(
    key: string,
    isGood: (value: Value) => boolean,
    make: (old: Value | undefined) => Promise<Value>,
  ): Promise<Value> {
    const known = this.#values.get(key)
    const old = await known
    if (old !== undefined && isGood(old)) return old
    // Another caller noticed this too, and is making a new one.
    if (this.#values.get(key) !== known) return this.take(key, isGood, make)
    const made = make(old)
    this.#values.set(key, made)
    made.catch(() => this.#values.delete(key))
    return made
  }
}
