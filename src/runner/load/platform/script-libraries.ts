/** Replaces scripting/guest/libraries.ts: the libraries of scripts are part of the bundle. */
import { ask } from '../../scripting/guest/host.ts'
import { create as createCrypto } from '../../scripting/guest/libraries/crypto-library.ts'
import { create as createJsonPath } from '../../scripting/guest/libraries/json-path-library.ts'
import { create as createWeb } from '../../scripting/guest/libraries/web-library.ts'

// biome-ignore lint/suspicious/noExplicitAny: each library has its own shape
export type Library = any

const makers: Readonly<Record<string, (...args: never[]) => Library>> = {
  web: createWeb as never,
  crypto: createCrypto as never,
  'json-path': createJsonPath as never,
}

export { lazyGlobal } from './lazy-global.ts'

const loaded: Record<string, Library> = {}

/** @param askHost of the world that gets the library. @param libraryOf gives the others that it needs */
export function createLibrary(name: string, askHost: typeof ask, libraryOf: (name: string) => Library): Library {
  const make = makers[name]
  if (make === undefined) throw new Error('XML and HTML documents are not supported in k6')
  return make(askHost as never, libraryOf as never)
}

export function library(name: string): Library {
  loaded[name] ??= createLibrary(name, ask, library)
  return loaded[name]
}
