/**
 * The parts of the runtime that a light load test seldom needs. Each part is evaluated on first use, because evaluating
 * it costs memory and time in every virtual user.
 */
import type { LoadServices } from '../load-services.ts'
import type { LightExtras } from './light-extras.ts'

export interface LightParts {
  /** Checks of any kind, forms, Basic, dynamic values. */
  readonly extras: () => LightExtras
  /** Everything that `run` does. */
  readonly whole: () => LoadServices
}

let parts: LightParts | undefined
let loadedExtras: LightExtras | undefined
let wholeServices: LoadServices | undefined

/** Call this once, before anything else here is used. */
export function useParts(newParts: LightParts): void {
  parts = newParts
}

export function extras(): LightExtras {
  loadedExtras ??= (parts as LightParts).extras()
  return loadedExtras
}

export function wholeRuntime(): LoadServices {
  wholeServices ??= (parts as LightParts).whole()
  return wholeServices
}
