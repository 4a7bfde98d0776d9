/** Gives the second part of the light runtime access to the full one. */
import type { LoadServices } from '../load-services.ts'

let make: (() => LoadServices) | undefined

/** Call this once, before anything else here is used. */
export function useWhole(whole: () => LoadServices): void {
  make = whole
}

export function wholeRuntime(): LoadServices {
  return (make as () => LoadServices)()
}
