/** What the benchmarks have in common: a median, and the CPU time of finished processes. */
import { readFileSync } from 'node:fs'

/** NaN without values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/**
 * User and system time of the children that have been waited for, and of their threads: fields 16 and 17 of
 * /proc/self/stat. They count in ticks of 10 ms: too coarse for one run, but exact enough over many. Linux only.
 */
export function childCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}
