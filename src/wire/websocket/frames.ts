/**
 * Writes and reads WebSocket frames: the parts of the library `ws` that are used here, with their types.
 *
 * The library is published without types; these follow its documentation. Its files are imported by path, because Bun
 * replaces the name `ws` with a module that lacks these classes.
 */
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
// @ts-expect-error: a file of the library has no types
import LibraryReceiver from '../../../node_modules/ws/lib/receiver.js'
// @ts-expect-error: a file of the library has no types
import LibrarySender from '../../../node_modules/ws/lib/sender.js'
import { platformCode } from '../base/errors.ts'

/** RFC 6455 section 7.4.1. */
const PROTOCOL_ERROR = 1002

export interface FrameSender {
  send(
    data: string | Uint8Array,
    options: { readonly fin: boolean; readonly mask: boolean; readonly binary: boolean; readonly compress: boolean },
    done: (error?: Error | null) => void,
  ): void
  pong(data: Uint8Array, mask: boolean, done: () => void): void
  close(code: number | undefined, reason: string, mask: boolean): void
}

/** `fillMask` receives the four bytes of a mask for each frame. */
export const Sender: new (socket: Socket, extensions: object, fillMask: (mask: Uint8Array) => void) => FrameSender =
  LibrarySender

/**
 * The public members of the library do not show whether a message is incomplete. These are private: check them when
 * the version of the library changes.
 */
export interface FrameReceiver extends Writable {
  /** The opcode of a message of which frames are missing, otherwise 0. */
  readonly _fragmented: number
  /** The bytes of its frames that are complete. */
  readonly _messageLength: number
  /** The bytes of a frame that is not complete, without the parts of its head that were read. */
  readonly _bufferedBytes: number
  /** What comes next in the frame; 0: its first byte. */
  readonly _state: number
}

/** Emits `message` (bytes, whether binary), `ping` (bytes), `conclude` (code, reason), `error`. */
export const Receiver: new (options: { readonly isServer: boolean; readonly maxPayload: number }) => FrameReceiver =
  LibraryReceiver

/** The codes of close frames for the errors of a Receiver that are not of the protocol (RFC 6455 section 7.4.1). */
const closeCodes: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
}

/** The code of the close frame that answers an error of a Receiver. */
export function closeCodeOf(error: Error): number {
  return closeCodes[platformCode(error)] ?? PROTOCOL_ERROR
}
