/** Frames of HTTP/2 as bytes, for traffic that a proper client never sends (RFC 9113 section 4.1). */

export const preface: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const endStream = 1
export const endHeaders = 4

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** SETTINGS. `initialWindowBytes`: the window of each stream; undefined for the default. */
export function settings(initialWindowBytes?: number): Buffer {
  if (initialWindowBytes === undefined) return frame(frameTypes.settings, 0, 0)
  const payload = Buffer.from([0, 4, 0, 0, 0, 0])
  payload.writeUInt32BE(initialWindowBytes, 2)
  return frame(frameTypes.settings, 0, 0, payload)
}

export function windowUpdate(stream: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(bytes)
  return frame(frameTypes.windowUpdate, 0, stream, payload)
}

export function reset(stream: number, code = 8): Buffer {
  return frame(frameTypes.reset, 0, stream, Buffer.from([0, 0, 0, code]))
}

export function goaway(lastStream: number): Buffer {
  return frame(frameTypes.goaway, 0, 0, Buffer.from([0, 0, 0, lastStream, 0, 0, 0, 0]))
}

/** A field that is not indexed, without Huffman coding (RFC 7541 section 6.2.2). */
export function field(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)])
}

/** The field section of a request to the authority `a`. */
export function requestFields(method: 'GET' | 'POST', path: string): Buffer {
  const start = Buffer.from([method === 'GET' ? 0x82 : 0x83, 0x87, 0x41, 1, 0x61, 0x04, path.length])
  return Buffer.concat([start, Buffer.from(path)])
}

export function get(stream: number, path: string): Buffer {
  return frame(frameTypes.headers, endStream | endHeaders, stream, requestFields('GET', path))
}
