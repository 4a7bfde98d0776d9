/**
 * How much room the engine takes for what lives only as long as a request.
 *
 * Rules: a server makes a little garbage all the time, and the engine answers by making room for 48 MB of it, which saves
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
