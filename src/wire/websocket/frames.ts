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

export interface FrameSender {
  send(
    data: string | Uint8Array,
    options: { readonly fin: boolean; readonly mask: boolean; readonly binary: boolean; readonly compress: boolean },
    done: (error?: Error | null) => void,
  ): void
  pong(data: Uint8Array, mask: boolean): void
  close(code: number | undefined, reason: string, mask: boolean): void
}

/** `fillMask` receives the four bytes of a mask for each frame. */
export const Sender: new (socket: Socket, extensions: object, fillMask: (mask: Uint8Array) => void) => FrameSender =
  LibrarySender

/** Emits `message` (bytes, whether binary), `ping` (bytes), `conclude` (code, reason), `error`. */
export const Receiver: new (options: { readonly isServer: boolean; readonly maxPayload: number }) => Writable =
  LibraryReceiver
