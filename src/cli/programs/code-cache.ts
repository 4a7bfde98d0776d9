/**
 * Caches the compiled code of the command's chunks in the user's cache directory between runs.
 *
 * Rules: compiling is a quarter of the cost of a short command. Functions are compiled on their first call, so the
 * first runs of each chunk add to the cache; later runs do when it is old, because they may call other functions. An
 * entry is valid for one build and one version of Node.js, each with its own directory; V8 rejects code of another
 * engine or with other flags. Only the user may write to the directory: code that others could write is not executed. A
 * file is written atomically. If nothing can be cached, the command starts more slowly, without an error.
 */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Script } from 'node:vm'

/** A digest of all chunks, inserted by the build. */
declare const HTTPCLI_BUILD: string

const MINUTE_MS = 60 * 1000
/**
 * By the number of runs that have added to the code of a chunk: the age at which the next run adds the functions that
 * it called. The first four runs may all be short, such as errors or lists: a run that follows them takes 1.3 times as
 * long as one whose functions are known.
 */
const renewalAgesMs = [0, 0, 0, 0, 5 * MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS] as const
/** The maximum number of directories for builds and versions of Node.js. */
const KEPT_DIRECTORIES = 6

/**
 * V8's baseline compiler marks the functions that it compiles, and recompiles marked functions of cached code on their
 * first call. A run of one request took 1.13 times the CPU time after 200 requests had marked functions, and 1.05 times
 * after 10, so a run that adds to the cache starts without this compiler. Measured with V8 11 (Node.js 20); 12 to 14
 * are 22 to 26.
 */
const baselineCompiler = { on: '--sparkplug', off: '--no-sparkplug', versions: [11, 12, 13, 14] } as const
/** A longer run, such as that of a server, gets the baseline compiler back. */
const WITHOUT_BASELINE_MS = 1000

export interface CompiledCode {
  readonly data: Buffer | undefined
  /**
   * The number of runs that have added to the code, from the last two bytes of the file: the number and its complement.
   */
  readonly runs: number
  /** Whether this run does not add to the code. */
  readonly isComplete: boolean
}

const none: CompiledCode = { data: undefined, runs: 0, isComplete: false }

interface LoadedChunk {
  readonly name: string
  readonly script: Script
  readonly runs: number
}

const { env, platform } = process
const parent = env.NODE_DISABLE_COMPILE_CACHE === '1' ? undefined : cacheDirectory()
const directory = parent === undefined ? undefined : `${parent}/${HTTPCLI_BUILD}-${process.version}-${process.arch}`
const isReadable = parent !== undefined && isPrivate(parent)
const loaded: LoadedChunk[] = []
let hasLoaded = false
let isShort = true
const isV8Known = baselineCompiler.versions.some((version) => version === Number.parseInt(process.versions.v8, 10))
/** Identifies the V8 flags with which the first chunk was loaded. */
let flagsTag: number | undefined

/** The system's directory for data that can be regenerated. */
function cacheDirectory(): string | undefined {
  const base = platform === 'win32' ? env.LOCALAPPDATA : env.HOME
  const home =
    platform !== 'darwin' && platform !== 'win32' && isAbsolute(env.XDG_CACHE_HOME) ? env.XDG_CACHE_HOME : undefined
  if (home !== undefined) return `${home}/httpcli`
  if (!isAbsolute(base)) return undefined
  return `${base}/${{ darwin: 'Library/Caches/httpcli', win32: 'httpcli/Cache' }[platform as string] ?? '.cache/httpcli'}`
}

function isAbsolute(path: string | undefined): path is string {
  return path !== undefined && /^(?:\/|[A-Za-z]:[\\/])/.test(path)
}

/** Whether only the user can write there. Windows gives each user a private directory. */
function isPrivate(path: string): boolean {
  try {
    const stats = lstatSync(path)
    return stats.isDirectory() && isOwn(stats) && (platform === 'win32' || (stats.mode & 0o077) === 0)
  } catch {
    return false
  }
}

function isOwn({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid()
}

/** The cached code of a chunk. */
export function compiledCode(name: string): CompiledCode {
  if (!isReadable) return none
  // V8 rejects the code otherwise.
  if (loaded.length > 0) setBaselineCompiler('on')
  try {
    const file = `${directory}/${name}`
    const bytes = readFileSync(file)
    const [runs = 0, complement] = bytes.subarray(-2)
    if (complement !== 255 - runs) return none
    const renewalAgeMs = renewalAgesMs[runs] ?? 0
    const isComplete = renewalAgeMs > 0 && Date.now() - statSync(file).mtimeMs <= renewalAgeMs
    return { data: bytes.subarray(0, -2), runs, isComplete }
  } catch {
    return none
  }
}

/**
 * Stores the code of this chunk at the end of the process, unless enough runs have added to it. Code that V8 rejects
 * counts as well: some chunks are loaded with flags that differ from those at the end of the process, and would be
 * written in every run. The first chunk is an exception: if V8 rejects its code, it is written again.
 */
export function keepCompiledCode(name: string, script: Script, known: CompiledCode): void {
  const { runs, isComplete } = !hasLoaded && script.cachedDataRejected === true ? none : known
  hasLoaded = true
  // The cache is for runs without unusual flags.
  if (directory !== undefined && !isComplete && !env.NODE_OPTIONS && process.execArgv.length === 0) {
    if (loaded.length === 0) {
      process.on('exit', writeAll)
      setTimeout(resumeBaselineCompiler, WITHOUT_BASELINE_MS).unref()
      flagsTag = cachedDataVersionTag()
    }
    loaded.push({ name, script, runs })
  }
  if (loaded.length > 0 && isShort) setBaselineCompiler('off')
}

function cachedDataVersionTag(): number {
  return process.getBuiltinModule('node:v8').cachedDataVersionTag()
}

function setBaselineCompiler(state: 'on' | 'off'): void {
  if (!isV8Known) return
  process.getBuiltinModule('node:v8').setFlagsFromString(baselineCompiler[state])
}

function resumeBaselineCompiler(): void {
  isShort = false
  setBaselineCompiler('on')
}

function writeAll(): void {
  setBaselineCompiler('on')
  // A run that ends abruptly leaves flags set.
  if (cachedDataVersionTag() !== flagsTag) return
  try {
    if (!prepareDirectory(parent as string, directory as string)) return
    for (const chunk of loaded) write(chunk)
  } catch {
    // The disk is full or the file system is read-only: the next run tries again.
  }
}

function write({ name, script, runs }: LoadedChunk): void {
  const file = `${directory}/${name}`
  const counted = Math.min(runs + 1, renewalAgesMs.length - 1)
  const fresh = `${file}.${process.pid}`
  try {
    const descriptor = openSync(fresh, 'wx', 0o600)
    try {
      writeFileSync(descriptor, Buffer.concat([script.createCachedData(), Buffer.of(counted, 255 - counted)]))
      // V8 checks only the length, so the file must be complete even after a system crash.
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
}

/** @returns whether the directory exists and belongs to the user alone */
function prepareDirectory(path: string, inner: string): boolean {
  if (!make(directoryOf(path)) || !make(path) || !isPrivate(path)) return false
  if (statSync(inner, { throwIfNoEntry: false }) === undefined) removeOldest(path)
  return make(inner)
}

/** Creates nothing in a directory of another user (as with sudo), who could not use the result. */
function make(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return true
  if (!isOwn(statSync(directoryOf(path)))) return false
  mkdirSync(path, { mode: 0o700 })
  return true
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

/** Makes room for one more directory. */
function removeOldest(path: string): void {
  const known = readdirSync(path)
    .map((name) => `${path}/${name}`)
    .map((each) => ({ each, changedMs: statSync(each).mtimeMs }))
    .sort((one, other) => other.changedMs - one.changedMs)
  for (const { each } of known.slice(KEPT_DIRECTORIES - 1)) rmSync(each, { recursive: true, force: true })
}
