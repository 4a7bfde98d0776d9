/**
 * A WebSocket server for tests that reads and writes frames byte by byte (RFC 6455 section 5), for startPeer.
 *
 * It shares no code with the library that the command uses, and sends whatever a test specifies, valid or not.
 */
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { onHead } from '../wire/peer.ts'

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface ReceivedFrame {
  readonly isFinal: boolean
  readonly opcode: number
  readonly isMasked: boolean
  /** Unmasked. */
  readonly payload: Buffer
  /** The number of bytes of the length field: 1, 3 or 9. */
  readonly lengthFieldBytes: number
}

export interface FrameSettings {
  readonly isFinal?: boolean
  /** RSV1 to RSV3 as they appear in the first byte. */
  readonly reservedBits?: number
  readonly mask?: Uint8Array
}

/** One frame with the shortest length field. */
export function frame(opcode: number, payload: string | Uint8Array, settings: FrameSettings = {}): Buffer {
  const { isFinal = true, reservedBits = 0, mask } = settings
  const content = Buffer.from(payload)
  const first = (isFinal ? 0x80 : 0) | reservedBits | opcode
  const maskBit = mask === undefined ? 0 : 0x80
  const head = Buffer.concat([Buffer.of(first), lengthField(content.length, maskBit)])
  if (mask === undefined) return Buffer.concat([head, content])
  return Buffer.concat([head, mask, content.map((byte, index) => byte ^ mask[index % 4]!)])
}

function lengthField(length: number, maskBit: number): Buffer {
  if (length < 126) return Buffer.of(maskBit | length)
  const field = Buffer.alloc(length < 65_536 ? 3 : 9)
  field[0] = maskBit | (length < 65_536 ? 126 : 127)
  if (length < 65_536) field.writeUInt16BE(length, 1)
  else field.writeBigUInt64BE(BigInt(length), 1)
  return field
}

/** The content of a close frame. */
export function closing(code: number, reason: string | Uint8Array = ''): Buffer {
  const field = Buffer.alloc(2)
  field.writeUInt16BE(code)
  return Buffer.concat([field, Buffer.from(reason)])
}

/**
 * Serves connections of startPeer: answers the handshake, then passes on each frame of the client when it is complete.
 */
export function webSocketServer(
  onFrame: (received: ReceivedFrame, socket: Socket) => void,
  onOpen: (socket: Socket) => void = () => undefined,
): (socket: Socket) => void {
  return onHead((socket, head) => {
    let bytes = Buffer.alloc(0)
    socket.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece])
      for (let found = firstFrame(bytes); found !== undefined; found = firstFrame(bytes)) {
        bytes = bytes.subarray(found.sizeBytes)
        onFrame(found.frame, socket)
      }
    })
    socket.write(handshakeAnswer(head))
    onOpen(socket)
  })
}

/** RFC 6455 section 4.2.2. */
export function handshakeAnswer(head: string): string {
  const key = /^sec-websocket-key: *(\S+)/im.exec(head)?.[1] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const fields = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`]
  return ['HTTP/1.1 101 Switching Protocols', ...fields, '', ''].join('\r\n')
}

interface FoundFrame {
  readonly frame: ReceivedFrame
  readonly sizeBytes: number
}

function firstFrame(bytes: Buffer): FoundFrame | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes[1]! & 0x7f
  const lengthFieldBytes = short < 126 ? 1 : short === 126 ? 3 : 9
  const isMasked = (bytes[1]! & 0x80) !== 0
  const start = 1 + lengthFieldBytes + (isMasked ? 4 : 0)
  if (bytes.length < start) return undefined
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const sizeBytes = start + length
  if (bytes.length < sizeBytes) return undefined
  const mask = bytes.subarray(start - 4, start)
  const content = bytes.subarray(start, sizeBytes)
  const payload = Buffer.from(isMasked ? content.map((byte, index) => byte ^ mask[index % 4]!) : content)
  const isFinal = (bytes[0]! & 0x80) !== 0
  return { frame: { isFinal, opcode: bytes[0]! & 0x0f, isMasked, payload, lengthFieldBytes }, sizeBytes }
}
