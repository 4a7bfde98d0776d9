/**
 * The entry point of `httpcli`: loads the chunks of the command with the code that was compiled for them in earlier
 * runs.
 *
 * Rules: Node.js 20 does not cache compiled code, and in later versions loading the built-in cache costs more than it
 * saves: `send` takes 1.6 to 1.8 times as long as an empty file with the built-in cache, and 1.4 to 1.5 times with this
 * one. `send` and `run`, which are started most often, are separate programs, each in one chunk: each further file
 * costs more than sharing would gain. The chunks are CommonJS, each the text of a function, so that nothing is
 * concatenated here; they import only each other, modules of dist/shared and modules of Node.js; the build checks this.
 */
import { existsSync, readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { compiledCode, keepCompiledCode } from './code-cache.ts'
import { programFor } from './program-choice.ts'

type ChunkFunction = (
  exports: object,
  require: (id: string) => unknown,
  module: Chunk,
  file: string,
  path: string,
) => void

interface Chunk {
  exports: object
}

const directory = import.meta.dirname
const loaded = new Map<string, Chunk>()

/** Large modules that a chunk may need: each is loaded on first use. */
const largeModules: ReadonlySet<string> = new Set(['node:crypto', 'node:child_process', 'node:fs/promises', 'node:os'])

function load(id: string): unknown {
  if (largeModules.has(id)) return whenUsed(() => process.getBuiltinModule(id) as object)
  if (!id.startsWith('.')) return process.getBuiltinModule(id) ?? notFound(id)
  const known = loaded.get(id)
  if (known !== undefined) return known.exports
  const chunk: Chunk = { exports: {} }
  // Registered before it is executed, because chunks may import each other in a cycle.
  loaded.set(id, chunk)
  try {
    execute(id, chunk)
  } catch (error) {
    // The next attempt starts again: a file that could not be opened may be available by then.
    loaded.delete(id)
    throw error
  }
  return chunk.exports
}

function execute(id: string, chunk: Chunk): void {
  const name = id.slice(id.lastIndexOf('/') + 1)
  const file = `${directory}/${id}`
  const known = compiledCode(name)
  const isShared = id.startsWith(shared)
  // The build leaves no character above U+007F in a chunk: a latin1 string is the fastest to read and to compile.
  const source = isShared ? asFunction(readFileSync(file, 'utf8')) : readFileSync(file, 'latin1')
  // Compiled code stores this name for stack traces: it is the same wherever the package is installed.
  const filename = `httpcli/${name}`
  const script = new Script(source, { filename, ...(known.data === undefined ? {} : { cachedData: known.data }) })
  keepCompiledCode(name, script, known)
  const run = script.runInThisContext() as ChunkFunction
  const require = isShared ? (inner: string) => load(inner.replace(/^\.\//, shared)) : load
  run(chunk.exports, require, chunk, file, directory)
}

/** The directory of modules that the library also loads, each as the text of a CommonJS module. */
const shared = '../shared/'

function asFunction(source: string): string {
  return `(function(exports,require,module,__filename,__dirname){${source}\n})`
}

/** The error code of Node.js for a module that is not installed. */
const NOT_INSTALLED = 'MODULE_NOT_FOUND'

/** Throws like Node.js's `require`: libraries use an optional module unless this throws. */
function notFound(id: string): never {
  throw Object.assign(new Error(`Cannot find module '${id}'`), { code: NOT_INSTALLED })
}

function whenUsed(loadModule: () => object): object {
  return new Proxy(
    {},
    {
      get: (_target, name) => Reflect.get(loadModule(), name),
      ownKeys: () => Reflect.ownKeys(loadModule()),
      // A property that a proxy reports and its target lacks must be configurable.
      getOwnPropertyDescriptor: (_target, name) => {
        const found = Reflect.getOwnPropertyDescriptor(loadModule(), name)
        return found && { ...found, configurable: true }
      },
    },
  )
}

load(`./${programFor(process.argv.slice(2), existsSync)}.cjs`)
