/**
 * Limits the engine's memory for short-lived objects.
 *
 * Rules: a server continuously makes a little garbage, and the engine answers by reserving 48 MB for it, which saves
 * next to nothing: hardly anything survives a request. So its young generation stays as large as it was at the start.
 */
import { setFlagsFromString } from 'node:v8'

/** @returns takes the switch back: the compiled code of the command is kept for an engine without it */
export function keepYoungGenerationSmall(): () => void {
  try {
    setFlagsFromString('--semi-space-growth-factor=1')
    return () => setFlagsFromString('--semi-space-growth-factor=2')
  } catch {
    // Another engine has no such flag.
    return () => undefined
  }
}
