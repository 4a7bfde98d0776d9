/** Replaces scripting/guest/libraries.ts: the full runtime has the libraries of scripts. */
import { ask } from '../../../scripting/guest/host.ts'
import type { Library } from '../../platform/script-libraries.ts'
import { wholeRuntime } from '../whole-services.ts'

export { lazyGlobal } from '../../platform/lazy-global.ts'

const loaded: Record<string, Library> = {}

export function library(name: string): Library {
  loaded[name] ??= wholeRuntime().createLibrary(name, ask, library)
  return loaded[name]
}
