/**
 * Values of `traceparent`: one trace for a run, a span for each request. W3C Trace Context section 3.2.
 *
 * With a seed, the ids are the same in every run. They come from their own random streams, so that a trace changes no
 * other random value of a run. The flag says that the caller records the trace.
 */
import type { RandomBytes } from './random-numbers.ts'
import { platformSources, type Reproduction, randomStream } from './value-sources.ts'

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

/**
 * @returns a function that takes the number of a job, from 1, and returns a function that generates the value for its
 * next request
 */
export function traceParents({ seed }: Pick<Reproduction, 'seed'>): (jobNumber: number) => () => string {
  const bytesOf = (jobNumber: number): RandomBytes =>
    seed === undefined ? platformSources.randomBytes : randomStream(seed, jobNumber, 'trace')
  const traceId = Buffer.from(bytesOf(0)(TRACE_ID_BYTES)).toString('hex')
  return (jobNumber) => {
    const randomBytes = bytesOf(jobNumber)
    return () => `00-${traceId}-${Buffer.from(randomBytes(SPAN_ID_BYTES)).toString('hex')}-01`
  }
}
