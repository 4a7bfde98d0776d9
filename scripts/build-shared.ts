/**
 * Builds `dist/shared`: modules that both the library and the command load, and that are too large to be in the package
 * twice.
 *
 * Rules: the modules are CommonJS, because the launcher of the command cannot load ES modules; the library imports
 * their names. The script engine's program contains the initial globals of scripts as a memory snapshot. The texts of
 * all languages, the largest module, are compressed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import type { Plugin } from 'rolldown'
import { BuildError } from './build-error.ts'
import { assertNoPackageIsImported, bundle, filesIn } from './bundle.ts'
import { preparedEngineProgram } from './prepare-world.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const directory = join(root, 'dist', 'shared')

/** The script engine's program in the directory. */
export const engineProgram = 'quickjs.wasm'

interface SharedModule {
  /** The imported path, without the extension for a file of this project. */
  readonly id: string
  /** Its source: the parts of the module that are used. */
  readonly code: string
}

/** The files of google.protobuf. */
const wellKnownFiles = [
  ...['any', 'api', 'descriptor', 'duration', 'empty', 'field_mask', 'source_context', 'struct', 'timestamp', 'type'],
  'wrappers',
]

/** The used descriptors of google.protobuf. */
const protobufNames = [
  ...['AnySchema', 'BytesValueSchema', 'FloatValueSchema', 'StructSchema'],
  ...['DescriptorProtoSchema', 'Edition', 'EnumDescriptorProtoSchema', 'FeatureSetSchema'],
  ...['EnumType', 'FieldPresence', 'JsonFormat', 'MessageEncoding', 'RepeatedFieldEncoding', 'Utf8Validation'].map(
    (name) => `FeatureSet_${name}`,
  ),
  ...['FieldDescriptorProtoSchema', 'FieldDescriptorProto_Label', 'FieldDescriptorProto_Type'],
  ...['FileDescriptorProtoSchema', 'FileDescriptorSetSchema', 'ServiceDescriptorProtoSchema'],
  ...wellKnownFiles.map((name) => `file_google_protobuf_${name}`),
]

/** By the name of the file that contains it. */
const modules: Readonly<Record<string, SharedModule>> = {
  'faker-english': {
    id: '@faker-js/faker/locale/en',
    code: "export { faker } from '@faker-js/faker/locale/en'",
  },
  'faker-languages': { id: '@faker-js/faker', code: "export { allFakers } from '@faker-js/faker'" },
  cookies: {
    id: 'tough-cookie',
    code: "export { Cookie, CookieJar, MemoryCookieStore, defaultPath, getPublicSuffix } from 'tough-cookie'",
  },
  yaml: {
    id: 'yaml',
    code: "import * as yaml from 'yaml'; export const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = yaml",
  },
  protobuf: {
    id: '@bufbuild/protobuf',
    code: "export { create, createFileRegistry, fromBinary, fromJson, ScalarType, toBinary, toJson } from '@bufbuild/protobuf'",
  },
  'protobuf-wire': {
    id: '@bufbuild/protobuf/wire',
    code: "export { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'",
  },
  'protobuf-files': {
    id: '@bufbuild/protobuf/wkt',
    code: `export { ${protobufNames.join(', ')} } from '@bufbuild/protobuf/wkt'`,
  },
  'proto-parser': { id: 'protobufjs', code: "export { default } from 'protobufjs'" },
  xpath: { id: 'xpath', code: "export { parse, select, useNamespaces, XNodeSet } from 'xpath'" },
  acorn: { id: 'acorn', code: "export { Parser } from 'acorn'" },
  'core-code': {
    id: './core-code.generated',
    code: `export { coreCode } from './src/runner/scripting/engine/core-code.generated.ts'`,
  },
  'load-runtime': {
    id: './load-runtime.generated',
    code: `export { lightBodies, lightDynamic, lightExtras, lightRuntime, lightScripts, lightTokens, lightValues, lightView, loadRuntime, loadServices } from './src/convert/k6-writer/load-runtime.generated.ts'`,
  },
  'sandbox-code': {
    id: './sandbox-code.generated',
    code: `export { sandboxCode } from './src/runner/scripting/engine/sandbox-code.generated.ts'`,
  },
}

export async function buildShared(target: string): Promise<void> {
  await bundle({
    input: Object.fromEntries(Object.keys(modules).map((name) => [name, join(root, `${name}.shared.js`)])),
    platform: 'node',
    external: (id) => id.startsWith('node:'),
    plugins: [
      {
        name: 'shared-sources',
        resolveId: (id) => (id.endsWith('.shared.js') ? id : null),
        load: (id) => modules[/([^\\/]+)\.shared\.js$/.exec(id)?.[1] ?? '']?.code ?? null,
      },
    ],
    output: { dir: target, format: 'cjs', minify: true, entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
  })
  writeFileSync(join(target, engineProgram), await preparedEngineProgram())
  assertNoPackageIsImported(filesIn(target, '.cjs'))
  compress(join(target, 'faker-languages.cjs'), ['allFakers'])
}

/**
 * Replaces a module by one that unpacks it when it is loaded. Only for modules that few users load, because it takes a
 * few milliseconds.
 * @param names the names that it exports, which other modules read from its text
 */
function compress(file: string, names: readonly string[]): void {
  writeFileSync(file.replace(/cjs$/, 'br'), brotliCompressSync(readFileSync(file)))
  const unpacked = "require('node:zlib').brotliDecompressSync(packed).toString()"
  const lines = [
    "const packed = require('node:fs').readFileSync(__filename.replace(/cjs$/, 'br'))",
    `new Function('exports', 'require', 'module', ${unpacked})(exports, require, module)`,
    `0 && (module.exports = { ${names.join(', ')} })`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

/** The shared module that an import names; undefined for other imports. */
export function sharedName(id: string): string | undefined {
  return Object.keys(modules).find((name) => id.replace(/\.[jt]s$/, '') === modules[name]!.id)
}

/**
 * Rewrites imports of the shared modules to imports of their files.
 * @param from returns the folder of the importing module, which is beside dist/shared or in a folder that is
 */
export function sharedModules(from: (importer: string) => string): Plugin {
  return {
    name: 'shared-modules',
    resolveId(id, importer) {
      const name = sharedName(id)
      if (name === undefined || importer === undefined) return null
      const path = relative(from(importer), join(directory, `${name}.cjs`)).replaceAll('\\', '/')
      return { id: path, external: true }
    },
    transform(code, importer) {
      assertNamesAreExported(code, importer)
    },
  }
}

/** The bundler does not look into the files: a name that is missing there would be undefined in the command. */
function assertNamesAreExported(code: string, importer: string): void {
  for (const [, names = '', id = ''] of code.matchAll(/^import (?!type )\{([^}]*)\} from ['"]([^'"]+)['"]/gm)) {
    const shared = modules[sharedName(id) ?? '']
    if (shared === undefined) continue
    const imported = [...names.matchAll(/(?:^|,)\s*(?!type )(\w+)/g)].map(([, name = '']) => name)
    const missing = imported.find((name) => !new RegExp(`\\b${name}\\b`).test(shared.code))
    if (missing !== undefined) throw new BuildError(`${importer} imports ${missing}, which build-shared.ts omits`)
  }
}
