/**
 * Bytes for tests: strings of one character per byte, and sources that show when and how far they are read.
 *
 * Rules: no knowledge of HTTP in here.
 */

/** The bytes of a string of one character per byte. */
export const toOctets = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

/** One character per byte. */
export const toText = (octets: Uint8Array): string => {
  let text = ''
  for (const octet of octets) text += String.fromCharCode(octet)
  return text
}

/** All bytes of a source, one character per byte. */
export async function collect(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const piece of source) text += toText(piece)
  return text
}

/** A source that counts the requested pieces and records whether its reader released it. */
export interface TrackedSource extends AsyncIterable<Uint8Array> {
  readonly pulls: number
  readonly closed: boolean
}

/** Yields these pieces one at a time, only when asked; a thrown piece is thrown to the reader. */
export function tracked(pieces: Iterable<string | Uint8Array | Error>): TrackedSource {
  const state = { pulls: 0, closed: false }
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (const piece of pieces) {
        state.pulls += 1
        if (piece instanceof Error) throw piece
        yield typeof piece === 'string' ? toOctets(piece) : piece
      }
    } finally {
      state.closed = true
    }
  }
  return {
    get pulls(): number {
      return state.pulls
    },
    get closed(): boolean {
      return state.closed
    },
    [Symbol.asyncIterator]: read,
  }
}

/** One object per kind of source that the library reads, all with the same bytes. */
export function everyKindOfSource(text: string): readonly [kind: string, source: () => ByteSourceLike][] {
  const octets = toOctets(text)
  const halves = [octets.slice(0, octets.length >> 1), octets.slice(octets.length >> 1)]
  return [
    ['bytes', () => octets],
    ['an iterable', () => halves],
    ['an async iterable', () => tracked(halves)],
    [
      'a ReadableStream',
      () =>
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const half of halves) controller.enqueue(half)
            controller.close()
          },
        }),
    ],
  ]
}

export type ByteSourceLike = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>
