/**
 * Values that take a while to be had, made once for all who ask for the same.
 *
 * Rules: who asks while one is being made waits for it, and fails with it; a failure is not kept.
 */
export class SharedValues<Value> {
  readonly #values: Map<string, Promise<Value>> = new Map()

  /**
   * @param isGood whether a value that was made before may still be used
   * @param make is given the value that is no good any more
   */
  async take(
    key: string,
    isGood: (value: Value) => boolean,
    make: (old: Value | undefined) => Promise<Value>,
  ): Promise<Value> {
    const known = this.#values.get(key)
    const old = await known
    if (old !== undefined && isGood(old)) return old
    // Somebody else has seen the same, and makes a new one.
    if (this.#values.get(key) !== known) return this.take(key, isGood, make)
    const made = make(old)
    this.#values.set(key, made)
    made.catch(() => this.#values.delete(key))
    return made
  }
}
