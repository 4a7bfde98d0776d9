/**
 * The load: runs wrk, h2load and curl, and reads their results.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** In milliseconds: 99 of 100 requests have a lower latency. */
  readonly p99Ms?: number
}

/** The programs that generate load. */
export const loadPrograms = ['wrk', 'h2load', 'curl'] as const

export interface WrkOptions {
  readonly fields?: readonly string[]
  /** The path of a Lua file. */
  readonly script?: string
  /** Default 32. */
  readonly connections?: number
}

/** Uses one thread. */
export async function wrk(
  url: string,
  seconds: number,
  { fields = [], script, connections = 32 }: WrkOptions = {},
): Promise<LoadResult> {
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...fields.flatMap((field) => ['-H', field])]
  const { stdout } = await run('wrk', [...words, ...(script === undefined ? [] : ['-s', script]), url])
  const failures = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout)
  if (failures !== null) throw new Error(`wrk ${url}: ${failures[0]}`)
  const match = /(\d+) requests in ([\d.]+)s/.exec(stdout)
  if (match === null) throw new Error(`wrk ${url}: ${stdout}`)
  return { requests: Number(match[1]), seconds: Number(match[2]), p99Ms: p99Of(stdout) }
}

const unitMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 }

function p99Of(output: string): number {
  const [, value, unit = ''] = /^\s+99%\s+([\d.]+)(us|ms|s)$/m.exec(output) ?? []
  return Number(value) * (unitMs[unit] ?? Number.NaN)
}

/** HTTP/2: 8 connections with 4 streams each. */
export async function h2load(url: string, seconds: number): Promise<LoadResult> {
  const { stdout } = await run('h2load', ['-t1', '-c8', '-m4', '-D', String(seconds), url])
  const done = Number(/(\d+) succeeded, 0 failed, 0 errored/.exec(stdout)?.[1])
  if (!(done > 0)) throw new Error(`h2load ${url}: ${stdout}`)
  return { requests: done, seconds }
}

/** Downloads one after another. */
export async function curl(url: string, count: number): Promise<LoadResult> {
  let seconds = 0
  for (let index = 0; index < count; index++) {
    const { stdout } = await run('curl', ['-sS', '-o', '/dev/null', '-w', '%{http_code} %{time_total}', url])
    const [status, taken] = stdout.split(' ')
    if (status !== '200') throw new Error(`curl ${url}: ${status}`)
    seconds += Number(taken)
  }
  return { requests: count, seconds }
}

/** The entity tag of a file. */
export async function etagOf(url: string): Promise<string> {
  const { stdout } = await run('curl', ['-sSkI', url])
  const etag = /^etag: (.*)\r$/im.exec(stdout)?.[1]
  if (etag === undefined) throw new Error(`${url} has no ETag`)
  return etag
}
