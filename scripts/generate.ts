/**
 * Generates the sources that git ignores, `*.generated.ts` in src/: tables and texts that other sources import.
 *
 * Rules: the same sources and packages give the same texts. A file is written atomically, and only if its text has
 * changed, so that several processes may do this at the same time. A file whose inputs are unchanged is not generated
 * again: dist/generated.json lists the inputs of each file.
 *
 * Run: npx tsx scripts/generate.ts; the build, the checks and the tests begin with it
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface GeneratedSource {
  readonly text: string
  /** The files that the text depends on, except those of `installed`. */
  readonly inputs: readonly string[]
}

interface Origin {
  /** Paths from the root of the project. */
  readonly inputs: readonly string[]
  /** The digest of the text and of all inputs. */
  readonly digest: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const record = join(root, 'dist', 'generated.json')

/** The lock file that npm wrote when it installed the packages: a text may depend on their versions. */
const installed = join(root, 'node_modules', '.package-lock.json')

/** The generator of each file. The modules are loaded when a file has to be generated. */
const makers: Readonly<Record<string, () => Promise<GeneratedSource>>> = {
  'src/server/semantics/media-types.generated.ts': async () =>
    (await import('./generate-media-types.ts')).mediaTypesModule(),
  'src/runner/scripting/engine/core-code.generated.ts': async () =>
    (await import('./generate-sandbox-code.ts')).coreCodeModule(),
  'src/runner/scripting/engine/sandbox-code.generated.ts': async () =>
    (await import('./generate-sandbox-code.ts')).sandboxCodeModule(),
  'src/runner/scripting/thread/thread-code.generated.ts': async () =>
    (await import('./generate-sandbox-code.ts')).threadCodeModule(),
  'src/convert/k6-writer/load-runtime.generated.ts': async () =>
    (await import('./generate-load-runtime.ts')).loadRuntimeModule(),
}

/** Generates files that are missing or out of date, and returns the names of the files that it wrote. */
export async function generateSources(): Promise<readonly string[]> {
  const origins: Record<string, Origin> = {}
  const known = readOrigins()
  const written: string[] = []
  let isRecordCurrent = true
  for (const [name, make] of Object.entries(makers)) {
    const old = readIfThere(join(root, name))
    const origin = known[name]
    if (old !== undefined && origin !== undefined && digestOf(old, origin.inputs) === origin.digest) {
      origins[name] = origin
      continue
    }
    const { text, inputs } = await make()
    if (text !== old) {
      replaceFile(join(root, name), text)
      written.push(name)
    }
    const names = [...new Set([...inputs, installed].map((path) => relative(root, path)))].toSorted()
    origins[name] = { inputs: names, digest: digestOf(text, names) }
    isRecordCurrent = false
  }
  if (!isRecordCurrent) replaceFile(record, `${JSON.stringify(origins, null, 2)}\n`)
  return written
}

function readOrigins(): Readonly<Record<string, Origin>> {
  try {
    return JSON.parse(readFileSync(record, 'utf8')) as Record<string, Origin>
  } catch {
    // The list is missing, or was written by another version of this script: everything is generated again.
    return {}
  }
}

function digestOf(text: string, inputs: readonly string[]): string {
  const hash = createHash('sha256').update(text)
  for (const name of inputs) hash.update(`\0${name}\0${readIfThere(join(root, name)) ?? ''}`)
  return hash.digest('hex')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function replaceFile(path: string, text: string): void {
  const fresh = `${path}.${randomUUID()}`
  mkdirSync(dirname(path), { recursive: true })
  try {
    writeFileSync(fresh, text)
    renameSync(fresh, path)
  } finally {
    rmSync(fresh, { force: true })
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  for (const name of await generateSources()) process.stdout.write(`wrote ${name}\n`)
}
