/**
 * Finds the end of a request on standard input.
 *
 * Rules: on a terminal a request ends at the empty line, or where Content-Length or the last chunk ends its body; an
 * error ends it immediately, so that it is reported while the user is still typing. From a pipe it ends where its
 * framing fields end it, otherwise at the end of the input, so that the text below the empty line is the body. A body
 * that an option replaces is not awaited.
 */
import { HttpDecoder, HttpParseError, HttpParser, type RequestHead } from '../../../message/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import type { SendValues } from '../../options/send.ts'

const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

export class TypedRequest {
  readonly #stderr: CommandContext<SendValues>['stderr']
  readonly #isTerminal: boolean
  readonly #isBodyReplaced: boolean
  readonly #decoder = new HttpDecoder('server', new HttpParser().options)
  /** Whether only the end of the input ends it. */
  #isUnlimited = false

  constructor({ arguments: args, stderr, stdin }: CommandContext<SendValues>) {
    this.#stderr = stderr
    this.#isTerminal = stdin.isTTY === true
    this.#isBodyReplaced = args.value('body-text') !== undefined || args.value('body-file') !== undefined
  }

  /** Takes the next bytes. Returns whether they complete the request. */
  async endsWith(bytes: Uint8Array): Promise<boolean> {
    if (this.#isUnlimited) return false
    try {
      // The decoder keeps a reference to its input.
      for (const event of this.#decoder.push(bytes)) {
        if (event.type === 'end') return true
        if (event.type !== 'request') continue
        if (this.#isBodyReplaced) return true
        if (event.head.framing === undefined) return this.#endsAtHead(event.head)
        await this.#askForBody(event.head)
      }
    } catch (error) {
      if (!(error instanceof HttpParseError)) throw error
      this.#isUnlimited = true
      return this.#isTerminal
    }
    return false
  }

  async #endsAtHead({ method }: RequestHead): Promise<boolean> {
    if (!this.#isTerminal) {
      this.#isUnlimited = true
      return false
    }
    if (methodsWithBody.has(method)) {
      await this.#stderr.write(`note: the ${method} is sent without a body; a body needs Content-Length, or -b or -g\n`)
    }
    return true
  }

  async #askForBody({ framing }: RequestHead): Promise<void> {
    if (!this.#isTerminal || framing === undefined) return
    if (framing.type === 'chunked') await this.#stderr.write('Type the chunks; the last one is 0 and an empty line:\n')
    else if (framing.type === 'length' && framing.length > 0) {
      await this.#stderr.write(
        `Type the body, ${framing.length === 1 ? '1 byte' : `${framing.length} bytes`} by its Content-Length:\n`,
      )
    }
  }
}
