/** Joins texts and files into one body, which is read while it is sent. */
import { concatBytes, type MessageBody } from '../../message/index.ts'

export type Content = Uint8Array | MessageBody

const LF = Uint8Array.of(0x0a)

export class JoinedBody implements MessageBody {
  readonly contentLength: number | undefined
  readonly #contents: readonly Content[]
  readonly #isJoinedByLf: boolean

  /** @param isJoinedByLf whether contents are separated by a line feed */
  constructor(contents: readonly Content[], isJoinedByLf: boolean) {
    this.#contents = contents
    this.#isJoinedByLf = isJoinedByLf
    const lengths = contents.map((content) => (content instanceof Uint8Array ? content.length : content.contentLength))
    this.contentLength = lengths.reduce<number | undefined>(
      (sum, length) => (sum === undefined || length === undefined ? undefined : sum + length),
      isJoinedByLf ? contents.length - 1 : 0,
    )
  }

  /** Adjacent texts are joined into one piece. */
  async *open(): AsyncGenerator<Uint8Array> {
    let lead: Uint8Array[] = []
    for (const [index, content] of this.#contents.entries()) {
      if (index > 0 && this.#isJoinedByLf) lead.push(LF)
      if (content instanceof Uint8Array) {
        lead.push(content)
        continue
      }
      if (lead.length > 0) yield concatBytes(lead)
      lead = []
      yield* content.open()
    }
    if (lead.length > 0) yield concatBytes(lead)
  }
}
