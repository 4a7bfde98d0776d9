/** A registry of types from descriptors of `.proto` files, wherever they were read. */
import { create, createFileRegistry, type DescFile, type FileRegistry } from '@bufbuild/protobuf'
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
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

/** The files that every tool for Protocol Buffers brings along. */
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
 * The types of these files and of all that they import. The files are completed in place.
 * @param files by name
 * @throws Error of the library, if a file is missing or a type is not defined
 */
export function registryOf(files: ReadonlyMap<string, FileDescriptorProto>): FileRegistry {
  const known = wellKnownFiles.filter(({ proto }) => !files.has(proto.name)).map(({ proto }) => proto)
  const names = new TypeNames([...known, ...files.values()])
  for (const file of files.values()) names.complete(file)
  // The library takes one file and what it imports: this one imports all.
  const all = create(FileDescriptorProtoSchema, { name: '', syntax: 'proto3', dependency: [...files.keys()] })
  return createFileRegistry(all, (name) => files.get(name) ?? wellKnownFile(name))
}
