/**
 * Types from `.proto` files are those of the compiler of Protocol Buffers: what a message or its JSON depends on.
 * Default values are not, since unset fields are omitted.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DescField, FileRegistry } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ConfinedFiles } from '../../../src/runner/files/confined-files.ts'
import { typesOfFiles } from '../../../src/runner/grpc/named-types.ts'
import type { RegistryTypes } from '../../../src/runner/grpc/types.ts'
import { protoDirectory, protoFile } from '../../helpers/grpc-server.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'

const hasCompiler = spawnSync('protoc', ['--version']).status === 0
const included = '/usr/include/google/protobuf'

const anywhere = (): ConfinedFiles => new ConfinedFiles({ directory: '/', warnings: [] } as never)

function registryOf(named: Partial<Parameters<typeof typesOfFiles>[0]>): FileRegistry {
  const all = { protoFiles: [], importPaths: [], descriptorSets: [], ...named }
  return (typesOfFiles(all, anywhere()) as RegistryTypes).registry
}

/** What the types say, by name. */
function factsOf(registry: FileRegistry, isWanted: (name: string) => boolean): readonly string[] {
  return [...registry]
    .filter(({ typeName }) => isWanted(typeName))
    .flatMap((type): string[] => {
      if (type.kind === 'message')
        return [type.typeName, ...type.fields.map((field) => `${type.typeName} ${factOf(field)}`)]
      if (type.kind === 'enum') {
        return [`${type.typeName} ${type.open} ${type.values.map(({ name, number }) => `${name}=${number}`).join(' ')}`]
      }
      if (type.kind === 'extension') return [`${type.typeName} of ${type.extendee.typeName} ${factOf(type as never)}`]
      return type.methods.map(({ name, methodKind, input, output }) => {
        return `${type.typeName}/${name} ${methodKind} ${input.typeName} ${output.typeName}`
      })
    })
    .sort()
}

function factOf(field: DescField): string {
  const { name, number, jsonName, fieldKind, scalar, message, enum: enumType, presence, oneof } = field
  const { packed, delimitedEncoding, listKind, mapKind, mapKey } = field as unknown as Record<string, unknown>
  return JSON.stringify([
    ...[name, number, jsonName, fieldKind, scalar, message?.typeName, enumType?.typeName, presence, oneof?.name],
    ...[packed, delimitedEncoding, listKind, mapKind, mapKey],
  ])
}

const own = ['shop.proto', 'legacy.proto', 'types/money.proto'].map((name) => [name, protoFile(name), protoDirectory])
const theirs = existsSync(included)
  ? readdirSync(included)
      .filter((name) => name.endsWith('.proto'))
      .map((name) => [`google/protobuf/${name}`, join(included, name), '/usr/include'])
  : []

describe.skipIf(!hasCompiler)('the types of', () => {
  it.each([...own, ...theirs] as [string, string, string][])('%s are those of protoc', (name, path, directory) => {
    const target = directoryWith({})
    const set = join(target.path, 'set.bin')
    execFileSync('protoc', ['--include_imports', `--descriptor_set_out=${set}`, '-I', directory, name])
    const isOwn = (typeName: string): boolean => !typeName.startsWith('google.') || directory === '/usr/include'
    const facts = factsOf(registryOf({ protoFiles: [path], importPaths: [directory] }), isOwn)
    const wanted = factsOf(registryOf({ descriptorSets: [set] }), isOwn)
    target.remove()
    expect(facts.length).toBeGreaterThan(0)
    expect(facts).toEqual(wanted)
  })
})

it('edition 2023 features are applied', () => {
  const facts = factsOf(registryOf({ protoFiles: [protoFile('modern.proto')] }), (name) => name.startsWith('shop.'))
  const registry = registryOf({ protoFiles: [protoFile('modern.proto')] })
  const fields = new Map(registry.getMessage('shop.modern.New')!.fields.map((field) => [field.name, field]))
  const presence = (name: string): number => fields.get(name)!.presence
  // FeatureSet.FieldPresence: 1 explicit, 2 implicit, 3 required.
  expect(['id', 'note', 'needed', 'delimited', 'level'].map(presence)).toEqual([2, 1, 3, 1, 1])
  expect([fields.get('loose'), fields.get('dense')].map((field) => (field as { packed?: boolean }).packed)).toEqual([
    false,
    true,
  ])
  expect(fields.get('delimited')).toMatchObject({ delimitedEncoding: true })
  expect(registry.getMessage('shop.modern.New.Own')!.fields[0]!.presence).toBe(1)
  expect(registry.getEnum('shop.modern.Level')!.open).toBe(true)
  expect(facts.length).toBeGreaterThan(10)
})

describe('an error in a file names the file:', () => {
  const read = (text: string): void => {
    const directory = directoryWith({ 'a.proto': text })
    try {
      registryOf({ protoFiles: [join(directory.path, 'a.proto')] })
    } finally {
      directory.remove()
    }
  }
  it.each<[string, string, RegExp]>([
    ['text that is not a proto', 'syntax = "proto3";\nmessage {', /a\.proto:2: /],
    [
      'an import that is missing',
      'syntax = "proto3";\nimport "b.proto";',
      /a\.proto imports "b\.proto", which is not below /,
    ],
    ['a type that is missing', 'syntax = "proto3";\nmessage A { B b = 1; }', /a\.proto do not match each other: .*B/],
    ['an edition of the future', 'edition = "2099";\nmessage A {}', /a\.proto.*2099/],
    ['nesting without end', `syntax = "proto3";\n${'message A {'.repeat(100_000)}`, /a\.proto/],
  ])('%s', (_, text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it('files that import each other', () => {
    const directory = directoryWith({
      'a.proto': 'syntax = "proto3"; import "b.proto"; message A { B b = 1; }',
      'b.proto': 'syntax = "proto3"; import "a.proto"; message B { A a = 1; }',
    })
    try {
      expect(() => registryOf({ protoFiles: [join(directory.path, 'a.proto')] })).toThrow(
        'do not match each other: a.proto and b.proto import each other',
      )
    } finally {
      directory.remove()
    }
  })

  it('a file that is not a descriptor set', () => {
    expect(() => registryOf({ descriptorSets: [protoFile('shop.proto')] })).toThrow(
      /shop\.proto is not a descriptor set/,
    )
  })
})
