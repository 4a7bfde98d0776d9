/**
 * Libraries that only some scripts need: the host provides their code on first use.
 *
 * Rules: each is one expression that gives an object. Names of such objects are in the global scope as if they had
 * always been there, and a script may put its own in their place.
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

/** A name of the global scope that is made when it is first used. */
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
