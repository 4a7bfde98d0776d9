/** A registry of types from descriptors of `.proto` files, wherever they come from. */
import { create, createFileRegistry, type DescFile, type FileRegistry } from '@bufbuild/protobuf'
import {
  type FileDescriptorProto,
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt'
import { TypeNames } from './type-names.ts'

/** The files that every Protocol Buffers tool includes. */
const wellKnownFiles: readonly DescFile[] = [
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
]

/** @param name `google/protobuf/timestamp.proto` */
export function wellKnownFile(name: string): FileDescriptorProto | undefined {
  return wellKnownFiles.find(({ proto }) => proto.name === name)?.proto
}

/**
 * The types of these files, of all their imports, and the well-known types, which an Any may contain without an import.
 * The files are completed in place.
 * @param files by name
 * @throws Error if a file is missing or a type is not defined
 */
export function registryOf(files: ReadonlyMap<string, FileDescriptorProto>): FileRegistry {
  const known = wellKnownFiles.filter(({ proto }) => !files.has(proto.name)).map(({ proto }) => proto)
  const names = new TypeNames([...known, ...files.values()])
  for (const file of files.values()) names.complete(file)
  const all = new Map([...known, ...files.values()].map((file) => [file.name, file]))
  return createFileRegistry(create(FileDescriptorSetSchema, { file: importsFirst(all) }))
}

/** The library requires each file after its imports. */
function importsFirst(files: ReadonlyMap<string, FileDescriptorProto>): FileDescriptorProto[] {
  const sorted = new Map<string, FileDescriptorProto | 'in progress'>()
  const add = (name: string, importer: string): void => {
    const known = sorted.get(name)
    if (known === 'in progress') throw new Error(`${importer} and ${name} import each other`)
    if (known !== undefined) return
    const file = files.get(name)
    if (file === undefined) throw new Error(`no file ${JSON.stringify(name)}, which ${importer} imports`)
    sorted.set(name, 'in progress')
    for (const each of file.dependency) add(each, name)
    sorted.delete(name)
    sorted.set(name, file)
  }
  for (const name of files.keys()) add(name, name)
  return [...sorted.values()].filter((file) => file !== 'in progress')
}
