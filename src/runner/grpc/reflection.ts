/**
 * Reads types from a server's reflection service.
 *
 * Rules: version v1 is tried first, then v1alpha if the server does not implement v1. The files of a service are
 * requested until no import is missing; files of google.protobuf that a server lacks come from the library. Each
 * request is a call with one message. The messages of both versions have the same form. Some servers report errors in
 * the status of the call, others in their answer.
 */
import { type FileRegistry, fromBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import type { HeaderList } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import { registryOf, wellKnownFile } from './descriptor-files.ts'
import { grpcStatus, NOT_FOUND, OK, statusText, UNIMPLEMENTED } from './status.ts'
import { RegistryTypes, unknownName } from './types.ts'

/** Sends one message to a method. Resolves with the messages of the answer and its trailers. */
export type AskServer = (
  path: string,
  message: Uint8Array,
) => Promise<{ readonly messages: readonly Uint8Array[]; readonly trailers: HeaderList }>

/** Fields of ServerReflectionRequest. */
const FILE_BY_NAME = 3
const FILE_OF_SYMBOL = 4
const LIST_SERVICES = 7
/** Fields of ServerReflectionResponse. */
const FILES = 4
const SERVICES = 6
const ERROR = 7

/** More files than any service has: a malicious server must not keep a run busy. */
const MAX_FILES = 5000

interface Answer {
  readonly files: readonly Uint8Array[]
  readonly services: readonly string[]
  /** Undefined if there was no error. */
  readonly error: { readonly code: number; readonly message: string } | undefined
}

export class Reflection {
  readonly #ask: AskServer
  /** Host and port, for errors. */
  readonly #place: string
  #path: string | undefined

  constructor(ask: AskServer, place: string) {
    this.#ask = ask
    this.#place = place
  }

  /** The types of a service and all types that it uses. @throws HttpcliError `invalid-request`, `grpc-types` */
  async typesOf(service: string): Promise<RegistryTypes> {
    const answer = await this.#question(FILE_OF_SYMBOL, service)
    if (answer.error?.code === NOT_FOUND) {
      throw unknownName('service', service, await this.services(), this.#place)
    }
    return new RegistryTypes(await this.#registry(this.#files(answer)))
  }

  /** The full names of the services. @throws HttpcliError `grpc-types` */
  async services(): Promise<readonly string[]> {
    const answer = await this.#question(LIST_SERVICES, '*')
    if (answer.error !== undefined) throw this.#failed(answer.error.message)
    return answer.services
  }

  async #registry(first: readonly FileDescriptorProto[]): Promise<FileRegistry> {
    const files = new Map(first.map((file) => [file.name, file]))
    const queue = first.flatMap(({ dependency }) => dependency)
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (files.has(name)) continue
      if (files.size === MAX_FILES) throw this.#broken(`more than ${MAX_FILES} files`)
      for (const file of await this.#fileNamed(name)) {
        if (files.has(file.name)) continue
        files.set(file.name, file)
        for (const dependency of file.dependency) queue.push(dependency)
      }
      if (!files.has(name)) throw this.#broken(`no file ${JSON.stringify(name)}`)
    }
    try {
      return registryOf(files)
    } catch (cause) {
      throw this.#broken((cause as Error).message, cause)
    }
  }

  async #fileNamed(name: string): Promise<readonly FileDescriptorProto[]> {
    const answer = await this.#question(FILE_BY_NAME, name)
    if (answer.error === undefined) return this.#files(answer)
    const known = wellKnownFile(name)
    if (known === undefined) throw this.#failed(answer.error.message)
    return [known]
  }

  #files({ files, error }: Answer): readonly FileDescriptorProto[] {
    if (error !== undefined) throw this.#failed(error.message)
    try {
      return files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
    } catch (cause) {
      throw this.#broken((cause as Error).message, cause)
    }
  }

  /** Determines the supported version with the first request. */
  async #question(field: number, text: string): Promise<Answer> {
    const message = new BinaryWriter().tag(field, STRING_WIRE_TYPE).string(text).finish()
    const paths = this.#path === undefined ? ['v1', 'v1alpha'].map(pathOf) : [this.#path]
    for (const path of paths) {
      const { messages, trailers } = await this.#ask(path, message)
      const status = grpcStatus(trailers)
      if (status?.code === UNIMPLEMENTED) continue
      if (status === undefined) throw this.#failed('no grpc-status')
      if (status.code !== OK) {
        return { files: [], services: [], error: { code: status.code, message: statusText(status) } }
      }
      const [answer] = messages
      if (answer === undefined) throw this.#broken('no answer')
      this.#path = path
      return this.#read(answer)
    }
    throw new RunError('grpc-types', `${this.#place} has no reflection, so the types of its messages are unknown`, {
      hint: 'Enable reflection in the server, or name the types: "# @grpc-proto file.proto" above the request.',
    })
  }

  #read(bytes: Uint8Array): Answer {
    const files: Uint8Array[] = []
    const services: string[] = []
    let error: Answer['error']
    try {
      for (const [field, content] of lengthDelimited(bytes)) {
        if (field === FILES) for (const [, file] of lengthDelimited(content)) files.push(file)
        if (field === SERVICES) {
          for (const [, service] of lengthDelimited(content)) {
            for (const [, name] of lengthDelimited(service)) services.push(Buffer.from(name).toString('utf8'))
          }
        }
        if (field === ERROR) error = errorOf(content)
      }
    } catch (cause) {
      throw this.#broken('an answer that cannot be decoded', cause)
    }
    return { files, services, error }
  }

  #failed(message: string): RunError {
    return new RunError('grpc-types', `the reflection of ${this.#place} failed: ${message}`, {
      hint: 'Check the log of the server, or name the types: "# @grpc-proto file.proto" above the request.',
    })
  }

  #broken(found: string, cause?: unknown): RunError {
    return new RunError('grpc-types', `the reflection of ${this.#place} gave ${found}`, {
      hint: 'Name the types instead: "# @grpc-proto file.proto" above the request.',
      cause,
    })
  }
}

/** WireType.LengthDelimited of Protocol Buffers. */
const STRING_WIRE_TYPE = 2

function pathOf(version: string): string {
  return `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
}

/** The length-delimited fields of a message; all others are skipped. */
function* lengthDelimited(bytes: Uint8Array): Generator<readonly [field: number, content: Uint8Array]> {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (type === STRING_WIRE_TYPE) yield [field, reader.bytes()]
    else reader.skip(type, field)
  }
}

function errorOf(bytes: Uint8Array): NonNullable<Answer['error']> {
  const reader = new BinaryReader(bytes)
  let code = 0
  let message = ''
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (field === 1) code = reader.int32()
    else if (field === 2) message = reader.string()
    else reader.skip(type, field)
  }
  return { code, message }
}
