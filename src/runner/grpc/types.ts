/**
 * The services and messages for calls, wherever they come from.
 *
 * Rules: messages are written and read in the canonical JSON mapping of Protocol Buffers. Unset fields are omitted from
 * the JSON, as the mapping requires.
 */
import {
  type DescMethod,
  type DescService,
  type FileRegistry,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toBinary,
} from '@bufbuild/protobuf'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { nearestNames } from '../../http-file/index.ts'
import { RunError } from '../base/errors.ts'
import { messageOfJson } from './json-message.ts'
import { jsonOfBytes, jsonText } from './message-json.ts'
import type { GrpcMethod, GrpcTypes, MethodName } from './method.ts'
import type { GrpcStatus } from './status.ts'

export class RegistryTypes implements GrpcTypes {
  readonly registry: FileRegistry

  constructor(registry: FileRegistry) {
    this.registry = registry
  }

  /** By their full names, in order. */
  get services(): readonly DescService[] {
    const found = [...this.registry].filter((type): type is DescService => type.kind === 'service')
    return found.sort((a, b) => (a.typeName < b.typeName ? -1 : 1))
  }

  method({ service: serviceName, method: methodName }: MethodName, from: string): GrpcMethod {
    const service = this.registry.getService(serviceName)
    if (service === undefined) {
      throw unknownName(
        'service',
        serviceName,
        this.services.map(({ typeName }) => typeName),
        from,
      )
    }
    const method = service.methods.find(({ name }) => name === methodName)
    if (method !== undefined) return new RegistryMethod(method, this.registry)
    throw unknownName(
      'method',
      methodName,
      service.methods.map(({ name }) => name),
      `the service ${serviceName}`,
    )
  }
}

export function unknownName(kind: string, name: string, known: readonly string[], from: string): RunError {
  const [nearest] = nearestNames(name, known)
  const list = known.length > MAX_LISTED ? [...known.slice(0, MAX_LISTED), '…'] : known
  const hint =
    nearest !== undefined ? `Did you mean ${nearest}?` : known.length === 0 ? undefined : `It has ${list.join(', ')}.`
  return new RunError('invalid-request', `no ${kind} ${name} in ${from}`, { hint })
}

const MAX_LISTED = 10

class RegistryMethod implements GrpcMethod {
  readonly #method: DescMethod
  readonly #registry: FileRegistry

  constructor(method: DescMethod, registry: FileRegistry) {
    this.#method = method
    this.#registry = registry
  }

  get sendsStream(): boolean {
    return this.#method.methodKind === 'client_streaming' || this.#method.methodKind === 'bidi_streaming'
  }

  get receivesStream(): boolean {
    return this.#method.methodKind === 'server_streaming' || this.#method.methodKind === 'bidi_streaming'
  }

  encoded(json: string): Uint8Array {
    const { input } = this.#method
    const message: Message = messageOfJson(input, json, this.#registry)
    try {
      return toBinary(input, message)
    } catch (cause) {
      const required = /field (\S+) .*required/.exec((cause as Error).message)?.[1]
      const problem = required === undefined ? (cause as Error).message : `the field ${required} is required`
      throw new RunError('invalid-request', problem, { cause })
    }
  }

  decoded(bytes: Uint8Array): string {
    const { output } = this.#method
    try {
      return jsonText(jsonOfBytes(output, bytes, this.#registry))
    } catch (cause) {
      const message = `the server sent a message that is not a valid ${output.typeName}: ${(cause as Error).message}`
      throw new RunError('grpc-message', message, { cause, hint: 'Check that these are the types of the server.' })
    }
  }

  statusJson(status: GrpcStatus): string {
    return jsonText(statusJson(status, this.#registry))
  }
}

/**
 * A status with its details as the JSON of google.rpc.Status: `grpc-status-details-bin` contains that message in
 * base64, with or without padding. Anything that cannot be decoded is omitted.
 */
function statusJson({ code, message, details }: GrpcStatus, registry: Registry): JsonObject {
  const found = details === undefined ? [] : detailsOf(Buffer.from(details, 'base64'), registry)
  return { code, message, ...(found.length === 0 ? {} : { details: found }) }
}

/** Field 3 of google.rpc.Status: a list of google.protobuf.Any. */
const DETAILS = 3

function detailsOf(bytes: Uint8Array, registry: Registry): JsonValue[] {
  const details: JsonValue[] = []
  try {
    const reader = new BinaryReader(bytes)
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag()
      if (field === DETAILS) details.push(jsonOfBytes(AnySchema, reader.bytes(), registry))
      else reader.skip(type, field)
    }
  } catch {
    // Invalid details of a status are ignored.
  }
  return details
}
