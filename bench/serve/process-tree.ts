/**
 * The cost of a process and its children: CPU time and memory, from /proc (Linux only).
 */
import { readdirSync, readFileSync } from 'node:fs'

const pageBytes = 4_096

interface ProcessState {
  readonly parent: number
  readonly residentBytes: number
}

export interface TreeCost {
  /** Time on a processor, of all living threads of the tree. */
  readonly cpuMs: number
  readonly residentBytes: number
}

export function costOfTree(rootPid: number): TreeCost {
  const states = new Map<number, ProcessState>()
  for (const name of readdirSync('/proc')) {
    const state = /^\d+$/.test(name) ? stateOf(name) : undefined
    if (state !== undefined) states.set(Number(name), state)
  }
  const members = [...states].filter(([pid]) => isBelow(pid, rootPid, states))
  return {
    cpuMs: members.reduce((sum, [pid]) => sum + cpuMsOf(pid), 0),
    residentBytes: members.reduce((sum, [, { residentBytes }]) => sum + residentBytes, 0),
  }
}

function stateOf(pid: string): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the process is in brackets and may contain anything.
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return {
      parent: Number(words[1]),
      residentBytes: Number(words[21]) * pageBytes,
    }
  } catch {
    // The process has ended since the directory was read.
    return undefined
  }
}

/** To the nanosecond; user and system time in /proc are counted in ticks of 10 ms. */
function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1')
    return Number(text.slice(0, text.indexOf(' ')))
  })
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6
}

function isBelow(pid: number, rootPid: number, states: ReadonlyMap<number, ProcessState>): boolean {
  for (let current: number | undefined = pid; current !== undefined && current > 1; ) {
    if (current === rootPid) return true
    current = states.get(current)?.parent
  }
  return false
}

/** The number of open descriptors of one process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
