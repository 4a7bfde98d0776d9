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

/** By program, files of src/ in place of others. */
const replacements: Readonly<Record<ProgramName, Readonly<Record<string, string>>>> = {
  command: {},
  // It reads one response: loading the fast path takes longer than it saves. The reference path reads every head then.
  send: { 'message/fast/canonical-head.ts': 'message/fast/declined-heads.ts' },
  run: {},
}

/**
 * By program, rooms of which it needs these files at once, and others on demand: an import of the face of a room is one
 * of all its files.
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

/** Reads files of src/ in place of others. */
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

/** Fills the set with all modules that a program loads at once, itself among them. */
function collectStaticImports(name: ProgramName, into: Set<string>): Plugin {
  const narrowed = inSource(partlyNeeded[name])
  return {
    name: 'static-imports',
    buildEnd() {
      const visit = (given: string): void => {
        const id = narrowed.get(given) ?? given
        if (into.has(id)) return
        into.add(id)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported)
      }
      visit(programFile(name))
      assertLoaded(this, narrowed.keys())
    },
  }
}

/** A file that has another name by now would silently be neither replaced nor left out. */
function assertLoaded(context: PluginContext, files: Iterable<string>): void {
  for (const file of files) {
    if (context.getModuleInfo(file) === null) throw new BuildError(`${file} is not part of the program`)
  }
}

/** Paths of files of src/ by paths of others. */
function inSource(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(files).map(([file, other]) => [join(root, 'src', file), join(root, 'src', other)]))
}
