/**
 * Limits the engine's memory for short-lived objects, its young generation.
 *
 * Rules: a server continuously creates a little garbage, for which the engine reserves 48 MB. Over HTTP/1.1 that memory
 * saves almost nothing, since hardly any object survives a request, so the young generation is kept at its initial
 * size. The platform's HTTP/2 streams are larger and survive longer: with 8 MiB a file of 1 KB takes 0.85 of the CPU
 * time, and more memory saves nothing further. The engine shrinks the young generation of an idle process, so its size
 * is compared with the limit after each collection.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { versions } from 'node:process'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const http2YoungBytes = 8_388_608

/** The major versions of V8 on which this was measured: those of Node.js 20 to 26. */
const measuredVersions: readonly number[] = [11, 12, 13, 14]

/** The default of the engine. */
const growing = 2
const constant = 1

export interface YoungGeneration {
  /** Lets the young generation grow to the size for HTTP/2. */
  growForHttp2(): void
  /** Resets the flag, because the compiled code of the command is cached for an engine without it. */
  restore(): void
}

export function limitYoungGeneration(): YoungGeneration {
  let factor = constant
  setGrowthFactor(factor)
  const observer = new PerformanceObserver(() => {
    const wanted = youngBytes() < http2YoungBytes ? growing : constant
    if (wanted !== factor) setGrowthFactor(wanted)
    factor = wanted
  })
  return {
    growForHttp2: () => {
      observer.observe({ entryTypes: ['gc'] })
    },
    restore: () => {
      observer.disconnect()
      setGrowthFactor(growing)
    },
  }
}

function setGrowthFactor(factor: number): void {
  const isMeasured = versions.bun === undefined && measuredVersions.includes(Number.parseInt(versions.v8, 10))
  if (isMeasured) setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  // Another engine has no such space.
  return space?.space_size ?? Number.POSITIVE_INFINITY
}
