/** Replaces scripting/guest/libraries.ts: the libraries of scripts are part of the bundle. */
import { ask } from '../../scripting/guest/host.ts'
import { create as createCrypto } from '../../scripting/guest/libraries/crypto-library.ts'
import { create as createJsonPath } from '../../scripting/guest/libraries/json-path-library.ts'
import { create as createWeb } from '../../scripting/guest/libraries/web-library.ts'

// biome-ignore lint/suspicious/noExplicitAny: each library has its own shape
type Library = any

const makers: Readonly<Record<string, (...given: never[]) => Library>> = {
  web: createWeb as never,
  crypto: createCrypto as never,
  'json-path': createJsonPath as never,
}
const loaded: Record<string, Library> = {}

export function library(name: string): Library {
  const make = makers[name]
  if (make === undefined) throw new Error('documents of XML and HTML are not possible in k6')
  loaded[name] ??= make(ask as never, library as never)
  return loaded[name]
}

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
