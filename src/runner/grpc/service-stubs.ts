/**
 * Writes the services of a server as requests that can be pasted into a request file.
 *
 * Rules: a message has every field with its default value, but only the first field of a oneof. Nesting ends after
 * MAX_DEPTH, and where a type contains itself. The reflection services are omitted.
 */
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { HeaderList } from '../../message/index.ts'
import { ConnectionPool, type WireOptions } from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'
import { reflectionOf } from './server-reflection.ts'

const MAX_DEPTH = 3

/**
 * @param address `host:port`, or with `grpc://` or `grpcs://`
 * @throws HttpcliError `invalid-request`, `grpc-types`, `grpc-refused`; WireError
 */
export async function serviceStubs(address: string, wire: WireOptions): Promise<string> {
  const pool = new ConnectionPool()
  try {
    const fields = HeaderList.of([
      ['Content-Type', 'application/grpc'],
      ['TE', 'trailers'],
    ])
    const options = { ...wire, pool, http2: 'prior-knowledge' } as const
    const reflection = reflectionOf(originOf(address), fields, () => Promise.resolve(options))
    const names = (await reflection.services()).filter((name) => !name.startsWith('grpc.reflection.'))
    const stubs: string[] = []
    for (const name of [...names].sort()) {
      const service = (await reflection.typesOf(name)).registry.getService(name)
      for (const method of service?.methods ?? []) {
        const isStream = method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming'
        const note = isStream ? '# Takes any number of messages: write "===" between them.\n' : ''
        const message = JSON.stringify(messageStub(method.input, []), undefined, 2)
        stubs.push(`### ${name}/${method.name}\n${note}GRPC ${address}/${name}/${method.name}\n\n${message}\n`)
      }
    }
    return stubs.join('\n')
  } finally {
    pool.close()
  }
}

function originOf(address: string): string {
  const url = /^[a-z]+:\/\//i.test(address) ? address.replace(/^grpc(?=s?:)/i, 'http') : `http://${address}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/') return parsed.origin
  throw new RunError('invalid-request', `${JSON.stringify(address)} is not the address of a gRPC server`, {
    hint: 'Write host:port, or grpcs://host:port for a server with TLS.',
  })
}

type Stub = string | number | boolean | null | readonly Stub[] | { readonly [name: string]: Stub }

/** Types whose JSON is not an object with their fields. */
const specialStubs: Readonly<Record<string, Stub>> = {
  'google.protobuf.Timestamp': '1970-01-01T00:00:00Z',
  'google.protobuf.Duration': '0s',
  'google.protobuf.FieldMask': '',
  'google.protobuf.Struct': {},
  'google.protobuf.Value': null,
  'google.protobuf.ListValue': [],
  'google.protobuf.Any': {},
}

/** @param outer the types that contain this one */
function messageStub(type: DescMessage, outer: readonly string[]): Stub {
  if (Object.hasOwn(specialStubs, type.typeName)) return specialStubs[type.typeName] as Stub
  const inside = [...outer, type.typeName]
  const [wrapped] = type.typeName.startsWith('google.protobuf.') ? type.fields : []
  if (wrapped !== undefined && type.fields.length === 1) return valueStub(wrapped, inside)
  const shown = type.fields.filter(({ oneof, name }) => oneof === undefined || oneof.fields[0]?.name === name)
  const isDeep = outer.length >= MAX_DEPTH || outer.includes(type.typeName)
  return isDeep ? {} : Object.fromEntries(shown.map((field) => [field.jsonName, fieldStub(field, inside)]))
}

function fieldStub(field: DescField, inside: readonly string[]): Stub {
  if (field.fieldKind === 'list') return []
  return field.fieldKind === 'map' ? {} : valueStub(field, inside)
}

function valueStub({ message, enum: enumType, scalar }: DescField, inside: readonly string[]): Stub {
  if (message !== undefined) return messageStub(message, inside)
  if (enumType !== undefined) return enumType.values[0]?.name ?? 0
  if (scalar === ScalarType.BOOL) return false
  return scalar === ScalarType.STRING || scalar === ScalarType.BYTES ? '' : 0
}
