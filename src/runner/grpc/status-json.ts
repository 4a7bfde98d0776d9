/**
 * Converts a status with its details to the JSON of google.rpc.Status.
 *
 * Rules: `grpc-status-details-bin` contains that message in base64, with or without padding. Anything that cannot be
 * decoded is omitted.
 */
import type { Registry } from '@bufbuild/protobuf'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { jsonOfBytes } from './message-json.ts'
import type { GrpcStatus } from './status.ts'

export function statusJson({ code, message, details }: GrpcStatus, registry: Registry): object {
  const found = details === undefined ? [] : detailsOf(Buffer.from(details, 'base64'), registry)
  return { code, message, ...(found.length === 0 ? {} : { details: found }) }
}

/** Field 3 of google.rpc.Status: a list of google.protobuf.Any. */
const DETAILS = 3

function detailsOf(bytes: Uint8Array, registry: Registry): readonly unknown[] {
  const details: unknown[] = []
  try {
    const reader = new BinaryReader(bytes)
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag()
      if (field === DETAILS) details.push(jsonOfBytes(AnySchema, reader.bytes(), registry))
      else reader.skip(type, field)
    }
  } catch {
    // Invalid details of a status are not worth an error.
  }
  return details
}
