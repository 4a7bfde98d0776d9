/**
 * Splits the text of a JSON report into the texts of its requests, of its jobs and of the rest, as it is read.
 *
 * Rules: only one request and the other members of its job and of the report are in memory, because a report may be
 * larger than memory. Each text that was cut out is replaced by `0`, so that JSON.parse of every text finds every
 * syntax error. A report with another layout, such as one that jq has written, is split in the same way. RFC 8259.
 */
export interface ReportPiece {
  /** A request comes before its job, the report itself last. */
  readonly kind: 'request' | 'job' | 'report'
  readonly text: string
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Depths of the report, of a job, and of the lists in them. */
const [IN_REPORT, IN_JOBS, IN_JOB, IN_REQUESTS] = [1, 2, 3, 4]

/** A text under construction. */
interface OpenText {
  readonly kind: ReportPiece['kind']
  /** The number of brackets open before it. */
  readonly depth: number
  /** One character per byte. */
  bytes: string
}

/** The longest key of interest is shorter. */
const MAX_KEY_BYTES = 16

export class ReportCutter {
  readonly #texts: OpenText[] = [{ kind: 'report', depth: 0, bytes: '' }]
  /** By depth, the key whose value is being read; empty in a list. */
  readonly #keys: string[] = []
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** The beginning of the last string that may be a key. */
  #word = ''

  /** The report without its jobs; undefined if its text was truncated. */
  end(): ReportPiece | undefined {
    if (this.#depth > 0) return undefined
    return pieceOf(this.#texts[0] as OpenText)
  }

  /** Reads the next bytes. @returns the texts that they complete */
  *cut(chunk: Buffer): Generator<ReportPiece> {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (this.#isInString) this.#readString(byte)
      else if (byte === QUOTE) this.#openString()
      else if (byte === COLON) this.#keys[this.#depth] = this.#word
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        const kind = byte === OPEN_OBJECT ? this.#kindHere() : undefined
        if (kind !== undefined) {
          this.#keep(chunk, from, at)
          from = at
          this.#texts.push({ kind, depth: this.#depth, bytes: '' })
        }
        this.#keys[++this.#depth] = ''
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        this.#depth--
        if (this.#texts.length > 1 && this.#texts.at(-1)?.depth === this.#depth) {
          this.#keep(chunk, from, at + 1)
          from = at + 1
          yield this.#close()
        }
      }
    }
    this.#keep(chunk, from, chunk.length)
  }

  #kindHere(): 'job' | 'request' | undefined {
    const keys = this.#keys
    if (keys[this.#depth] !== '') return undefined
    if (this.#depth === IN_JOBS && keys[IN_REPORT] === 'jobs') return 'job'
    const isInJob = this.#texts.at(-1)?.kind === 'job'
    return isInJob && this.#depth === IN_REQUESTS && keys[IN_JOB] === 'requests' ? 'request' : undefined
  }

  #openString(): void {
    this.#isInString = true
    this.#word = ''
  }

  #readString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
    else if (this.#depth <= IN_JOB && this.#word.length < MAX_KEY_BYTES) this.#word += String.fromCharCode(byte)
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    const text = this.#texts.at(-1) as OpenText
    text.bytes += chunk.toString('latin1', from, to)
  }

  #close(): ReportPiece {
    const text = this.#texts.pop() as OpenText
    const around = this.#texts.at(-1) as OpenText
    around.bytes += '0'
    return pieceOf(text)
  }
}

function pieceOf({ kind, bytes }: OpenText): ReportPiece {
  return {
    kind,
    text: Buffer.from(bytes, 'latin1')
      .toString()
      .replace(/^\ufeff/, ''),
  }
}
