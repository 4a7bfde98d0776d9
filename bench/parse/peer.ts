/** Third-party parsers, from a separate package that is needed only here. */
import { createRequire } from 'node:module'

const require = createRequire(new URL('../peers/package.json', import.meta.url))

/** @throws Error that says how to install the peers. */
export function peer(name: string): unknown {
  try {
    return require(name)
  } catch (cause) {
    throw new Error(`${name} is not installed: run "npm ci --prefix bench/peers" first`, { cause })
  }
}
