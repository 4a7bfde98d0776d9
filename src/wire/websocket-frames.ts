/**
 * Frames of WebSockets, written and read: the parts of the library `ws` that we use, with their types.
 *
 * Rules: the library publishes them without types of its own; this is what its documentation says of them.
 */
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import * as library from 'ws'

export interface FrameSender {
  send(
    data: string | Uint8Array,
    options: { readonly fin: boolean; readonly mask: boolean; readonly binary: boolean; readonly compress: boolean },
    done: (error?: Error | null) => void,
  ): void
  pong(data: Uint8Array, mask: boolean): void
  close(code: number | undefined, reason: string, mask: boolean): void
}

interface FrameLibrary {
  /** `fillMask` is given the four octets of a mask for each frame. */
  readonly Sender: new (
    socket: Socket,
    extensions: object,
    fillMask: (mask: Uint8Array) => void,
  ) => FrameSender
  /** Emits `message` (octets, whether binary), `ping` (octets), `conclude` (code, reason), `error`. */
  readonly Receiver: new (options: {
    readonly isServer: boolean
    readonly maxPayload: number
  }) => Writable
}

const { Sender: LibrarySender, Receiver: LibraryReceiver } = library as unknown as FrameLibrary

export const Sender: FrameLibrary['Sender'] = LibrarySender
export const Receiver: FrameLibrary['Receiver'] = LibraryReceiver
