/**
 * Switches of the JavaScript engine for a program that runs for a moment.
 *
 * Rules: set before what they are about is loaded or becomes hot. A runtime without them is only slower or larger.
 */

import type { LoadedHttpFile } from '../../runner/index.ts'

/**
 * The script engine is compiled once and runs for a moment: compiling it well takes longer than it could ever save, and
 * looking through all of it before anything runs takes longer than compiling what is used.
 */
const forScripts = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-lazy-validation']

/**
 * A function is optimized when it has run six times as often as by default: most of a run is over before optimizing has
 * paid, and what it assumed too early is made anew again and again. 200 requests take 0.83 of the processor time with
 * this, 1000 requests 0.57.
 */
const forSeveralRequests = ['--interrupt-budget=400000']
/** Some dozen requests. */
const SEVERAL_REQUESTS_BYTES = 2000

/** What is made for a request is thrown away behind it: more room for it only makes the process larger. */
const forManyRequests = ['--optimize-for-size', '--semi-space-growth-factor=1']
/** Some thousand requests. */
const MANY_REQUESTS_BYTES = 100_000

/** @param sizeBytes of the request files, each as often as it is run */
export async function tuneForRequests(sizeBytes: number): Promise<void> {
  if (sizeBytes > MANY_REQUESTS_BYTES) await tune(forManyRequests)
  else if (sizeBytes > SEVERAL_REQUESTS_BYTES) await tune(forSeveralRequests)
}

/** Whether there are scripts, or other files that may have some. */
export function mayRunScripts({ file }: LoadedHttpFile): boolean {
  const { common, sections } = file
  const requests = sections.flatMap(({ request }) => (request === undefined ? [] : [request]))
  return (
    sections.some(({ directives }) => directives.length > 0) ||
    [common, ...requests].some(({ preRequestScripts, handlers }) => preRequestScripts.length + handlers.length > 0)
  )
}

/** The same whatever the size of the files, but for large ones: compiled code is kept for one set of switches. */
export function tuneForScripts(sizeBytes: number): Promise<void> {
  return tune(sizeBytes > MANY_REQUESTS_BYTES ? forScripts : [...forSeveralRequests, ...forScripts])
}

async function tune(switches: readonly string[]): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  try {
    for (const each of switches) setFlagsFromString(each)
  } catch {
    // What could not be switched stays as it is.
  }
}
