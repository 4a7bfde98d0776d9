/** A name of the global scope whose value is created on first use. */
export function lazyGlobal(name: string, make: () => unknown): void {
  const settle = (value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }
  Object.defineProperty(globalThis, name, {
    get: () => {
      const value = make()
      settle(value)
      return value
    },
    set: settle,
    configurable: true,
    enumerable: false,
  })
}
