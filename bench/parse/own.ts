/** The parsers of this project: the decoder for sockets, and the parser for whole messages. */
import type * as Library from '../../src/message/index.ts'
import { inTurn, isRequest, type MakeContender } from './contender.ts'

// The built library, because that is what users install.
const file = process.env.HTTPCLI_LIBRARY ?? new URL('../../dist/lib/message/index.js', import.meta.url).href
const library = (await import(file)) as typeof Library
const { HttpDecoder, parseRequest, parseResponse } = library

type Head = Library.RequestHead | Library.ResponseHead | Library.HttpRequest | Library.HttpResponse

const readStrings = (head: Head): number => {
  let sum = 'method' in head ? head.method.length + head.target.length : head.status + head.reason.length
  for (const [name, value] of head.headers) sum += name.length + value.length
  return sum
}

/** One connection: each message is pushed as a socket would provide it. */
export const decoder: MakeContender = (name, copies) => {
  const connection = new HttpDecoder(isRequest(name) ? 'server' : 'client')
  return {
    tasks: {
      lazily: inTurn(copies, (octets) => {
        let sum = 0
        for (const event of connection.push(octets)) sum += event.type.length
        return sum
      }),
      strings: inTurn(copies, (octets) => {
        let sum = 0
        for (const event of connection.push(octets)) if ('head' in event) sum += readStrings(event.head)
        return sum
      }),
    },
    keep: (octets) => Array.from(new HttpDecoder(isRequest(name) ? 'server' : 'client').push(octets)),
  }
}

export const parser: MakeContender = (name, copies) => {
  const parse = isRequest(name) ? parseRequest : parseResponse
  const texts = copies.map((octets) => octets.toString('latin1'))
  const messages = copies.map((octets) => parse(octets))
  return {
    tasks: {
      lazily: inTurn(copies, (octets) => parse(octets).repairs.length),
      strings: inTurn(copies, (octets) => readStrings(parse(octets))),
      'text in': inTurn(texts, (text) => readStrings(parse(text))),
      'text out': inTurn(messages, (message) => message.toString().length),
    },
    keep: (octets) => parse(octets),
  }
}

/** Measures only the memory of kept messages, which hold none of a socket's memory. */
export const eager: MakeContender = (name) => {
  const parse = isRequest(name) ? parseRequest : parseResponse
  return { tasks: {}, keep: (octets) => parse(octets).eagerly() }
}
