/**
 * Types from files that a request names: `.proto` files and descriptor sets.
 *
 * Rules: an import is searched for in the import directories, in order, then next to the named files, then among the
 * files of google.protobuf that every tool includes. A file that is found under several paths is the same file. Files
 * are read once per run, and only below the file root.
 */
import { dirname, join, relative } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import protobuf from 'protobufjs'
import { HttpcliError } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import { type ConfinedFiles, unreadable } from '../files/confined-files.ts'
import { registryOf, wellKnownFile } from './descriptor-files.ts'
import type { GrpcTypes } from './method.ts'
import { fileDescriptor, type ParsedProto } from './proto-descriptor.ts'
import { RegistryTypes } from './types.ts'

/** Absolute paths. */
export interface NamedFiles {
  readonly protoFiles: readonly string[]
  readonly importPaths: readonly string[]
  /** Files of google.protobuf.FileDescriptorSet, as `protoc --descriptor_set_out` writes them. */
  readonly descriptorSets: readonly string[]
}

const knownTypes: WeakMap<ConfinedFiles, Map<string, GrpcTypes>> = new WeakMap()

/** @param files files of the run. @throws HttpcliError `invalid-request` with file and line; as `files.read` */
export function typesOfFiles(named: NamedFiles, files: ConfinedFiles): GrpcTypes {
  const ofRun = knownTypes.get(files) ?? new Map<string, GrpcTypes>()
  knownTypes.set(files, ofRun)
  const key = JSON.stringify(named)
  const types = ofRun.get(key) ?? new FileTypes(named, files).read()
  ofRun.set(key, types)
  return types
}

class FileTypes {
  readonly #named: NamedFiles
  readonly #files: ConfinedFiles
  readonly #directories: readonly string[]
  /** By import name. */
  readonly #found: Map<string, FileDescriptorProto> = new Map()
  /** The import name by absolute path. */
  readonly #names: Map<string, string> = new Map()

  constructor(named: NamedFiles, files: ConfinedFiles) {
    this.#named = named
    this.#files = files
    this.#directories = [...new Set([...named.importPaths, ...named.protoFiles.map((path) => dirname(path))])]
  }

  read(): GrpcTypes {
    for (const path of this.#named.descriptorSets) this.#readSet(path)
    for (const path of this.#named.protoFiles) this.#readProto(path, this.#nameOf(path))
    try {
      return new RegistryTypes(registryOf(this.#found))
    } catch (cause) {
      const list = [...this.#named.protoFiles, ...this.#named.descriptorSets].map((path) => this.#shown(path))
      throw wrong(`the types of ${list.join(', ')} do not match each other: ${(cause as Error).message}`, cause)
    }
  }

  #readSet(path: string): void {
    const bytes = this.#content(path)
    try {
      for (const file of fromBinary(FileDescriptorSetSchema, bytes).file) this.#found.set(file.name, file)
    } catch (cause) {
      const hint = 'Make it with "protoc --include_imports --descriptor_set_out=FILE".'
      throw wrong(`${this.#shown(path)} is not a descriptor set`, cause, hint)
    }
  }

  /** @returns the import name */
  #readProto(path: string, name: string): string {
    const known = this.#names.get(path)
    if (known !== undefined) return known
    this.#names.set(path, name)
    const text = Buffer.from(this.#content(path))
      .toString('utf8')
      .replace(/^\ufeff/, '')
    const { imports, ...parsed } = this.#parsed(text, path)
    const found = imports.map((each) => this.#readImport(each, path))
    try {
      this.#found.set(name, fileDescriptor(name, { ...parsed, imports: found }))
    } catch (cause) {
      throw wrong(`${this.#shown(path)}: ${(cause as Error).message}`, cause)
    }
    return name
  }

  #content(path: string): Uint8Array {
    try {
      return this.#files.read(path)
    } catch (cause) {
      throw unreadable(`the file ${this.#shown(path)}`, cause)
    }
  }

  #parsed(text: string, path: string): ParsedProto {
    try {
      const { package: packageName, imports, weakImports, root } = protobuf.parse(text, { keepCase: true })
      return {
        package: packageName,
        imports: [...(imports ?? []), ...(weakImports ?? [])],
        root: root.toJSON() as unknown as ParsedProto['root'],
      }
    } catch (cause) {
      const reason = (cause as Error).message
      const match = /^(.*) \(line (\d+)\)$/.exec(reason)
      const place = match === null ? '' : `:${match[2]}`
      throw wrong(`${this.#shown(path)}${place}: ${match?.[1] ?? reason}`, cause)
    }
  }

  #readImport(name: string, importer: string): string {
    for (const directory of this.#directories) {
      const path = join(directory, name)
      if (this.#files.isFile(path)) return this.#readProto(path, name)
    }
    if (this.#found.has(name) || wellKnownFile(name) !== undefined) return name
    const places = this.#directories.map((directory) => this.#shown(directory)).join(', ')
    const message = `${this.#shown(importer)} imports ${JSON.stringify(name)}, which is not below ${places}`
    throw wrong(message, undefined, 'Name its directory with "# @grpc-import-path directory".')
  }

  /** The name by which another file would import it. */
  #nameOf(path: string): string {
    const inside = this.#directories
      .map((directory) => relative(directory, path))
      .find((name) => !name.startsWith('..'))
    return (inside ?? path).replaceAll('\\', '/')
  }

  #shown(path: string): string {
    const { directory } = this.#files.root
    const name = directory === undefined ? '' : relative(directory, path)
    return name === '' || name.startsWith('..') ? path : name
  }
}

function wrong(message: string, cause: unknown, hint?: string): HttpcliError {
  return cause instanceof HttpcliError ? cause : new RunError('invalid-request', message, { cause, hint })
}
