/**
 * Partial files, which output is written to before it gets its name, and those that killed processes left behind.
 *
 * Rules: a name says which process made the file: `.httpcli-<machine>-<process id>-<start>-<random>.part`. A file is
 * deleted after its process has ended: by the process itself when it exits, otherwise by the next process that writes
 * to the same directory. A file is deleted only if its process has certainly gone: it was a process of this machine
 * (and of this container) and of this user, and its id is free or belongs to a process that started at another time.
 * Process ids mean nothing elsewhere, so files of other machines on a network drive are never touched.
 */
import { readFileSync, readlinkSync, unlinkSync } from 'node:fs'
import { lstat, opendir, unlink } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const pattern = /^\.httpcli-([0-9a-f]{12}-\d+)-(\d+)-(\d+)-[0-9a-z]+\.part$/

/** Partial files of this process. */
const open: Set<string> = new Set()
/** Directories that have been searched. */
const swept: Set<string> = new Set()
const MAX_SWEPT = 1000

/**
 * Returns a path for a new partial file in the directory. The file is deleted when the process exits, unless
 * `forgetPartial` is called.
 */
export function newPartialPath(directory: string): string {
  const words = [machineName(), process.pid, startOf(process.pid) ?? 0, randomText()]
  const path = join(directory, `.httpcli-${words.join('-')}.part`)
  if (open.size === 0) process.on('exit', deleteAll)
  open.add(path)
  return path
}

/** Call this when the file has its final name, or is deleted. */
export function forgetPartial(path: string): void {
  open.delete(path)
  if (open.size === 0) process.off('exit', deleteAll)
}

function deleteAll(): void {
  for (const path of open) {
    try {
      unlinkSync(path)
    } catch {
      // The next process that writes here deletes it.
    }
  }
}

/** Deletes files that killed processes left in the directory, once per process. Never fails: the output comes first. */
export async function sweepPartials(directory: string, name: string): Promise<void> {
  if (swept.has(name)) return
  if (swept.size >= MAX_SWEPT) swept.clear()
  swept.add(name)
  try {
    for await (const { name } of await opendir(directory, { bufferSize: 1024 })) {
      if (isAbandoned(name)) await deleteOwn(join(directory, name))
    }
  } catch {
    // A directory that cannot be listed may still take new files.
  }
}

function isAbandoned(name: string): boolean {
  const match = pattern.exec(name)
  if (match === null || match[1] !== machineName()) return false
  const processId = Number(match[2])
  if (!isRunning(processId)) return true
  const start = startOf(processId)
  return start !== undefined && match[3] !== '0' && String(start) !== match[3]
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

async function deleteOwn(path: string): Promise<void> {
  const file = await lstat(path)
  const isOwn = process.getuid === undefined || process.getuid() === file.uid
  if (file.isFile() && isOwn) await unlink(path)
}

let machine: string | undefined

/**
 * The scope of process ids. Linux: the kernel's boot id and the process namespace, which differs between containers.
 * Elsewhere: the address of a network card; random without one, so that nothing is deleted.
 */
function machineName(): string {
  machine ??= processNamespace() ?? `${networkCard() ?? randomText().padEnd(12, '0').slice(0, 12)}-0`
  return machine
}

function processNamespace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').replaceAll('-', '').slice(0, 12)
    return `${boot}-${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`
  } catch {
    return undefined
  }
}

function networkCard(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ mac }) => mac))
  const [first] = addresses.filter((mac) => mac !== '00:00:00:00:00:00').toSorted()
  return first?.replaceAll(':', '')
}

function randomText(): string {
  return Math.random().toString(36).slice(2, 12)
}

/** When a process started, in kernel ticks; undefined if the system does not report it. */
function startOf(processId: number): number | undefined {
  try {
    // The name of the program, in parentheses, may contain anything. The start is field 22 of proc(5).
    const fields = readFileSync(`/proc/${processId}/stat`, 'latin1').replace(/^.*\)/s, '').trim().split(' ')
    return Number(fields[19])
  } catch {
    return undefined
  }
}
