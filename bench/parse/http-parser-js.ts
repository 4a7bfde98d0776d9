/** http-parser-js: a port of the old C parser. */
import { inTurn, isRequest, type MakeContender } from './contender.ts'
import { peer } from './peer.ts'

interface Parser {
  execute(octets: Buffer, start: number, length: number): number | Error
  [callback: number]: (...parts: never[]) => unknown
}

interface ParserClass {
  new (type: string): Parser
  readonly REQUEST: string
  readonly RESPONSE: string
  readonly kOnHeadersComplete: number
  readonly kOnBody: number
  readonly kOnMessageComplete: number
}

export const httpParserJs: MakeContender = (name, copies) => {
  const { HTTPParser } = peer('http-parser-js') as { HTTPParser: ParserClass }
  let sum = 0
  let kept: unknown[] = []
  const parser = new HTTPParser(isRequest(name) ? HTTPParser.REQUEST : HTTPParser.RESPONSE)
  parser[HTTPParser.kOnHeadersComplete] = (info: { readonly headers: readonly string[] }) => {
    sum += info.headers.length
    kept = [info]
  }
  parser[HTTPParser.kOnBody] = (octets: Buffer, start: number, length: number) => {
    sum += length
    kept.push(octets.subarray(start, start + length))
  }
  parser[HTTPParser.kOnMessageComplete] = () => sum++
  const parse = (octets: Buffer): number => {
    const read = parser.execute(octets, 0, octets.length)
    if (read !== octets.length) throw new Error(`${name} was not read to its end: ${String(read)}`)
    return sum
  }
  return {
    tasks: { lazily: inTurn(copies, parse), strings: inTurn(copies, parse) },
    keep: (octets) => {
      parse(octets)
      return kept
    },
  }
}
