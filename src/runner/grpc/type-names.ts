/**
 * Completes descriptors whose type names are as written in a `.proto` file, as parsers of other languages produce them.
 * The library requires full names, the kind of each type, JSON names, and every import.
 *
 * Rules: the first part of a name is looked up in the innermost scope first; a name that begins with a dot is complete
 * (the Protocol Buffers language specification, "Packages and name resolution").
 */
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt'

interface DefinedType {
  readonly file: string
  readonly isEnum: boolean
}

export class TypeNames {
  /** By full name. */
  readonly #types: Map<string, DefinedType> = new Map()

  constructor(files: Iterable<FileDescriptorProto>) {
    for (const file of files) this.#define(file, file.package, file.messageType, file.enumType)
  }

  /** Completes a file in place. */
  complete(file: FileDescriptorProto): void {
    const imports = new Set(file.dependency)
    const resolve = (name: string, scope: string): string => {
      const full = this.#fullName(name, scope)
      const found = full === undefined ? undefined : this.#types.get(full)
      if (full === undefined || found === undefined) return name
      if (found.file !== file.name) imports.add(found.file)
      return `.${full}`
    }
    const completeField = (field: FieldDescriptorProto, scope: string): void => {
      if (field.jsonName === '') field.jsonName = jsonNameOf(field.name)
      if (field.extendee !== '') field.extendee = resolve(field.extendee, scope)
      if (field.typeName === '') return
      field.typeName = resolve(field.typeName, scope)
      if (field.type === FieldDescriptorProto_Type.GROUP) return
      const isEnum = this.#types.get(field.typeName.slice(1))?.isEnum === true
      field.type = isEnum ? FieldDescriptorProto_Type.ENUM : FieldDescriptorProto_Type.MESSAGE
    }
    const completeMessage = (message: DescriptorProto, outer: string): void => {
      const scope = joined(outer, message.name)
      for (const field of [...message.field, ...message.extension]) completeField(field, scope)
      for (const nested of message.nestedType) completeMessage(nested, scope)
    }
    for (const message of file.messageType) completeMessage(message, file.package)
    for (const extension of file.extension) completeField(extension, file.package)
    for (const service of file.service) {
      for (const method of service.method) {
        const scope = joined(file.package, service.name)
        method.inputType = resolve(method.inputType, scope)
        method.outputType = resolve(method.outputType, scope)
      }
    }
    file.dependency = [...imports]
  }

  #define(
    file: FileDescriptorProto,
    scope: string,
    messages: readonly DescriptorProto[],
    enums: FileDescriptorProto['enumType'],
  ): void {
    for (const { name } of enums) this.#types.set(joined(scope, name), { file: file.name, isEnum: true })
    for (const message of messages) {
      const full = joined(scope, message.name)
      this.#types.set(full, { file: file.name, isEnum: false })
      this.#define(file, full, message.nestedType, message.enumType)
    }
  }

  #fullName(name: string, scope: string): string | undefined {
    if (name.startsWith('.')) return name.slice(1)
    const [first = ''] = name.split('.', 1)
    const parts = scope === '' ? [] : scope.split('.')
    for (let count = parts.length; count >= 0; count--) {
      const outer = parts.slice(0, count).join('.')
      const full = joined(outer, name)
      if (this.#types.has(full)) return full
      // A first part that is defined in this scope hides outer ones; a package that spans several files need not
      // contain the type.
      if (name !== first && this.#types.has(joined(outer, first))) return undefined
    }
    return undefined
  }
}

/** `made_at` becomes `madeAt` in JSON. */
function jsonNameOf(name: string): string {
  return name.replace(/_+(.?)/g, (_underscores, letter: string) => letter.toUpperCase())
}

function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`
}
