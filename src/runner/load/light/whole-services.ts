/** The whole runtime, for the second part of the light one. */
import type { LoadServices } from '../load-services.ts'

let make: (() => LoadServices) | undefined

/** Is called once, before anything else here is used. */
export function useWhole(whole: () => LoadServices): void {
  make = whole
}

export function wholeRuntime(): LoadServices {
  return (make as () => LoadServices)()
}
