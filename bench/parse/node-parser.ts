/** The parser of Node.js itself: llhttp in C, with a binding that creates a string for each name and value. */
import { createRequire } from 'node:module'
import { inTurn, isRequest, type MakeContender } from './contender.ts'

interface BindingParser {
  initialize(type: number, resource: object): void
  execute(octets: Uint8Array): number | Error
  [callback: number]: (...parts: never[]) => number | undefined
}

interface BindingParserClass {
  new (): BindingParser
  readonly REQUEST: number
  readonly RESPONSE: number
  readonly kOnHeadersComplete: number
  readonly kOnBody: number
  readonly kOnMessageComplete: number
}

/** Undefined on a runtime that does not have this parser. */
export const nodeParser: MakeContender = (name, copies) => {
  const { HTTPParser } = createRequire(import.meta.url)('_http_common') as { HTTPParser?: BindingParserClass }
  if (typeof HTTPParser?.prototype.execute !== 'function') return undefined
  let sum = 0
  let kept: unknown[] = []
  const makeParser = (): BindingParser => {
    const parser = new HTTPParser()
    parser.initialize(isRequest(name) ? HTTPParser.REQUEST : HTTPParser.RESPONSE, {})
    parser[HTTPParser.kOnHeadersComplete] = (_major: number, _minor: number, fields: string[] | undefined, ...rest) => {
      sum += fields?.length ?? 0
      kept = [fields, ...rest]
      return 0
    }
    parser[HTTPParser.kOnBody] = (octets: Uint8Array) => {
      sum += octets.length
      kept.push(octets)
      return undefined
    }
    parser[HTTPParser.kOnMessageComplete] = () => {
      sum++
      return undefined
    }
    return parser
  }
  const connection = makeParser()
  const parse = (octets: Buffer): number => {
    const read = connection.execute(octets)
    if (read !== octets.length) throw new Error(`${name} was not read to its end: ${String(read)}`)
    return sum
  }
  return {
    tasks: { lazily: inTurn(copies, parse), strings: inTurn(copies, parse) },
    keep: (octets) => {
      connection.execute(octets)
      return kept
    },
  }
}
