/**
 * Libraries that only some scripts need: the host provides their code on first use.
 *
 * Rules: each library is one expression that yields an object. The names in such objects are global as if they had
 * always been there, and a script may replace them.
 */
import { ask } from './host.ts'

// biome-ignore lint/suspicious/noExplicitAny: each library has its own shape
type Library = any

const { eval: evaluate } = globalThis
const { defineProperty } = Object
const loaded: Record<string, Library> = Object.create(null)

export function library(name: string): Library {
  loaded[name] ??= evaluate(ask('library', name) as string)(ask, library)
  return loaded[name]
}

/** Defines a global name whose value is created on first use. */
export function lazyGlobal(name: string, make: () => unknown): void {
  defineProperty(globalThis, name, {
    get: () => {
      const value = make()
      settle(name, value)
      return value
    },
    set: (value: unknown) => settle(name, value),
    configurable: true,
    enumerable: false,
  })
}

function settle(name: string, value: unknown): void {
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
}
