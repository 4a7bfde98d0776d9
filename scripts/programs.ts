/**
 * Bundles the programs of the command, for the npm package and for the stand-alone executable.
 *
 * Rules: everything that a program loads at the start is in one chunk, because each further file costs more than
 * sharing would gain; modules imported on demand are in further chunks, which programs do not share.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, OutputOptions, Plugin, PluginContext } from 'rolldown'
import type { ProgramName } from '../src/cli/programs/program-choice.ts'
import { BuildError } from './build-error.ts'
import { bundle } from './bundle.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export const programNames: readonly ProgramName[] = ['command', 'send', 'run']

/** By program, files of src/ and the files that replace them. */
const replacements: Readonly<Record<ProgramName, Readonly<Record<string, string>>>> = {
  command: {},
  // It reads only one response, and loading the fast path takes longer than it saves. Without it, the reference path
  // reads every head.
  send: { 'message/fast/canonical-head.ts': 'message/fast/declined-heads.ts' },
  run: {},
}

/**
 * By program, rooms from which it needs only these files at the start, and others on demand: importing the index of a
 * room would load all its files.
 */
const partlyNeeded: Readonly<Record<ProgramName, Readonly<Record<string, string>>>> = {
  command: { 'message/index.ts': 'message/syntax/errors.ts' },
  send: { 'http-file/index.ts': 'http-file/url-encoding.ts' },
  run: {},
}

export const programSettings: BuildOptions = {
  external: (id) => id.startsWith('node:'),
  platform: 'node',
  // Importing this room registers the decoders of the platform.
  treeshake: { moduleSideEffects: [{ test: /src[\\/]message-node[\\/]index\.ts$/, sideEffects: true }] },
}

/**
 * Bundles a program into the directory of the output, as `<name>.<ending>`.
 * @returns the packages whose code is in it
 */
export async function bundleProgram(
  name: ProgramName,
  ending: string,
  settings: BuildOptions,
  output: OutputOptions,
): Promise<readonly string[]> {
  const needed = new Set<string>()
  return bundle({
    ...settings,
    input: { [name]: programFile(name) },
    preserveEntrySignatures: 'allow-extension',
    plugins: [settings.plugins, replaced(replacements[name]), collectStaticImports(name, needed)],
    output: {
      ...output,
      entryFileNames: `[name].${ending}`,
      chunkFileNames: `${name}.[name].${ending}`,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: 'all', test: (id) => needed.has(id) }],
      },
    },
  })
}

function programFile(name: ProgramName): string {
  return join(root, `src/cli/programs/${name}-program.ts`)
}

/** Replaces files of src/ by others. */
export function replaced(files: Readonly<Record<string, string>>): Plugin {
  const replacing = inSource(files)
  return {
    name: 'replaced-files',
    load(id) {
      const other = replacing.get(id)
      return other === undefined ? null : readFileSync(other, 'utf8')
    },
    buildEnd() {
      assertLoaded(this, replacing.keys())
    },
  }
}

/** Adds all modules that a program loads at the start to the set, including itself. */
function collectStaticImports(name: ProgramName, into: Set<string>): Plugin {
  const narrowed = inSource(partlyNeeded[name])
  return {
    name: 'static-imports',
    buildEnd() {
      const visit = (importedId: string): void => {
        const id = narrowed.get(importedId) ?? importedId
        if (into.has(id)) return
        into.add(id)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported)
      }
      visit(programFile(name))
      assertLoaded(this, narrowed.keys())
    },
  }
}

/** Otherwise a file that has been renamed would silently be neither replaced nor left out. */
function assertLoaded(context: PluginContext, files: Iterable<string>): void {
  for (const file of files) {
    if (context.getModuleInfo(file) === null) throw new BuildError(`${file} is not part of the program`)
  }
}

/** Paths of files of src/ by the paths that they replace. */
function inSource(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(files).map(([file, other]) => [join(root, 'src', file), join(root, 'src', other)]))
}
