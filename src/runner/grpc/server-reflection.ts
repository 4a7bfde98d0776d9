/** The reflection service of a server over HTTP/2: each request is a call. */
import type { HeaderList } from '../../message/index.ts'
import { exchange, type WireOptions } from '../../wire/index.ts'
import { callRequest, isGrpc, notGrpc, receivedMessages } from './call.ts'
import { frame } from './frames.ts'
import { Reflection } from './reflection.ts'

/**
 * @param origin `http://host:port`, or https
 * @param fields metadata of the calls, including the gRPC fields
 */
export function reflectionOf(origin: string, fields: HeaderList, options: () => Promise<WireOptions>): Reflection {
  return new Reflection(async (path, question) => {
    const frames = async function* (): AsyncGenerator<Uint8Array> {
      yield frame(question, undefined)
    }
    const result = await exchange(callRequest(new URL(path, origin).href, fields, frames), await options())
    try {
      if (!isGrpc(result)) throw notGrpc(result)
      const received = receivedMessages(result)
      const messages: Uint8Array[] = []
      for (;;) {
        const { value, done } = await received.next()
        if (done === true) return { messages, trailers: value }
        messages.push(value)
      }
    } finally {
      result.close()
      await result.closed
    }
  }, new URL(origin).host)
}
